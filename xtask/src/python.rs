//! The Python side of the set-up: one environment in `target/venv`, every package at a pinned version.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, Result, bail};

use crate::build;
use crate::layout::Layout;
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

/// Only one step at a time changes the environment, although steps run in parallel.
static CHANGING: Mutex<()> = Mutex::new(());

/// Checks Python and creates the environment with all packages in these lists, pinned by version and hash.
pub fn ensure(layout: &Layout, lists: &[&'static str]) -> Result<()> {
    let _changing = CHANGING.lock();
    ensure_alone(layout, lists)
}

fn ensure_alone(layout: &Layout, lists: &[&'static str]) -> Result<()> {
    let (base, version) = interpreter(layout)?;
    let venv = layout.venv();
    let made = Stamp::new(venv.join(".made-with"), [version]);
    let missing = lists.iter().map(|list| Ok((*list, installed(layout, list)?)));
    let mut missing = missing.collect::<Result<Vec<_>>>()?;
    missing.retain(|(_, stamp)| !stamp.holds());
    // Packages of an earlier list must not stay, so a changed list requires a new environment.
    let is_fresh = !made.holds() || missing.iter().any(|(_, stamp)| stamp.is_there());
    if is_fresh {
        missing = lists.iter().map(|list| Ok((*list, installed(layout, list)?))).collect::<Result<_>>()?;
    } else if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|(list, _)| *list).collect();
    let item = Item::start(format!("Python packages of {}", names.join(", ")));
    if is_fresh {
        run::behind(&item, run::command(layout, base).args(["-m", "venv", "--clear"]).arg(&venv))
            .context("Python could not make an environment; on Debian, `apt-get install python3-venv`")?;
        made.write()?;
    }
    // The lists are complete, so pip resolves nothing and installs only the listed versions. Python compiles only what
    // is imported, which is a small part.
    let mut install = pip(layout);
    install.args(["install", "--no-deps", "--no-compile", "--progress-bar", "off"]);
    for (list, _) in &missing {
        install.args(["--requirement", list]);
    }
    run::behind(&item, &mut install)?;
    missing.iter().try_for_each(|(_, stamp)| stamp.write())?;
    item.done();
    Ok(())
}

/// The stamp of a list in the environment.
fn installed(layout: &Layout, list: &str) -> Result<Stamp> {
    let content = fs::read(layout.path(list)).with_context(|| format!("cannot read {list}"))?;
    Ok(Stamp::new(layout.venv().join(format!(".{}", list.replace('/', "-"))), [content]))
}

/// The environment's own Python.
pub fn python(layout: &Layout) -> Command {
    let mut python = run::command(layout, path(layout));
    python.env("VIRTUAL_ENV", layout.venv()).env_remove("PYTHONPATH").env_remove("PYTHONHOME");
    python
}

/// The path of the environment's own Python.
pub fn path(layout: &Layout) -> PathBuf {
    layout.venv_bin().join("python")
}

/// The environment's pip.
pub fn pip(layout: &Layout) -> Command {
    let mut pip = python(layout);
    pip.args(["-m", "pip", "--disable-pip-version-check"]);
    pip
}

/// Installs the packages in these lists and our wheel, in place of one from an earlier build.
pub fn prepare(layout: &Layout, lists: &[&'static str]) -> Result<()> {
    let _changing = CHANGING.lock();
    ensure_alone(layout, lists)?;
    let wheel = build::wheel_path(layout)?;
    let stamp = Stamp::new(layout.venv().join(".wheel"), [fs::read(&wheel)?]);
    if stamp.holds() {
        return Ok(());
    }
    let install = ["install", "--quiet", "--no-deps", "--no-index", "--force-reinstall"];
    run::live_ok(pip(layout).args(install).arg(wheel))?;
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
