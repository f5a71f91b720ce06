//! Python's source distribution: it builds where there is neither the checkout nor anything of its environment.

use std::path::Path;

use anyhow::{Context, Result};

use crate::layout::Layout;
use crate::progress::Item;
use crate::release::publish::Registry;
use crate::release::table::{Said, Table};
use crate::release::tried::Scratch;
use crate::release::{emptied, files};
use crate::{python, run, rust};

pub fn rows(layout: &Layout, table: &mut Table) -> Result<()> {
    python::ensure_release(layout)?;
    let folder = emptied(layout, Registry::Pypi.folder(), &[".tar.gz"])?;
    let mut maturin = python::release(layout);
    maturin.args(["-m", "maturin", "sdist", "--manifest-path", "py-bindings/Cargo.toml", "--out"]).arg(&folder);
    run::live_ok(&mut maturin)?;
    let source = files(&folder, &[".tar.gz"])?.pop().context("maturin made no source distribution")?;
    let row = table.of_file(&source);
    row.check("twine", twine(layout, &source));
    row.check("built without the checkout, first example", built(layout, &source));
    Ok(())
}

/// Whether the registry can read and show what the package says about itself.
pub fn twine(layout: &Layout, package: &Path) -> Result<Said> {
    run::live_ok(python::release(layout).args(["-m", "twine", "check", "--strict"]).arg(package))?;
    Ok(Said::Passed)
}

/// pip builds it in isolation, in an environment that has a Rust and a Python, and nothing else.
fn built(layout: &Layout, source: &Path) -> Result<Said> {
    let scratch = Scratch::new("source")?;
    let (base, _) = python::interpreter(layout)?;
    let python = scratch.venv(&base)?;
    let item = Item::start("pip install of the source distribution (compiled, some minutes)");
    let mut install = scratch.bare(&python)?;
    install.args(["-m", "pip", "install", "--disable-pip-version-check", "--no-cache-dir"]).arg(source);
    let cargo = rust::folder(layout)?;
    let path = install.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value).unwrap_or_default();
    let path: Vec<_> = [cargo].into_iter().chain(std::env::split_paths(path)).collect();
    install.env("PATH", std::env::join_paths(path)?);
    run::behind(&item, &mut install)?;
    item.done();
    scratch.python_example(layout, &mut scratch.bare(&python)?)?;
    Ok(Said::Passed)
}
