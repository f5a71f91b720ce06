//! What is run with the example servers, and with the data of others beside them.

use anyhow::Result;

use super::{Outcome, suite};
use crate::layout::Layout;
use crate::{bench, examples, node, run};

pub fn example_types(layout: &Layout) -> Result<Outcome> {
    examples::prepare(layout)?;
    run::live_ok(node::npm(layout).args(["run", "types"]).current_dir(layout.examples()))?;
    Ok(Outcome::Done)
}

/// The demo prints each of its promises, and whether it holds.
pub fn example_servers(layout: &Layout) -> Result<Outcome> {
    examples::prepare(layout)?;
    suite(&mut examples::script(layout, "demo/run.mjs"))
}

pub fn corpora(layout: &Layout) -> Result<Outcome> {
    examples::prepare(layout)?;
    run::live_ok(&mut examples::script(layout, "demo/corpora.mjs"))?;
    Ok(Outcome::Done)
}

pub fn lists(layout: &Layout) -> Result<Outcome> {
    examples::prepare(layout)?;
    run::live_ok(&mut examples::script(layout, "demo/lists.mjs"))?;
    Ok(Outcome::Done)
}

pub fn quick_bench(layout: &Layout) -> Result<Outcome> {
    bench::quick(layout)?;
    Ok(Outcome::Done)
}
