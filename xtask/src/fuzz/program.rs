//! The program that libFuzzer drives.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::instrument;
use crate::layout::Layout;
use crate::run;
use crate::system::{self, SystemPackage};

const CXX: SystemPackage = SystemPackage {
    what: "a C++ compiler",
    apt: &["g++"],
    otherwise: "install g++ or clang, and put c++ on PATH or its path into CXX",
};

/// The environment variable that names the target.
const TARGET: &str = "TOOLSHAPE_FUZZ_TARGET";
const NAME: &str = "toolshape-fuzz";

pub struct Program {
    path: PathBuf,
    root: PathBuf,
}

/// How the program is compiled; with assertions and overflow checks either way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// Optimized, for runs of minutes and hours.
    Fast,
    /// Like the tests, with whose crates of others it shares its own: for a run of seconds.
    Shared,
}

/// Compiles the program, and first installs a C++ compiler if there is none: libFuzzer is written in it.
pub fn build(layout: &Layout, build: Build) -> Result<Program> {
    let compilers = ["c++", "g++", "clang++"];
    if env::var_os("CXX").is_none() && compilers.iter().all(|name| run::find(name).is_none()) {
        system::install(layout, &CXX)?;
    }
    let mut cargo = run::cargo(layout);
    cargo.args(["build", "--quiet", "--bin", NAME]);
    match build {
        Build::Fast => cargo.args(["--package", NAME, "--features", "libfuzzer", "--profile", "fuzzing"]),
        Build::Shared => cargo.args(["--workspace", "--features", "xtask/measure,toolshape-fuzz/libfuzzer"]),
    };
    cargo.env("RUSTC_WORKSPACE_WRAPPER", env::current_exe()?).env(instrument::MARK, "1");
    run::live_ok(&mut cargo)?;
    let folder = if build == Build::Fast { "fuzzing" } else { "debug" };
    let path = layout.path("target").join(folder).join(format!("{NAME}{}", env::consts::EXE_SUFFIX));
    Ok(Program { path, root: layout.root.clone() })
}

impl Program {
    /// The program with a target.
    pub fn of(&self, target: &str) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(&self.root).env(TARGET, target).env("RUST_BACKTRACE", "0");
        command
    }

    /// Runs one input, and shows what the program prints; false if it fails.
    pub fn replay(&self, target: &str, input: &Path) -> Result<bool> {
        Ok(self.of(target).arg(input.canonicalize()?).env("RUST_BACKTRACE", "1").status()?.success())
    }
}
