//! `toolshape run`: a command whose output is shaped.

mod held;

use std::io::{self, IsTerminal, PipeReader, Read};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
#[cfg(unix)]
use signal_hook::iterator::Signals;
use toolshape_proxy::{LINE_BYTES, RelayOptions, StoreOption, without_passwords};

use crate::arguments::RunArguments;
use crate::child;
use crate::input;
use crate::output;
use crate::settings;
use crate::single_calls::SingleCalls;
use held::Held;

/// The exit codes for a command that cannot be started, and for one that may not be, as shells have them.
const CANNOT_START: u8 = 127;
const MAY_NOT_START: u8 = 126;

/// The bytes of an output that are held, unless `maxLineBytes` says another number.
const HELD: usize = 16 << 20;

/// How long a command's last words are waited for after its end: while nothing comes, and in all. What it has left running may go on
/// for ever.
const SILENT: Duration = Duration::from_millis(200);
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The bytes that a pipe may have held at its end.
const PIPE: usize = 1 << 20;

/// Runs the command, prints what it printed to both of its outputs, and returns its exit code. All of it is printed where the rest
/// could not be read later.
pub fn run(asked: &RunArguments) -> Result<u8> {
    let options = settings::kept(&asked.policy.named()?, asked.policy.merged()?)?;
    let most = if options.max_line_bytes == LINE_BYTES { HELD } else { options.max_line_bytes };
    let is_plain = options.redaction.is_empty();
    let without_store = RelayOptions { store: StoreOption::None, ..options.clone() };
    let mut calls = SingleCalls::new(&options, "run").or_else(|error| {
        output::say(&format!("toolshape: nothing is kept: {}", without_passwords(&error.to_string())));
        SingleCalls::new(&without_store, "run")
    })?;
    let mut command = Command::new(child::program(&asked.command[0]));
    command.args(&asked.command[1..]);
    let is_foreground = io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal();
    // In a terminal its own group could neither be read from nor stopped by a key.
    #[cfg(unix)]
    if !is_foreground {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
    }
    // Before the command starts: a signal that comes with its first output would end this program alone.
    #[cfg(unix)]
    let signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
    let (started, output) = if calls.can_keep() || !is_plain {
        let (output, input) = io::pipe()?;
        let started = command.stdout(input.try_clone()?).stderr(input).spawn();
        (started, Some(output))
    } else {
        (command.spawn(), None)
    };
    // It has the ends into which the command writes.
    drop(command);
    let mut child = match started {
        Ok(child) => child,
        Err(error) => {
            output::say(&format!("toolshape: cannot start {}: {error}", child::spelled(&asked.command[..1])));
            return Ok(if error.kind() == io::ErrorKind::PermissionDenied { MAY_NOT_START } else { CANNOT_START });
        }
    };
    #[cfg(unix)]
    forward_signals(signals, &child, is_foreground);
    let Some(output) = output else { return Ok(child::code(child.wait()?)) };
    let (status, held) = until_end(child, output, most)?;
    let printed = if is_plain { held.into_bytes() } else { held.into_whole_lines() };
    let text = input::text_of(&printed);
    let shaped = match calls.can_keep() {
        true => {
            calls.would_show(&text, &asked.command[0]);
            calls.shape(&asked.command[0], &json!({ "command": asked.command }), &[&text])?
        }
        false => None,
    };
    match shaped.filter(|_| !calls.has_failed()) {
        Some(texts) => output::print(texts.concat() + "\n")?,
        None => match calls.without_secrets(&text) {
            Some(text) => output::print(text)?,
            None => output::print(&printed)?,
        },
    }
    Ok(child::code(status))
}

/// What happens while a command runs.
enum Event {
    Part(Vec<u8>),
    /// Nothing has its outputs open.
    End,
    Exited(io::Result<ExitStatus>),
}

/// Waits for the end of a command; what it printed is held within `most` bytes.
fn until_end(mut child: Child, output: PipeReader, most: usize) -> Result<(ExitStatus, Held)> {
    let (sender, events) = mpsc::sync_channel(16);
    let of_output = sender.clone();
    thread::spawn(move || read_into(output, &of_output));
    thread::spawn(move || drop(sender.send(Event::Exited(child.wait()))));
    let mut held = Held::within(most);
    let status = loop {
        match events.recv().context("the command cannot be waited for")? {
            Event::Part(part) => held.add(part),
            Event::End => {}
            Event::Exited(status) => break status?,
        }
    };
    let (until, mut bytes) = (Instant::now() + LAST_WORDS, 0);
    while bytes < PIPE
        && let Some(left) = until.checked_duration_since(Instant::now())
        && let Ok(Event::Part(part)) = events.recv_timeout(left.min(SILENT))
    {
        bytes += part.len();
        held.add(part);
    }
    Ok((status, held))
}

fn read_into(mut output: PipeReader, to: &SyncSender<Event>) {
    let mut part = vec![0; 1 << 16];
    while let Ok(read @ 1..) = output.read(&mut part) {
        if to.send(Event::Part(part[..read].to_vec())).is_err() {
            return;
        }
    }
    let _ = to.send(Event::End);
}

/// Forwards signals that ask to end, once: to the command's own group. In a terminal the command has those of keys already.
#[cfg(unix)]
fn forward_signals(mut signals: Signals, child: &Child, is_foreground: bool) {
    use rustix::process::{Pid, Signal, kill_process, kill_process_group};
    let child = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    thread::spawn(move || {
        for signal in signals.forever() {
            let Some((child, named)) = child.zip(Signal::from_named_raw(signal)) else { continue };
            let _ = match (is_foreground, signal) {
                (true, SIGINT | SIGQUIT) => Ok(()),
                (true, _) => kill_process(child, named),
                (false, _) => kill_process_group(child, named),
            };
        }
    });
}
