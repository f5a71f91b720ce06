//! A server that is surveyed: a process, or behind HTTP.

use std::io::Write;
use std::process::{Child, ChildStdin};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use toolshape::host::Redaction;
use toolshape_proxy::{ConfiguredServer, LINE_BYTES};

use crate::child::{self, ProcessGroup};
use crate::errors::{self, Errors};
use crate::http::{Remote, ResponsePart};
use crate::lines;
use crate::pump::{Event, PumpSide};

/// How long a server may take to end after its input has ended, and after a signal.
const LAST: Duration = Duration::from_secs(3);

/// Between two looks at whether it has ended.
const PAUSE: Duration = Duration::from_millis(10);

pub enum ServerProcess {
    Process(Child, Option<ChildStdin>, Errors),
    Remote(Box<Remote>),
}

impl ServerProcess {
    /// Starts the process, or names the address; what the server says are events.
    pub fn reach(
        configured: &ConfiguredServer,
        headers: &[String],
        redaction: &Redaction,
        events: Sender<Event>,
    ) -> Result<Self> {
        if let Some(url) = &configured.url {
            return Ok(Self::Remote(Box::new(Remote::new(url, headers, LINE_BYTES, events)?)));
        }
        let (mut server, errors) = start(configured, redaction)?;
        let input = server.stdin.take();
        let output = server.stdout.take().context("the server has no output")?;
        lines::read(output, LINE_BYTES, move |input| events.send(Event::Read(PumpSide::Server, input)).is_ok());
        Ok(Self::Process(server, input, errors))
    }

    /// Sends a line, which is given without its end.
    pub fn send(&mut self, line: &str) {
        match self {
            Self::Process(_, input, _) => write(input, line),
            Self::Remote(remote) => remote.send(line.as_bytes()),
        }
    }

    /// Takes a part of an answer over HTTP.
    pub fn take(&mut self, number: u64, part: ResponsePart) {
        if let Self::Remote(remote) = self {
            remote.take(number, part);
        }
    }

    /// How it ended, in words, once its output has.
    pub fn ending(&mut self) -> Result<String> {
        match self {
            Self::Process(server, input, _) => {
                drop(input.take());
                Ok(child::ending(server.wait()?))
            }
            Self::Remote(_) => Ok("the server has ended".to_owned()),
        }
    }

    /// Ends it; over HTTP, the session.
    pub fn end(self) -> Result<()> {
        match self {
            Self::Process(mut server, input, errors) => {
                drop(input);
                end(&mut server)?;
                errors.wait();
                Ok(())
            }
            Self::Remote(mut remote) => {
                remote.close();
                Ok(())
            }
        }
    }
}

fn start(server: &ConfiguredServer, redaction: &Redaction) -> Result<(Child, Errors)> {
    let mut command = child::prepared(&server.command);
    command.envs(&server.environment);
    if let Some(folder) = &server.folder {
        command.current_dir(folder);
    }
    errors::started(command, redaction).with_context(|| format!("cannot start {}", server.command[0]))
}

fn write(input: &mut Option<ChildStdin>, line: &str) {
    let write = |to: &mut ChildStdin| {
        to.write_all(line.as_bytes()).and_then(|()| to.write_all(b"\n")).and_then(|()| to.flush())
    };
    // A server that reads no more says so by its end.
    if input.as_mut().is_some_and(|to| write(to).is_err()) {
        *input = None;
    }
}

/// Waits for a process to end, and ends what is left of it: with a signal first, then without mercy.
fn end(server: &mut Child) -> Result<()> {
    let group = ProcessGroup::of(server);
    let has_ended = |server: &mut Child| -> Result<bool> {
        let until = Instant::now() + LAST;
        while server.try_wait()?.is_none() || group.is_alive() {
            if Instant::now() > until {
                return Ok(false);
            }
            thread::sleep(PAUSE);
        }
        Ok(true)
    };
    if !has_ended(server)? {
        group.terminate();
        if !has_ended(server)? {
            group.kill();
            server.wait()?;
        }
    }
    Ok(())
}
