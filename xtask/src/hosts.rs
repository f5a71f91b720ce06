//! `cargo xtask hosts`: runs agents' hosts in front of a scripted model, with the suite in `js-tests/hosts/`.

use anyhow::Result;

use crate::layout::Layout;
use crate::{build, node, program, python, run, setup};

#[derive(clap::Args)]
pub struct Args {
    /// Run these hosts, by the names of their folders in js-tests/hosts/hosts/
    names: Vec<String>,
}

/// Builds the packages, installs and runs hosts, and writes docs/hosts.md.
pub fn command(layout: &Layout, args: &Args) -> Result<()> {
    setup::check(layout)?;
    run::together(layout, &[build::npm_tarballs, build::wheel])?;
    suite(layout, &args.names)
}

/// Hosts that start fast, as a step: one of each kind, and in each language.
pub fn some(layout: &Layout) -> Result<()> {
    suite(layout, &["--check", "codex", "gemini-cli", "openai-agents-py"].map(str::to_owned))
}

fn suite(layout: &Layout, arguments: &[String]) -> Result<()> {
    python::prepare(layout)?;
    program::install(layout, &program::test_packages(layout)?, "hosts")?;
    let mut node = run::command(layout, "node");
    node.arg("run.mjs").args(arguments).current_dir(node::tests(layout, "hosts")?);
    run::live(node.env("TOOLSHAPE_ROOT", &layout.root).env("TOOLSHAPE_PYTHON", python::path(layout)))
}
