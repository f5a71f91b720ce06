//! The hosts of the plain module: each gives its first result, and the shared cases run through each.
//!
//! The test of the shared cases in Rust writes down what methods are asked and what they answer. Each runtime replays it: every
//! byte of the answers is compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::{module, packages};
use crate::layout::Layout;
use crate::{node, python, run, rust};

/// Runs the first program of each host, the tests of the module in Node, and the shared cases in all runtimes.
pub fn test(layout: &Layout) -> Result<()> {
    let mut tests = node::test(layout, "plain")?;
    let folder = layout.node().join("plain");
    copy(layout, "node", &["host.mjs", "first.mjs"], &folder)?;
    let wasmtime = wasmtime(layout)?;
    let package = packages::install(layout, &wasmtime)?;
    let rust = rust(layout)?;

    let mut node = run::command(layout, "node");
    node.arg("first.mjs").current_dir(folder);
    let python = |script: &str| {
        let mut python = python::python(layout);
        python.arg(script).env("PYTHONPATH", &wasmtime).current_dir(layout.path("crates/plain/hosts/python"));
        python
    };
    let first = [node, python("first.py"), run::command(layout, rust.join("first")), python("extism_first.py")];
    let mut shown = Vec::new();
    for mut program in first {
        shown.push(run::quiet("first result", program.arg(module(layout)))?);
    }
    if !shown[0].starts_with(r#"{"paginated":true,"totalItems":1000,"#) || shown.iter().any(|text| *text != shown[0]) {
        bail!("the first programs in Node, Python, Rust and Extism show:\n{}", shown.join("\n"));
    }

    let transcript = rust::transcript(layout, "bin");
    tests.env("TOOLSHAPE_PLAIN", module(layout)).env("TOOLSHAPE_TRANSCRIPT", &transcript);
    tests.env("TOOLSHAPE_PLAIN_PACKAGE", package);
    run::live(&mut tests)?;
    for mut program in [python("replay.py"), run::command(layout, rust.join("replay"))] {
        run::live(program.arg(module(layout)).arg(&transcript))?;
    }
    Ok(())
}

/// Copies files of a host into a folder.
pub fn copy(layout: &Layout, host: &str, files: &[&str], folder: &Path) -> Result<()> {
    for file in files {
        fs::copy(layout.path("crates/plain/hosts").join(host).join(file), folder.join(file))?;
    }
    Ok(())
}

/// A folder of packages for Python with wasmtime, which is not among the environment's packages.
pub fn wasmtime(layout: &Layout) -> Result<PathBuf> {
    python::folder_of(layout, "target/plain/python-packages", "crates/plain/hosts/python/requirements.txt")
}

/// The folder of the programs in Rust, with wasmi: a workspace of its own, because nothing else needs a runtime.
fn rust(layout: &Layout) -> Result<PathBuf> {
    let built = layout.path("target/plain/rust");
    let mut cargo: Command = run::cargo(layout);
    cargo.args(["build", "--release", "--locked", "--manifest-path", "crates/plain/hosts/rust/Cargo.toml"]);
    run::quiet("wasmi", cargo.arg("--target-dir").arg(&built))?;
    Ok(built.join("release"))
}
