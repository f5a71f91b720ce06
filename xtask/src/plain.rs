//! The plain module: toolshape as one WebAssembly file that imports nothing, and the hosts that its tests run.

pub mod go;
pub mod hosts;
pub mod packages;

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::layout::{Layout, VERSION};
use crate::{build, node, sqlite};

/// The most bytes that the module may have: whoever starts a host compiles all of them.
const MOST_BYTES: u64 = 4_280_000;

/// Builds the module into `target/dist/`, checks its size, and builds its packages.
pub fn build(layout: &Layout) -> Result<()> {
    sqlite::compile_plain(layout)?;
    node::ensure(layout)?;
    fs::create_dir_all(layout.dist())?;
    sqlite::optimize(layout, &layout.path("target"), &module(layout))?;
    build::refuse_paths_in(layout, &module(layout))?;
    let bytes = fs::metadata(module(layout))?.len();
    if bytes > MOST_BYTES {
        bail!("the plain module has {bytes} bytes; the limit is {MOST_BYTES} (xtask/src/plain.rs)");
    }
    packages::build(layout)
}

/// The module in `target/dist/`.
pub fn module(layout: &Layout) -> PathBuf {
    layout.dist().join(format!("toolshape-{VERSION}.wasm"))
}
