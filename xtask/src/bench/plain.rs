//! The plain module, compared in Node with the bindings of the npm package and in Python with the native wheel.

use std::fs;

use anyhow::Result;

use crate::layout::Layout;
use crate::{node, plain, python, run};

/// Measures the module and the packages that were built; prints the tables, which `UPDATE_TABLE` writes into the documentation
/// too.
pub fn run(layout: &Layout, quick: bool) -> Result<()> {
    println!("\nbench, the plain module:");
    let (folder, works) = (layout.bench().join("plain"), layout.bench().join("plain-works"));
    node::ensure(layout)?;
    node::copy(layout, "benches/shape", &layout.bench().join("shape"))?;
    node::copy(layout, "benches/plain", &folder)?;
    node::install_library(layout, &folder)?;
    python::prepare(layout)?;
    let wasmtime = plain::hosts::wasmtime(layout)?;
    plain::hosts::copy(layout, "node", &["host.mjs"], &folder)?;
    plain::hosts::copy(layout, "python", &["host.py"], &folder)?;
    run::live(run::command(layout, "node").arg("prepare.mjs").arg(&works).current_dir(&folder))?;
    let rounds = if quick { "1" } else { "15" };
    let mut python = python::python(layout);
    python.arg("run.py").env("PYTHONPATH", wasmtime);
    let mut node = run::command(layout, "node");
    node.arg("run.mjs");
    for (face, mut command) in [("node", node), ("python", python)] {
        command.arg(plain::module(layout)).arg(&works).arg(rounds).current_dir(&folder);
        fs::write(layout.bench().join(format!("plain-{face}.json")), run::quiet(face, &mut command)?)?;
    }
    let mut report = run::command(layout, "node");
    report.arg("report.mjs").arg(layout.bench()).arg(plain::module(layout)).arg(layout.path("docs"));
    run::live(report.current_dir(&folder))?;
    println!("  {}", layout.relative(&layout.bench().join("plain.json")).display());
    Ok(())
}
