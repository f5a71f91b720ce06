//! The crates that are published, as cargo lists them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::layout::Layout;
use crate::run;

/// A crate: its name, and its folder in the checkout.
pub struct Published {
    pub name: String,
    pub folder: PathBuf,
}

/// The names of the crates.
pub fn names(layout: &Layout) -> Result<Vec<String>> {
    Ok(crates(layout)?.into_iter().map(|published| published.name).collect())
}

/// The crates that are not marked with `publish = false`.
pub fn crates(layout: &Layout) -> Result<Vec<Published>> {
    let found = metadata(layout, &["--no-deps"])?;
    let packages = found["packages"].as_array().context("cargo lists packages")?;
    let published = packages.iter().filter(|package| package["publish"].is_null());
    let published = published.map(|package| {
        let name = package["name"].as_str().context("a package has a name")?.to_owned();
        let manifest = Path::new(package["manifest_path"].as_str().context("a package has a manifest")?);
        let folder = layout.relative(manifest.parent().context("a manifest is in a folder")?).to_owned();
        Ok(Published { name, folder })
    });
    published.collect()
}

/// The output of `cargo metadata`: about all crates, or with `--no-deps` about those of the workspace.
pub fn metadata(layout: &Layout, which: &[&str]) -> Result<Value> {
    let metadata = run::answer(run::cargo(layout).args(["metadata", "--format-version", "1"]).args(which));
    Ok(serde_json::from_str(&metadata.context("`cargo metadata` failed")?)?)
}
