//! A copy of `examples/` below `target/`, with the packages it needs and the built packages of this repository.

use std::process::Command;

use anyhow::Result;

use crate::layout::Layout;
use crate::{node, python, run};

/// Installs the examples' own packages in both languages.
pub fn ensure(layout: &Layout) -> Result<()> {
    node::packages(layout, "examples", &layout.examples())?;
    python::ensure(layout, &[python::EXAMPLES])
}

/// Copies the examples and installs the npm package and the wheel that were built.
pub fn prepare(layout: &Layout) -> Result<()> {
    ensure(layout)?;
    node::copy(layout, "examples", &layout.examples())?;
    node::install_tarballs(layout, &layout.examples())?;
    python::prepare(layout, &[python::EXAMPLES])
}

/// A script of the examples, with the path of the Python that has our package.
pub fn script(layout: &Layout, path: &str) -> Command {
    let mut node = run::command(layout, "node");
    node.arg(layout.examples().join(path)).arg("--python").arg(python::path(layout));
    node.current_dir(layout.examples()).env("TOOLSHAPE_ROOT", &layout.root);
    node
}
