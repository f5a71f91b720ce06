//! `cargo xtask fuzz`: runs the targets of `fuzz/` under libFuzzer.
//!
//! `target/fuzz/` has a corpus for each target and, in `failures/`, the inputs that failed.

mod instrument;

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use anyhow::{Result, bail};
use clap::Args as ClapArgs;

use crate::layout::Layout;
use crate::{node, plain, python, run, setup};

pub use instrument::rustc;

/// The targets, in the order in which they run.
const TARGETS: [&str; 8] = ["shape", "cursors", "read_result", "tokens", "mcp", "relay", "dense", "summaries"];
/// How long each target runs in `cargo xtask test --all`, in seconds.
const SHORT: u64 = 4;
/// Longer cases are not seeds: a short run has to read them all.
const LONGEST_SEED: usize = 48 << 10;
const LONGEST_SHORT_SEED: usize = 3 << 10;

/// What `cargo xtask fuzz` takes.
#[derive(ClapArgs)]
pub struct Args {
    /// Targets to run; all when none is given
    targets: Vec<String>,
    /// How long each target runs
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Run one input again instead, such as one that failed
    #[arg(long)]
    input: Option<PathBuf>,
    /// More arguments of libFuzzer
    #[arg(last = true)]
    more: Vec<String>,
}

/// Runs the targets; fails if one fails.
pub fn command(layout: &Layout, args: &Args) -> Result<()> {
    if let Some(unknown) = args.targets.iter().find(|name| !TARGETS.contains(&name.as_str())) {
        bail!("unknown target {unknown}: expected {}", TARGETS.join(", "));
    }
    let program = build(layout, &["--package", "toolshape-fuzz", "--features", "libfuzzer", "--profile", "fuzzing"])?;
    let program = layout.path("target/fuzzing").join(program);
    if let Some(input) = &args.input {
        let [target] = &args.targets[..] else { bail!("--input takes one target") };
        return run::live(target_of(&program, target).arg(input.canonicalize()?).env("RUST_BACKTRACE", "1"));
    }
    for target in TARGETS.iter().filter(|name| args.targets.is_empty() || args.targets.iter().any(|one| one == *name)) {
        let mut fuzz = session(layout, &program, target, "target/fuzz", LONGEST_SEED)?;
        run::live(fuzz.arg(format!("-max_total_time={}", args.seconds)).args(&args.more))?;
    }
    Ok(())
}

/// A short run of every target from the seeds alone, compiled like the tests.
pub fn short(layout: &Layout) -> Result<()> {
    let program = build(layout, &["--package", "toolshape-fuzz", "--features", "libfuzzer"])?;
    let program = layout.path("target/debug").join(program);
    let folder = layout.path("target/fuzz/short");
    node::remove(&folder)?;
    for target in TARGETS {
        let mut fuzz = session(layout, &program, target, "target/fuzz/short", LONGEST_SHORT_SEED)?;
        run::live(fuzz.arg(format!("-max_total_time={SHORT}")).arg("-seed=1"))?;
    }
    Ok(())
}

/// Generated calls whose outcomes are compared between all faces.
#[derive(ClapArgs)]
pub struct Differential {
    /// How many calls
    #[arg(long, default_value_t = 2000)]
    pub calls: u32,
    /// The seed of the first call
    #[arg(long, default_value_t = 0)]
    pub seed: u32,
}

/// Makes the same calls in Node, Python, the plain module and Rust; fails if an outcome differs or breaks a promise.
pub fn differential(layout: &Layout, args: &Differential) -> Result<()> {
    run::live(run::cargo(layout).args(["build", "--quiet", "--package", "toolshape-fuzz", "--bin", "outcomes"]))?;
    python::prepare(layout)?;
    let folder = node::tests(layout, "differential")?;
    plain::hosts::copy(layout, "node", &["host.mjs"], &layout.node().join("plain"))?;
    let mut node = run::command(layout, "node");
    node.arg("run.mjs").args([args.calls, args.seed].map(|number| number.to_string()));
    node.arg("Python").arg(python::path(layout)).arg(layout.path("py-bindings/tests/differential.py"));
    node.args(["--", "plain", "node", "plain.mjs"]).arg(plain::module(layout));
    node.args(["--", "Rust"]).arg(layout.path("target/debug/outcomes")).current_dir(folder);
    run::live(&mut node)
}

/// Compiles the program, instrumented; returns its name. libFuzzer is written in C++.
fn build(layout: &Layout, selection: &[&str]) -> Result<String> {
    setup::cxx(layout)?;
    let mut cargo = run::cargo(layout);
    cargo.args(["build", "--quiet", "--bin", "toolshape-fuzz"]).args(selection);
    run::live(cargo.env("RUSTC_WORKSPACE_WRAPPER", env::current_exe()?).env(instrument::MARK, "1"))?;
    Ok(format!("toolshape-fuzz{}", env::consts::EXE_SUFFIX))
}

fn target_of(program: &PathBuf, target: &str) -> Command {
    let mut command = Command::new(program);
    command.env("TOOLSHAPE_FUZZ_TARGET", target).env("RUST_BACKTRACE", "0");
    command
}

/// libFuzzer with a target and its corpus in `folder`, to which the seeds are added.
fn session(layout: &Layout, program: &PathBuf, target: &str, folder: &str, longest: usize) -> Result<Command> {
    let (corpus, failures) = (layout.path(folder).join(target), layout.path("target/fuzz/failures").join(target));
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&failures)?;
    let mut command = target_of(program, target);
    command.env("TOOLSHAPE_FUZZ_CORPUS", &corpus).env("TOOLSHAPE_FUZZ_LONGEST", longest.to_string());
    command.arg(corpus).arg(format!("-artifact_prefix={}/", failures.display()));
    // Seconds and megabytes that one input may take, and its bytes.
    command.args(["-timeout=600", "-rss_limit_mb=3072", "-max_len=65536", "-print_final_stats=1"]);
    Ok(command)
}
