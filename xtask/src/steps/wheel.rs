//! What is run with the wheel.

use std::process::Command;

use anyhow::Result;

use super::npm::store_tests;
use super::{Outcome, suite};
use crate::layout::Layout;
use crate::redis::Redis;
use crate::{build, node, python};

pub fn wheel(layout: &Layout) -> Result<Outcome> {
    build::wheel_and_source(layout)?;
    Ok(Outcome::Done)
}

pub fn pytest(layout: &Layout) -> Result<Outcome> {
    python::prepare(layout, python::TESTED_BY)?;
    suite(python_tests(layout).args(["-m", "not machine and not documents"]))
}

/// Python's stores on real disks and in a real Redis, and their failures.
pub fn stores_python(layout: &Layout) -> Result<Outcome> {
    python::prepare(layout, python::TESTED_BY)?;
    node::read_back(layout)?;
    let folder = store_tests(layout)?;
    let redis = Redis::start(layout)?;
    let mut tests = python_tests(layout);
    tests.args(["-m", "machine"]).env("TOOLSHAPE_NODE_STORES", folder);
    suite(redis.tell(&mut tests).env("TOOLSHAPE_DOCUMENTS", layout.node_read_back().join("node_modules")))
}

/// The same documents through the wheel.
pub fn reading_python(layout: &Layout) -> Result<Outcome> {
    node::ensure(layout)?;
    node::read_back(layout)?;
    python::prepare(layout, python::TESTED_BY)?;
    let packages = layout.node_read_back().join("node_modules");
    suite(python_tests(layout).args(["-m", "documents", "-s"]).env("TOOLSHAPE_DOCUMENTS", packages))
}

/// pytest, set up to find our tests.
fn python_tests(layout: &Layout) -> Command {
    let mut python = python::python(layout);
    python.args(["-m", "pytest"]).current_dir(layout.path("py-bindings")).env("VECTORS_DIR", layout.path("vectors"));
    python
}
