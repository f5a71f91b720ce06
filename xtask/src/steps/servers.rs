//! Servers with one line more or behind the relay, called by the clients of SDKs, by Inspector and by conformance tests.

use std::process::Command;

use anyhow::Result;

use super::crates::WORKSPACE;
use super::npm::SPEC;
use super::npm::client_tests;
use super::npm::node_test;
use super::{Outcome, suite};
use crate::layout::Layout;
use crate::{adapters, examples, node, python, relayed};

/// Behaviours of the adapters, each for every SDK, transport and era.
pub fn adapters(layout: &Layout) -> Result<Outcome> {
    // The tests also use the errors of the HTTP clients.
    client_tests(layout)?;
    let rows = adapters::prepare(layout, WORKSPACE)?;
    let folder = layout.node_adapters();
    suite(adapters::tell(&mut node_test(layout, &folder, &folder)?, layout, &rows))
}

/// MCP's official servers, each compared with itself behind the adapter.
pub fn reference(layout: &Layout) -> Result<Outcome> {
    suite(&mut reference_test(layout, "servers")?)
}

/// MCP's conformance tests of servers, by scenario.
pub fn conformance(layout: &Layout) -> Result<Outcome> {
    suite(&mut reference_test(layout, "conformance")?)
}

/// MCP Inspector's command line as client of the example servers in both languages.
pub fn inspector(layout: &Layout) -> Result<Outcome> {
    examples::prepare(layout)?;
    let mut tests = reference_test(layout, "inspector")?;
    suite(tests.env("TOOLSHAPE_EXAMPLES", layout.examples()).env("TOOLSHAPE_PYTHON", python::path(layout)))
}

/// Servers in both languages, each called through every relay and without one.
pub fn relayed_servers(layout: &Layout) -> Result<Outcome> {
    suite(relayed::prepare(layout, WORKSPACE)?.args(SPEC).args([
        "relayed/relayed.test.mjs",
        "relayed/inspector.test.mjs",
        "relayed/readme.test.mjs",
    ]))
}

pub fn relayed_conformance(layout: &Layout) -> Result<Outcome> {
    suite(relayed::prepare(layout, WORKSPACE)?.args(SPEC).arg("relayed/conformance.test.mjs"))
}

/// The tests in one folder of `js-tests/reference`, where its packages are.
fn reference_test(layout: &Layout, name: &str) -> Result<Command> {
    node::ensure(layout)?;
    node::reference(layout)?;
    let folder = layout.node_reference();
    node::copy(layout, "js-tests/reference", &folder)?;
    node::install_tarballs(layout, &folder)?;
    node_test(layout, &folder, &folder.join(name))
}
