//! Child processes, which find our own tools first on their PATH.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, thread};

use anyhow::{Context, Result, anyhow, bail};

use crate::layout::Layout;

/// A child process that runs in the checkout.
pub fn command(layout: &Layout, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(&layout.root).env("PATH", path(layout, &layout.venv_bin())).stdin(Stdio::null());
    command
}

/// PATH with this folder and the programs of Node packages first.
pub fn path(layout: &Layout, folder: &Path) -> OsString {
    let own = [folder.to_owned(), layout.node().join("node_modules/.bin")];
    let inherited = env::var_os("PATH").unwrap_or_default();
    env::join_paths(own.into_iter().chain(env::split_paths(&inherited))).unwrap_or(inherited)
}

/// The cargo that runs this xtask.
pub fn cargo(layout: &Layout) -> Command {
    command(layout, env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a child, which writes to our own output; fails if it fails.
pub fn live(command: &mut Command) -> Result<()> {
    println!("$ {}", spelled(command));
    let status = command.status().with_context(|| format!("cannot start `{}`", spelled(command)))?;
    if !status.success() {
        bail!("`{}` failed", spelled(command));
    }
    Ok(())
}

/// Runs a child and returns its output, which is shown only if it fails.
pub fn quiet(what: &str, command: &mut Command) -> Result<String> {
    eprintln!("  {what} ...");
    let started = Instant::now();
    let output = command.output().with_context(|| format!("cannot start `{}`", spelled(command)))?;
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    if !output.status.success() {
        bail!("`{}` failed:\n{text}", spelled(command));
    }
    eprintln!("  {what}: {:.1} s", started.elapsed().as_secs_f64());
    Ok(text)
}

/// Standard output of a short child, or nothing if it cannot run or fails.
pub fn answer(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Where a program is on the user's own PATH.
pub fn find(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(format!("{program}{}", env::consts::EXE_SUFFIX)))
        .find(|file| file.is_file())
}

/// Runs work in parallel, waits for all of it, and returns the first error.
pub fn together(layout: &Layout, work: &[fn(&Layout) -> Result<()>]) -> Result<()> {
    thread::scope(|scope| {
        let running: Vec<_> = work.iter().map(|work| scope.spawn(move || work(layout))).collect();
        let ended = running.into_iter().map(|work| work.join().unwrap_or_else(|_| Err(anyhow!("a thread panicked"))));
        ended.collect::<Vec<_>>().into_iter().collect()
    })
}

fn spelled(command: &Command) -> String {
    let mut words = vec![Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy()];
    words.extend(command.get_args().map(OsStr::to_string_lossy));
    words.join(" ")
}
