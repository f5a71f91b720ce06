//! The hosts of the plain module: each gives its first result, and the shared cases run through each.
//!
//! The cases are those of the npm package, run by Node through the module. What its host and the module say to each other is
//! written down, and the other runtimes are asked the same: every byte of their answers is compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::module;
use crate::counts::Counts;
use crate::layout::Layout;
use crate::progress::Item;
use crate::stamp::Stamp;
use crate::steps::{Outcome, Vectors, node_test, suite};
use crate::{node, python, run};

/// Runs the first program of each host, the tests of the module in Node, and the shared cases in all runtimes.
pub fn test(layout: &Layout) -> Result<Outcome> {
    let [node, python, rust] = [node(layout)?, python(layout)?, rust(layout)?];
    same_first_result(layout, &[&node, &python, &rust])?;
    let mut tests = node_test(layout, &node.folder, &node.folder)?;
    tests.env("TOOLSHAPE_PLAIN", module(layout)).env("TOOLSHAPE_TRANSCRIPT", transcript(layout));
    let (mut counts, mut vectors) = (Counts::default(), Vectors::new());
    for command in [tests, python.replay(layout), rust.replay(layout)].iter_mut() {
        let Outcome::Ran(of_suite, said) = suite(command)? else { bail!("a suite has no counts") };
        // A run that failed may have left no transcript, or half of one.
        if of_suite == Counts::default() {
            bail!("no test ran");
        }
        counts += of_suite;
        vectors.extend(said);
        if counts.failed > 0 {
            break;
        }
    }
    Ok(Outcome::Ran(counts, vectors))
}

/// What runs a host: its first program, and what asks it the shared cases.
struct Runtime {
    name: &'static str,
    program: PathBuf,
    folder: PathBuf,
    first: Option<&'static str>,
    replay: Option<&'static str>,
    packages: Option<PathBuf>,
}

impl Runtime {
    /// The program with one of its scripts; a compiled host is a program for each.
    fn command(&self, layout: &Layout, script: Option<&str>, name: &str) -> Command {
        let mut command = match script {
            Some(script) => {
                let mut command = run::command(layout, &self.program);
                command.arg(script);
                command
            }
            None => run::command(layout, self.program.join(name)),
        };
        if let Some(packages) = &self.packages {
            command.env("PYTHONPATH", packages);
        }
        command.arg(module(layout)).current_dir(&self.folder);
        command
    }

    /// The program that shapes one result.
    fn first(&self, layout: &Layout) -> Command {
        self.command(layout, self.first, "first")
    }

    /// What asks the module all that the transcript has.
    fn replay(&self, layout: &Layout) -> Command {
        let mut command = self.command(layout, self.replay, "replay");
        command.arg(transcript(layout));
        command
    }
}

/// Node, with the hosts' tests beside the host.
fn node(layout: &Layout) -> Result<Runtime> {
    let folder = folder(layout).join("js-tests");
    node::copy(layout, "js-tests", &folder)?;
    copy(layout, "node", &["host.mjs", "first.mjs"], &folder.join("plain"))?;
    let (program, folder) = ("node".into(), folder.join("plain"));
    Ok(Runtime { name: "Node", program, folder, first: Some("first.mjs"), replay: None, packages: None })
}

/// Python with wasmtime, which is installed beside the environment's packages and not among them.
fn python(layout: &Layout) -> Result<Runtime> {
    let folder = folder(layout).join("python");
    copy(layout, "python", &["host.py", "first.py", "replay.py"], &folder)?;
    let packages = Some(wasmtime(layout)?);
    let (program, first, replay) = (python::path(layout), Some("first.py"), Some("replay.py"));
    Ok(Runtime { name: "Python", program, folder, first, replay, packages })
}

/// Copies files of a host into a folder.
pub fn copy(layout: &Layout, host: &str, files: &[&str], folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for file in files {
        fs::copy(layout.path("crates/c-api/hosts").join(host).join(file), folder.join(file))?;
    }
    Ok(())
}

/// A folder of packages for Python with wasmtime.
pub fn wasmtime(layout: &Layout) -> Result<PathBuf> {
    let packages = folder(layout).join("python-packages");
    python::ensure(layout, &[python::BUILD])?;
    let list = layout.path("crates/c-api/hosts/python/requirements.txt");
    let stamp = Stamp::new(packages.join(".made-from"), [fs::read(&list)?]);
    if !stamp.holds() {
        let item = Item::start("wasmtime for Python");
        let mut install = python::pip(layout);
        install.args(["install", "--no-deps", "--upgrade", "--progress-bar", "off", "--target"]).arg(&packages);
        run::behind(&item, install.arg("--requirement").arg(&list))?;
        item.done();
        stamp.write()?;
    }
    Ok(packages)
}

/// Rust with wasmi, compiled on its own: nothing else needs a runtime.
fn rust(layout: &Layout) -> Result<Runtime> {
    let folder = folder(layout).join("rust");
    node::copy(layout, "crates/c-api/hosts/rust", &folder)?;
    for file in ["Cargo.toml", "Cargo.lock"] {
        fs::copy(layout.path("crates/c-api/hosts/rust").join(file), folder.join(file))?;
    }
    let item = Item::start("wasmi");
    let mut cargo = run::cargo(layout);
    let built = self::folder(layout).join("rust-built");
    cargo.args(["build", "--release", "--locked", "--target-dir"]).arg(&built).current_dir(&folder);
    run::behind(&item, &mut cargo)?;
    item.done();
    Ok(Runtime { name: "Rust", program: built.join("release"), folder, first: None, replay: None, packages: None })
}

/// Fails unless the first program of each runtime shows the same page of rows.
fn same_first_result(layout: &Layout, runtimes: &[&Runtime]) -> Result<()> {
    let mut shown = Vec::new();
    for runtime in runtimes {
        let text = run::live_ok(&mut runtime.first(layout))?;
        if !text.starts_with(r#"{"paginated":true,"totalItems":1000,"#) {
            bail!("the first program in {} shows no page: {text}", runtime.name);
        }
        shown.push(text);
    }
    match shown.windows(2).all(|pair| pair[0] == pair[1]) {
        true => Ok(()),
        false => bail!("the first programs differ"),
    }
}

/// Where all of it is.
fn folder(layout: &Layout) -> PathBuf {
    layout.path("target/plain")
}

/// What Node's host and the module said to each other.
fn transcript(layout: &Layout) -> PathBuf {
    folder(layout).join("transcript")
}
