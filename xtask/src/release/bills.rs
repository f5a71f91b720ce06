//! Licences and known vulnerabilities of all crates, and the list of what is in each package.

use anyhow::{Result, bail};

use crate::layout::Layout;
use crate::release::table::{Said, Table};
use crate::release::{copied, emptied, files};
use crate::{build, deny, sbom};

pub fn rows(layout: &Layout, table: &mut Table) -> Result<()> {
    let row = table.of("all crates");
    row.check("licences, duplicates, sources", denied(layout));
    // The lists name the packages of `cargo xtask build`.
    if build::tarball_paths(layout).is_err() {
        build::npm_tarballs(layout)?;
    }
    if build::wheel_path(layout).is_err() {
        build::wheel_and_source(layout)?;
    }
    sbom::command(layout)?;
    let folder = emptied(layout, "bills", &[sbom::SUFFIX])?;
    for list in files(&layout.dist(), &[sbom::SUFFIX])? {
        table.of_file(&copied(&list, &folder)?).check("written", Ok(Said::Passed));
    }
    Ok(())
}

fn denied(layout: &Layout) -> Result<Said> {
    if !deny::command(layout)? {
        bail!("a crate is not allowed, or has a known vulnerability");
    }
    Ok(Said::Passed)
}
