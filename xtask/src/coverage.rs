//! `cargo xtask coverage`: which lines and branches the tests run, of the core, the Python and the TypeScript part.
//!
//! Each part is measured by the tool of its language while its own suites run; the numbers are by folder.

mod core;
mod python;
mod typescript;

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result};
use clap::Args as ClapArgs;

use crate::layout::Layout;
use crate::run;

/// What `cargo xtask coverage` takes.
#[derive(ClapArgs)]
pub struct Args {
    /// Parts to measure; all when none is given
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// Also list every file, the one with the most branches that no test runs first
    #[arg(long)]
    files: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Core,
    Python,
    Typescript,
}

const PARTS: [Part; 3] = [Part::Core, Part::Python, Part::Typescript];

/// How much of a file or a folder the tests run.
#[derive(Clone, Copy, Default)]
struct Covered {
    lines: [u64; 2],
    branches: [u64; 2],
}

impl AddAssign for Covered {
    fn add_assign(&mut self, other: Self) {
        for at in 0..2 {
            self.lines[at] += other.lines[at];
            self.branches[at] += other.branches[at];
        }
    }
}

/// What was measured, by file, as a path in the checkout.
type Files = BTreeMap<String, Covered>;

/// Measures and prints one table; false if a part could not be measured, or a test fails.
pub fn command(layout: &Layout, args: &Args) -> Result<bool> {
    fs::create_dir_all(folder(layout))?;
    let mut measured = Files::new();
    let mut faults = Vec::new();
    for part in PARTS.into_iter().filter(|part| args.parts.is_empty() || args.parts.contains(part)) {
        let (name, files) = match part {
            Part::Core => ("core", core::measure(layout)),
            Part::Python => ("Python", python::measure(layout, &mut faults)),
            Part::Typescript => ("TypeScript", typescript::measure(layout, &mut faults)),
        };
        match files {
            Ok(files) if files.is_empty() => faults.push(format!("{name}: nothing was measured")),
            Ok(files) => measured.extend(files),
            Err(fault) => faults.push(format!("{name}: not measured: {fault:#}")),
        }
    }
    print(&measured, args.files);
    faults.iter().for_each(|fault| println!("\nFAULT {fault}"));
    Ok(faults.is_empty())
}

/// Where the tools write.
fn folder(layout: &Layout) -> PathBuf {
    layout.path("target/coverage")
}

/// This command again, with these steps of `cargo xtask test`: what they start inherits the environment.
fn suites(layout: &Layout, steps: &[&str]) -> Result<Command> {
    let mut again = run::command(layout, env::current_exe().context("where is this program?")?);
    again.arg("test").args(steps);
    Ok(again)
}

/// Runs the suites. A test that fails is a fault, but what ran counts.
fn run_all(name: &str, mut suites: Command, faults: &mut Vec<String>) -> Result<()> {
    if !suites.status().context("cannot start the suites")?.success() {
        faults.push(format!("{name}: a test fails, so less may be measured"));
    }
    Ok(())
}

fn print(files: &Files, each: bool) {
    let mut folders: BTreeMap<&str, Covered> = BTreeMap::new();
    let mut parts: BTreeMap<&str, Covered> = BTreeMap::new();
    for (path, covered) in files {
        *folders.entry(folder_of(path)).or_default() += *covered;
        *parts.entry(part_of(path)).or_default() += *covered;
    }
    println!("\n{:44}{:>20}{:>22}", "", "lines", "branches");
    folders.iter().for_each(|(name, covered)| row(name, covered));
    println!();
    parts.iter().for_each(|(name, covered)| row(name, covered));
    if each {
        let mut files: Vec<_> = files.iter().collect();
        files.sort_by_key(|(_, covered)| std::cmp::Reverse(covered.branches[1] - covered.branches[0]));
        println!();
        files.iter().for_each(|(path, covered)| row(path, covered));
    }
}

fn row(name: &str, covered: &Covered) {
    let cell = |[run, all]: [u64; 2]| match all {
        0 => "none".to_owned(),
        _ => format!("{run} of {all} {:5.1} %", 100.0 * run as f64 / all as f64),
    };
    println!("{name:44}{:>20}{:>22}", cell(covered.lines), cell(covered.branches));
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(folder, _)| folder)
}

fn part_of(path: &str) -> &str {
    match path.split('/').next() {
        Some("py-bindings") => "all of the Python part",
        Some("pkg-templates") => "all of the TypeScript part",
        _ => "all of the core",
    }
}
