//! What the relay and other proxies lose of what servers say: eleven servers behind each, beside themselves.

use anyhow::Result;

use crate::layout::Layout;
use crate::{console, relayed, run, steps};

/// Compares; prints the table, which `UPDATE_TABLE` writes into the documentation too.
pub fn run(layout: &Layout) -> Result<()> {
    console::line("\nbench, the relay and its peers:");
    let table = layout.bench().join("relay_proxies.json");
    std::fs::create_dir_all(layout.bench())?;
    let mut peers = relayed::prepare(layout, steps::WORKSPACE)?;
    run::live_ok(peers.arg("relayed/peers.mjs").arg(&table).arg(layout.path("docs/measurements/relay_proxies.json")))?;
    console::line(format!("  {}", layout.relative(&table).display()));
    Ok(())
}
