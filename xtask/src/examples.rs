//! A copy of `examples/` below `target/`, with the packages it needs and our own.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::layout::Layout;
use crate::{build, node, python, run, setup};

#[derive(clap::Args)]
pub struct Args {
    /// Call the servers in Python too, which builds the wheel
    #[arg(long)]
    python: bool,
}

pub fn command(layout: &Layout, args: &Args) -> Result<()> {
    println!(
        "demo: builds the npm package, then starts example servers and calls them; --python adds those in Python. What it\n\
         needs comes from the package registries into target/. The first run takes about 4 minutes on two cores."
    );
    setup::check(layout)?;
    if args.python {
        run::together(layout, &[build::npm_tarballs, build::wheel, ensure])?;
        return demo(layout);
    }
    run::together(layout, &[build::npm_tarballs, ensure_node])?;
    prepare_node(layout)?;
    // It writes directly to the terminal, because it shows its progress in colour.
    run::live(&mut node_script(layout, "demo/run.mjs"))
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
    ensure_node(layout)?;
    python::ensure_tests(layout)
}

fn ensure_node(layout: &Layout) -> Result<()> {
    node::packages(layout, "examples", &layout.examples())
}

/// The folder of the packages that contain data of others, which tests read too.
pub fn documents(layout: &Layout) -> Result<PathBuf> {
    ensure_node(layout)?;
    Ok(layout.examples().join("node_modules"))
}

/// Copies the examples and installs the packages that were built; returns the copy.
pub fn prepare(layout: &Layout) -> Result<PathBuf> {
    prepare_node(layout)?;
    python::prepare(layout)?;
    Ok(layout.examples())
}

fn prepare_node(layout: &Layout) -> Result<()> {
    ensure_node(layout)?;
    node::copy(layout, "examples", &layout.examples())?;
    node::install_library(layout, &layout.examples())
}

/// A script of the examples, with the path of the Python that has our package.
pub fn script(layout: &Layout, path: &str) -> Result<Command> {
    prepare(layout)?;
    let mut script = node_script(layout, path);
    script.arg("--python").arg(python::path(layout));
    Ok(script)
}

fn node_script(layout: &Layout, path: &str) -> Command {
    let folder = layout.examples();
    let mut node = run::command(layout, "node");
    node.arg(folder.join(path)).current_dir(folder).env("TOOLSHAPE_ROOT", &layout.root);
    node
}
