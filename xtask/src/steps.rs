//! The steps of `cargo xtask test`: a table, and one function each.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};

use crate::counts::Counts;
use crate::layout::Layout;
use crate::redis::Redis;
use crate::{bench, browser, build, examples, fuzz, node, pins, python, run, rust, setup, tidy, vocab};

/// One step: its name, what it does, and the function that does it.
pub struct Step {
    pub name: &'static str,
    pub about: &'static str,
    pub run: fn(&Layout) -> Result<Outcome>,
    /// The steps whose output this one uses. If they are not part of the run, existing output is used.
    pub needs: &'static [&'static str],
    /// What it uses that no other step may use at the same time: folders below `target/`, by their names.
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
    step("tidy", "the house rules", house_rules),
    step("format", "rustfmt would change nothing", format),
    step("lint", "clippy and rustdoc have nothing to say", lint).alone_with(&["debug"]),
    step("npm", "build the npm tarballs", npm),
    step("rust", "the core: unit tests, vectors, promises, examples in docs", rust).alone_with(&["debug"]),
    step("fuzz", "every fuzz target for some seconds, from the vectors", fuzzers).alone_with(&["debug"]),
    step("packages", "install what comes ready made: packages of the system, of Node and of Python", packages),
    step("wheel", "build the Python wheel", wheel),
    step("tools", "compile what runs Rust tests in a browser", browser_tools),
    step("browser", "the wasm in headless Chromium", browser_tests)
        .needs(&["packages", "tools"])
        .alone_with(&["debug"]),
    step("vocab", "the packed vocabularies are the published ones", vocabularies),
    step("size", "no npm tarball is larger than it may be", tarball_sizes).needs(NPM),
    step("node", "the npm package in Node", node_tests).needs(NPM),
    step("packaging", "the tarballs in Node, Bun, Deno, workerd, a browser and bundlers; strict types", packaging)
        .needs(NPM),
    step("python", "the wheel under pytest", pytest).needs(WHEEL),
    step("clients", "what real HTTP clients throw on a 429, in Node", http_clients)
        .needs(NPM)
        .alone_with(&["rate_limit"]),
    step("adapters", "servers of each MCP SDK with one line more, called by the SDKs' own clients", adapters)
        .needs(NPM)
        .alone_with(&["rate_limit", "read_back"]),
    step("reference", "MCP's reference servers with one line more, beside themselves", reference)
        .needs(NPM)
        .alone_with(&["reference"]),
    step("conformance", "MCP's conformance tests of servers with the adapter and without", conformance)
        .needs(NPM)
        .alone_with(&["reference"]),
    step("stores", "stores on real disks and a real Redis, and what becomes of faults", stores)
        .needs(NPM)
        .alone_with(&["stores"]),
    step("stores-python", "the stores in Python, and what TypeScript's keep", stores_python)
        .needs(BOTH)
        .alone_with(&["stores", "read_back"]),
    step("replicas", "servers in two languages that share a Redis, two of them killed", replicas)
        .needs(BOTH)
        .alone_with(&["stores"]),
    step("reading", "documents of others read back in Node; the JSONPath compliance suite", reading)
        .needs(NPM)
        .alone_with(&["read_back"]),
    step("reading-python", "the same documents rebuilt in Python; schemas beside genson's", reading_python)
        .needs(BOTH)
        .alone_with(&["read_back"]),
    step("typing", "the Python stubs, and the Python of the pages, under mypy --strict", typing).needs(WHEEL),
    step("examples", "the example servers' types", example_types).needs(BOTH).alone_with(&["examples"]),
    step("inspector", "the example servers' tools, listed and called by MCP Inspector", inspector)
        .needs(BOTH)
        .alone_with(&["reference", "examples"]),
    step("demo", "the example servers, called by real clients", example_servers).needs(BOTH).alone_with(&["examples"]),
    step("corpora", "API results of others, through both packages", corpora).needs(BOTH).alone_with(&["examples"]),
    step("lists", "lists in each form, and as links, by tokens", lists).needs(BOTH).alone_with(&["examples"]),
    step("bench", "a quick run of the benchmarks, times not judged", quick_bench).needs(BOTH).alone_with(&["examples"]),
];

/// The steps of `cargo xtask check`: those that most changes break first.
pub const QUICK: &[Step] = &[
    step("tidy", "the house rules", house_rules),
    step("format", "rustfmt would change nothing", format),
    step("clippy", "clippy has nothing to say", clippy).alone_with(&["debug"]),
    step("quick", "the core: unit tests and vectors", quick).alone_with(&["debug"]),
];

/// Runs a suite and reads the counts from its output. A bad exit status without a failed test counts as one failure.
fn suite(command: &mut Command) -> Result<Outcome> {
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

fn browser_tools(layout: &Layout) -> Result<Outcome> {
    rust::ensure_browser_tools(layout)?;
    Ok(Outcome::Done)
}

fn house_rules(layout: &Layout) -> Result<Outcome> {
    Ok(Outcome::Ran(tidy::check(layout)?, Vec::new()))
}

fn format(layout: &Layout) -> Result<Outcome> {
    if run::answer(run::cargo(layout).args(["fmt", "--version"])).is_none() {
        return Ok(Outcome::Skipped("rustfmt is not installed: `rustup component add rustfmt`"));
    }
    run::live_ok(run::cargo(layout).args(["fmt", "--all", "--check"]))?;
    Ok(Outcome::Done)
}

/// The same selection for each cargo command, because another one would compile many crates again.
const WORKSPACE: &[&str] = &["--workspace", "--features", "xtask/measure"];

fn lint(layout: &Layout) -> Result<Outcome> {
    if let Outcome::Skipped(why) = clippy(layout)? {
        return Ok(Outcome::Skipped(why));
    }
    let mut doc = run::cargo(layout);
    run::live_ok(doc.args(["doc", "--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Outcome::Done)
}

/// Clippy on everything, and on what only wasm compiles.
fn clippy(layout: &Layout) -> Result<Outcome> {
    if run::answer(run::cargo(layout).args(["clippy", "--version"])).is_none() {
        return Ok(Outcome::Skipped("clippy is not installed: `rustup component add clippy`"));
    }
    rust::ensure_target(layout)?;
    let native = [&["--all-targets"], WORKSPACE].concat();
    let wasm = ["--target", pins::WASM_TARGET, "--features", "wasm", "--lib", "--test", "web"];
    for scope in [&native[..], &wasm[..]] {
        let mut clippy = run::cargo(layout);
        run::live_ok(clippy.arg("clippy").args(scope).args(["--", "-D", "warnings"]))?;
    }
    Ok(Outcome::Done)
}

fn rust(layout: &Layout) -> Result<Outcome> {
    suite(run::cargo(layout).args(["test", "--no-fail-fast"]).args(WORKSPACE).args(["--", "--show-output"]))
}

/// Slow modules of `tests/main.rs`: they run thousands of generated cases.
const SLOW: &[&str] = &["invariants::", "lists::", "output_schemas::"];

fn quick(layout: &Layout) -> Result<Outcome> {
    let mut tests = run::cargo(layout);
    tests.args(["test", "--no-fail-fast"]).args(WORKSPACE).args(["--lib", "--test", "main", "--", "--show-output"]);
    suite(tests.args(SLOW.iter().flat_map(|module| ["--skip", module])))
}

fn fuzzers(layout: &Layout) -> Result<Outcome> {
    Ok(Outcome::Ran(fuzz::short(layout)?, Vec::new()))
}

fn vocabularies(_: &Layout) -> Result<Outcome> {
    vocab::run(&["--check".to_owned()]).map_err(|error| anyhow!("{error}"))?;
    Ok(Outcome::Done)
}

fn npm(layout: &Layout) -> Result<Outcome> {
    build::npm_tarballs(layout)?;
    Ok(Outcome::Done)
}

fn tarball_sizes(layout: &Layout) -> Result<Outcome> {
    build::check_tarball_sizes(layout)?;
    Ok(Outcome::Done)
}

fn wheel(layout: &Layout) -> Result<Outcome> {
    build::wheel_and_source(layout)?;
    Ok(Outcome::Done)
}

fn node_tests(layout: &Layout) -> Result<Outcome> {
    node_suite(layout, "node")
}

/// The tarballs as their users load them: from Node, other runtimes, a browser and bundlers.
fn packaging(layout: &Layout) -> Result<Outcome> {
    node::ensure(layout)?;
    node::packaging(layout)?;
    let folder = layout.node_packaging();
    node::copy(layout, "js-tests/packaging", &folder)?;
    node::install_tarballs(layout, &folder)?;
    suite(&mut node_test(layout, &folder, &folder)?)
}

/// Stores under real conditions: full and failing disks, killed processes, a Redis that stops.
fn stores(layout: &Layout) -> Result<Outcome> {
    let folder = store_tests(layout)?;
    let redis = Redis::start(layout)?;
    suite(redis.tell(&mut node_test(layout, &folder, &folder)?))
}

/// Servers in both languages behind one address; prints each of its promises, and whether it holds.
fn replicas(layout: &Layout) -> Result<Outcome> {
    python::prepare(layout, TESTED_BY)?;
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

/// Behaviours of the adapters, each for every SDK, transport and era.
fn adapters(layout: &Layout) -> Result<Outcome> {
    // The tests also use the errors of the HTTP clients, and third-party documents as results.
    client_tests(layout)?;
    node::read_back(layout)?;
    node::adapters(layout)?;
    let folder = layout.node_adapters();
    node::copy(layout, "js-tests/adapters", &folder)?;
    node::install_tarballs(layout, &folder)?;
    let documents = layout.node_read_back().join("node_modules");
    suite(node_test(layout, &folder, &folder)?.env("TOOLSHAPE_DOCUMENTS", documents))
}

/// MCP's official servers, each compared with itself behind the adapter.
fn reference(layout: &Layout) -> Result<Outcome> {
    suite(&mut reference_test(layout, "servers")?)
}

/// MCP's conformance tests of servers, by scenario.
fn conformance(layout: &Layout) -> Result<Outcome> {
    suite(&mut reference_test(layout, "conformance")?)
}

/// MCP Inspector's command line as client of the example servers in both languages.
fn inspector(layout: &Layout) -> Result<Outcome> {
    examples::prepare(layout)?;
    let mut tests = reference_test(layout, "inspector")?;
    suite(tests.env("TOOLSHAPE_EXAMPLES", layout.examples()).env("TOOLSHAPE_PYTHON", python::path(layout)))
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

/// Third-party documents, and the compliance suite of JSONPath engines, fetched by npm.
fn reading(layout: &Layout) -> Result<Outcome> {
    node::ensure(layout)?;
    node::read_back(layout)?;
    let folder = layout.node_read_back();
    node::copy(layout, "js-tests/read_back", &folder)?;
    node::install_tarballs(layout, &folder)?;
    suite(&mut node_test(layout, &folder, &folder)?)
}

/// Tests the errors that real HTTP clients throw on a 429; needs only the local network.
fn http_clients(layout: &Layout) -> Result<Outcome> {
    let folder = client_tests(layout)?;
    node::install_tarballs(layout, &folder)?;
    suite(&mut node_test(layout, &folder, &folder)?)
}

/// A copy of `js-tests/rate_limit` with the clients.
fn client_tests(layout: &Layout) -> Result<PathBuf> {
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

/// Node's test runner with the `*.test.mjs` files in `tests`, from `folder`.
fn node_test(layout: &Layout, folder: &Path, tests: &Path) -> Result<Command> {
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
    node.args(["--test", "--test-reporter=spec"]).args(files).current_dir(folder);
    node.env("TOOLSHAPE_ROOT", &layout.root);
    node.env("VECTORS_DIR", layout.path("vectors"));
    Ok(node)
}

fn browser_tests(layout: &Layout) -> Result<Outcome> {
    rust::ensure_browser_tools(layout)?;
    let driver = browser::ensure(layout)?;
    suite(
        run::command(layout, "wasm-pack")
            .args(["test", "--headless", "--chrome", "--chromedriver"])
            .arg(driver)
            .args(["--features", "wasm", "--test", "web", "--", "--nocapture"])
            .env("WASM_BINDGEN_TEST_TIMEOUT", "600"),
    )
}

fn pytest(layout: &Layout) -> Result<Outcome> {
    python::prepare(layout, TESTED_BY)?;
    suite(python_tests(layout).args(["-m", "not machine and not documents"]))
}

/// Python's stores on real disks and in a real Redis, and their failures.
fn stores_python(layout: &Layout) -> Result<Outcome> {
    python::prepare(layout, TESTED_BY)?;
    node::read_back(layout)?;
    let folder = store_tests(layout)?;
    let redis = Redis::start(layout)?;
    let mut tests = python_tests(layout);
    tests.args(["-m", "machine"]).env("TOOLSHAPE_NODE_STORES", folder);
    suite(redis.tell(&mut tests).env("TOOLSHAPE_DOCUMENTS", layout.node_read_back().join("node_modules")))
}

/// The same documents through the wheel.
fn reading_python(layout: &Layout) -> Result<Outcome> {
    node::ensure(layout)?;
    node::read_back(layout)?;
    python::prepare(layout, TESTED_BY)?;
    let packages = layout.node_read_back().join("node_modules");
    suite(python_tests(layout).args(["-m", "documents", "-s"]).env("TOOLSHAPE_DOCUMENTS", packages))
}

/// The packages that tests of the wheel need.
const TESTED_BY: &[&str] = &[python::EXAMPLES, python::TESTS];

/// pytest, set up to find our tests.
fn python_tests(layout: &Layout) -> Command {
    let mut python = python::python(layout);
    python.args(["-m", "pytest"]).current_dir(layout.path("py-bindings")).env("VECTORS_DIR", layout.path("vectors"));
    python
}

/// Checks the types with mypy, as a user does, and compares the stubs with the module.
fn typing(layout: &Layout) -> Result<Outcome> {
    python::prepare(layout, TESTED_BY)?;
    let folder = layout.path("py-bindings");
    let mypy = |arguments: &[&str]| {
        let mut mypy = python::python(layout);
        mypy.arg("-m").args(arguments).current_dir(&folder);
        run::live_ok(&mut mypy)
    };
    mypy(&["mypy", "--strict", "--package", "toolshape"])?;
    mypy(&["mypy", "--strict", "tests/typing_sample.py"])?;
    let snippets = layout.path("target/typing/snippets.py");
    run::live_ok(python::python(layout).arg("tests/typed_snippets.py").arg(&snippets).current_dir(&folder))?;
    mypy(&["mypy", "--strict", &snippets.to_string_lossy()])?;
    mypy(&["mypy.stubtest", "toolshape._toolshape"])?;
    Ok(Outcome::Done)
}

fn example_types(layout: &Layout) -> Result<Outcome> {
    examples::prepare(layout)?;
    run::live_ok(node::npm(layout).args(["run", "types"]).current_dir(layout.examples()))?;
    Ok(Outcome::Done)
}

/// The demo prints each of its promises, and whether it holds.
fn example_servers(layout: &Layout) -> Result<Outcome> {
    examples::prepare(layout)?;
    suite(&mut examples::script(layout, "demo/run.mjs"))
}

fn corpora(layout: &Layout) -> Result<Outcome> {
    examples::prepare(layout)?;
    run::live_ok(&mut examples::script(layout, "demo/corpora.mjs"))?;
    Ok(Outcome::Done)
}

fn lists(layout: &Layout) -> Result<Outcome> {
    examples::prepare(layout)?;
    run::live_ok(&mut examples::script(layout, "demo/lists.mjs"))?;
    Ok(Outcome::Done)
}

fn quick_bench(layout: &Layout) -> Result<Outcome> {
    bench::quick(layout)?;
    Ok(Outcome::Done)
}
