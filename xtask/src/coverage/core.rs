//! The core under the Rust tests, by cargo-llvm-cov. What only WebAssembly or Python compiles is not part of it.

use std::env;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{Covered, Files};
use crate::layout::Layout;
use crate::{pins, run, rust};

pub fn measure(layout: &Layout) -> Result<Files> {
    rust::ensure_subcommand(layout, "llvm-cov", pins::CARGO_LLVM_COV)?;
    ensure_llvm(layout)?;
    let report = super::folder(layout).join("core.json");
    let mut cargo = run::cargo(layout);
    cargo.args(["llvm-cov", "--branch", "--json", "--summary-only", "--output-path"]).arg(&report);
    for package in ["toolshape", "toolshape-json", "toolshape-text", "toolshape-tokens"] {
        cargo.args(["--package", package]);
    }
    cargo.args(["--lib", "--test", "main"]);
    // Branches are an option of the compiler that is not stable yet.
    cargo.env("RUSTC_BOOTSTRAP", "1").env("PROPTEST_RNG_SEED", "1");
    if !cargo.status().context("cannot start cargo-llvm-cov")?.success() {
        bail!("the tests fail, or cannot be measured");
    }
    let report: Value = serde_json::from_str(&std::fs::read_to_string(report)?)?;
    let mut files = Files::new();
    for file in report["data"][0]["files"].as_array().context("cargo-llvm-cov reported no files")? {
        let path = Path::new(file["filename"].as_str().unwrap_or_default());
        let path = layout.relative(path).to_string_lossy().replace('\\', "/");
        let count = |kind: &str| {
            let count = |name: &str| file["summary"][kind][name].as_u64().unwrap_or(0);
            [count("covered"), count("count")]
        };
        files.insert(path, Covered { lines: count("lines"), branches: count("branches") });
    }
    // Modules of tests are no part of what is tested.
    files.retain(|path, _| !path.starts_with("tests/") && !path.ends_with("/tests.rs"));
    Ok(files)
}

/// Fails if the tools that read the compiler's own profiles are missing.
fn ensure_llvm(layout: &Layout) -> Result<()> {
    let folder = run::answer(run::command(layout, "rustc").args(["--print", "target-libdir"]));
    let tool = folder.as_deref().and_then(|folder| Path::new(folder).parent()).map(|above| above.join("bin/llvm-cov"));
    let is_there = tool.is_some_and(|tool| tool.with_extension(env::consts::EXE_EXTENSION).is_file());
    if !is_there && env::var_os("LLVM_COV").is_none() {
        bail!(
            "llvm-cov is missing: `rustup component add llvm-tools`, or install the LLVM that `rustc -vV` names (on Debian \
             `apt-get install llvm-22`) and put the paths of its llvm-cov and llvm-profdata into LLVM_COV and LLVM_PROFDATA"
        );
    }
    Ok(())
}
