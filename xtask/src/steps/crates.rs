//! What is checked of the crates: rules, formats, lints, and the tests of Rust, natively and in a browser.

use anyhow::{Result, anyhow};

use super::{Outcome, suite};
use crate::layout::Layout;
use crate::{browser, fuzz, pins, references, run, rust, test_server, tidy, vocab};

pub fn house_rules(layout: &Layout) -> Result<Outcome> {
    Ok(Outcome::Ran(tidy::check(layout)?, Vec::new()))
}

pub fn format(layout: &Layout) -> Result<Outcome> {
    if run::answer(run::cargo(layout).args(["fmt", "--version"])).is_none() {
        return Ok(Outcome::Skipped("rustfmt is not installed: `rustup component add rustfmt`"));
    }
    run::live_ok(run::cargo(layout).args(["fmt", "--all", "--check"]))?;
    Ok(Outcome::Done)
}

/// The same selection for each cargo command, because another one would compile many crates again.
pub const WORKSPACE: &[&str] = &["--workspace", "--features", "xtask/measure"];

pub fn lint(layout: &Layout) -> Result<Outcome> {
    if let Outcome::Skipped(why) = clippy(layout)? {
        return Ok(Outcome::Skipped(why));
    }
    references::rustdoc(layout)?;
    Ok(Outcome::Done)
}

/// Clippy on everything, and on what only wasm compiles.
pub fn clippy(layout: &Layout) -> Result<Outcome> {
    if run::answer(run::cargo(layout).args(["clippy", "--version"])).is_none() {
        return Ok(Outcome::Skipped("clippy is not installed: `rustup component add clippy`"));
    }
    rust::ensure_target(layout)?;
    let native = [&["--all-targets"], WORKSPACE].concat();
    let wasm = ["--package", "toolshape-wasm", "--target", pins::WASM_TARGET, "--all-targets"];
    for scope in [&native[..], &wasm[..]] {
        let mut clippy = run::cargo(layout);
        run::live_ok(clippy.arg("clippy").args(scope).args(["--", "-D", "warnings"]))?;
    }
    Ok(Outcome::Done)
}

pub fn rust(layout: &Layout) -> Result<Outcome> {
    suite(run::cargo(layout).args(["test", "--no-fail-fast"]).args(WORKSPACE).args(["--", "--show-output"]))
}

/// Slow modules of `tests/main.rs`: they run thousands of generated cases.
const SLOW: &[&str] = &["invariants::", "lists::", "output_schemas::"];

pub fn quick(layout: &Layout) -> Result<Outcome> {
    let mut tests = run::cargo(layout);
    tests.args(["test", "--no-fail-fast"]).args(WORKSPACE).args(["--lib", "--test", "main", "--", "--show-output"]);
    suite(tests.args(SLOW.iter().flat_map(|module| ["--skip", module])))
}

pub fn fuzzers(layout: &Layout) -> Result<Outcome> {
    Ok(Outcome::Ran(fuzz::short(layout)?, Vec::new()))
}

pub fn vocabularies(_: &Layout) -> Result<Outcome> {
    vocab::run(&["--check".to_owned()]).map_err(|error| anyhow!("{error}"))?;
    Ok(Outcome::Done)
}

pub fn browser_tools(layout: &Layout) -> Result<Outcome> {
    rust::ensure_browser_tools(layout)?;
    Ok(Outcome::Done)
}

pub fn browser_tests(layout: &Layout) -> Result<Outcome> {
    rust::ensure_browser_tools(layout)?;
    let driver = browser::ensure(layout)?;
    let tests = ["--test", "web"];
    // wasm-pack compiles with the same options; compiling first takes nothing of the browser's time.
    run::live_ok(
        run::cargo(layout).args(["build", "--package", "toolshape-wasm", "--target", pins::WASM_TARGET]).args(tests),
    )?;
    let mut test = browser::within_time(layout, "wasm-pack");
    test.args(["test", "--headless", "--chrome", "--chromedriver"]).arg(driver).arg("crates/wasm");
    test.args(tests).args(["--", "--nocapture"]);
    test.env("WASM_BINDGEN_TEST_TIMEOUT", "200");
    test_server::with_threads_held(|address| suite(test.env("WASM_BINDGEN_TEST_ADDRESS", address.to_string())))
}
