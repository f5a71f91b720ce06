//! `cargo xtask miri`: runs the unit tests of `crates/json`, `crates/text` and `crates/tokens` in Miri, which finds undefined behaviour.
//!
//! Each test is a process of its own with a time limit, because Miri takes hundreds of times as long, and a test that
//! unpacks a whole vocabulary may not end within hours. Those are listed, not failed.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;

use crate::layout::Layout;
use crate::run;

const PACKAGES: [&str; 3] = ["toolshape-json", "toolshape-text", "toolshape-tokens"];

/// The exit status of `timeout` when it ended what it ran.
const TIMED_OUT: i32 = 124;

/// What `cargo xtask miri` takes.
#[derive(ClapArgs)]
pub struct Args {
    /// Crates whose tests are run
    #[arg(default_values = PACKAGES)]
    packages: Vec<String>,
    /// The seconds that one test may take
    #[arg(long, default_value_t = 600)]
    limit: u64,
    /// The minutes after which no further test begins
    #[arg(long, default_value_t = 60)]
    minutes: u64,
    /// Only tests whose name contains this
    #[arg(long, default_value = "")]
    only: String,
    /// The toolchain that has Miri
    #[arg(long, default_value = "nightly")]
    toolchain: String,
}

/// Runs the tests; false if Miri finds something in one.
pub fn command(layout: &Layout, args: &Args) -> Result<bool> {
    let toolchain = &args.toolchain;
    let version = ["run", toolchain, "cargo", "miri", "--version"];
    if run::find("rustup").is_none() || run::answer(run::command(layout, "rustup").args(version)).is_none() {
        bail!(
            "Miri is missing: `rustup toolchain install {toolchain}`, then \
             `rustup +{toolchain} component add miri rust-src`"
        );
    }
    if run::find("timeout").is_none() {
        bail!("`timeout` is missing, which ends a test that takes too long: install GNU coreutils");
    }
    let miri = |limit: u64, package: &str, arguments: &[&str]| {
        let mut miri = run::command(layout, "timeout");
        miri.arg(limit.to_string()).args(["rustup", "run", toolchain, "cargo", "miri", "test"]);
        miri.args(["--package", package, "--lib", "--"]).args(arguments);
        miri.env("CARGO_TARGET_DIR", layout.path("target/miri")).env("PROPTEST_RNG_SEED", "1");
        // Properties read their settings from the environment, and the clock.
        miri.env("MIRIFLAGS", "-Zmiri-disable-isolation").env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
        miri
    };
    let started = Instant::now();
    let (mut passed, mut failed, mut slow, mut waiting) = (0, Vec::new(), Vec::new(), Vec::new());
    for package in &args.packages {
        let listing = run::answer(&mut miri(1800, package, &["--list", "--format", "terse"]));
        let listing = listing.with_context(|| format!("Miri cannot compile the tests of {package}"))?;
        let tests = listing.lines().filter_map(|line| line.strip_suffix(": test"));
        for test in tests.filter(|test| test.contains(&args.only)) {
            if started.elapsed() > Duration::from_secs(60 * args.minutes) {
                waiting.push(test.to_owned());
                continue;
            }
            let since = Instant::now();
            let output = miri(args.limit, package, &["--exact", test]).output().context("cannot start Miri")?;
            let text = String::from_utf8_lossy(&output.stdout);
            let said = match output.status.code() {
                Some(0) if text.contains("1 passed") => {
                    passed += 1;
                    "ok"
                }
                Some(TIMED_OUT) => {
                    slow.push(test.to_owned());
                    "over its time limit"
                }
                _ => {
                    println!("{text}{}", String::from_utf8_lossy(&output.stderr));
                    failed.push(test.to_owned());
                    "FAILED"
                }
            };
            println!("{package} {test}: {said}, {:.0} s", since.elapsed().as_secs_f64());
        }
    }
    println!(
        "\n{passed} passed, {} failed; {} ended by the limit of {} s, {} not begun within {} minutes",
        failed.len(),
        slow.len(),
        args.limit,
        waiting.len(),
        args.minutes
    );
    Ok(failed.is_empty() && passed > 0)
}
