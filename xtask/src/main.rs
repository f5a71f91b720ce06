//! The developer commands: `cargo xtask <command>`, one file each.
#![forbid(unsafe_code)]

mod adapters;
mod bench;
mod browser;
mod build;
mod console;
mod counts;
mod coverage;
mod demo;
mod deny;
mod examples;
mod failures;
mod faults;
mod fuzz;
mod growth;
mod lanes;
mod layout;
mod measure;
mod miri;
mod mutants;
mod node;
mod older_sdks;
mod pins;
mod plain;
mod progress;
mod published;
mod pumps;
mod python;
mod python_types;
mod recompress;
mod redis;
mod references;
mod relayed;
mod release;
mod reproducible;
mod rooms;
mod run;
mod rust;
mod sbom;
mod schedule;
mod setup;
mod site;
mod source_copy;
mod stamp;
mod steps;
mod system;
mod test;
mod test_server;
mod tidy;
#[cfg(feature = "measure")]
mod tokens_check;
mod version;
mod vocab;
mod wasm;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::layout::Layout;

/// Developer commands of toolshape. Each one first installs, into target/, what it needs.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install, pinned and into target/, everything that the other commands need
    Setup,
    /// Build the npm tarballs, the Python wheel and the plain WebAssembly module into target/dist/
    Build,
    /// Build both packages and show what they do: real servers, called by real clients
    Demo,
    /// Build both packages and measure them beside what one would write or pick instead
    Bench(bench::Args),
    /// Run, within a minute, what most changes break first: format, house rules, clippy, unit tests and vectors
    Check,
    /// Measure which lines and branches of the core, of Python and of TypeScript the tests run
    Coverage(coverage::Args),
    /// Check licences, duplicates, sources and known vulnerabilities of all crates
    Deny,
    /// Cause each fault in each store, and count what was lost
    Faults(faults::Args),
    /// Double what each call is given, and show how its cost grows
    Growth,
    /// Run the unit tests of `crates/json`, `crates/text` and `crates/tokens` in Miri
    Miri(miri::Args),
    /// Change the core, one place at a time, and look whether a test fails
    Mutants(mutants::Args),
    /// Build and check all that a release publishes (`--dry-run`), or publish it (`--publish`)
    Release(release::Args),
    /// Build the WebAssembly module in two folders, and compare the bytes
    Reproducible(reproducible::Args),
    /// List what is in each package that was built, in CycloneDX, into target/dist/
    Sbom,
    /// Build the site, into target/site/: the playground, the docs as a book, the references
    Site(site::Args),
    /// Run every check and every test suite, or only the steps named
    Test(test::Args),
    /// Run generated inputs against the promises, under libFuzzer; the corpora grow in target/fuzz/
    Fuzz(fuzz::Args),
    /// Compare the token engine with tiktoken, token for token, on generated text
    TokensCheck(measure::Args),
    /// Give every package a version, and its changes in CHANGELOG.md a date
    Version(version::Args),
    /// Make the packed vocabularies in crates/tokens/src/data from what their publishers release
    Vocab(VocabArgs),
}

#[derive(clap::Args)]
struct VocabArgs {
    /// Write nothing; fail if what is committed is not what would be written
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    if let Some(code) = fuzz::rustc() {
        return code;
    }
    let layout = Layout::new();
    let done: Result<bool> = match Cli::parse().command {
        Command::Setup => setup::all(&layout).map(|()| true),
        Command::Build => build::command(&layout).map(|()| true),
        Command::Demo => demo::command(&layout),
        Command::Bench(args) => bench::command(&layout, &args).map(|()| true),
        Command::Check => test::check(&layout),
        Command::Coverage(args) => coverage::command(&layout, &args),
        Command::Deny => deny::command(&layout),
        Command::Faults(args) => faults::command(&layout, &args),
        Command::Growth => growth::command(&layout),
        Command::Miri(args) => miri::command(&layout, &args),
        Command::Mutants(args) => mutants::command(&layout, &args),
        Command::Release(args) => release::command(&layout, &args),
        Command::Reproducible(args) => reproducible::command(&layout, &args),
        Command::Sbom => sbom::command(&layout).map(|()| true),
        Command::Site(args) => site::command(&layout, &args).map(|()| true),
        Command::Test(args) => test::command(&layout, &args),
        Command::Fuzz(args) => fuzz::command(&layout, &args),
        Command::TokensCheck(args) => measure::tokens_check(&layout, &args),
        Command::Version(args) => version::command(&layout, &args).map(|()| true),
        Command::Vocab(args) => vocab::run(&Vec::from_iter(args.check.then(|| "--check".to_owned())))
            .map_err(|error| anyhow::anyhow!("{error}"))
            .map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}
