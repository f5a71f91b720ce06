//! `cargo xtask deny`: which licences, duplicates and sources `deny.toml` allows of the crates, and known vulnerabilities.

use anyhow::Result;

use crate::layout::Layout;
use crate::{pins, run, rust};

/// Checks all crates; false if one is not allowed, or has a known vulnerability.
///
/// The database of vulnerabilities is a git repository; where it cannot be fetched, the command says so and checks the
/// rest.
pub fn command(layout: &Layout) -> Result<bool> {
    rust::ensure_subcommand(layout, "deny", pins::CARGO_DENY)?;
    let deny = |arguments: &[&str]| -> Result<bool> {
        let mut deny = run::cargo(layout);
        Ok(run::live(deny.args(["deny", "--workspace"]).args(arguments))?.ok)
    };
    let is_allowed = deny(&["check", "licenses", "bans", "sources"])?;
    if !deny(&["fetch", "db"])? {
        println!("advisories: NOT CHECKED, because their database cannot be fetched from this machine");
        return Ok(is_allowed);
    }
    Ok(deny(&["check", "advisories"])? && is_allowed)
}
