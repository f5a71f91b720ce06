//! The program `toolshape`: as `cargo test` compiles it, as a release publishes it, and as packages of npm.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use serde_json::json;

use crate::layout::{Layout, VERSION};
use crate::{build, node, run, rust, setup, version};

/// The platforms that have a package, as Node names them, and the target of each. Programs for Linux contain their C library, so
/// that one runs on every Linux.
const PLATFORMS: [(&str, &str); 6] = [
    ("darwin-arm64", "aarch64-apple-darwin"),
    ("darwin-x64", "x86_64-apple-darwin"),
    ("linux-arm64", "aarch64-unknown-linux-musl"),
    ("linux-x64", "x86_64-unknown-linux-musl"),
    ("win32-arm64", "aarch64-pc-windows-msvc"),
    ("win32-x64", "x86_64-pc-windows-msvc"),
];
/// The most bytes that the packed program may have. The aim is 6 MB; for Linux on x64 it has 9.7, with the stores of three clouds
/// and PostgreSQL.
const MOST_BYTES: u64 = 9_900_000;
const LAUNCHER: &str = "toolshape-cli";

/// The program as `cargo test` compiles it.
pub fn native(layout: &Layout) -> Result<PathBuf> {
    compiled(layout, "toolshape")
}

/// The example server in Rust, as `cargo test` compiles it.
pub fn rust_server(layout: &Layout) -> Result<PathBuf> {
    compiled(layout, "examples/rows")
}

fn compiled(layout: &Layout, path: &str) -> Result<PathBuf> {
    run::live(rust::tests(layout).args(["--quiet", "--no-run"]))?;
    Ok(layout.path("target/debug").join(path).with_extension(std::env::consts::EXE_EXTENSION))
}

/// The program as users of this machine have it.
pub fn released(layout: &Layout) -> Result<PathBuf> {
    for_target(layout, &own_target(layout)?)
}

/// The target of the program for this machine.
fn own_target(layout: &Layout) -> Result<String> {
    Ok(rust::host(layout)?.replace("linux-gnu", "linux-musl"))
}

/// The program as a release has it for a target.
fn for_target(layout: &Layout, target: &str) -> Result<PathBuf> {
    rust::ensure_target(layout, target)?;
    let mut cargo = run::cargo(layout);
    cargo.args(["build", "--quiet", "--profile", "program", "--package", LAUNCHER, "--features", build::FEATURES]);
    cargo.args(["--target", target]).env("RUSTFLAGS", build::remap_flags(layout)?);
    if target.ends_with("linux-musl") {
        cargo.env(format!("CC_{}", target.replace('-', "_")), setup::musl(layout)?);
    }
    run::quiet(&format!("{LAUNCHER} for {target}"), &mut cargo)?;
    let suffix = if target.contains("windows") { "exe" } else { "" };
    let program = layout.path("target").join(target).join("program/toolshape").with_extension(suffix);
    build::refuse_paths_in(layout, &program)?;
    Ok(program)
}

/// Builds the npm package of the program as a release publishes it, for a target or this machine, within its size.
pub fn package(layout: &Layout, target: Option<&str>) -> Result<PathBuf> {
    let target = target.map_or_else(|| own_target(layout), |target| Ok(target.to_owned()))?;
    let package = pack_program(layout, &for_target(layout, &target)?, &target, &layout.dist())?;
    build::check_size(&package, MOST_BYTES)?;
    Ok(package)
}

/// Builds the npm package that starts the program.
pub fn launcher(layout: &Layout) -> Result<PathBuf> {
    pack(layout, LAUNCHER, &[], &layout.dist())
}

/// Builds both packages for tests, with the program as `cargo test` compiles it.
pub fn test_packages(layout: &Layout) -> Result<Vec<PathBuf>> {
    let program = pack_program(layout, &native(layout)?, &own_target(layout)?, &layout.debug_dist())?;
    Ok(vec![launcher(layout)?, program])
}

/// Installs these packages into the copy of a folder of `js-tests/` that has packages of its own.
pub fn install(layout: &Layout, packages: &[PathBuf], name: &str) -> Result<PathBuf> {
    let folder = node::prepare(layout, name)?;
    node::install(layout, packages, LAUNCHER, &folder)?;
    Ok(folder)
}

fn pack_program(layout: &Layout, program: &Path, target: &str, out: &Path) -> Result<PathBuf> {
    let Some((platform, _)) = PLATFORMS.iter().find(|(_, other)| *other == target) else {
        bail!("there is no npm package for {target}");
    };
    let more = ["--platform".as_ref(), platform.as_ref(), "--program".as_ref(), program.as_os_str()];
    pack(layout, &format!("{LAUNCHER}-{platform}"), &more, out)
}

fn pack(layout: &Layout, name: &str, more: &[&OsStr], out: &Path) -> Result<PathBuf> {
    let folder = layout.path("target/npm-program").join(name);
    let mut assemble = run::command(layout, "node");
    assemble.args(["pkg-templates/program/build.mjs", "--version", VERSION, "--out"]).arg(&folder).args(more);
    assemble.args(version::repository(layout)?.iter().flat_map(|repository| ["--repository", repository]));
    run::quiet(name, &mut assemble)?;
    fs::create_dir_all(out)?;
    node::pack(layout, name, &folder, out)?;
    Ok(out.join(format!("{name}-{VERSION}.tgz")))
}

/// Passes a suite the native program, and the command lines that start the relay, by name, as JSON: that program, or instead the npm
/// package in a folder and the wheel in a Python.
pub fn pass_to<'c>(command: &'c mut Command, native: &Path, packages: Option<(&Path, &Path)>) -> &'c mut Command {
    let programs = match packages {
        None => json!({ "native": [native] }),
        Some((folder, python)) => {
            let name = if cfg!(windows) { "toolshape.cmd" } else { "toolshape" };
            json!({ "npm": [folder.join("node_modules/.bin").join(name)], "python": [python, "-m", "toolshape"] })
        }
    };
    command.env("TOOLSHAPE_PUMPS", programs.to_string()).env("TOOLSHAPE_PROGRAM", native)
}
