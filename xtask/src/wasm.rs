//! The wasm module with its bindings: compiled by cargo, bound by wasm-bindgen's library, optimized by wasm-opt.

use std::env::consts::EXE_EXTENSION;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::layout::Layout;
use crate::{build, node, pins, run, rust, sqlite};

/// The token engine reads 16 bytes at a time; every supported runtime has this feature since 2023.
const FEATURES: &str = "-C target-feature=+simd128";

/// The package whose module the npm package contains.
const MODULE: &str = "toolshape-wasm";

/// Larger functions are not inlined even if they are called from one place only: their repetitions compress better (4 % of
/// the module).
const INLINING: [&str; 2] = ["--one-caller-inline-max-function-size", "60"];
/// Functions of one name, which are made from one source for several types, follow each other, so that deflate finds what
/// they have in common (2 % of the package); then what only compilers read is removed.
const PASSES: [&str; 3] = ["--reorder-functions-by-name", "--strip-producers", "--strip-target-features"];

/// Builds the npm module and its bindings into `folder`, and removes the output of earlier builds there.
pub fn build(layout: &Layout, folder: &Path) -> Result<()> {
    // Together, because the module is compiled by one processor at its end. wasm-opt is a Node package.
    run::together(layout, &[compile_bindgen, compile_module, sqlite::compile, node::ensure])?;
    node::remove(folder)?;
    let program = layout.path("target/debug/bindgen").with_extension(EXE_EXTENSION);
    let mut bindgen = run::command(layout, program);
    let compiled = module(&layout.path("target"), "wasm", MODULE);
    run::quiet("wasm: bindings", bindgen.arg(compiled).arg(folder))?;
    let module = folder.join("toolshape_bg.wasm");
    run::quiet("wasm: wasm-opt", optimizer(layout).arg(&module).arg("-o").arg(&module))?;
    sqlite::optimize(layout, &sqlite::folder(layout), &folder.join("toolshape_sql.wasm"))
}

fn compile_bindgen(layout: &Layout) -> Result<()> {
    let bindgen = ["--quiet", "--package", "xtask-wasm-tools", "--bin", "bindgen"];
    run::quiet("wasm: bindings, compile", run::cargo(layout).arg("build").args(bindgen)).map(drop)
}

/// The vocabularies are separate files.
fn compile_module(layout: &Layout) -> Result<()> {
    run::quiet(&format!("{MODULE}: compile"), &mut cargo(layout, MODULE, "wasm")?).map(drop)
}

/// wasm-opt with all that it does to a module.
pub fn optimizer(layout: &Layout) -> Command {
    let mut optimize = run::command(layout, "wasm-opt");
    optimize.arg("-O").args(INLINING).args(PASSES);
    optimize
}

/// The cargo that compiles a package with a profile.
///
/// The crate type is named because cargo does not optimize across crates where a library is also a Rust library.
pub fn cargo(layout: &Layout, package: &str, profile: &str) -> Result<Command> {
    rust::ensure_target(layout, pins::WASM_TARGET)?;
    let mut cargo = run::cargo(layout);
    cargo.args(["rustc", "--lib", "--crate-type", "cdylib", "--profile", profile]);
    cargo.args(["--target", pins::WASM_TARGET, "--package", package]);
    let variable = format!("CARGO_TARGET_{}_RUSTFLAGS", pins::WASM_TARGET.replace('-', "_").to_uppercase());
    cargo.env(variable, format!("{} {FEATURES}", build::remap_flags(layout)?));
    Ok(cargo)
}

/// Where cargo leaves the module of a package in its folder.
pub fn module(target: &Path, profile: &str, package: &str) -> PathBuf {
    target.join(pins::WASM_TARGET).join(profile).join(format!("{}.wasm", package.replace('-', "_")))
}
