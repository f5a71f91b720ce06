//! The references of the three languages, from the same sources as the packages: by rustdoc, TypeDoc and pdoc.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::layout::Layout;
use crate::steps::AGENTS;
use crate::{node, published, python, run};

/// A program: its library is for the Python package alone.
const NO_LIBRARY: &str = "toolshape-cli";

/// The docs of the crates that others use, by rustdoc, without warnings; returns their folder.
pub fn rustdoc(layout: &Layout) -> Result<PathBuf> {
    let mut crates = published::names(layout)?;
    crates.retain(|name| name != NO_LIBRARY);
    let folder = layout.path("target/doc");
    // Its search and its list name all that was ever documented there.
    node::remove(&folder)?;
    let mut doc = run::cargo(layout);
    doc.args(["doc", "--no-deps", "--quiet"]).args(crates.iter().flat_map(|name| ["--package", name]));
    run::live(doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(folder)
}

/// The reference of the crates.
pub fn rust(layout: &Layout) -> Result<()> {
    let docs = rustdoc(layout)?;
    let docs = layout.relative(&docs).to_str().context("a path that is not text")?;
    node::copy(layout, docs, &layout.references().join("rust"))
}

/// The reference of the npm package, from the types that are in its tarball; the packages of the site are there.
pub fn typescript(layout: &Layout, site: &Path) -> Result<()> {
    let mut typedoc = run::command(layout, "node");
    typedoc.arg(site.join("reference.mjs")).arg("--out").arg(layout.references().join("typescript"));
    run::quiet("reference of TypeScript", &mut typedoc).map(drop)
}

/// The reference of the Python package, from the wheel that was built.
pub fn python(layout: &Layout) -> Result<()> {
    python::prepare_others(layout)?;
    let mut pdoc = python::python(layout);
    pdoc.args(["-m", "pdoc", "--no-show-source"]);
    let mut names = modules(&layout.path("py-bindings/python/toolshape"), "toolshape")?;
    // The frameworks of agents need environments of their own: docs/agents.md has their adapters.
    let agents: Vec<String> =
        AGENTS.iter().flat_map(|(_, adapters)| *adapters).map(|name| format!("toolshape.{name}")).collect();
    names.retain(|name| !agents.contains(name));
    pdoc.args(names);
    pdoc.arg("--template-directory")
        .arg(layout.path("site/pdoc"))
        .arg("--output-directory")
        .arg(layout.references().join("python"));
    run::quiet("reference of Python", &mut pdoc).map(drop)
}

/// The names of a package and of the modules in it that its users import.
fn modules(folder: &Path, name: &str) -> Result<Vec<String>> {
    let mut names = vec![name.to_owned()];
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(OsStr::to_str).filter(|stem| !stem.starts_with('_'));
        let Some(module) = stem.map(|stem| format!("{name}.{stem}")) else { continue };
        if path.is_dir() {
            names.extend(modules(&path, &module)?);
        } else if path.extension() == Some(OsStr::new("py")) {
            names.push(module);
        }
    }
    names.sort();
    Ok(names)
}
