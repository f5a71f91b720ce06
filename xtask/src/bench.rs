//! `cargo xtask bench`: toolshape and its alternatives, measured in one run.
//!
//! Tasks and contenders are in `benches/shape`, in Node and in Python. This file sets everything up in `target/bench`;
//! `table.md` and `plot.svg` there contain the results, and `end_to_end.json` those from a client's call to its result.

mod end_to_end;
mod plain;
mod relay;
mod relay_peers;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args as ClapArgs;

use crate::layout::Layout;
use crate::stamp::Stamp;
use crate::{build, examples, node, program, published, python, run, setup};

/// What `cargo xtask bench` takes.
#[derive(ClapArgs)]
pub struct Args {
    #[arg(value_enum, default_value = "shape")]
    what: What,
    /// A few works, two rounds: to see that it runs, not to learn from
    #[arg(long)]
    quick: bool,
    /// A folder with the `node.json` and `python.json` of an earlier run, which the table of `shape` compares with
    #[arg(long)]
    against: Option<PathBuf>,
    /// How long sixteen clients call each server end to end, or the gateway [default: 60, or 1 in a quick run]
    #[arg(long)]
    seconds: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// Shaped results, compared with handlers written by hand
    Shape,
    /// Servers with toolshape, from a client's call to its result, and the parts of a call
    EndToEnd,
    /// The relay, compared with a pipe and with other proxies
    Relay,
    /// The plain WebAssembly module, compared with the packages
    Plain,
    /// Texts of 20 MB that cost the most, through every call: time and memory
    Hostile,
    /// The gateway, compared with the server behind it and with other proxies
    Gateway,
    /// Questions in SQL over 100,000 rows, compared with `JSON.parse` or `split` and a loop
    Sql,
    /// What the relay and other proxies lose of what servers say
    RelayPeers,
}

/// The file name of the ranks of o200k_base in the cache of Python's tiktoken: the SHA-1 of their URL.
const TIKTOKEN_RANKS: &str = "fb374d419588a4632f3f557e76b4b70aebbca790";

/// Builds both packages and measures them.
pub fn command(layout: &Layout, args: &Args) -> Result<()> {
    build::command(layout)?;
    let docs = layout.path("docs");
    match args.what {
        What::Shape => measure(layout, args.quick, args.against.as_deref()),
        What::EndToEnd => end_to_end::run(layout, args.seconds, args.quick),
        What::Relay => relay::run(layout, args.quick),
        What::Plain => plain::run(layout, args.quick),
        What::Hostile => in_node(layout, "hostile", &["--program".as_ref(), program::released(layout)?.as_ref()]),
        What::Gateway => {
            let (program, nginx, haproxy) =
                (program::released(layout)?, setup::nginx(layout)?, setup::haproxy(layout)?);
            let soak = args.seconds.unwrap_or(60).to_string();
            // Envoy's program exists as a package for Linux on x86-64 alone.
            let list = "crates/gateway/tests/ext_proc/requirements.txt";
            let envoy = match cfg!(all(target_os = "linux", target_arch = "x86_64")) {
                true => python::folder_of(layout, "target/envoy", list)?.join("envoy/_bin/envoy"),
                false => PathBuf::new(),
            };
            let programs = [&program, &nginx, &haproxy, &envoy].map(|program| program.as_os_str());
            in_node(layout, "gateway", &[&programs[..], &[docs.as_ref(), soak.as_ref()]].concat())
        }
        What::Sql => {
            python::prepare(layout)?;
            in_node(layout, "sql", &[python::path(layout).as_ref(), docs.as_ref()])
        }
        What::RelayPeers => relay_peers::run(layout),
    }
}

/// A quick run of what measures the packages that were built: times say nothing.
pub fn quick(layout: &Layout) -> Result<()> {
    measure(layout, true, None)?;
    end_to_end::run(layout, None, true)?;
    relay::run(layout, true)?;
    plain::run(layout, true)
}

/// Runs a folder of `benches/` in Node with the packages.
fn in_node(layout: &Layout, name: &str, arguments: &[&OsStr]) -> Result<()> {
    let folder = layout.bench().join(name);
    node::packages(layout, "benches/shape", &shape(layout))?;
    node::copy(layout, "benches/shape", &shape(layout))?;
    node::copy(layout, &format!("benches/{name}"), &folder)?;
    node::install_library(layout, &folder)?;
    run::live(run::command(layout, "node").arg("run.mjs").args(arguments).current_dir(folder))
}

/// Measures the packages that were built, and prints the table.
fn measure(layout: &Layout, quick: bool, against: Option<&Path>) -> Result<()> {
    println!("\nbench:");
    prepare(layout)?;
    let more = quick.then_some("--quick");
    let mut python = python_there(layout);
    python.arg("run.py");
    for (face, mut command) in [("node", script(layout, "run.mjs")), ("python", python)] {
        command.arg(data(layout)).arg(layout.bench().join(format!("{face}.json"))).args(more);
        run::live(&mut command)?;
    }
    let earlier = against.map(std::path::absolute).transpose()?;
    run::live(script(layout, "report.mjs").arg(layout.bench()).args(earlier))?;
    for file in ["table.md", "plot.svg"] {
        println!("  {}", layout.relative(&layout.bench().join(file)).display());
    }
    Ok(())
}

/// Sets up the packages, the data of the tasks, and a copy of `benches/shape`.
fn prepare(layout: &Layout) -> Result<()> {
    let folder = shape(layout);
    node::packages(layout, "benches/shape", &folder)?;
    node::copy(layout, "benches/shape", &folder)?;
    node::install_library(layout, &folder)?;
    examples::prepare(layout)?;

    let ranks = published_ranks(layout)?;
    fs::create_dir_all(tiktoken_cache(layout))?;
    fs::copy(ranks, tiktoken_cache(layout).join(TIKTOKEN_RANKS))?;

    let builder = layout.examples().join("data/build.mjs");
    let preparer = folder.join("prepare.py");
    fs::create_dir_all(data(layout))?;
    let stamp = Stamp::new(&data(layout), [&builder, &preparer])?;
    if stamp.holds() {
        return Ok(());
    }
    let database = layout.bench().join("articles.db");
    run::quiet("articles", run::command(layout, "node").arg(&builder).arg(&database))?;
    let examples = folder.join("node_modules/simdjson/jsonexamples");
    run::quiet("data", python::python(layout).arg(&preparer).args([database, examples, data(layout)]))?;
    stamp.write()
}

/// The published ranks of o200k_base, as they are in the crate `tiktoken-rs`.
fn published_ranks(layout: &Layout) -> Result<PathBuf> {
    let metadata = published::metadata(layout, &[])?;
    let packages = metadata["packages"].as_array().context("cargo lists packages")?;
    let found = packages.iter().find(|package| package["name"] == "tiktoken-rs").context("no crate tiktoken-rs")?;
    let manifest = Path::new(found["manifest_path"].as_str().context("a package has a manifest")?);
    Ok(manifest.with_file_name("assets").join("o200k_base.tiktoken"))
}

fn shape(layout: &Layout) -> PathBuf {
    layout.bench().join("shape")
}

fn data(layout: &Layout) -> PathBuf {
    layout.bench().join("data")
}

fn tiktoken_cache(layout: &Layout) -> PathBuf {
    layout.bench().join("tiktoken")
}

fn script(layout: &Layout, name: &str) -> Command {
    let mut node = run::command(layout, "node");
    node.arg(name).current_dir(shape(layout));
    node
}

/// The environment's Python in the folder of the scripts, with the ranks that its tiktoken would fetch.
fn python_there(layout: &Layout) -> Command {
    let mut python = python::python(layout);
    python.current_dir(shape(layout)).env("TIKTOKEN_CACHE_DIR", tiktoken_cache(layout));
    python
}
