//! A wheel for aarch64 on another processor: qemu runs a Python of Debian's, which is unpacked below `target/` and not installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::layout::Layout;
use crate::progress::Item;
use crate::release::files;
use crate::release::table::Said;
use crate::release::tried::Scratch;
use crate::system::{self, SystemPackage};
use crate::{python, run};

const QEMU: SystemPackage = SystemPackage {
    what: "qemu for programs of other processors",
    apt: &["qemu-user"],
    otherwise: "install qemu's user mode, and put qemu-aarch64 on PATH",
};

/// Runs the first example of the README with the wheel, if this is a Debian or one of its kind.
pub fn example(layout: &Layout, wheel: &Path) -> Result<Said> {
    if ["apt-get", "dpkg-deb"].into_iter().any(|program| run::find(program).is_none()) {
        return Ok(Said::NotHere("a Python for aarch64 is taken from Debian".to_owned()));
    }
    if run::find("qemu-aarch64").is_none() && system::install(layout, &QEMU).is_err() {
        return Ok(Said::NotHere(format!("{} is missing: {}", QEMU.what, QEMU.otherwise)));
    }
    let root = match unpacked(layout) {
        Ok(root) => root,
        Err(error) => return Ok(Said::NotHere(format!("no Python for aarch64: {error}"))),
    };
    let interpreter = interpreter(&root)?;
    let scratch = Scratch::new("emulated")?;
    let site = scratch.path("site");
    let version = interpreter.file_name().unwrap_or_default().to_string_lossy().replace("python", "");
    let mut pip = python::release(layout);
    pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--no-index", "--no-deps", "--target"]).arg(&site);
    pip.args(["--platform", "manylinux2014_aarch64", "--python-version", &version, "--implementation", "cp"]);
    pip.args(["--abi", "abi3", "--only-binary=:all:"]).arg(wheel);
    run::live_ok(&mut pip)?;
    let mut qemu = scratch.bare("qemu-aarch64")?;
    qemu.arg("-L").arg(&root).arg(&interpreter).env("PYTHONPATH", &site).env("PYTHONHOME", root.join("usr"));
    scratch.python_example(layout, &mut qemu)?;
    Ok(Said::Told("emulated".to_owned()))
}

/// The folder with a Python for aarch64 and all that it needs, down to the C library.
fn unpacked(layout: &Layout) -> Result<PathBuf> {
    let folder = layout.path("target/emulated");
    let (root, archives) = (folder.join("root"), folder.join("cache/archives"));
    if interpreter(&root).is_ok() {
        return Ok(root);
    }
    let item = Item::start("Debian's Python for aarch64");
    for name in ["lists/partial", "cache/archives/partial", "root"] {
        fs::create_dir_all(folder.join(name))?;
    }
    // To this apt nothing is installed, so it downloads all that Python needs.
    fs::write(folder.join("status"), "")?;
    let apt = |words: &[&str]| -> Result<String> {
        let mut apt = Command::new("apt-get");
        for (option, value) in
            [("Dir::State::Lists", "lists"), ("Dir::State::Status", "status"), ("Dir::Cache", "cache")]
        {
            apt.arg("-o").arg(format!("{option}={}", folder.join(value).display()));
        }
        apt.args(["-o", "APT::Architecture=arm64", "-o", "APT::Architectures=arm64", "-o", "APT::Sandbox::User="]);
        run::behind(&item, apt.args(words))
    };
    apt(&["update"])?;
    apt(&["install", "--yes", "--download-only", "--no-install-recommends", "python3"])?;
    for package in files(&archives, &[".deb"])? {
        run::behind(&item, Command::new("dpkg-deb").arg("--extract").arg(package).arg(&root))?;
    }
    interpreter(&root)?;
    item.done();
    Ok(root)
}

/// The program `python3.N` in a folder of unpacked packages.
fn interpreter(root: &Path) -> Result<PathBuf> {
    let programs = fs::read_dir(root.join("usr/bin")).context("nothing is unpacked")?;
    let mut programs = programs.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let is_python = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.strip_prefix("python3.").is_some_and(|rest| rest.parse::<u32>().is_ok())
    };
    programs.find(is_python).context("Debian's packages have no Python")
}
