//! Whether the public API of the crates stays compatible, by cargo-semver-checks.

use std::env;

use anyhow::Result;

use crate::layout::Layout;
use crate::{pins, run, rust};

/// The crates whose public names are for others. The library of any other published crate is for ours alone.
const PUBLIC: [&str; 4] = ["toolshape", "toolshape-tokens", "toolshape-stores", "toolshape-rmcp"];

/// Compares the API with that of a commit: the one that `BASE` names, or else the last release.
pub fn check(layout: &Layout) -> Result<()> {
    let mut last = run::command(layout, "git");
    last.args(["describe", "--tags", "--abbrev=0", "--match", "v*"]);
    let Some(base) = env::var("BASE").ok().or_else(|| run::answer(&mut last)) else {
        println!("There is no release, and BASE names no commit: nothing is compared.");
        return Ok(());
    };
    let mut checks = rust::subcommand(layout, "semver-checks", pins::CARGO_SEMVER_CHECKS)?;
    checks.args(["--baseline-rev", base.trim(), "--default-features"]);
    run::live(checks.args(PUBLIC.iter().flat_map(|name| ["--package", name])))
}
