//! The crates: packaged and compiled from their packages alone, by the oldest Rust, with each combination of features.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::layout::{Layout, VERSION};
use crate::progress::Item;
use crate::release::publish::Registry;
use crate::release::table::{Said, Table};
use crate::release::{copied, emptied};
use crate::{pins, published, run, rust};

/// What a crate's registry takes at most.
const MOST_BYTES: u64 = 10 * 1024 * 1024;
/// Where crates are packaged and compiled from their packages.
const PACKAGED: &str = "target/packaged";

pub fn rows(layout: &Layout, table: &mut Table) -> Result<()> {
    let names = published::names(layout)?;
    package(layout, &names, &[])?;
    let folder = emptied(layout, Registry::Crates.folder(), &[".crate"])?;
    for name in &names {
        let file = copied(&layout.path(PACKAGED).join(format!("package/{name}-{VERSION}.crate")), &folder)?;
        let row = table.of_file(&file);
        row.check("compiled from its package", Ok(Said::Passed));
        row.check("licence and README", complete(layout, name));
        row.check("size", small(&file));
    }
    let row = table.of("all crates that are published");
    row.check(&format!("Rust {}", oldest_rust(layout)?), with_oldest_rust(layout, &names));
    row.check("documentation", documented(layout, &names));
    row.check("features", with_features(layout, &names));
    row.check("semver", compared(layout, &names));
    Ok(())
}

/// Packages the crates, and compiles each from its package: cargo takes those that it needs from their packages too,
/// although no registry has them yet.
pub fn package(layout: &Layout, names: &[String], more: &[&str]) -> Result<()> {
    forget_packages(layout, names)?;
    let item = Item::start(format!("cargo package, {} crates", names.len()));
    run::behind(&item, selected(layout, &["package", "--allow-dirty", "--target-dir", PACKAGED], names).args(more))?;
    item.done();
    Ok(())
}

/// Removes what cargo knows of earlier packages of this version: it would take that for these, as if a registry had them.
fn forget_packages(layout: &Layout, names: &[String]) -> Result<()> {
    let home = match std::env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => std::env::home_dir().context("there is no home folder, and CARGO_HOME is not set")?.join(".cargo"),
    };
    for kind in ["src", "cache"] {
        let Ok(registries) = fs::read_dir(home.join("registry").join(kind)) else { continue };
        for registry in registries {
            let registry = registry?;
            // The registry of the packages that cargo makes has no host, with which names of others begin.
            if !registry.file_name().to_string_lossy().starts_with('-') {
                continue;
            }
            for name in names {
                let package = registry.path().join(format!("{name}-{VERSION}"));
                if package.is_dir() {
                    fs::remove_dir_all(&package)?;
                }
                let packed = package.with_file_name(format!("{name}-{VERSION}.crate"));
                if packed.is_file() {
                    fs::remove_file(&packed)?;
                }
            }
        }
    }
    let compiled = layout.path(PACKAGED);
    if compiled.is_dir() {
        fs::remove_dir_all(compiled)?;
    }
    Ok(())
}

/// A cargo command on these packages.
pub fn selected(layout: &Layout, words: &[&str], names: &[String]) -> std::process::Command {
    let mut cargo = run::cargo(layout);
    cargo.args(words).args(names.iter().flat_map(|name| ["--package", name]));
    cargo
}

/// Whether the package has what everybody who gets it must get.
pub fn complete(layout: &Layout, name: &str) -> Result<Said> {
    let mut list = run::cargo(layout);
    let list = run::answer(list.args(["package", "--list", "--allow-dirty", "--package", name]));
    let list = list.with_context(|| format!("cargo cannot list the package of {name}"))?;
    for wanted in ["LICENSE", "README.md"] {
        if !list.lines().any(|file| file == wanted) {
            bail!("the package of {name} has no {wanted}");
        }
    }
    Ok(Said::Passed)
}

fn small(file: &std::path::Path) -> Result<Said> {
    let bytes = fs::metadata(file)?.len();
    if bytes > MOST_BYTES {
        bail!("{bytes} bytes, and {MOST_BYTES} are allowed");
    }
    Ok(Said::Passed)
}

/// The oldest Rust that the crates promise to compile with.
fn oldest_rust(layout: &Layout) -> Result<String> {
    let found = published::metadata(layout)?;
    let versions = found["packages"].as_array().into_iter().flatten();
    let version = versions.filter_map(|package| package["rust_version"].as_str()).next();
    Ok(version.context("no crate says which Rust it needs")?.to_owned())
}

fn with_oldest_rust(layout: &Layout, names: &[String]) -> Result<Said> {
    let version = oldest_rust(layout)?;
    if run::find("rustup").is_none() {
        return Ok(Said::NotHere("there is no rustup to install it".to_owned()));
    }
    let item = Item::start(format!("Rust {version}: check"));
    let install = ["toolchain", "install", &version, "--profile", "minimal", "--no-self-update"];
    if run::answer(run::command(layout, "rustup").args(["run", &version, "rustc", "--version"])).is_none()
        && run::behind(&item, run::command(layout, "rustup").args(install)).is_err()
    {
        return Ok(Said::NotHere("rustup cannot install it from here".to_owned()));
    }
    let mut check = run::command(layout, "rustup");
    check.args(["run", &version, "cargo", "check", "--lib", "--bins"]);
    check.args(names.iter().flat_map(|name| ["--package", name]));
    // Those of the cargo that runs this.
    for name in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN"] {
        check.env_remove(name);
    }
    run::behind(&item, &mut check)?;
    item.done();
    Ok(Said::Passed)
}

fn documented(layout: &Layout, names: &[String]) -> Result<Said> {
    let item = Item::start("rustdoc");
    let mut doc = selected(layout, &["doc", "--no-deps", "--lib"], names);
    run::behind(&item, doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    item.done();
    Ok(Said::Passed)
}

/// Each combination of features compiles, natively and, of the core, as WebAssembly.
fn with_features(layout: &Layout, names: &[String]) -> Result<Said> {
    rust::ensure_subcommand(layout, "hack", pins::CARGO_HACK)?;
    rust::ensure_target(layout)?;
    let item = Item::start("cargo hack: every combination of features");
    let (core, others): (Vec<String>, Vec<String>) = names.iter().cloned().partition(|name| name == "toolshape");
    let hack = ["hack", "check", "--feature-powerset"];
    run::behind(&item, &mut selected(layout, &hack, &others))?;
    // The faces for JavaScript are nothing but on WebAssembly.
    run::behind(&item, selected(layout, &hack, &core).args(["--exclude-features", "survey"]))?;
    run::behind(&item, selected(layout, &hack, &core).args(["--lib", "--target", pins::WASM_TARGET]))?;
    item.done();
    Ok(Said::Passed)
}

/// Whether the interfaces changed as the version says, since the last release.
fn compared(layout: &Layout, names: &[String]) -> Result<Said> {
    let last = ["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^"];
    let Some(tag) = run::answer(run::command(layout, "git").args(last)) else {
        return Ok(Said::NotHere("there is no release to compare with".to_owned()));
    };
    rust::ensure_subcommand(layout, "semver-checks", pins::CARGO_SEMVER_CHECKS)?;
    run::live_ok(&mut selected(layout, &["semver-checks", "--baseline-rev", &tag], names))?;
    Ok(Said::Told(format!("compared with {tag}")))
}
