//! The Node side of the set-up: packages from committed lock files, installed under `target/`.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, Result, bail};

use crate::build;
use crate::layout::Layout;
use crate::pins::OLDEST_NODE;
use crate::progress::Item;
use crate::run;
use crate::stamp::Stamp;

/// Checks Node and installs the packages in `js-tests/`.
pub fn ensure(layout: &Layout) -> Result<()> {
    check_version(layout)?;
    packages(layout, "js-tests", &layout.node())
}

/// Installs the HTTP clients whose errors are read; separately, because they are many.
pub fn clients(layout: &Layout) -> Result<()> {
    packages(layout, "js-tests/rate_limit", &layout.node_clients())
}

/// Installs the MCP SDKs that have adapters.
pub fn adapters(layout: &Layout) -> Result<()> {
    packages(layout, "js-tests/adapters", &layout.node_adapters())
}

/// Installs the runtimes and bundlers that load the npm package.
pub fn packaging(layout: &Layout) -> Result<()> {
    packages(layout, "js-tests/packaging", &layout.node_packaging())
}

/// Installs the third-party stores that ours adapt, and the clients and servers that share one.
pub fn stores(layout: &Layout) -> Result<()> {
    packages(layout, "js-tests/stores", &layout.node_stores())
}

/// Installs MCP's reference servers, conformance tests and Inspector, and checks that Node is new enough for them.
pub fn reference(layout: &Layout) -> Result<()> {
    packages(layout, "js-tests/reference", &layout.node_reference())
}

/// Installs what generates the conversations that pass through the relay.
pub fn relay(layout: &Layout) -> Result<()> {
    packages(layout, "js-tests/relay", &layout.node_relay())
}

/// Installs what opens the report of `toolshape measure`.
pub fn report(layout: &Layout) -> Result<()> {
    packages(layout, "js-tests/report", &layout.node_report())
}

/// Installs the linters of packages and of workflows.
pub fn release(layout: &Layout) -> Result<()> {
    packages(layout, "js-tests/release", &layout.node_release())
}

/// Installs what the site is made of: the view and the editor of its page, the samples that others made, what makes the book.
pub fn site(layout: &Layout) -> Result<()> {
    packages(layout, "site", &layout.node_site())
}

/// Installs what opens the page.
pub fn site_tests(layout: &Layout) -> Result<()> {
    packages(layout, "js-tests/site", &layout.node_site_tests())
}

/// Installs the third-party documents and test suites that test reading back.
pub fn read_back(layout: &Layout) -> Result<()> {
    packages(layout, "js-tests/read_back", &layout.node_read_back())
}

/// npm, quiet and without prompts.
pub fn npm(layout: &Layout) -> Command {
    let mut npm = run::command(layout, if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.env("npm_config_update_notifier", "false").env("npm_config_audit", "false").env("npm_config_fund", "false");
    npm
}

/// Installs one set of packages at a time, although steps run in parallel: two of them may need the same.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Installs into `target` exactly the packages of the lock file in `source`.
pub fn packages(layout: &Layout, source: &str, target: &Path) -> Result<()> {
    let _installing = INSTALLING.lock();
    let source = layout.path(source);
    let read = |name: &str| {
        let file = source.join(name);
        fs::read(&file).with_context(|| format!("cannot read {}", file.display()))
    };
    let (manifest, lock) = (read("package.json")?, read("package-lock.json")?);
    let stamp = Stamp::new(target.join(STAMP), [&manifest, &lock]);
    if stamp.holds() {
        return Ok(());
    }
    let item = Item::start(format!("Node packages of {}", layout.relative(&source).display()));
    fs::create_dir_all(target)?;
    fs::write(target.join("package.json"), manifest)?;
    fs::write(target.join("package-lock.json"), lock)?;
    run::behind(&item, npm(layout).args(["ci", "--ignore-scripts"]).current_dir(target))?;
    stamp.write()?;
    item.done();
    Ok(())
}

/// Copies a folder of the checkout to one below `target/`, except its packages and their list.
///
/// Files of an earlier copy are removed, except packages that are installed there.
pub fn copy(layout: &Layout, source: &str, target: &Path) -> Result<()> {
    fs::create_dir_all(target)?;
    for entry in fs::read_dir(target)? {
        let entry = entry?;
        if !STAYS.iter().any(|name| entry.file_name() == *name) {
            match entry.file_type()?.is_dir() {
                true => fs::remove_dir_all(entry.path())?,
                false => fs::remove_file(entry.path())?,
            }
        }
    }
    copy_folder(&layout.path(source), target, &STAYS)
}

/// Installs the packed packages into a folder, as users do, in place of earlier ones.
pub fn install_tarballs(layout: &Layout, folder: &Path) -> Result<()> {
    let tarballs = build::tarball_paths(layout)?;
    let contents = tarballs.iter().map(fs::read).collect::<Result<Vec<_>, _>>()?;
    let ours = folder.join("node_modules/toolshape");
    let stamp = Stamp::new(ours.join(STAMP), contents);
    if stamp.holds() {
        return Ok(());
    }
    // npm treats a tarball of the same name and version as unchanged, so nothing of the old one may be left.
    if ours.exists() {
        fs::remove_dir_all(&ours)?;
    }
    let listing = folder.join("node_modules/.package-lock.json");
    if listing.exists() {
        fs::remove_file(listing)?;
    }
    if !folder.join("package.json").exists() {
        fs::write(folder.join("package.json"), "{\"private\":true}\n")?;
    }
    let install = ["install", "--no-save", "--no-package-lock", "--ignore-scripts"];
    run::live_ok(npm(layout).args(install).args(tarballs).current_dir(folder))?;
    stamp.write()
}

const STAMP: &str = ".made-from";

/// Files that belong to the packages of a folder, not to the folder's own files.
const STAYS: [&str; 4] = ["node_modules", "package.json", "package-lock.json", STAMP];

fn copy_folder(source: &Path, target: &Path, without: &[&str]) -> Result<()> {
    let entries = fs::read_dir(source).with_context(|| format!("cannot read {}", source.display()))?;
    fs::create_dir_all(target)?;
    for entry in entries {
        let entry = entry?;
        let copy = target.join(entry.file_name());
        if without.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &copy, &["node_modules"])?;
        } else {
            fs::copy(entry.path(), copy)?;
        }
    }
    Ok(())
}

/// Fails if Node is missing or too old.
pub fn check_version(layout: &Layout) -> Result<()> {
    let (major, minor) = OLDEST_NODE;
    let found = run::answer(run::command(layout, "node").arg("--version"));
    let Some(found) = found else {
        bail!("Node is missing: install Node {major} or newer, with npm");
    };
    let mut numbers = found.trim_start_matches('v').split('.').map_while(|part| part.parse().ok());
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < (major, minor) {
        bail!("Node {found} is too old: install Node {major} or newer");
    }
    Ok(())
}
