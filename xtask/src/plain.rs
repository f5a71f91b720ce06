//! The plain module: toolshape as one WebAssembly file that imports nothing, and the hosts that its tests run.

pub mod hosts;
pub mod packages;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::layout::{Layout, VERSION};
use crate::{build, node, run, sqlite, wasm};

/// The most bytes that the module may have: whoever starts a host compiles all of them.
const MOST_BYTES: u64 = 3_800_000;

/// Builds the module into `target/dist/`, checks its size, and builds its packages.
pub fn build(layout: &Layout) -> Result<()> {
    let compiled = sqlite::compile_plain(layout)?;
    node::ensure(layout)?;
    fs::create_dir_all(layout.dist())?;
    run::quiet("plain module: wasm-opt", wasm::optimizer(layout).arg(compiled).arg("-o").arg(module(layout)))?;
    build::refuse_paths_in(layout, &module(layout))?;
    check_size(layout)?;
    packages::build(layout)
}

/// The module in `target/dist/`.
pub fn module(layout: &Layout) -> PathBuf {
    layout.dist().join(format!("toolshape-{VERSION}.wasm"))
}

/// Fails if the module has more bytes than it may have.
fn check_size(layout: &Layout) -> Result<()> {
    let bytes = fs::metadata(module(layout)).context("the plain module does not exist")?.len();
    if bytes > MOST_BYTES {
        bail!("the plain module has {bytes} bytes; the limit is {MOST_BYTES} (xtask/src/plain.rs)");
    }
    Ok(())
}
