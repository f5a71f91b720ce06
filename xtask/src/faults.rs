//! `cargo xtask faults`: stores that are killed, hang, are full, read-only or corrupted, have several writers, and clocks
//! that jump; a table of what was counted, and a failure if anything was lost.

use anyhow::Result;

use crate::layout::Layout;
use crate::redis::Redis;
use crate::{build, lanes, python, run, setup, steps};

#[derive(clap::Args)]
pub struct Args {
    /// How many times as many calls as in the shortest run
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Use the packages that are built already
    #[arg(long)]
    built: bool,
}

/// Builds both packages and prints the table of each; false if something was lost.
pub fn command(layout: &Layout, args: &Args) -> Result<bool> {
    setup::check(layout)?;
    if !args.built {
        lanes::run(layout, &[build::npm_tarballs, build::wheel])?;
    }
    python::prepare(layout, &[python::TESTS])?;
    let folder = steps::store_tests(layout)?;
    let redis = Redis::start(layout)?;
    let rounds = args.rounds.to_string();

    let mut node = run::command(layout, "node");
    node.args(["faults/run.mjs", "--rounds", &rounds]).current_dir(folder);
    let kept_in_node = run::live(redis.tell(&mut node))?.ok;
    let mut calls = python::python(layout);
    calls.args(["-W", "ignore", "faults.py", &rounds]).current_dir(layout.path("py-bindings/tests"));
    Ok(run::live(redis.tell(&mut calls))?.ok && kept_in_node)
}
