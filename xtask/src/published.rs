//! The crates that are published, as cargo lists them.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::layout::Layout;
use crate::run;

/// A crate: its name, and its folder in the checkout.
pub struct Published {
    pub name: String,
    pub folder: PathBuf,
}

/// The names of the crates, each after those that it needs.
pub fn names(layout: &Layout) -> Result<Vec<String>> {
    Ok(crates(layout)?.into_iter().map(|published| published.name).collect())
}

/// The crates, each after those that it needs.
pub fn crates(layout: &Layout) -> Result<Vec<Published>> {
    let found = metadata(layout)?;
    let packages = found["packages"].as_array().context("cargo lists packages")?;
    let mut waiting: Vec<&Value> = packages.iter().filter(|package| package["publish"].is_null()).collect();
    let all: HashSet<&str> = waiting.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut crates: Vec<Published> = Vec::new();
    while !waiting.is_empty() {
        let is_ready = |package: &&&Value| {
            let needs = package["dependencies"].as_array().into_iter().flatten();
            let mut needs = needs.filter(|needed| needed["kind"] != "dev").filter_map(|needed| needed["name"].as_str());
            needs.all(|name| !all.contains(name) || crates.iter().any(|known| known.name == name))
        };
        let next = *waiting.iter().find(is_ready).context("crates need each other in a circle")?;
        waiting.retain(|package| package["name"] != next["name"]);
        crates.push(published(layout, next)?);
    }
    Ok(crates)
}

fn published(layout: &Layout, package: &Value) -> Result<Published> {
    let name = package["name"].as_str().context("a package has a name")?.to_owned();
    let manifest = PathBuf::from(package["manifest_path"].as_str().context("a package has a manifest")?);
    let folder = layout.relative(manifest.parent().context("a manifest is in a folder")?).to_owned();
    Ok(Published { name, folder })
}

/// What `cargo metadata` says of the workspace.
pub fn metadata(layout: &Layout) -> Result<Value> {
    let metadata = run::answer(run::cargo(layout).args(["metadata", "--no-deps", "--format-version", "1"]));
    Ok(serde_json::from_str(&metadata.context("`cargo metadata` failed")?)?)
}
