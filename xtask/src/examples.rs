//! A copy of `examples/` below `target/`, with the packages it needs and our own.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::layout::Layout;
use crate::{build, node, python, run, setup};

/// Builds both packages, and starts and calls example servers in both languages.
pub fn command(layout: &Layout) -> Result<()> {
    println!(
        "demo: builds the npm package and the Python wheel, then starts example servers in both languages and calls\n\
         them. What it needs comes from the package registries into target/. The first run takes about 5 minutes on\n\
         two cores."
    );
    setup::check(layout)?;
    run::together(layout, &[build::npm_tarballs, build::wheel, ensure])?;
    // It writes directly to the terminal, because it shows its progress in colour.
    run::live(&mut script(layout, "demo/run.mjs")?)
}

/// The demo as a step: it prints each of its promises, and whether it holds.
pub fn demo(layout: &Layout) -> Result<()> {
    run::live(&mut script(layout, "demo/run.mjs")?)
}

/// The types of the example servers.
pub fn types(layout: &Layout) -> Result<()> {
    run::live(node::npm(layout).args(["run", "types"]).current_dir(prepare(layout)?))
}

/// Installs the examples' own packages in both languages.
pub fn ensure(layout: &Layout) -> Result<()> {
    node::packages(layout, "examples", &layout.examples())?;
    python::ensure_tests(layout)
}

/// Copies the examples and installs the packages that were built; returns the copy.
pub fn prepare(layout: &Layout) -> Result<PathBuf> {
    ensure(layout)?;
    node::copy(layout, "examples", &layout.examples())?;
    node::install_tarballs(layout, &layout.examples())?;
    python::prepare(layout)?;
    Ok(layout.examples())
}

/// A script of the examples, with the path of the Python that has our package.
pub fn script(layout: &Layout, path: &str) -> Result<Command> {
    let folder = prepare(layout)?;
    let mut node = run::command(layout, "node");
    node.arg(folder.join(path)).arg("--python").arg(python::path(layout)).current_dir(folder);
    node.env("TOOLSHAPE_ROOT", &layout.root);
    Ok(node)
}
