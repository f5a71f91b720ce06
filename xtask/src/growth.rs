//! `cargo xtask growth`: the worst factors by which the cost of each call grows where its input is doubled.

use anyhow::Result;

use crate::layout::Layout;
use crate::run;

/// Runs the adversary that grows by itself, and prints its table; false if a cost grows too fast.
pub fn command(layout: &Layout) -> Result<bool> {
    let mut test = run::command(layout, "cargo");
    test.args(["test", "--test", "growing_adversary", "--", "--nocapture", "twice_the_input"]);
    test.env("GROWTH_TABLE", "1");
    Ok(run::live(&mut test)?.ok)
}
