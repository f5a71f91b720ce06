//! The step of `cargo xtask test`: what is cheap of a dry run.

use anyhow::Result;

use crate::layout::Layout;
use crate::release::{crates, npm};
use crate::steps::{self, Outcome};
use crate::{build, published};

/// The npm packages and the workflows by their linters; every crate packaged, and those that need no other of ours compiled
/// from their packages.
pub fn step(layout: &Layout) -> Result<Outcome> {
    let names = published::names(layout)?;
    crates::package(layout, &names, &["--no-verify"])?;
    names.iter().try_for_each(|name| crates::complete(layout, name).map(|_| ()))?;
    let alone = ["toolshape-json", "toolshape-text", "toolshape-tokens"].map(str::to_owned);
    crates::package(layout, &alone, &[])?;
    let tarballs = build::tarball_paths(layout)?;
    steps::suite(&mut npm::linters(layout, &["packages.test.mjs", "workflows.test.mjs"], &tarballs)?)
}
