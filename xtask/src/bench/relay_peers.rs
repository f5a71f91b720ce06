//! What the relay and other proxies lose: eleven servers behind each, compared with the servers alone.

use anyhow::Result;

use crate::layout::Layout;
use crate::{node, run, steps};

/// Compares; prints the table, which `UPDATE_TABLE` writes into the documentation too.
pub fn run(layout: &Layout) -> Result<()> {
    println!("\nbench, the relay and its peers:");
    let table = layout.bench().join("relay_proxies.json");
    std::fs::create_dir_all(layout.bench())?;
    let mut peers = run::command(layout, "node");
    peers.current_dir(node::tests(layout, "reference")?);
    run::live(
        steps::relayed(layout, &mut peers)?
            .arg("relayed/peers.mjs")
            .arg(&table)
            .arg(layout.path("docs/measurements/relay_proxies.json")),
    )?;
    println!("  {}", layout.relative(&table).display());
    Ok(())
}
