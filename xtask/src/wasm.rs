//! The wasm module with its bindings: compiled by cargo, bound by wasm-bindgen's library, optimized by wasm-opt.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::layout::Layout;
use crate::progress::Item;
use crate::{build, lanes, node, pins, run, rust};

/// The token engine reads 16 bytes at a time; every supported runtime has this feature since 2023.
const FEATURES: &str = "-C target-feature=+simd128";

/// A function that is called from one place is inlined there only if it is small, as any other: compiled for size or speed as
/// its crate asks, it has been left a function by rustc, and among its like it compresses better (4 % of the module).
const INLINING: [&str; 2] = ["--one-caller-inline-max-function-size", "60"];
/// What wasm-opt does last: functions of one name, made from one source for several types, come one behind the other, where
/// deflate finds what they have in common (2 % of the package); then what only compilers read goes.
const PASSES: [&str; 3] = ["--reorder-functions-by-name", "--strip-producers", "--strip-target-features"];

/// Builds the module and its bindings into `folder`, and removes the output of earlier builds there.
pub fn build(layout: &Layout, folder: &Path) -> Result<()> {
    // wasm-opt is a Node package.
    lanes::run(layout, &[compile, compile_bindgen, node::ensure])?;
    bind(layout, &compiled(layout), folder)
}

/// Makes the bindings of a compiled module, and optimizes it; what it runs must be there.
pub fn bind(layout: &Layout, module: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let item = Item::start("wasm: bindings");
    let mut bindgen = run::cargo(layout);
    bindgen.args(["run", "--package", "xtask-bindgen", "--"]).arg(module).arg(folder);
    run::behind(&item, &mut bindgen)?;
    item.done();

    let item = Item::start("wasm: wasm-opt");
    let module = folder.join("toolshape_bg.wasm");
    run::behind(&item, optimizer(layout).arg(&module).arg("-o").arg(&module))?;
    item.done();
    Ok(())
}

/// wasm-opt with all that it does to a module.
pub fn optimizer(layout: &Layout) -> Command {
    let mut optimize = run::command(layout, "wasm-opt");
    optimize.arg("-O").args(INLINING).args(PASSES);
    optimize
}

/// Where cargo writes the module.
pub fn compiled(layout: &Layout) -> PathBuf {
    layout.path("target").join(pins::WASM_TARGET).join("wasm/toolshape_wasm.wasm")
}

/// Compiles the module.
pub fn compile(layout: &Layout) -> Result<()> {
    rust::ensure_target(layout)?;
    let item = Item::start("wasm: compile");
    let mut cargo = cargo(layout, &item)?;
    // The vocabularies are stored beside the module, each once.
    cargo.args(["--package", "toolshape-wasm", "--lib", "--profile", "wasm"]);
    run::behind(&item, &mut cargo)?;
    item.done();
    Ok(())
}

/// `cargo build` of what runs as WebAssembly.
pub fn cargo(layout: &Layout, item: &Item) -> Result<Command> {
    let mut cargo = run::cargo(layout);
    cargo.args(["build", "--target", pins::WASM_TARGET]);
    cargo.env(flags_variable(), format!("{} {FEATURES}", build::remap_flags(layout, item)?));
    Ok(cargo)
}

/// Compiles the program that makes the bindings.
pub fn compile_bindgen(layout: &Layout) -> Result<()> {
    let item = Item::start("wasm-bindgen's library");
    run::behind(&item, run::cargo(layout).args(["build", "--package", "xtask-bindgen"]))?;
    item.done();
    Ok(())
}

fn flags_variable() -> String {
    format!("CARGO_TARGET_{}_RUSTFLAGS", pins::WASM_TARGET.replace('-', "_").to_uppercase())
}
