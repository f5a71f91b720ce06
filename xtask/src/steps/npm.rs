//! What is run with the npm package: its own tests, those of its stores and of the relay, and documents of others.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::crates::WORKSPACE;
use super::{Outcome, suite};
use crate::layout::Layout;
use crate::redis::Redis;
use crate::{browser, build, node, pumps, python, run};

pub fn npm(layout: &Layout) -> Result<Outcome> {
    build::npm_tarballs(layout)?;
    Ok(Outcome::Done)
}

pub fn sizes(layout: &Layout) -> Result<Outcome> {
    build::check_sizes(layout)?;
    Ok(Outcome::Done)
}

pub fn node_tests(layout: &Layout) -> Result<Outcome> {
    node_suite(layout, "node")
}

/// The tarballs as their users load them: from Node, other runtimes, a browser and bundlers.
pub fn packaging(layout: &Layout) -> Result<Outcome> {
    node::ensure(layout)?;
    node::packaging(layout)?;
    let folder = layout.node_packaging();
    node::copy(layout, "js-tests/packaging", &folder)?;
    node::install_tarballs(layout, &folder)?;
    suite(&mut node_test(layout, &folder, &folder)?)
}

/// Stores under real conditions: full and failing disks, killed processes, a Redis that stops.
pub fn stores(layout: &Layout) -> Result<Outcome> {
    let folder = store_tests(layout)?;
    let redis = Redis::start(layout)?;
    redis.try_native_store(layout, WORKSPACE)?;
    suite(redis.tell(&mut node_test(layout, &folder, &folder)?))
}

/// Servers in both languages behind one address; prints each of its promises, and whether it holds.
pub fn replicas(layout: &Layout) -> Result<Outcome> {
    python::prepare(layout, python::TESTED_BY)?;
    let folder = store_tests(layout)?;
    let redis = Redis::start(layout)?;
    let mut node = run::command(layout, "node");
    node.arg("replicas/run.mjs").arg("--python").arg(python::path(layout)).current_dir(folder);
    suite(redis.tell(&mut node))
}

/// A copy of `js-tests/stores` with the third-party stores and our tarball.
pub fn store_tests(layout: &Layout) -> Result<PathBuf> {
    node::ensure(layout)?;
    node::stores(layout)?;
    let folder = layout.node_stores();
    node::copy(layout, "js-tests/stores", &folder)?;
    node::install_tarballs(layout, &folder)?;
    Ok(folder)
}

/// Conversations through each pump of the relay: bytes, calls, faults, endings, crowds, and lines of 100 MB.
pub fn relay(layout: &Layout) -> Result<Outcome> {
    python::prepare(layout, python::TESTED_BY)?;
    pumps::prepare(layout)?;
    let (folder, native) = (layout.node_relay(), pumps::native(layout, WORKSPACE)?);
    let mut tests = node_test(layout, &folder, &folder)?;
    suite(pumps::tell_all(&mut tests, &native, &folder, &python::path(layout)))
}

/// The report of `toolshape measure` in Chromium, and the SARIF of `toolshape lint` by its schema.
pub fn report(layout: &Layout) -> Result<Outcome> {
    node::ensure(layout)?;
    node::report(layout)?;
    let (folder, program) = (layout.node_report(), pumps::native(layout, WORKSPACE)?);
    node::copy(layout, "js-tests/report", &folder)?;
    let mut tests = node_test(layout, &folder, &folder)?;
    suite(tests.env("TOOLSHAPE_PROGRAM", program).env("TOOLSHAPE_CHROMIUM", browser::program(layout)?))
}

/// Third-party documents, and the compliance suite of JSONPath engines, fetched by npm.
pub fn reading(layout: &Layout) -> Result<Outcome> {
    node::ensure(layout)?;
    node::read_back(layout)?;
    let folder = layout.node_read_back();
    node::copy(layout, "js-tests/read_back", &folder)?;
    node::install_tarballs(layout, &folder)?;
    suite(&mut node_test(layout, &folder, &folder)?)
}

/// Tests the errors that real HTTP clients throw on a 429; needs only the local network.
pub fn http_clients(layout: &Layout) -> Result<Outcome> {
    let folder = client_tests(layout)?;
    node::install_tarballs(layout, &folder)?;
    suite(&mut node_test(layout, &folder, &folder)?)
}

/// A copy of `js-tests/rate_limit` with the clients.
pub fn client_tests(layout: &Layout) -> Result<PathBuf> {
    node::ensure(layout)?;
    node::clients(layout)?;
    let folder = layout.node_clients();
    node::copy(layout, "js-tests/rate_limit", &folder)?;
    Ok(folder)
}

/// Copies the tests below `target/`, installs the tarball beside them, and runs the tests of one folder.
fn node_suite(layout: &Layout, name: &str) -> Result<Outcome> {
    node::ensure(layout)?;
    let folder = layout.node().join("js-tests");
    node::copy(layout, "js-tests", &folder)?;
    node::install_tarballs(layout, &folder)?;
    suite(&mut node_test(layout, &folder, &folder.join(name))?)
}

/// Node's test runner, whose output is read for its counts.
pub const SPEC: [&str; 2] = ["--test", "--test-reporter=spec"];

/// Node's test runner with the `*.test.mjs` files in `tests`, from `folder`.
pub fn node_test(layout: &Layout, folder: &Path, tests: &Path) -> Result<Command> {
    let mut files = Vec::new();
    for entry in fs::read_dir(tests).with_context(|| format!("cannot read {}", tests.display()))? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            files.push(path);
        }
    }
    if files.is_empty() {
        bail!("{} holds no file that ends in .test.mjs", tests.display());
    }
    files.sort();
    let mut node = run::command(layout, "node");
    node.args(SPEC).args(files).current_dir(folder);
    node.env("TOOLSHAPE_ROOT", &layout.root);
    node.env("VECTORS_DIR", layout.path("vectors"));
    Ok(node)
}
