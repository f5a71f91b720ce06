//! The relay's pumps: the commands that users put before a server's, each as it is built here.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde_json::{Value, json};

use crate::layout::Layout;
use crate::{node, run};

/// A copy of `js-tests/relay` with its packages and ours, where its tests run.
pub fn prepare(layout: &Layout) -> Result<()> {
    node::ensure(layout)?;
    node::relay(layout)?;
    node::copy(layout, "js-tests/relay", &layout.node_relay())?;
    node::install_tarballs(layout, &layout.node_relay())
}

/// Tells a suite the pumps: their command lines, by their names, as JSON. `native` is the program of that pump, and `folder`
/// is where our npm package is installed.
pub fn tell<'c>(command: &'c mut Command, native: &Path, folder: &Path) -> &'c mut Command {
    command.env("TOOLSHAPE_PUMPS", own(native, folder).to_string())
}

/// Tells a suite these pumps, and the one of the Python package, which `python` has.
pub fn tell_all<'c>(command: &'c mut Command, native: &Path, folder: &Path, python: &Path) -> &'c mut Command {
    let mut pumps = own(native, folder);
    pumps["python"] = json!([python, "-m", "toolshape"]);
    command.env("TOOLSHAPE_PUMPS", pumps.to_string())
}

fn own(native: &Path, folder: &Path) -> Value {
    let link = folder.join("node_modules/.bin").join(if cfg!(windows) { "toolshape.cmd" } else { "toolshape" });
    json!({ "native": [native], "node": [link] })
}

/// Compiles the native pump as tests have it, with what `cargo test` has compiled; says where it is.
pub fn native(layout: &Layout, workspace: &[&str]) -> Result<PathBuf> {
    run::live_ok(run::cargo(layout).args(["build", "--quiet"]).args(workspace).args(["--bin", "toolshape"]))?;
    Ok(layout.path("target/debug/toolshape").with_extension(std::env::consts::EXE_EXTENSION))
}

/// Compiles the native pump as users have it; says where it is.
pub fn released(layout: &Layout) -> Result<PathBuf> {
    run::live_ok(run::cargo(layout).args(["build", "--quiet", "--release", "--package", "toolshape-cli"]))?;
    Ok(layout.path("target/release/toolshape").with_extension(std::env::consts::EXE_EXTENSION))
}
