//! The relay's programs in each language, which its tests and benchmarks run.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde_json::json;

use crate::layout::Layout;
use crate::{run, rust};

/// Passes a suite the command lines, by name, as JSON. `folder` is where our npm package is installed; the program in Python is
/// passed if `python` has our wheel.
pub fn pass_to<'c>(command: &'c mut Command, native: &Path, folder: &Path, python: Option<&Path>) -> &'c mut Command {
    let node = folder.join("node_modules/.bin").join(if cfg!(windows) { "toolshape.cmd" } else { "toolshape" });
    let mut programs = json!({ "native": [native], "node": [node] });
    if let Some(python) = python {
        programs["python"] = json!([python, "-m", "toolshape"]);
    }
    command.env("TOOLSHAPE_PUMPS", programs.to_string())
}

/// The native program as `cargo test` compiles it.
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

/// The native program as users have it.
pub fn released(layout: &Layout) -> Result<PathBuf> {
    run::live(run::cargo(layout).args(["build", "--quiet", "--release", "--package", "toolshape-cli"]))?;
    Ok(layout.path("target/release/toolshape").with_extension(std::env::consts::EXE_EXTENSION))
}
