//! A copy of the checkout below `target/`, for what must not touch the checkout, or must not be in its folder.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::layout::Layout;
use crate::run;

/// Makes `folder` hold what git tracks or would add, and nothing else but its own `target/`.
///
/// What did not change since an earlier copy keeps its time, so that cargo compiles nothing again.
pub fn refresh(layout: &Layout, folder: &Path) -> Result<Layout> {
    let mut listing = run::command(layout, "git");
    listing.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listing = run::answer(&mut listing).context("`git ls-files` failed: is this a checkout?")?;
    let listed: HashSet<PathBuf> = listing.split('\0').filter(|path| !path.is_empty()).map(PathBuf::from).collect();
    for path in &listed {
        // A file that is deleted but not yet committed is skipped.
        let Ok(bytes) = fs::read(layout.root.join(path)) else { continue };
        let copy = folder.join(path);
        if fs::read(&copy).is_ok_and(|there| there == bytes) {
            continue;
        }
        fs::create_dir_all(copy.parent().context("a file is in a folder")?)?;
        fs::write(&copy, bytes)?;
    }
    remove_others(folder, folder, &listed)?;
    Ok(Layout { root: folder.to_owned() })
}

fn remove_others(root: &Path, folder: &Path, listed: &HashSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path == root.join("target") {
            continue;
        }
        if path.is_dir() {
            remove_others(root, &path, listed)?;
        } else if !path.strip_prefix(root).is_ok_and(|path| listed.contains(path)) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
