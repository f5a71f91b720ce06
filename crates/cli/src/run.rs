//! `toolshape run`: a command whose output is shaped.

use std::io::{self, PipeReader, Read};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};
use serde_json::json;

use crate::arguments::RunArguments;
use crate::child;
use crate::output;
use crate::settings;
use crate::single_calls::SingleCalls;

/// The exit codes for a command that cannot be started, and for one that may not be, as shells have them.
const CANNOT_START: u8 = 127;
const MAY_NOT_START: u8 = 126;

/// How long what a command has left running is read after its end.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Runs the command, prints what it printed to both of its outputs, and returns its exit code.
pub fn run(asked: &RunArguments) -> Result<u8> {
    let options = settings::kept(&asked.policy.named()?, asked.policy.merged()?)?;
    let most = options.max_line_bytes;
    let mut calls = SingleCalls::new(&options)?;
    let (output, input) = io::pipe()?;
    let mut command = Command::new(child::program(&asked.command[0]));
    command.args(&asked.command[1..]).stdout(input.try_clone()?).stderr(input);
    let started = command.spawn();
    // It has the ends into which the command writes.
    drop(command);
    let (status, printed) = match started {
        Ok(child) => until_end(child, output, most)?,
        Err(error) => {
            output::say(&format!("toolshape: cannot start {}: {error}", child::spelled(&asked.command[..1])));
            return Ok(if error.kind() == io::ErrorKind::PermissionDenied { MAY_NOT_START } else { CANNOT_START });
        }
    };
    let text = String::from_utf8_lossy(&printed);
    let shaped = calls.shape(&asked.command[0], &json!({ "command": asked.command }), &[&text])?;
    output::print(shaped.map_or(printed, |texts| (texts.concat() + "\n").into_bytes()))?;
    Ok(child::code(status))
}

/// What happens while a command runs.
enum Event {
    Part(Vec<u8>),
    /// Nothing has its outputs open.
    End,
    Exited(io::Result<ExitStatus>),
}

/// Waits for the end of a command; at most `most` bytes of what it prints are held.
fn until_end(mut child: Child, output: PipeReader, most: usize) -> Result<(ExitStatus, Vec<u8>)> {
    #[cfg(unix)]
    forward_signals(child.id())?;
    let (sender, events) = mpsc::sync_channel(16);
    let of_output = sender.clone();
    thread::spawn(move || read_into(output, &of_output));
    thread::spawn(move || drop(sender.send(Event::Exited(child.wait()))));
    let (mut printed, mut status, mut left) = (Vec::new(), None, 0);
    loop {
        let next = match status {
            None => events.recv().ok(),
            Some(_) => events.recv_timeout(LAST_WORDS).ok(),
        };
        match next {
            Some(Event::Part(part)) => {
                let kept = part.len().min(most - printed.len());
                printed.extend_from_slice(&part[..kept]);
                left += part.len() - kept;
            }
            Some(Event::Exited(ended)) => status = Some(ended?),
            Some(Event::End) => {
                let status = match status {
                    Some(status) => status,
                    None => loop {
                        if let Event::Exited(ended) = events.recv()? {
                            break ended?;
                        }
                    },
                };
                return Ok((status, with_rest(printed, left)));
            }
            None => {
                let Some(status) = status else { bail!("the command cannot be waited for") };
                return Ok((status, with_rest(printed, left)));
            }
        }
    }
}

/// What was printed, with a line about the bytes that were not held.
fn with_rest(mut printed: Vec<u8>, left: usize) -> Vec<u8> {
    if left > 0 {
        let line = format!("\ntoolshape: {left} more bytes were printed, and are not kept (maxLineBytes)\n");
        printed.extend_from_slice(line.as_bytes());
    }
    printed
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

/// Forwards signals that ask to end to the command, so that what it printed until then is shown.
#[cfg(unix)]
fn forward_signals(child: u32) -> Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let child = i32::try_from(child).ok().and_then(Pid::from_raw);
    thread::spawn(move || {
        for signal in signals.forever() {
            if let Some((child, signal)) = child.zip(Signal::from_named_raw(signal)) {
                let _ = kill_process(child, signal);
            }
        }
    });
    Ok(())
}
