//! Runs work in parallel, because installing waits for the network, and the end of a compile uses only one core.

use std::thread;

use anyhow::{Result, anyhow};

use crate::console;
use crate::layout::Layout;

/// Runs the lanes at the same time, waits for all of them, and returns the first error.
pub fn run(layout: &Layout, lanes: &[fn(&Layout) -> Result<()>]) -> Result<()> {
    let page = console::page();
    let start = |lane: fn(&Layout) -> Result<()>| {
        console::print_on(page);
        lane(layout)
    };
    let results: Vec<Result<()>> = thread::scope(|scope| {
        let running: Vec<_> = lanes.iter().map(|lane| scope.spawn(move || start(*lane))).collect();
        running.into_iter().map(|lane| lane.join().unwrap_or_else(|_| Err(anyhow!("a lane panicked")))).collect()
    });
    results.into_iter().collect()
}
