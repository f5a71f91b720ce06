//! What the tests of adapters need: the SDKs, documents of others, a server in Rust.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::layout::Layout;
use crate::{node, run};

/// A copy of `js-tests/adapters` with its packages and ours; says where the server in Rust is.
pub fn prepare(layout: &Layout, workspace: &[&str]) -> Result<PathBuf> {
    node::read_back(layout)?;
    node::adapters(layout)?;
    let folder = layout.node_adapters();
    node::copy(layout, "js-tests/adapters", &folder)?;
    node::install_tarballs(layout, &folder)?;
    // Compiled with what `cargo test` has compiled.
    run::live_ok(run::cargo(layout).args(["build", "--quiet"]).args(workspace).args(["--example", "rows"]))?;
    Ok(layout.path("target/debug/examples/rows").with_extension(std::env::consts::EXE_EXTENSION))
}

/// Tells the suite where these are.
pub fn tell<'c>(command: &'c mut Command, layout: &Layout, rows: &Path) -> &'c mut Command {
    let documents = layout.node_read_back().join("node_modules");
    command.env("TOOLSHAPE_DOCUMENTS", documents).env("TOOLSHAPE_RMCP_ROWS", rows)
}
