//! `cargo xtask setup`: installs all that the other commands need; returns at once if it is there.

use std::time::Instant;

use anyhow::Result;

use crate::layout::Layout;
use crate::{browser, examples, lanes, node, python, redis, rust};

/// Checks first for what only a person can install, because the rest takes minutes.
pub fn check(layout: &Layout) -> Result<()> {
    node::check_version(layout)?;
    python::interpreter(layout).map(|_| ())
}

/// Installs everything: it compiles the Rust tools while it installs the packages.
pub fn all(layout: &Layout) -> Result<()> {
    check(layout)?;
    println!("set-up: what is missing is installed, into target/");
    let started = Instant::now();
    lanes::run(layout, &[rust::ensure_browser_tools, packages])?;
    println!("  all there after {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// Installs packages of the system, of Node and of Python.
pub fn packages(layout: &Layout) -> Result<()> {
    browser::ensure(layout)?;
    redis::ensure(layout)?;
    node::ensure(layout)?;
    node::clients(layout)?;
    node::adapters(layout)?;
    node::packaging(layout)?;
    node::reference(layout)?;
    node::relay(layout)?;
    node::release(layout)?;
    node::report(layout)?;
    node::site(layout)?;
    node::site_tests(layout)?;
    node::stores(layout)?;
    node::read_back(layout)?;
    examples::ensure(layout)?;
    python::ensure(layout, &[python::BUILD, python::EXAMPLES, python::TESTS, python::SERVERS, python::REFERENCE])?;
    python::OLDER.iter().try_for_each(|sdk| python::ensure_older(layout, sdk))
}
