//! Whether this commit is one that may be published: its version, its changes, its tag and where it can be found.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::layout::{Layout, VERSION};
use crate::release::table::{Said, Table};
use crate::run;
use crate::version::{self, Changes};

/// Adds the line about this commit. A dry run may be made before a release, so most of it is told, not demanded.
pub fn rows(layout: &Layout, table: &mut Table) -> Result<()> {
    let row = table.of("this commit");
    row.check("clean", clean(layout).map(|()| Said::Passed));
    row.check("CHANGELOG", changes(layout).map(Said::Told));
    let tag = if is_tagged(layout) { format!("v{VERSION}") } else { "none yet".to_owned() };
    row.check("tag", Ok(Said::Told(tag)));
    let repository = version::repository(layout)?;
    let missing = "not chosen: `cargo xtask version X.Y.Z --repository URL` writes it into every package";
    row.check("repository", Ok(repository.map_or_else(|| Said::NotHere(missing.to_owned()), Said::Told)));
    Ok(())
}

/// Fails unless this very commit is the release of its version.
pub fn require_release(layout: &Layout) -> Result<()> {
    clean(layout)?;
    if let Changes::Unreleased = version::changes(&changelog(layout)?)? {
        bail!("CHANGELOG.md says that {VERSION} is not yet released: `cargo xtask version {VERSION}`, and commit");
    }
    changes(layout)?;
    if !is_tagged(layout) {
        bail!("this commit does not have the tag v{VERSION}");
    }
    if version::repository(layout)?.is_none() {
        bail!("no package says where its source is: `cargo xtask version {VERSION} --repository URL`");
    }
    Ok(())
}

fn clean(layout: &Layout) -> Result<()> {
    let status = run::answer(run::command(layout, "git").args(["status", "--porcelain"]));
    let status = status.context("`git status` failed: is this a checkout?")?;
    if !status.is_empty() {
        bail!("{} files are not committed", status.lines().count());
    }
    Ok(())
}

fn changes(layout: &Layout) -> Result<String> {
    match version::changes(&changelog(layout)?)? {
        Changes::Unreleased => Ok("not yet released".to_owned()),
        Changes::Released { version, date } if version == VERSION => Ok(format!("{version}, {date}")),
        Changes::Released { version, .. } => {
            bail!("the last release in CHANGELOG.md is {version}, and this is {VERSION}")
        }
    }
}

fn changelog(layout: &Layout) -> Result<String> {
    fs::read_to_string(layout.path("CHANGELOG.md")).context("cannot read CHANGELOG.md")
}

fn is_tagged(layout: &Layout) -> bool {
    let tags = run::answer(run::command(layout, "git").args(["tag", "--points-at", "HEAD"]));
    tags.is_some_and(|tags| tags.lines().any(|tag| tag == format!("v{VERSION}")))
}
