//! The developer commands: `cargo xtask <command>`, one file each.
#![forbid(unsafe_code)]

mod api;
mod bench;
mod build;
mod counts;
mod doors;
mod examples;
mod fuzz;
mod hosts;
mod layout;
mod lint;
mod node;
mod pins;
mod plain;
mod program;
mod proof;
mod published;
mod python;
mod recompress;
mod references;
mod release;
mod run;
mod rust;
mod sbom;
mod services;
mod setup;
mod site;
mod sqlite;
mod stamp;
mod steps;
mod test;
mod tidy;
mod version;
mod wasm;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::layout::Layout;

/// Developer commands of toolshape. Each one first installs what it needs into target/.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the npm package and show what it does: real servers, called by real clients
    Demo(examples::Args),
    /// Run the checks and test suites that every change needs, or the steps named; `--all` runs those of a release too
    Test(test::Args),
    /// Build the npm tarballs, the program, the Python wheel and the plain WebAssembly module into target/dist/
    Build,
    /// Build the packages and measure them and their alternatives
    Bench(bench::Args),
    /// Run generated inputs against the promises, under libFuzzer; the corpora grow in target/fuzz/
    Fuzz(fuzz::Args),
    /// Make the same generated calls in every language, and compare the outcomes
    Differential(fuzz::Differential),
    /// Cause each fault in each store, and count what is lost
    Faults {
        /// How many times as many calls as in the shortest run
        #[arg(long, default_value_t = 3)]
        rounds: u32,
    },
    /// Run agents' hosts in front of a scripted model, and write what they show into docs/hosts.md
    Hosts(hosts::Args),
    /// Run a test that others wrote, on your checkout of its data, with peers in the same run
    Proof(proof::Args),
    /// Put secrets before every door of the programs and the adapters, and print which hold
    Doors,
    /// Check licences, duplicates, sources and known vulnerabilities of all crates
    Deny,
    /// Build and check what a release publishes
    Release(release::Args),
    /// List what is in each package that was built, in CycloneDX, into target/dist/
    Sbom,
    /// Build the site, into target/site/: the playground, the docs as a book, the references
    Site(site::Args),
    /// Give every package a version, and its changes in CHANGELOG.md a date
    Version(version::Args),
    /// Run one step of `cargo xtask test` in this process
    #[command(hide = true)]
    Step { name: String },
}

fn main() -> ExitCode {
    if let Some(code) = fuzz::rustc() {
        return code;
    }
    match run_command(&Layout::new()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// False if a test failed, which is shown already.
fn run_command(layout: &Layout) -> Result<bool> {
    match Cli::parse().command {
        Command::Demo(args) => examples::command(layout, &args)?,
        Command::Test(args) => return test::command(layout, &args),
        Command::Build => build::command(layout)?,
        Command::Bench(args) => bench::command(layout, &args)?,
        Command::Fuzz(args) => fuzz::command(layout, &args)?,
        Command::Differential(args) => build::command(layout).and_then(|()| fuzz::differential(layout, &args))?,
        Command::Faults { rounds } => build::command(layout).and_then(|()| steps::faults(layout, rounds))?,
        Command::Hosts(args) => hosts::command(layout, &args)?,
        Command::Proof(args) => proof::command(layout, &args)?,
        Command::Doors => doors::command(layout)?,
        Command::Deny => release::deny(layout)?,
        Command::Release(args) => release::command(layout, &args)?,
        Command::Sbom => sbom::command(layout)?,
        Command::Site(args) => site::command(layout, &args)?,
        Command::Version(args) => version::command(layout, &args)?,
        Command::Step { name } => test::step(layout, &name)?,
    }
    Ok(true)
}
