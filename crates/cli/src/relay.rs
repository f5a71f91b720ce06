//! `toolshape -- COMMAND`, `toolshape --url ADDRESS`: relays between a client and a server until one of them ends.

use std::env;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;

use anyhow::{Context, Result};
use toolshape_proxy::{Address, Relay, StoreOption, Turns};

use crate::arguments;
use crate::child::{self, ProcessGroup};
use crate::errors::{self, LAST_LINES};
use crate::http::Remote;
use crate::lines;
use crate::pump::{Event, Pump, PumpSide};
use crate::recording::Recording;
use crate::store::{RelayStore, session};
use crate::writer::PipeWriter;

/// The exit codes for a command that cannot be started, and for one that may not be, as shells have them.
const CANNOT_START: u8 = 127;
const MAY_NOT_START: u8 = 126;

/// Relays until the server ends, and returns its exit code.
///
/// # Errors
/// Options that cannot be read.
pub fn run(asked: &arguments::RelayArguments) -> Result<u8> {
    let options = asked.options()?;
    let (events, received) = mpsc::channel();
    let of_store = events.clone();
    let store =
        RelayStore::open(&options.store, move |number, reply| drop(of_store.send(Event::StoreReply(number, reply))))?;
    let mut relay =
        Relay::of(&options, options.store != StoreOption::None).in_session(&session(&options.store), &Turns::default());
    if asked.url.is_some() {
        relay = relay.before_remote(0);
    }
    let of_client = events.clone();
    let to_client = PipeWriter::new(io::stdout(), move |ended| drop(of_client.send(Event::ClientWritten(ended))));
    let (log_ended, log_end) = mpsc::channel();
    let log = PipeWriter::new(io::stderr(), move |_| _ = log_ended.send(()));
    let name = asked.url.as_deref().map_or_else(|| child::spelled(&asked.server), |url| Address::new(url).to_string());
    let mut pump = Pump::new(relay, store, to_client, log, name);
    pump.server.clone_from(&asked.name);
    if let Some(file) = &asked.record {
        pump.recording = Some(Recording::open(file)?);
    }
    #[cfg(unix)]
    hear_signals(events.clone())?;
    #[cfg(unix)]
    watch_client(events.clone());
    let most = options.max_line_bytes;
    let remote =
        asked.url.as_deref().map(|url| Remote::new(url, &headers(asked)?, most, events.clone())).transpose()?;
    let mut errors_end = None;
    let started = remote.is_none().then(|| errors::started(child::prepared(&asked.server), &options.redaction));
    let of_client = events.clone();
    lines::read(io::stdin(), most, move |input| of_client.send(Event::Read(PumpSide::Client, input)).is_ok());
    let code = match started {
        None => {
            pump.remote = remote;
            pump.run(&received)
        }
        Some(Ok((mut server, of_server))) => {
            errors_end = Some(of_server);
            let group = ProcessGroup::of(&server);
            let of_output = events.clone();
            if let Some(output) = server.stdout.take() {
                lines::read(output, most, move |input| of_output.send(Event::Read(PumpSide::Server, input)).is_ok());
            }
            let of_input = events.clone();
            let to_server = server.stdin.take();
            let to_server = to_server
                .map(|input| PipeWriter::new(input, move |ended| drop(of_input.send(Event::ServerWritten(ended)))));
            thread::spawn(move || server.wait().map(|status| events.send(Event::Exited(status))));
            (pump.to_server, pump.group) = (to_server, Some(group));
            pump.run(&received)
        }
        Some(Err(error)) => {
            // Its arguments may have a secret, which is not for the client.
            let program = &asked.server[..1];
            let meant = arguments::similar_command(&program[0]);
            let hint = meant.map_or(String::new(), |meant| format!("; did you mean toolshape {meant}?"));
            pump.cannot_start(&format!("cannot start {}: {error}{hint}", child::spelled(program)), &received);
            if error.kind() == io::ErrorKind::PermissionDenied { MAY_NOT_START } else { CANNOT_START }
        }
    };
    if let Some(errors) = errors_end {
        errors.wait();
    }
    // A reader of standard error that does not read is left; a thread that is only late, on a busy machine, is waited for.
    while log_end.recv_timeout(LAST_LINES) == Err(RecvTimeoutError::Timeout) && takes_more() {}
    Ok(code)
}

/// The headers of the command line, and of the variable that it names: what is in an environment is in no list of processes.
fn headers(asked: &arguments::RelayArguments) -> Result<Vec<String>> {
    let named = asked.header_env.as_ref().map(|name| env::var(name).with_context(|| format!("the variable {name}")));
    let lines = named.transpose()?.unwrap_or_default();
    Ok(asked.header.iter().map(String::as_str).chain(lines.lines()).map(str::to_owned).collect())
}

/// Whether standard error would take something now.
#[cfg(unix)]
fn takes_more() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let errors = io::stderr();
    let mut watched = [PollFd::new(&errors, PollFlags::OUT)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut watched, Some(&at_once)).is_ok() && watched[0].revents() == PollFlags::OUT
}

/// Nobody knows.
#[cfg(not(unix))]
fn takes_more() -> bool {
    false
}

/// Hears the signals that ask a process to end.
#[cfg(unix)]
fn hear_signals(to: Sender<Event>) -> Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    thread::spawn(move || signals.forever().all(|signal| to.send(Event::Signal(signal)).is_ok()));
    Ok(())
}

/// Sees the client go away, also while nothing is written to it.
#[cfg(unix)]
fn watch_client(to: Sender<Event>) {
    use rustix::event::{PollFd, PollFlags, poll};
    thread::spawn(move || {
        let output = io::stdout();
        let mut watched = [PollFd::new(&output, PollFlags::empty())];
        while poll(&mut watched, None) == Err(rustix::io::Errno::INTR) {}
        if watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
            let _ = to.send(Event::ClientGone);
        }
    });
}
