//! The Python side of the set-up: environments below `target/`, every package at a pinned version.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};

use crate::layout::{Layout, bin_of};
use crate::pins::OLDEST_PYTHON;
use crate::stamp::{self, Stamp};
use crate::{build, run, rust};

/// The packages for building the wheel and linting.
const BUILD: &str = "py-bindings/requirements-build.txt";
/// The packages of the example servers.
const EXAMPLES: &str = "examples/python/requirements.txt";
/// The packages for testing, type checks and benchmarks.
const TESTS: &str = "py-bindings/requirements-dev.txt";
/// The compiler of C.
pub const COMPILER_OF_C: &str = "py-bindings/requirements-c.txt";
/// The MCP servers that the relay is tested with, and what makes the reference.
const OTHERS: [&str; 2] = ["py-bindings/requirements-servers.txt", "py-bindings/requirements-reference.txt"];
/// Older SDKs, each with a list of packages and an environment of its own. What needs version 1 of `mcp` is in the first.
pub const OLDER: [&str; 3] = ["mcp1", "fastmcp2", "fastmcp3"];

/// Installs what builds the wheel.
pub fn ensure_build(layout: &Layout) -> Result<()> {
    ensure(layout, &layout.path("target/venv_build"), &[BUILD])
}

/// Installs the packages of examples and tests.
pub fn ensure_tests(layout: &Layout) -> Result<()> {
    ensure(layout, &layout.venv(), &[EXAMPLES, TESTS])
}

/// Installs the packages of an older SDK.
pub fn ensure_older(layout: &Layout, sdk: &str) -> Result<()> {
    ensure(layout, &layout.venv_of(sdk), &[&format!("py-bindings/requirements-{sdk}.txt")])
}

/// Installs the packages of tests, and our wheel.
pub fn prepare(layout: &Layout) -> Result<()> {
    ensure_tests(layout)?;
    install_wheel(layout, &layout.venv())
}

/// Adds the servers of others and what makes the reference to them.
pub fn prepare_others(layout: &Layout) -> Result<()> {
    prepare(layout)?;
    OTHERS.iter().try_for_each(|list| install_more(layout, &layout.venv(), list))
}

/// Installs an older SDK and our wheel.
pub fn prepare_older(layout: &Layout, sdk: &str) -> Result<()> {
    ensure_older(layout, sdk)?;
    install_wheel(layout, &layout.venv_of(sdk))
}

/// Creates an environment with the packages of these lists, pinned by version and hash.
pub fn ensure(layout: &Layout, venv: &Path, lists: &[&str]) -> Result<()> {
    let _lock = stamp::lock(layout)?;
    let stamp = Stamp::new(venv, lists.iter().map(|list| layout.path(list)))?;
    if stamp.holds() {
        return Ok(());
    }
    let what = format!("Python packages of {}", lists.join(", "));
    run::quiet(&what, run::command(layout, interpreter(layout)?).args(["-m", "venv", "--clear"]).arg(venv))
        .context("Python could not make an environment; on Debian, `apt-get install python3-venv`")?;
    run::quiet(&what, install(layout, venv).args(lists.iter().flat_map(|list| ["--requirement", list])))?;
    stamp.write()
}

fn install_more(layout: &Layout, venv: &Path, list: &str) -> Result<()> {
    let _lock = stamp::lock(layout)?;
    let done = venv.join(list.replace('/', "-"));
    fs::create_dir_all(&done)?;
    let stamp = Stamp::new(&done, [layout.path(list)])?;
    if !stamp.holds() {
        run::quiet(&format!("Python packages of {list}"), install(layout, venv).args(["--requirement", list]))?;
        stamp.write()?;
    }
    Ok(())
}

fn install_wheel(layout: &Layout, venv: &Path) -> Result<()> {
    let wheel = build::wheel_path(layout)?;
    let _lock = stamp::lock(layout)?;
    let done = venv.join("our-wheel");
    fs::create_dir_all(&done)?;
    let stamp = Stamp::new(&done, [&wheel])?;
    if !stamp.holds() {
        run::quiet("our wheel", install(layout, venv).args(["--no-index", "--force-reinstall"]).arg(wheel))?;
        stamp.write()?;
    }
    Ok(())
}

/// pip's command for complete lists: it resolves nothing, and Python compiles only what is imported.
fn install(layout: &Layout, venv: &Path) -> Command {
    let mut pip = python_of(layout, venv);
    pip.args(["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps", "--no-compile"]);
    pip
}

/// Installs packages into a folder that is not part of an environment.
pub fn folder_of(layout: &Layout, folder: &str, list: &str) -> Result<PathBuf> {
    let folder = layout.path(folder);
    ensure_tests(layout)?;
    fs::create_dir_all(&folder)?;
    let stamp = Stamp::new(&folder, [layout.path(list)])?;
    if !stamp.holds() {
        let mut pip = python(layout);
        pip.args(["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--upgrade", "--target"]);
        run::quiet(&format!("Python packages of {list}"), pip.arg(&folder).args(["--requirement", list]))?;
        stamp.write()?;
    }
    Ok(folder)
}

/// The Python that has the tests' packages.
pub fn python(layout: &Layout) -> Command {
    python_of(layout, &layout.venv())
}

/// The Python of an environment, whose programs come first on its PATH.
pub fn python_of(layout: &Layout, venv: &Path) -> Command {
    let mut python = run::command(layout, bin_of(venv).join("python"));
    python.env("VIRTUAL_ENV", venv).env_remove("PYTHONPATH").env_remove("PYTHONHOME");
    python.env("PATH", run::path(layout, &bin_of(venv)));
    python
}

/// The path of the Python that has the tests' packages.
pub fn path(layout: &Layout) -> PathBuf {
    layout.venv_bin().join("python")
}

/// pytest, set up to find our tests.
pub fn pytest(layout: &Layout, venv: &Path) -> Command {
    let mut python = python_of(layout, venv);
    python.args(["-m", "pytest"]).current_dir(layout.path("py-bindings")).env("VECTORS_DIR", layout.path("vectors"));
    python.env("TOOLSHAPE_TRANSCRIPT", rust::transcript(layout, "jsonl"));
    python
}

/// The user's Python: `PYTHON` if that is set, else `python3` or `python`.
pub fn interpreter(layout: &Layout) -> Result<PathBuf> {
    let candidates = match env::var_os("PYTHON") {
        Some(chosen) => vec![PathBuf::from(chosen)],
        None => ["python3", "python"].into_iter().filter_map(run::find).collect(),
    };
    let (major, minor) = OLDEST_PYTHON;
    let script = format!("import sys; print(sys.version_info >= ({major}, {minor}))");
    let is_new = |python: &PathBuf| {
        run::answer(run::command(layout, python).args(["-c", &script])).is_some_and(|answer| answer == "True")
    };
    match candidates.into_iter().find(is_new) {
        Some(python) => Ok(python),
        None => bail!("Python {major}.{minor} or newer is missing: install it, or name one in PYTHON"),
    }
}
