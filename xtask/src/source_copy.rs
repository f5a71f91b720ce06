//! A clone of the last commit below `target/`, for commands that write next to sources or need another folder.

use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::layout::Layout;
use crate::run;

/// Clones the checkout into `folder`, in place of an earlier clone.
pub fn clone(layout: &Layout, folder: &Path) -> Result<Layout> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let mut clone = run::command(layout, "git");
    run::quiet("clone", clone.args(["clone", "--quiet", "--shared", "."]).arg(folder))?;
    Ok(Layout { root: folder.to_owned() })
}
