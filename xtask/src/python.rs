//! The Python side of the set-up: an environment in `target/venv`, every package at a pinned version. What needs an older
//! SDK has one of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, Result, bail};

use crate::build;
use crate::layout::{Layout, bin_of};
use crate::pins::OLDEST_PYTHON;
use crate::progress::Item;
use crate::run;
use crate::stamp::Stamp;

/// The packages for building the wheel.
pub const BUILD: &str = "py-bindings/requirements-build.txt";
/// The packages of the example servers.
pub const EXAMPLES: &str = "examples/python/requirements.txt";
/// The packages for testing, type checks and benchmarks.
pub const TESTS: &str = "py-bindings/requirements-dev.txt";
/// The packages that tests of the wheel need.
pub const TESTED_BY: &[&str] = &[EXAMPLES, TESTS];
/// The MCP servers that the relay is tried before.
pub const SERVERS: &str = "py-bindings/requirements-servers.txt";
/// What makes the reference, and what the documented modules import.
pub const REFERENCE: &str = "py-bindings/requirements-reference.txt";
/// Older SDKs, each with a list of packages and an environment of its own. What needs version 1 of `mcp` is in the first.
pub const OLDER: [&str; 3] = ["mcp1", "fastmcp2", "fastmcp3"];
/// What builds wheels for other machines, and checks and publishes packages.
const RELEASE: &str = "py-bindings/requirements-release.txt";

/// Only one step at a time changes the environment, although steps run in parallel.
static CHANGING: Mutex<()> = Mutex::new(());

/// Checks Python and creates the environment with all packages in these lists, pinned by version and hash.
pub fn ensure(layout: &Layout, lists: &[&'static str]) -> Result<()> {
    let _changing = CHANGING.lock();
    ensure_alone(layout, &layout.venv(), lists)
}

/// Creates the environment of an older SDK.
pub fn ensure_older(layout: &Layout, sdk: &str) -> Result<()> {
    let _changing = CHANGING.lock();
    ensure_alone(layout, &layout.venv_older(sdk), &[&list_of(sdk)])
}

/// Creates the environment of releases.
pub fn ensure_release(layout: &Layout) -> Result<()> {
    let _changing = CHANGING.lock();
    ensure_alone(layout, &layout.venv_release(), &[RELEASE])
}

fn list_of(sdk: &str) -> String {
    format!("py-bindings/requirements-{sdk}.txt")
}

fn ensure_alone(layout: &Layout, venv: &Path, lists: &[&str]) -> Result<()> {
    let (base, version) = interpreter(layout)?;
    let made = Stamp::new(venv.join(".made-with"), [version]);
    let missing = lists.iter().map(|list| Ok((*list, installed(layout, venv, list)?)));
    let mut missing = missing.collect::<Result<Vec<_>>>()?;
    missing.retain(|(_, stamp)| !stamp.holds());
    // Packages of an earlier list must not stay, so a changed list requires a new environment.
    let is_fresh = !made.holds() || missing.iter().any(|(_, stamp)| stamp.is_there());
    if is_fresh {
        missing = lists.iter().map(|list| Ok((*list, installed(layout, venv, list)?))).collect::<Result<_>>()?;
    } else if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|(list, _)| *list).collect();
    let item = Item::start(format!("Python packages of {}", names.join(", ")));
    if is_fresh {
        run::behind(&item, run::command(layout, base).args(["-m", "venv", "--clear"]).arg(venv))
            .context("Python could not make an environment; on Debian, `apt-get install python3-venv`")?;
        made.write()?;
    }
    // The lists are complete, so pip resolves nothing and installs only the listed versions. Python compiles only what
    // is imported, which is a small part.
    let mut install = pip_of(layout, venv);
    install.args(["install", "--no-deps", "--no-compile", "--progress-bar", "off"]);
    for (list, _) in &missing {
        install.args(["--requirement", list]);
    }
    run::behind(&item, &mut install)?;
    missing.iter().try_for_each(|(_, stamp)| stamp.write())?;
    item.done();
    Ok(())
}

/// The stamp of a list in an environment.
fn installed(layout: &Layout, venv: &Path, list: &str) -> Result<Stamp> {
    let content = fs::read(layout.path(list)).with_context(|| format!("cannot read {list}"))?;
    Ok(Stamp::new(venv.join(format!(".{}", list.replace('/', "-"))), [content]))
}

/// The environment's own Python.
pub fn python(layout: &Layout) -> Command {
    python_of(layout, &layout.venv())
}

/// The Python of an environment.
pub fn python_of(layout: &Layout, venv: &Path) -> Command {
    let mut python = run::command(layout, bin_of(venv).join("python"));
    python.env("VIRTUAL_ENV", venv).env_remove("PYTHONPATH").env_remove("PYTHONHOME");
    python
}

/// The Python of the environment of releases, whose programs come first on its PATH: maturin looks there for zig.
pub fn release(layout: &Layout) -> Command {
    let mut python = python_of(layout, &layout.venv_release());
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let path = [layout.venv_release_bin()].into_iter().chain(std::env::split_paths(&inherited));
    python.env("PATH", std::env::join_paths(path).unwrap_or(inherited.clone()));
    python
}

/// The path of the environment's own Python.
pub fn path(layout: &Layout) -> PathBuf {
    layout.venv_bin().join("python")
}

/// The environment's pip.
pub fn pip(layout: &Layout) -> Command {
    pip_of(layout, &layout.venv())
}

fn pip_of(layout: &Layout, venv: &Path) -> Command {
    let mut pip = python_of(layout, venv);
    pip.args(["-m", "pip", "--disable-pip-version-check"]);
    pip
}

/// Installs the packages in these lists and our wheel, in place of one from an earlier build.
pub fn prepare(layout: &Layout, lists: &[&'static str]) -> Result<()> {
    prepare_alone(layout, &layout.venv(), lists)
}

/// The same in the environment of an older SDK.
pub fn prepare_older(layout: &Layout, sdk: &str) -> Result<()> {
    prepare_alone(layout, &layout.venv_older(sdk), &[&list_of(sdk)])
}

fn prepare_alone(layout: &Layout, venv: &Path, lists: &[&str]) -> Result<()> {
    let _changing = CHANGING.lock();
    ensure_alone(layout, venv, lists)?;
    let wheel = build::wheel_path(layout)?;
    let stamp = Stamp::new(venv.join(".wheel"), [fs::read(&wheel)?]);
    if stamp.holds() {
        return Ok(());
    }
    let install = ["install", "--quiet", "--no-deps", "--no-index", "--force-reinstall"];
    run::live_ok(pip_of(layout, venv).args(install).arg(wheel))?;
    stamp.write()
}

/// The user's Python and its version: `PYTHON` if that is set, else `python3` or `python`.
pub fn interpreter(layout: &Layout) -> Result<(PathBuf, String)> {
    let (major, minor) = OLDEST_PYTHON;
    let candidates = match std::env::var_os("PYTHON") {
        Some(chosen) => vec![PathBuf::from(chosen)],
        None => ["python3", "python"].into_iter().filter_map(run::find).collect(),
    };
    let script = format!("import sys; print(sys.version_info >= ({major}, {minor}), sys.version)");
    for candidate in &candidates {
        match run::answer(run::command(layout, candidate).args(["-c", &script])) {
            Some(answer) if answer.starts_with("True") => return Ok((candidate.clone(), answer)),
            _ => {}
        }
    }
    bail!("Python is missing or too old: install Python {major}.{minor} or newer, or name one in PYTHON")
}
