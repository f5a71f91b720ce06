//! End to end: from the call of a client to its result, with each store, and the parts of it.

use anyhow::Result;

use super::{prepare, python_there, script};
use crate::layout::Layout;
use crate::run;
use crate::services::Services;

/// How long the clients call each server, and those of a quick run.
const SECONDS: u32 = 60;
const QUICK_SECONDS: u32 = 1;

/// Measures the packages that were built; prints the table, which `UPDATE_TABLE` writes into the documentation too.
pub fn run(layout: &Layout, seconds: Option<u32>, quick: bool) -> Result<()> {
    let seconds = seconds.unwrap_or(if quick { QUICK_SECONDS } else { SECONDS });
    println!("\nbench, end to end:");
    prepare(layout)?;
    let redis = Services::redis(layout)?;
    let mut python = python_there(layout);
    python.args(["-m", "end_to_end.run"]);
    for (face, mut command) in [("node", script(layout, "end_to_end/run.mjs")), ("python", python)] {
        command.arg(layout.bench().join(format!("end-to-end-{face}.json"))).arg(seconds.to_string());
        command.args(quick.then_some("--quick"));
        run::live(redis.pass_to(&mut command)?)?;
    }
    run::live(script(layout, "end_to_end/report.mjs").arg(layout.bench()).arg(layout.path("docs")))?;
    println!("  {}", layout.relative(&layout.bench().join("end_to_end.json")).display());
    Ok(())
}
