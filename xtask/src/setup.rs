//! What the commands need of the system: checked first, because only a person can install some of it.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::layout::Layout;
use crate::{node, python, run, stamp};

/// Fails if Node or Python is missing or too old.
pub fn check(layout: &Layout) -> Result<()> {
    node::check_version(layout)?;
    python::interpreter(layout).map(|_| ())
}

/// The path of Chromium or Chrome.
pub fn chromium(layout: &Layout) -> Result<PathBuf> {
    program(layout, &["chromium", "chromium-browser", "google-chrome"], &["chromium"])
}

/// The path of redis-server.
pub fn redis_server(layout: &Layout) -> Result<PathBuf> {
    program(layout, &["redis-server"], &["redis-server"])
}

/// The folder with PostgreSQL's programs, which Debian does not put on PATH.
pub fn postgres(layout: &Layout) -> Result<PathBuf> {
    let of_debian = || {
        let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
        versions.filter_map(|version| Some(version.ok()?.path().join("bin"))).find(|bin| bin.join("initdb").is_file())
    };
    let found = || run::find("initdb").and_then(|path| Some(path.parent()?.to_path_buf())).or_else(of_debian);
    let _lock = stamp::lock(layout)?;
    if let Some(folder) = found() {
        return Ok(folder);
    }
    apt(layout, &["postgresql"])?;
    found().context("PostgreSQL is installed without initdb")
}

/// The path of nginx.
pub fn nginx(layout: &Layout) -> Result<PathBuf> {
    program(layout, &["nginx"], &["nginx-light"])
}

/// The path of HAProxy.
pub fn haproxy(layout: &Layout) -> Result<PathBuf> {
    program(layout, &["haproxy"], &["haproxy"])
}

/// The path of Prometheus' tool that checks rules.
pub fn promtool(layout: &Layout) -> Result<PathBuf> {
    program(layout, &["promtool"], &["prometheus"])
}

/// The path of the C compiler for programs that contain their C library.
pub fn musl(layout: &Layout) -> Result<PathBuf> {
    program(layout, &["musl-gcc"], &["musl-tools"])
}

/// The path of a C++ compiler.
pub fn cxx(layout: &Layout) -> Result<PathBuf> {
    program(layout, &["c++", "g++", "clang++"], &["g++"])
}

/// The first of these programs on PATH, else installed by apt-get from these packages.
fn program(layout: &Layout, names: &[&str], packages: &[&str]) -> Result<PathBuf> {
    let _lock = stamp::lock(layout)?;
    if let Some(path) = names.iter().find_map(|name| run::find(name)) {
        return Ok(path);
    }
    apt(layout, packages)?;
    match names.iter().find_map(|name| run::find(name)) {
        Some(path) => Ok(path),
        None => bail!("{} is not on PATH, although {} is installed", names[0], packages.join(" ")),
    }
}

fn apt(layout: &Layout, packages: &[&str]) -> Result<()> {
    let names = packages.join(" ");
    if run::find("apt-get").is_none() {
        bail!("{names} must be installed, and on PATH");
    }
    let is_root = run::answer(run::command(layout, "id").arg("-u")).is_some_and(|id| id == "0");
    let prefix: &[&str] = if is_root { &[] } else { &["sudo", "-n"] };
    let apt = |arguments: &[&str]| {
        let words = [prefix, &["apt-get", "-y"], arguments].concat();
        let mut command = run::command(layout, words[0]);
        command.args(&words[1..]).env("DEBIAN_FRONTEND", "noninteractive");
        run::quiet(&format!("apt-get {} {names}", arguments[0]), &mut command)
    };
    let install = [&["install", "--no-install-recommends"], packages].concat();
    // The lists may be missing or old.
    let installed = apt(&install).or_else(|_| apt(&["update"]).and_then(|_| apt(&install)));
    installed.map(|_| ()).with_context(|| format!("run `sudo apt-get install {names}`"))
}
