//! The Python side of the set-up: one environment in `target/venv`, every package at a pinned version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::layout::Layout;
use crate::pins::OLDEST_PYTHON;
use crate::progress::Item;
use crate::run;
use crate::stamp::Stamp;

const REQUIREMENTS: &str = "py-bindings/requirements-dev.txt";

/// Makes sure of Python and of the environment with the packages in `requirements-dev.txt`.
pub fn ensure(layout: &Layout) -> Result<()> {
    let (base, version) = interpreter(layout)?;
    let requirements = fs::read(layout.path(REQUIREMENTS)).with_context(|| format!("cannot read {REQUIREMENTS}"))?;
    let venv = layout.venv();
    let stamp = Stamp::of(&venv, &[version.as_bytes(), &requirements]);
    if stamp.holds() {
        return Ok(());
    }
    let item = Item::start("Python packages");
    run::behind(&item, run::command(layout, base).args(["-m", "venv", "--clear"]).arg(&venv))
        .context("Python could not make an environment; on Debian, `apt-get install python3-venv`")?;
    // The list is complete, so pip has nothing to work out: no version but those in it comes in.
    run::behind(&item, pip(layout).args(["install", "--no-deps", "--requirement", REQUIREMENTS]))?;
    stamp.write()?;
    item.done();
    Ok(())
}

/// The environment's own Python.
pub fn python(layout: &Layout) -> Command {
    let mut python = run::command(layout, layout.venv_bin().join("python"));
    python.env("VIRTUAL_ENV", layout.venv()).env_remove("PYTHONPATH").env_remove("PYTHONHOME");
    python
}

/// The environment's pip.
pub fn pip(layout: &Layout) -> Command {
    let mut pip = python(layout);
    pip.args(["-m", "pip", "--disable-pip-version-check"]);
    pip
}

/// Installs the wheel into the environment, in place of one from an earlier build.
pub fn install_wheel(layout: &Layout, wheel: &Path) -> Result<()> {
    ensure(layout)?;
    let install = ["install", "--quiet", "--no-deps", "--no-index", "--force-reinstall"];
    run::live_ok(pip(layout).args(install).arg(wheel))?;
    Ok(())
}

/// Python as the user has it, and its version: `PYTHON` if set, else `python3` or `python`.
fn interpreter(layout: &Layout) -> Result<(PathBuf, String)> {
    let (major, minor) = OLDEST_PYTHON;
    let chosen = std::env::var_os("PYTHON").map(PathBuf::from);
    let candidates = chosen.into_iter().chain(["python3", "python"].iter().filter_map(|name| run::find(name)));
    for candidate in candidates {
        let script = "import sys; print(sys.version_info >= tuple(map(int, sys.argv[1:])), sys.version)";
        let (major, minor) = (major.to_string(), minor.to_string());
        let mut ask = run::command(layout, &candidate);
        match run::answer(ask.args(["-c", script, &major, &minor])) {
            Some(answer) if answer.starts_with("True") => return Ok((candidate, answer)),
            _ => {}
        }
    }
    bail!("Python is missing or too old: install Python {major}.{minor} or newer")
}
