//! The Node side of the set-up: packages from committed lock files, and copies of the tests, below `target/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::layout::Layout;
use crate::pins::OLDEST_NODE;
use crate::stamp::{self, Stamp};
use crate::{build, run, rust};

/// Copies `js-tests/` and installs its packages, with which the npm package is built and most of its tests run.
pub fn ensure(layout: &Layout) -> Result<()> {
    check_version(layout)?;
    copy(layout, "js-tests", &layout.node())?;
    packages(layout, "js-tests", &layout.node())
}

/// Installs what a folder of `js-tests/` needs beyond that, without our own packages; returns the copy.
pub fn prepare(layout: &Layout, name: &str) -> Result<PathBuf> {
    ensure(layout)?;
    let (source, folder) = (format!("js-tests/{name}"), layout.node().join(name));
    if layout.path(&source).join("package.json").exists() {
        packages(layout, &source, &folder)?;
    }
    Ok(folder)
}

/// The same with our library, as the tests of a folder need it.
pub fn tests(layout: &Layout, name: &str) -> Result<PathBuf> {
    let folder = prepare(layout, name)?;
    let has_own = folder.join("node_modules").exists();
    install_library(layout, &if has_own { folder.clone() } else { layout.node() })?;
    Ok(folder)
}

/// npm, quiet and without prompts.
pub fn npm(layout: &Layout) -> Command {
    let mut npm = run::command(layout, if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.env("npm_config_update_notifier", "false").env("npm_config_audit", "false").env("npm_config_fund", "false");
    npm
}

/// Node's test runner with the `*.test.mjs` files of a folder of `js-tests/`, in its copy with our library.
pub fn test(layout: &Layout, name: &str) -> Result<Command> {
    tests(layout, name)?;
    runner(layout, name)
}

/// Packs the package in a folder.
pub fn pack(layout: &Layout, name: &str, folder: &Path, to: &Path) -> Result<()> {
    let mut pack = npm(layout);
    run::quiet(&format!("npm pack {name}"), pack.args(["pack", "--pack-destination"]).arg(to).current_dir(folder))
        .map(drop)
}

/// The names of the tests in a folder of `js-tests`.
pub fn test_files(layout: &Layout, name: &str) -> Result<Vec<String>> {
    let entries = fs::read_dir(layout.path("js-tests").join(name))?;
    let names =
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect::<Result<Vec<_>>>()?;
    let mut files: Vec<String> = names.into_iter().filter(|name| name.ends_with(".test.mjs")).collect();
    ensure!(!files.is_empty(), "js-tests/{name} contains no *.test.mjs");
    files.sort();
    Ok(files)
}

/// The same without our library.
pub fn runner(layout: &Layout, name: &str) -> Result<Command> {
    let folder = prepare(layout, name)?;
    let files = test_files(layout, name)?;
    let mut node = run::command(layout, "node");
    node.args(["--test", "--test-reporter=spec"]).args(files).current_dir(folder);
    node.env("TOOLSHAPE_ROOT", &layout.root).env("VECTORS_DIR", layout.path("vectors"));
    node.env("TOOLSHAPE_TRANSCRIPT", rust::transcript(layout, "jsonl"));
    Ok(node)
}

/// Installs into `target` exactly the packages of the lock file in `source`.
pub fn packages(layout: &Layout, source: &str, target: &Path) -> Result<()> {
    let _lock = stamp::lock(layout)?;
    let source = layout.path(source);
    let lists = ["package.json", "package-lock.json"];
    let stamp = Stamp::new(&target.join("node_modules"), lists.map(|name| source.join(name)))?;
    if stamp.holds() {
        return Ok(());
    }
    fs::create_dir_all(target)?;
    for name in lists {
        fs::copy(source.join(name), target.join(name))?;
    }
    let what = format!("Node packages of {}", layout.relative(&source).display());
    run::quiet(&what, npm(layout).args(["ci", "--ignore-scripts"]).current_dir(target))?;
    stamp.write()
}

/// Copies a folder of the checkout to one below `target/`, except its packages and their lists.
pub fn copy(layout: &Layout, source: &str, target: &Path) -> Result<()> {
    let _lock = stamp::lock(layout)?;
    copy_folder(&layout.path(source), target)
}

fn copy_folder(source: &Path, target: &Path) -> Result<()> {
    let entries = fs::read_dir(source).with_context(|| format!("cannot read {}", source.display()))?;
    fs::create_dir_all(target)?;
    for entry in entries {
        let entry = entry?;
        let (path, copy) = (entry.path(), target.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            if entry.file_name() != "node_modules" {
                copy_folder(&path, &copy)?;
            }
            continue;
        }
        let is_list = ["package.json", "package-lock.json"].iter().any(|name| entry.file_name() == *name);
        // Lists are copied when their packages are installed; a package.json alone belongs to the tests.
        if is_list && source.join("package-lock.json").exists() {
            continue;
        }
        // A file that is in use by another step, or compiled by cargo, is not touched.
        let bytes = fs::read(&path)?;
        if !fs::read(&copy).is_ok_and(|there| there == bytes) {
            // Also its permissions: npm makes programs executable.
            fs::copy(&path, copy)?;
        }
    }
    Ok(())
}

/// Puts our library into a folder, in place of an earlier one.
pub fn install_library(layout: &Layout, folder: &Path) -> Result<()> {
    install(layout, &build::tarball_paths(layout)?, "toolshape", folder)
}

/// Puts packed packages of ours into a folder, in place of earlier ones; `main` is the one that needs the others.
///
/// npm installs them once, as for a user, into an empty folder. They need no others, so that a copy is complete.
pub fn install(layout: &Layout, tarballs: &[PathBuf], main: &str, folder: &Path) -> Result<()> {
    let _lock = stamp::lock(layout)?;
    let installed = layout.path("target/installed").join(main);
    let stamp = Stamp::new(&installed, tarballs)?;
    if !stamp.holds() {
        remove(&installed)?;
        fs::create_dir_all(&installed)?;
        fs::write(installed.join("package.json"), "{\"private\":true}\n")?;
        let install = ["install", "--no-save", "--no-package-lock", "--ignore-scripts"];
        run::quiet("our npm packages", npm(layout).args(install).args(tarballs).current_dir(&installed))?;
        stamp.write()?;
    }
    let packages = folder.join("node_modules");
    let stamp = Stamp::new(&packages.join(main), tarballs)?;
    if stamp.holds() {
        return Ok(());
    }
    for entry in fs::read_dir(installed.join("node_modules"))? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("toolshape") {
            remove(&packages.join(entry.file_name()))?;
            copy_folder(&entry.path(), &packages.join(entry.file_name()))?;
        }
    }
    let links = packages.join(".bin");
    fs::create_dir_all(&links)?;
    for entry in fs::read_dir(installed.join("node_modules/.bin")).into_iter().flatten() {
        let entry = entry?;
        link(&entry.path(), &links.join(entry.file_name()))?;
    }
    stamp.write()
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> Result<()> {
    let _ = fs::remove_file(to);
    Ok(std::os::unix::fs::symlink(fs::read_link(from)?, to)?)
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) -> Result<()> {
    Ok(fs::copy(from, to).map(|_| ())?)
}

/// Removes a folder, if there is one.
pub fn remove(folder: &Path) -> Result<()> {
    match folder.exists() {
        true => fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display())),
        false => Ok(()),
    }
}

/// Fails if Node is missing or too old.
pub fn check_version(layout: &Layout) -> Result<()> {
    let Some(found) = run::answer(run::command(layout, "node").arg("--version")) else {
        bail!("Node is missing: install Node {OLDEST_NODE} or newer, with npm");
    };
    let major = found.trim_start_matches('v').split('.').next().and_then(|part| part.parse::<u32>().ok());
    if major.is_none_or(|major| major < OLDEST_NODE) {
        bail!("Node {found} is too old: install Node {OLDEST_NODE} or newer");
    }
    Ok(())
}
