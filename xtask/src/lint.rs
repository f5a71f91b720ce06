//! Formatters and linters of all languages.

use anyhow::Result;

use crate::layout::Layout;
use crate::{node, python, run};

/// rustfmt, biome and ruff. Clippy is the compiler of the tests (`rust::tests`).
pub fn all(layout: &Layout) -> Result<()> {
    run::live(run::cargo(layout).args(["fmt", "--all", "--check"]))?;
    let biome = node::prepare(layout, "biome")?.join("node_modules/.bin/biome");
    run::live(run::command(layout, biome).args(["ci", "--error-on-warnings", "."]))?;
    python::ensure_build(layout)?;
    for arguments in [&["check"][..], &["format", "--check"]] {
        let mut ruff = python::python_of(layout, &layout.venv_of("build"));
        run::live(ruff.args(["-m", "ruff"]).args(arguments).arg("."))?;
    }
    Ok(())
}
