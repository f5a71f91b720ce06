//! The Rust side of the set-up: targets, and the commands of cargo that are not part of it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};

use crate::layout::Layout;
use crate::{run, stamp};

/// Crates that other steps compile: they are for WebAssembly, or for fuzzing.
const ELSEWHERE: [&str; 2] = ["xtask-wasm-tools", "toolshape-fuzz"];

/// `cargo test` on the workspace. Every command has this selection: with another one, features differ and cargo compiles
/// crates again.
pub fn tests(layout: &Layout) -> Command {
    let mut cargo = run::cargo(layout);
    lint(layout, &mut cargo);
    cargo.args(["test", "--workspace"]).args(ELSEWHERE.map(|name| format!("--exclude={name}")));
    cargo
}

/// What methods are asked for the shared cases, and what they answer: the test of vectors writes it.
pub fn transcript(layout: &Layout, form: &str) -> PathBuf {
    layout.path("target/vectors").join(format!("transcript.{form}"))
}

/// Makes clippy the compiler of our crates: one compilation checks and builds them. A warning is an error.
pub fn lint(layout: &Layout, command: &mut Command) {
    let cargo = run::cargo(layout);
    let driver = Path::new(cargo.get_program()).with_file_name(format!("clippy-driver{}", env::consts::EXE_SUFFIX));
    // What `cargo clippy -- -D warnings` sets too.
    command.env("RUSTC_WORKSPACE_WRAPPER", driver).env("CLIPPY_ARGS", "-Dwarnings__CLIPPY_HACKERY__");
}

/// Adds a target to this Rust if it is missing.
pub fn ensure_target(layout: &Layout, target: &str) -> Result<()> {
    let _lock = stamp::lock(layout)?;
    let folder = ["--print", "target-libdir", "--target", target];
    let is_there = run::answer(run::command(layout, "rustc").args(folder))
        .is_some_and(|folder| fs::exists(folder).unwrap_or(false));
    if is_there {
        return Ok(());
    }
    if run::find("rustup").is_none() {
        bail!("install the Rust standard library for {target} with the package manager that Rust came from");
    }
    run::quiet(&format!("Rust target {target}"), run::command(layout, "rustup").args(["target", "add", target]))
        .map(drop)
}

/// The target of this machine.
pub fn host(layout: &Layout) -> Result<String> {
    let version = run::answer(run::command(layout, "rustc").arg("-vV")).context("rustc is missing")?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` names no host")?.to_owned())
}

/// `cargo NAME`, installed in this version below `target/` if it is not there yet.
pub fn subcommand(layout: &Layout, name: &str, version: &str) -> Result<Command> {
    let package = format!("cargo-{name}");
    let root = layout.path("target/tools").join(&package);
    let mut install = run::cargo(layout);
    install.args(["install", &package, "--quiet", "--locked", "--debug", "--version", &format!("={version}")]);
    run::quiet(&package, install.arg("--root").arg(&root).arg("--target-dir").arg(root.join("build")))?;
    let mut command = run::command(layout, root.join("bin").join(&package));
    command.arg(name);
    Ok(command)
}
