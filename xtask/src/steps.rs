//! The steps of `cargo xtask test`: a table. Each is a function, here by what it runs, or in the file of what it is about.

mod crates;
mod examples;
mod npm;
mod servers;
mod wheel;

use std::process::Command;

use anyhow::Result;

use crate::counts::Counts;
use crate::layout::Layout;
use crate::{older_sdks, plain, python_types, release, run, setup, site};

pub use crates::WORKSPACE;
pub use npm::{node_test, store_tests};

/// One step: its name, what it does, and the function that does it.
pub struct Step {
    pub name: &'static str,
    pub about: &'static str,
    pub run: fn(&Layout) -> Result<Outcome>,
    /// The steps whose output this one uses. If they are not part of the run, existing output is used.
    pub needs: &'static [&'static str],
    /// What it uses that no other step may use at the same time: folders below `target/`, by their names. Who compiles for
    /// minutes is alone with `debug`; who finds all compiled has it for a moment, and cargo waits for that. `processes` are
    /// so many that those of another such step would be late.
    pub alone_with: &'static [&'static str],
}

const fn step(name: &'static str, about: &'static str, run: fn(&Layout) -> Result<Outcome>) -> Step {
    Step { name, about, run, needs: &[], alone_with: &[] }
}

impl Step {
    const fn needs(self, needs: &'static [&'static str]) -> Self {
        Self { needs, ..self }
    }

    const fn alone_with(self, alone_with: &'static [&'static str]) -> Self {
        Self { alone_with, ..self }
    }
}

/// The steps that tests of the npm package, of the wheel, and of both need.
const NPM: &[&str] = &["packages", "npm"];
const WHEEL: &[&str] = &["packages", "wheel"];
const BOTH: &[&str] = &["packages", "npm", "wheel"];
/// The same, for tests that run programs too, which `rust` has compiled.
const NPM_AND_PROGRAMS: &[&str] = &["packages", "npm", "rust"];
const BOTH_AND_PROGRAMS: &[&str] = &["packages", "npm", "wheel", "rust"];

/// The lines of a suite's output about shared cases: those that begin with `vectors`.
pub type Vectors = Vec<String>;

/// How a step ended, if not with an error.
pub enum Outcome {
    /// A suite with its counts; a suite without tests has failed.
    Ran(Counts, Vectors),
    /// A step without test counts that succeeded.
    Done,
    /// Not possible here, and the reason why that is not a failure.
    Skipped(&'static str),
}

/// The steps. A ready step runs before those below it: steps that fail fast come first, then those that others need.
pub const STEPS: &[Step] = &[
    step("tidy", "the house rules", crates::house_rules),
    step("format", "rustfmt would change nothing", crates::format),
    step("lint", "clippy and rustdoc have nothing to say", crates::lint).alone_with(&["debug"]),
    step("npm", "build the npm tarballs", npm::npm),
    step("rust", "the core: unit tests, vectors, promises, examples in docs", crates::rust).alone_with(&["debug"]),
    step("fuzz", "every fuzz target for some seconds, from the vectors", crates::fuzzers).alone_with(&["debug"]),
    step("packages", "install what comes ready made: packages of the system, of Node and of Python", packages),
    step("wheel", "build the Python wheel", wheel::wheel),
    step("tools", "compile what runs Rust tests in a browser", crates::browser_tools),
    step("browser", "the wasm in headless Chromium", crates::browser_tests)
        .needs(&["packages", "tools"])
        .alone_with(&["debug"]),
    step("vocab", "the packed vocabularies are the published ones", crates::vocabularies),
    step("module", "build the plain WebAssembly module", plain::step),
    step("size", "no tarball is larger than it may be, nor the plain module", npm::sizes).needs(&["npm", "module"]),
    step("plain", "the plain module in three runtimes: the hosts of its page, the shared cases", plain::hosts::test)
        .needs(&["module"]),
    step("node", "the npm package in Node", npm::node_tests).needs(NPM),
    step("release", "npm packages and workflows by their linters, crates as packages", release::quick::step)
        .needs(NPM_AND_PROGRAMS),
    step("packaging", "the tarballs in Node, Bun, Deno, workerd, a browser and bundlers; strict types", npm::packaging)
        .needs(NPM),
    step("python", "the wheel under pytest", wheel::pytest).needs(WHEEL),
    step("python-older", "the wheel with older SDKs, each in an environment of its own", older_sdks::test).needs(WHEEL),
    step("clients", "what real HTTP clients throw on a 429, in Node", npm::http_clients)
        .needs(NPM)
        .alone_with(&["rate_limit"]),
    step("adapters", "servers of each MCP SDK with one line more, called by the SDKs' own clients", servers::adapters)
        .needs(NPM_AND_PROGRAMS)
        .alone_with(&["rate_limit", "read_back"]),
    step("relay", "each pump of the relay, before servers and clients that do wrong", npm::relay)
        .needs(BOTH_AND_PROGRAMS)
        .alone_with(&["processes"]),
    step("reference", "MCP's reference servers with one line more, beside themselves", servers::reference)
        .needs(NPM)
        .alone_with(&["reference"]),
    step("conformance", "MCP's conformance tests of servers with the adapter and without", servers::conformance)
        .needs(NPM)
        .alone_with(&["reference"]),
    step("report", "the report in Chromium, and SARIF by its schema", npm::report).needs(&["packages", "rust"]),
    step("site", "the page, the book and the references, in Chromium as their visitors have them", site::tests)
        .needs(BOTH_AND_PROGRAMS)
        .alone_with(&["processes", "site", "examples"]),
    step("relayed", "servers of others behind the relay, beside themselves", servers::relayed_servers)
        .needs(BOTH_AND_PROGRAMS)
        .alone_with(&["processes", "reference"]),
    step("relayed-conformance", "MCP's conformance tests of servers through the relay", servers::relayed_conformance)
        .needs(BOTH_AND_PROGRAMS)
        .alone_with(&["processes", "reference"]),
    step("stores", "stores on real disks and a real Redis, and what becomes of faults", npm::stores)
        .needs(NPM_AND_PROGRAMS)
        .alone_with(&["processes", "stores"]),
    step("stores-python", "the stores in Python, and what TypeScript's keep", wheel::stores_python)
        .needs(BOTH)
        .alone_with(&["stores", "read_back"]),
    step("replicas", "servers in two languages that share a Redis, two of them killed", npm::replicas)
        .needs(BOTH)
        .alone_with(&["stores"]),
    step("reading", "documents of others read back in Node; the JSONPath compliance suite", npm::reading)
        .needs(NPM)
        .alone_with(&["read_back"]),
    step("reading-python", "the same documents rebuilt in Python; schemas beside genson's", wheel::reading_python)
        .needs(BOTH)
        .alone_with(&["read_back"]),
    step("typing", "the Python stubs, and the Python of the pages, under mypy --strict", python_types::check)
        .needs(WHEEL),
    step("examples", "the example servers' types", examples::example_types).needs(BOTH).alone_with(&["examples"]),
    step("inspector", "the example servers' tools, listed and called by MCP Inspector", servers::inspector)
        .needs(BOTH)
        .alone_with(&["reference", "examples"]),
    step("demo", "the example servers, called by real clients", examples::example_servers)
        .needs(BOTH)
        .alone_with(&["examples"]),
    step("corpora", "API results of others, through both packages", examples::corpora)
        .needs(BOTH)
        .alone_with(&["examples"]),
    step("lists", "lists in each form, and as links, by tokens", examples::lists).needs(BOTH).alone_with(&["examples"]),
    step("bench", "a quick run of the benchmarks, times not judged", examples::quick_bench)
        .needs(&["packages", "npm", "wheel", "module", "rust"])
        .alone_with(&["processes", "examples"]),
];

/// The steps of `cargo xtask check`: those that most changes break first.
pub const QUICK: &[Step] = &[
    step("tidy", "the house rules", crates::house_rules),
    step("format", "rustfmt would change nothing", crates::format),
    step("clippy", "clippy has nothing to say", crates::clippy).alone_with(&["debug"]),
    step("quick", "the core: unit tests and vectors", crates::quick).alone_with(&["debug"]),
];

/// Runs a suite and reads the counts from its output. A bad exit status without a failed test counts as one failure.
pub fn suite(command: &mut Command) -> Result<Outcome> {
    let ended = run::live(command)?;
    let mut counts = Counts::read(&ended.text);
    if !ended.ok && counts.failed == 0 {
        counts.failed = 1;
    }
    let vectors = ended.text.lines().filter_map(|line| line.trim().strip_prefix("vectors"));
    let vectors = vectors.filter_map(|line| line.split_once(": ")).map(|(_, said)| said.to_owned()).collect();
    Ok(Outcome::Ran(counts, vectors))
}

fn packages(layout: &Layout) -> Result<Outcome> {
    setup::packages(layout)?;
    Ok(Outcome::Done)
}
