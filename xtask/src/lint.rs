//! Formatters and linters of all languages.

use anyhow::Result;

use crate::layout::Layout;
use crate::steps::{WORKSPACE, ensure_wasm};
use crate::{node, pins, python, run};

/// rustfmt, clippy, biome and ruff: formats and lints.
pub fn all(layout: &Layout) -> Result<()> {
    run::live(run::cargo(layout).args(["fmt", "--all", "--check"]))?;
    node::ensure(layout)?;
    run::live(run::command(layout, "biome").args(["ci", "--error-on-warnings", "."]))?;
    python::ensure_build(layout)?;
    for arguments in [&["check"][..], &["format", "--check"]] {
        let mut ruff = python::python_of(layout, &layout.venv_of("build"));
        run::live(ruff.args(["-m", "ruff"]).args(arguments).arg("."))?;
    }
    clippy(layout)
}

/// Clippy on everything, and on what only wasm compiles.
fn clippy(layout: &Layout) -> Result<()> {
    ensure_wasm(layout)?;
    let native = [WORKSPACE, &["--all-targets"]].concat();
    let wasm = ["--package", "toolshape-wasm", "--target", pins::WASM_TARGET, "--all-targets"];
    for scope in [&native[..], &wasm[..]] {
        run::live(run::cargo(layout).args(["clippy", "--quiet"]).args(scope).args(["--", "-D", "warnings"]))?;
    }
    Ok(())
}
