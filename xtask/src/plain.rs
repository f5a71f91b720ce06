//! The plain module: toolshape as one WebAssembly file that imports nothing, and the hosts that its tests run.

pub mod hosts;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::layout::{Layout, VERSION};
use crate::progress::Item;
use crate::steps::Outcome;
use crate::{build, node, pins, run, rust, wasm};

/// The most bytes that the module may have: whoever starts a host compiles all of them.
const MOST_BYTES: u64 = 2_200_000;

/// Builds the module into `target/dist/`.
pub fn build(layout: &Layout) -> Result<()> {
    node::ensure(layout)?;
    compile(layout)?;
    fs::create_dir_all(layout.dist())?;
    optimize(layout, &compiled(layout), &module(layout))?;
    build::refuse_paths_in(layout, &module(layout))
}

/// The same as a step of the tests.
pub fn step(layout: &Layout) -> Result<Outcome> {
    build(layout)?;
    Ok(Outcome::Done)
}

/// The module in `target/dist/`.
pub fn module(layout: &Layout) -> PathBuf {
    layout.dist().join(format!("toolshape-{VERSION}.wasm"))
}

/// Where cargo writes the module.
pub fn compiled(layout: &Layout) -> PathBuf {
    layout.path("target").join(pins::WASM_TARGET).join("plain/toolshape_c_api.wasm")
}

/// Compiles the module.
pub fn compile(layout: &Layout) -> Result<()> {
    rust::ensure_target(layout)?;
    let item = Item::start("plain module: compile");
    let mut cargo = wasm::cargo(layout, &item)?;
    run::behind(&item, cargo.args(["--package", "toolshape-c-api", "--profile", "plain"]))?;
    item.done();
    Ok(())
}

/// Optimizes a compiled module into another file.
pub fn optimize(layout: &Layout, compiled: &Path, module: &Path) -> Result<()> {
    let item = Item::start("plain module: wasm-opt");
    run::behind(&item, wasm::optimizer(layout).arg(compiled).arg("-o").arg(module))?;
    item.done();
    Ok(())
}

/// Fails if the module has more bytes than it may have.
pub fn check_size(layout: &Layout) -> Result<()> {
    let bytes = fs::metadata(module(layout)).context("the plain module is not there: build first")?.len();
    if bytes > MOST_BYTES {
        bail!("the plain module has {bytes} bytes, and may have {MOST_BYTES}: xtask/src/plain.rs");
    }
    Ok(())
}
