//! `cargo xtask setup`: installs all that the other commands need; again at once when it is there.

use std::thread;
use std::time::Instant;

use anyhow::{Result, anyhow};

use crate::layout::Layout;
use crate::{browser, examples, node, python, redis, rust};

/// Installs everything, the slow Rust tools beside what comes ready made.
pub fn all(layout: &Layout) -> Result<()> {
    println!("set-up: what is missing is installed, into target/");
    let started = Instant::now();
    // First what only a person may be able to mend, before minutes are spent on the rest.
    node::check_version(layout)?;
    python::interpreter(layout)?;
    browser::ensure(layout)?;
    redis::ensure(layout)?;
    let lanes: [fn(&Layout) -> Result<()>; 2] = [rust::ensure, |layout| {
        node::ensure(layout)?;
        node::clients(layout)?;
        node::adapters(layout)?;
        node::packaging(layout)?;
        node::reference(layout)?;
        node::stores(layout)?;
        node::read_back(layout)?;
        examples::ensure(layout)?;
        python::ensure(layout)
    }];
    let results = thread::scope(|scope| {
        let running = lanes.map(|lane| scope.spawn(move || lane(layout)));
        running.map(|lane| lane.join().unwrap_or_else(|_| Err(anyhow!("set-up panicked"))))
    });
    results.into_iter().collect::<Result<()>>()?;
    println!("  all there after {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}
