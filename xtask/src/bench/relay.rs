//! The relay's program: what they add to a message's way, how much goes through them, and the memory that a long line takes;
//! in turns with the pipe alone, and with proxies of others that speak stdio on both sides.

use std::path::PathBuf;

use anyhow::Result;

use crate::layout::{Layout, bin_of};
use crate::{node, program, python, run};

/// Measures the packages that were built and the native program, in a quick run as tests have it; prints the table, which `UPDATE_TABLE` writes into the
/// documentation too.
pub fn run(layout: &Layout, quick: bool) -> Result<()> {
    println!("\nbench, the relay:");
    let folder = layout.bench().join("relay");
    node::ensure(layout)?;
    node::copy(layout, "benches/shape", &layout.bench().join("shape"))?;
    node::copy(layout, "benches/relay", &folder)?;
    python::prepare(layout)?;
    let peers = peers(layout)?;
    let native = if quick { program::native(layout)? } else { program::released(layout)? };
    let mut measure = run::command(layout, "node");
    measure.arg("run.mjs").arg(layout.bench().join("relay-samples.json")).args(quick.then_some("--quick"));
    measure.env("TOOLSHAPE_PEERS", peers).env("TOOLSHAPE_PYTHON", python::path(layout)).current_dir(&folder);
    run::live(program::pass_to(&mut measure, &native, None))?;
    let mut report = run::command(layout, "node");
    report.arg("report.mjs").arg(layout.bench()).arg(layout.path("docs")).current_dir(&folder);
    run::live(&mut report)?;
    println!("  {}", layout.relative(&layout.bench().join("relay.json")).display());
    Ok(())
}

/// The programs of an environment of their own with the proxies of others, which need other packages than we do.
fn peers(layout: &Layout) -> Result<PathBuf> {
    let venv = layout.venv_of("relay_peers");
    python::ensure(layout, &venv, &["benches/relay/requirements.txt"])?;
    Ok(bin_of(&venv))
}
