//! Child processes: our own tools come first on their PATH, and their output is read line by line.

use std::ffi::OsStr;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{env, thread};

use anyhow::{Context, Result, bail};

use crate::console;
use crate::layout::Layout;
use crate::progress::Item;

/// The time limit of a child: a hung browser must not block the whole run.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// The exit status of a child and all its output, standard output and error together.
pub struct Ended {
    pub ok: bool,
    pub text: String,
}

/// A child process that runs in the checkout and finds our tools first.
pub fn command(layout: &Layout, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(&layout.root).env("PATH", path_variable(layout)).stdin(Stdio::null());
    command
}

/// The cargo that runs this xtask.
pub fn cargo(layout: &Layout) -> Command {
    command(layout, env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a child and shows its output live. A failure is part of the result, not an error.
pub fn live(command: &mut Command) -> Result<Ended> {
    console::line(format!("$ {}", spelled(command)));
    follow(command, |line| console::line(line))
}

/// Runs a child, live, that has to succeed.
pub fn live_ok(command: &mut Command) -> Result<String> {
    let ended = live(command)?;
    if !ended.ok {
        bail!("`{}` failed", spelled(command));
    }
    Ok(ended.text)
}

/// Runs a child behind a progress line; shows the end of its output only if it fails.
pub fn behind(item: &Item, command: &mut Command) -> Result<String> {
    // Makes cargo print its progress, although its output is not a terminal.
    command.env("CARGO_TERM_PROGRESS_WHEN", "always").env("CARGO_TERM_PROGRESS_WIDTH", "80");
    let ended = follow(command, |line| item.line(line))?;
    if !ended.ok {
        let lines: Vec<&str> = ended.text.lines().collect();
        let tail = lines[lines.len().saturating_sub(100)..].join("\n");
        bail!("`{}` failed:\n{tail}", spelled(command));
    }
    Ok(ended.text)
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

fn path_variable(layout: &Layout) -> std::ffi::OsString {
    let own = [layout.tools().join("bin"), layout.node().join("node_modules/.bin"), layout.venv_bin()];
    let inherited = env::var_os("PATH").unwrap_or_default();
    env::join_paths(own.into_iter().chain(env::split_paths(&inherited))).unwrap_or(inherited.clone())
}

fn spelled(command: &Command) -> String {
    let mut words = vec![Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy()];
    words.extend(command.get_args().map(OsStr::to_string_lossy));
    words.join(" ")
}

fn follow(command: &mut Command, mut show: impl FnMut(&str)) -> Result<Ended> {
    let (reader, writer) = std::io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn().with_context(|| format!("cannot start `{}`", spelled(command)))?;
    // The command contains writing ends of the pipe, which never ends while they are open.
    command.stdout(Stdio::null()).stderr(Stdio::null());

    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        let mut line = Vec::new();
        for byte in BufReader::new(reader).bytes() {
            match byte {
                // A carriage return ends a line too: that is how progress bars are redrawn.
                Ok(b'\n' | b'\r') => {
                    let whole = std::mem::take(&mut line);
                    if sender.send(String::from_utf8_lossy(&whole).into_owned()).is_err() {
                        return;
                    }
                }
                Ok(byte) => line.push(byte),
                Err(_) => break,
            }
        }
        if !line.is_empty() {
            let _ = sender.send(String::from_utf8_lossy(&line).into_owned());
        }
    });

    let started = Instant::now();
    let mut text = String::new();
    let mut after_exit = 0;
    loop {
        if started.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            bail!("`{}` ran for more than {} minutes", spelled(command), LIMIT.as_secs() / 60);
        }
        match lines.recv_timeout(Duration::from_millis(200)) {
            Ok(line) => {
                show(&line);
                text.push_str(&line);
                text.push('\n');
            }
            Err(RecvTimeoutError::Disconnected) => break,
            // A grandchild, such as a browser, may keep the pipe open after the child has ended.
            Err(RecvTimeoutError::Timeout) => {
                after_exit += u32::from(child.try_wait()?.is_some());
                if after_exit > 10 {
                    break;
                }
            }
        }
    }
    Ok(Ended { ok: child.wait()?.success(), text })
}
