//! The Rust side of the set-up: the wasm target, and what runs Rust tests in a browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, bail};

use crate::layout::Layout;
use crate::progress::Item;
use crate::{pins, run};

/// Installs wasm-pack and the test runner that it starts, which is part of wasm-bindgen's command line.
pub fn ensure_browser_tools(layout: &Layout) -> Result<()> {
    ensure_target(layout)?;
    // Its default features include TLS, for browser drivers on other machines.
    cargo_install(
        layout,
        "wasm-bindgen-cli",
        "wasm-bindgen",
        &pins::wasm_bindgen(layout)?,
        &["--no-default-features"],
    )?;
    // Its TLS is for what it downloads, which is all there.
    cargo_install(layout, "wasm-pack", "wasm-pack", pins::WASM_PACK, &["--no-default-features"])
}

/// Only one step at a time adds the target, although steps run in parallel.
static ADDING: Mutex<()> = Mutex::new(());

/// Adds the wasm target to this Rust if it is missing.
pub fn ensure_target(layout: &Layout) -> Result<()> {
    ensure_target_of(layout, pins::WASM_TARGET)
}

/// Adds a target to this Rust if it is missing.
pub fn ensure_target_of(layout: &Layout, target: &str) -> Result<()> {
    let _adding = ADDING.lock();
    let folder = ["--print", "target-libdir", "--target", target];
    let there = run::answer(run::command(layout, "rustc").args(folder))
        .is_some_and(|folder| fs::exists(folder).unwrap_or(false));
    if there {
        return Ok(());
    }
    if run::find("rustup").is_none() {
        bail!(
            "this Rust cannot compile for {target}, and there is no rustup to add it: install the \
             standard library for {target} with the package manager that Rust came from"
        );
    }
    let item = Item::start(format!("Rust target {target}"));
    run::behind(&item, run::command(layout, "rustup").args(["target", "add", target]))?;
    item.done();
    Ok(())
}

/// Where the programs of this Rust are.
pub fn folder(layout: &Layout) -> Result<PathBuf> {
    let root = run::answer(run::command(layout, "rustc").args(["--print", "sysroot"])).context("rustc is missing")?;
    Ok(Path::new(&root).join("bin"))
}

/// The target of this machine.
pub fn host(layout: &Layout) -> Result<String> {
    let said = run::answer(run::command(layout, "rustc").arg("-vV")).context("rustc is missing")?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say what its host is")?.to_owned())
}

/// Installs what `cargo name` runs.
pub fn ensure_subcommand(layout: &Layout, name: &str, version: &str) -> Result<()> {
    let package = format!("cargo-{name}");
    cargo_install(layout, &package, &package, version, &[])
}

/// Compiles one tool into `target/tools`, unless that exact version is there.
fn cargo_install(layout: &Layout, package: &str, program: &str, version: &str, features: &[&str]) -> Result<()> {
    let mut asked = run::command(layout, layout.tools().join("bin").join(program));
    // A program for `cargo name` takes that name first, as cargo gives it.
    asked.args(program.strip_prefix("cargo-")).arg("--version");
    let found = run::answer(&mut asked);
    if found.is_some_and(|line| line.split_whitespace().nth(1) == Some(version)) {
        return Ok(());
    }
    let item = Item::start(format!("{package} {version} (compiled, some minutes)"));
    let install = |more: &[&str]| {
        let mut cargo = run::cargo(layout);
        cargo.args(["install", package, "--force", "--version", &format!("={version}")]).args(features).args(more);
        cargo.arg("--root").arg(layout.tools()).arg("--target-dir").arg(layout.tools().join("build"));
        // A fast compile matters more here than a fast tool.
        cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
        cargo.env("CARGO_PROFILE_RELEASE_LTO", "off");
        cargo.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
        run::behind(&item, &mut cargo)
    };
    // A package's own lock file may contain a yanked release; then it is ignored.
    install(&["--locked"]).or_else(|_| install(&[]))?;
    item.done();
    Ok(())
}
