//! Every version that the commands install, and the paths of the longer lists.
//!
//! - Node packages: `js-tests/package-lock.json` and `examples/package-lock.json`
//! - Python packages: `py-bindings/requirements-build.txt` and `requirements-dev.txt`, `examples/python/requirements.txt`
//! - wasm-bindgen: the version in `Cargo.lock`, read below, since its command must match it

use std::fs;

use anyhow::{Context, Result};

use crate::layout::Layout;

/// Runs the crate's tests in a browser.
pub const WASM_PACK: &str = "0.15.1";

/// Makes the mutants of `cargo xtask mutants`.
pub const CARGO_MUTANTS: &str = "27.1.0";

/// Measures which code tests run, in Rust.
pub const CARGO_LLVM_COV: &str = "0.9.1";

/// Checks licences, duplicates and sources of crates.
pub const CARGO_DENY: &str = "0.20.2";

/// Lists the crates in a package.
pub const CARGO_CYCLONEDX: &str = "0.5.9";

/// Compiles each combination of features.
pub const CARGO_HACK: &str = "0.6.46";

/// Compares the interfaces of crates with those of an earlier release.
pub const CARGO_SEMVER_CHECKS: &str = "0.51.0";

/// What the npm package is compiled for.
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// The oldest Node and Python that the packages support, and so the commands.
pub const OLDEST_NODE: (u32, u32) = (20, 0);
pub const OLDEST_PYTHON: (u32, u32) = (3, 10);

/// The version of wasm-bindgen in `Cargo.lock`.
pub fn wasm_bindgen(layout: &Layout) -> Result<String> {
    let lock = fs::read_to_string(layout.path("Cargo.lock")).context("cannot read Cargo.lock")?;
    let (_, after) =
        lock.split_once("name = \"wasm-bindgen\"\nversion = \"").context("Cargo.lock names no wasm-bindgen")?;
    let (version, _) = after.split_once('"').context("Cargo.lock ends within a version")?;
    Ok(version.to_owned())
}
