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

/// What is installed, every package at one version and by its hash.
const REQUIREMENTS: [&str; 2] = ["py-bindings/requirements-dev.txt", "examples/python/requirements.txt"];

/// Makes sure of Python and of the environment with all packages in `REQUIREMENTS`.
pub fn ensure(layout: &Layout) -> Result<()> {
    let (base, version) = interpreter(layout)?;
    let mut parts = vec![version.into_bytes()];
    for file in REQUIREMENTS {
        parts.push(fs::read(layout.path(file)).with_context(|| format!("cannot read {file}"))?);
    }
    let venv = layout.venv();
    let stamp = Stamp::new(venv.join(".made-from"), &parts);
    if stamp.holds() {
        return Ok(());
    }
    let item = Item::start("Python packages");
    run::behind(&item, run::command(layout, base).args(["-m", "venv", "--clear"]).arg(&venv))
        .context("Python could not make an environment; on Debian, `apt-get install python3-venv`")?;
    // The lists are complete, so pip has nothing to work out: no version but those in them comes in.
    let mut install = pip(layout);
    install.args(["install", "--no-deps", "--progress-bar", "off"]);
    for file in REQUIREMENTS {
        install.args(["--requirement", file]);
    }
    run::behind(&item, &mut install)?;
    stamp.write()?;
    item.done();
    Ok(())
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

/// Installs the wheel into the environment, in place of one from an earlier build.
pub fn install_wheel(layout: &Layout, wheel: &Path) -> Result<()> {
    ensure(layout)?;
    let stamp = Stamp::new(layout.venv().join(".wheel"), [fs::read(wheel)?]);
    if stamp.holds() {
        return Ok(());
    }
    let install = ["install", "--quiet", "--no-deps", "--no-index", "--force-reinstall"];
    run::live_ok(pip(layout).args(install).arg(wheel))?;
    stamp.write()
}

/// Python as the user has it, and its version: `PYTHON` if that is set, else `python3` or `python`.
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
