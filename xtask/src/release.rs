//! `cargo xtask release`: builds and checks all that a release publishes, and publishes it from a workflow that may.
//!
//! A dry run needs no account. It goes part by part, goes on after a part that fails, and ends with a table. What it built
//! is in `target/to-publish/`, and is what `--publish` publishes.

mod bills;
mod crates;
mod emulated;
mod module;
mod npm;
mod publish;
pub mod quick;
mod source;
mod state;
mod table;
mod tried;
mod wheels;
mod workflows;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args as ClapArgs, ValueEnum};

use crate::layout::Layout;
use crate::{console, setup};
use publish::Registry;
use table::Table;

/// What `cargo xtask release` takes.
#[derive(ClapArgs)]
pub struct Args {
    /// Build and check what a release publishes, and publish nothing
    #[arg(long, required_unless_present = "publish", conflicts_with = "publish")]
    dry_run: bool,
    /// Publish what a dry run built, from a commit that has the tag of its version
    #[arg(long, value_name = "REGISTRY")]
    publish: Option<Registry>,
    /// Parts of the dry run; all when none is given
    #[arg(conflicts_with = "publish")]
    parts: Vec<Part>,
    /// What wheels are built for; all that this system can build for when none is given
    #[arg(long, value_name = "TRIPLE", conflicts_with = "publish")]
    target: Vec<String>,
}

/// A part of the dry run.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The commit: version, changes, tag
    State,
    /// The workflow files, by linters
    Workflows,
    /// The crates: packaged, compiled alone, with the oldest Rust, with each combination of features
    Crates,
    /// The npm packages: their manifests and types by linters, and the first example
    Npm,
    /// The plain WebAssembly module, in three runtimes
    Module,
    /// Python's source distribution, built where there is no checkout
    Source,
    /// Python's wheels for each target
    Wheels,
    /// Licences and known vulnerabilities, and the list of what is in each package
    Bills,
}

/// Runs the parts or publishes; false if a check failed.
pub fn command(layout: &Layout, args: &Args) -> Result<bool> {
    if let Some(registry) = args.publish {
        return publish::publish(layout, registry).map(|()| true);
    }
    setup::check(layout)?;
    let mut table = Table::default();
    let chosen: &[Part] = if args.parts.is_empty() { Part::value_variants() } else { &args.parts };
    for part in chosen {
        let name = part.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned());
        console::line(format!("\n=== {name}"));
        let done = match part {
            Part::State => state::rows(layout, &mut table),
            Part::Workflows => workflows::rows(layout, &mut table),
            Part::Crates => crates::rows(layout, &mut table),
            Part::Npm => npm::rows(layout, &mut table),
            Part::Module => module::rows(layout, &mut table),
            Part::Source => source::rows(layout, &mut table),
            Part::Wheels => wheels::rows(layout, &args.target, &mut table),
            Part::Bills => bills::rows(layout, &mut table),
        };
        if let Err(error) = done {
            table.of(name).check("complete", Err(error));
        }
    }
    println!("\n{table}");
    Ok(table.is_good())
}

/// Where packages of one kind are kept until they are published.
fn folder(layout: &Layout, name: &str) -> PathBuf {
    layout.path("target/to-publish").join(name)
}

/// Empties the folder of what an earlier dry run put there under these endings.
fn emptied(layout: &Layout, name: &str, endings: &[&str]) -> Result<PathBuf> {
    let folder = folder(layout, name);
    fs::create_dir_all(&folder)?;
    for file in files(&folder, endings)? {
        fs::remove_file(file)?;
    }
    Ok(folder)
}

/// The files with these endings, in order.
fn files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}: make a dry run first", folder.display()))?
    {
        let path = entry?.path();
        if endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Copies a file into a folder, and returns the copy.
fn copied(file: &Path, folder: &Path) -> Result<PathBuf> {
    let copy = folder.join(file.file_name().context("a file has a name")?);
    fs::copy(file, &copy).with_context(|| format!("cannot copy {}", file.display()))?;
    Ok(copy)
}
