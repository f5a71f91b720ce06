//! The pump: takes what happens, one thing after the other, and does what the relay says.

use std::ops::Range;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use toolshape::host::{Naming, receipt_line};
use toolshape_account::{Ledger, now};
use toolshape_proxy::{Effect, Relay, StoreReply};

use crate::child::{self, ProcessGroup};
use crate::http::{Remote, ResponsePart};
use crate::lines::{Input, Lines, trimmed};
use crate::recording::Recording;
use crate::store::RelayStore;
use crate::winding_down::{Due, WindingDown};
use crate::writer::{PipeWriter, WriterEnd};

/// What happens while the relay runs.
pub enum Event {
    /// Something came of a side.
    Read(PumpSide, Input),
    /// Nothing more is written to a side.
    ClientWritten(WriterEnd),
    /// Nobody reads what is written to the client.
    ClientGone,
    ServerWritten(WriterEnd),
    Exited(ExitStatus),
    /// A part of the answer to a request over HTTP, by the number of the request.
    Http(u64, ResponsePart),
    /// The store's answer, by the number of the question.
    StoreReply(u64, StoreReply),
    Signal(i32),
}

/// How long the client is read after its server ended, so that its last requests are answered. A client that has not sent anything
/// yet is about to.
const LAST_WORDS: Duration = Duration::from_millis(50);
const FIRST_WORDS: Duration = Duration::from_millis(1000);

/// How long what the server has left behind may take to end.
const LEFT_BEHIND: Duration = Duration::from_millis(500);
/// The longest that a store is waited for when the server has ended: longer than the limits that it has itself, on a busy machine too.
const STORE: Duration = Duration::from_secs(10);
const SIGKILL: u8 = 9;
const SIGTERM: u8 = 15;

/// A conversation, and the process on its other side.
pub struct Pump {
    relay: Relay,
    store: RelayStore,
    pub recording: Option<Recording>,
    to_client: Option<PipeWriter>,
    pub to_server: Option<PipeWriter>,
    /// A server behind HTTP, in place of a process.
    pub remote: Option<Remote>,
    log: PipeWriter,
    account: Option<Ledger>,
    /// What its host calls the server.
    pub server: Option<String>,
    pub group: Option<ProcessGroup>,
    /// The command of the server, as one would type it.
    command: String,
    winding_down: WindingDown,
    has_client_spoken: bool,
    has_client_ended: bool,
    has_server_spoken: bool,
    has_server_ended: bool,
    /// Whether the last line that the client was sent has no end.
    is_line_open: bool,
    exited: Option<ExitStatus>,
    /// The signal that was handed on last.
    signal: Option<i32>,
    /// Whether the server was ended because nobody needed it any more.
    is_dismissed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PumpSide {
    Client,
    Server,
}

impl Pump {
    pub fn new(relay: Relay, store: RelayStore, to_client: PipeWriter, log: PipeWriter, command: String) -> Self {
        Self {
            relay,
            store,
            recording: None,
            to_client: Some(to_client),
            to_server: None,
            remote: None,
            log,
            account: Ledger::of_user(),
            server: None,
            group: None,
            command,
            winding_down: WindingDown::default(),
            has_client_spoken: false,
            has_client_ended: false,
            has_server_spoken: false,
            has_server_ended: false,
            is_line_open: false,
            exited: None,
            signal: None,
            is_dismissed: false,
        }
    }

    /// Relays until the server has ended and the client has what it waited for; the exit code to hand on.
    pub fn run(mut self, events: &Receiver<Event>) -> u8 {
        while !self.is_over() {
            match self.winding_down.wait() {
                None => match events.recv() {
                    Ok(event) => self.take(event),
                    Err(_) => break,
                },
                Some(wait) => match events.recv_timeout(wait) {
                    Ok(event) => self.take(event),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                },
            }
            if self.winding_down.due().is_some_and(|due| !self.wind_down(due)) {
                break;
            }
        }
        self.to_server = None;
        let output_ended = || "the server's output has ended".to_owned();
        let reason = match &self.remote {
            Some(_) => "the relay has ended".to_owned(),
            None => self.exited.map_or_else(output_ended, child::ending),
        };
        if !self.has_client_ended && self.signal.is_none() {
            let early = if self.has_server_spoken { "" } else { ", before its first message" };
            self.say(&format!("{reason}{early}: {}", self.command));
        }
        self.leave(&reason, events);
        self.group.iter().for_each(|group| group.end(LEFT_BEHIND));
        if let Some(remote) = &mut self.remote {
            remote.close();
        }
        self.exit_code()
    }

    fn is_over(&self) -> bool {
        match &self.remote {
            // The client's last messages are on their way, in requests of their own.
            Some(remote) => self.signal.is_some() || self.is_dismissed && remote.is_delivered(),
            None => self.has_server_ended && self.exited.is_some(),
        }
    }

    /// Answers the client of a server that could not be started.
    pub fn cannot_start(mut self, reason: &str, events: &Receiver<Event>) {
        self.say(reason);
        self.leave(reason, events);
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Read(side, input) => self.read(side, input),
            Event::StoreReply(number, reply) => {
                let effects = self.relay.resume(number, reply);
                self.carry_out(effects, None);
            }
            Event::Http(number, part) => {
                if let Some(remote) = &mut self.remote {
                    remote.take(number, part);
                }
            }
            Event::ClientWritten(WriterEnd::Gone) | Event::ClientGone => {
                // Nobody hears the answers any more.
                self.has_client_ended = true;
                (self.to_server, self.to_client) = (None, None);
                self.dismiss();
            }
            Event::ServerWritten(WriterEnd::Gone) => self.winding_down.begin(),
            Event::ClientWritten(WriterEnd::Closed) | Event::ServerWritten(WriterEnd::Closed) => {}
            Event::Exited(status) => {
                self.exited = Some(status);
                self.winding_down.begin();
            }
            Event::Signal(signal) => {
                self.signal = Some(signal);
                #[cfg(unix)]
                self.group.iter().for_each(|group| group.signal(signal));
                self.winding_down.is_asked();
            }
        }
        // The server sees the end of its input, and answers what it was asked. What waits for the store may still be for it.
        if self.has_client_ended && !self.relay.awaits_store() {
            self.to_server = None;
            if self.relay.is_idle() {
                self.dismiss();
            } else if self.relay.is_in_long_line() {
                // What is not going to be answered is not waited for.
                self.dismiss();
                self.winding_down.hurry();
            }
        }
    }

    fn read(&mut self, side: PumpSide, input: Input) {
        let has_spoken =
            if side == PumpSide::Client { &mut self.has_client_spoken } else { &mut self.has_server_spoken };
        *has_spoken |= !matches!(input, Input::End);
        match (input, side) {
            (Input::Lines(lines), side) => self.relay(lines, side),
            (Input::LongLine(part, is_end), side) => {
                let effects = self.relay.long_line(side == PumpSide::Client, &part.bytes, is_end);
                self.carry_out(effects, None);
            }
            (Input::End, PumpSide::Client) => self.has_client_ended = true,
            // A process that neither reads nor writes is no longer a server.
            (Input::End, PumpSide::Server) => {
                self.has_server_ended = true;
                self.winding_down.begin();
            }
        }
    }

    /// Nobody needs the server any more.
    fn dismiss(&mut self) {
        self.is_dismissed |= self.exited.is_none();
        self.winding_down.begin();
    }

    /// Takes a step to the server's end; `false` if there is no other.
    fn wind_down(&mut self, due: Due) -> bool {
        let Some(group) = self.group else { return false };
        match due {
            Due::Terminate => group.terminate(),
            Due::Kill => group.kill(),
            Due::GiveUp => return false,
        }
        true
    }

    /// Lines that pass are written as they came, adjacent ones together.
    fn relay(&mut self, lines: Lines, from: PumpSide) {
        let now = now();
        let bytes = &lines.bytes;
        if let Some(recording) = &mut self.recording {
            let name = if from == PumpSide::Client { "client" } else { "server" };
            let lines = bytes.split_inclusive(|&byte| byte == b'\n').map(trimmed);
            let written =
                lines.into_iter().try_for_each(|line| recording.add(name, line)).and_then(|()| recording.flush());
            if let Err(error) = written {
                self.recording = None;
                self.say(&format!("the recording ends here: {error}"));
            }
        }
        let (mut at, mut passing) = (0, 0..0);
        while at < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
            let line = trimmed(&bytes[at..end]);
            let effects = match from {
                PumpSide::Client => self.relay.from_client(line, now),
                PumpSide::Server => self.relay.from_server(line, now),
            };
            match passes(&effects) {
                true => {
                    self.log_all(effects);
                    passing.end = end;
                }
                false => {
                    self.pass(&lines, passing, from);
                    self.carry_out(effects, Some((&lines, at..end, from)));
                    passing = end..end;
                }
            }
            at = end;
        }
        if passing == (0..bytes.len()) {
            self.write(from.other(), lines.bytes, Some(lines.load));
        } else {
            self.pass(&lines, passing, from);
        }
    }

    fn pass(&mut self, lines: &Lines, part: Range<usize>, from: PumpSide) {
        if !part.is_empty() {
            self.write(from.other(), lines.bytes[part].to_vec(), Some(lines.load.clone()));
        }
    }

    /// Carries out effects in their order. They may be about a line that is gone, once the store has answered.
    fn carry_out(&mut self, effects: Vec<Effect>, line: Option<(&Lines, Range<usize>, PumpSide)>) {
        let load = line.as_ref().map(|(lines, ..)| lines.load.clone());
        let mut waiting: Vec<Effect> = effects.into_iter().rev().collect();
        while let Some(effect) = waiting.pop() {
            match (effect, &line) {
                (Effect::Pass, Some((lines, line, from))) => self.pass(lines, line.clone(), *from),
                (Effect::ToServer(text), _) => self.write(PumpSide::Server, ended(text), load.clone()),
                (Effect::ToClient(text), _) => self.write(PumpSide::Client, ended(text), load.clone()),
                (Effect::Store(number, wanted), _) => {
                    if let Some(reply) = self.store.ask(number, wanted) {
                        waiting.extend(self.relay.resume(number, reply).into_iter().rev());
                    }
                }
                (other, _) => self.log_all(vec![other]),
            }
        }
    }

    fn log_all(&self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Log(line) => self.log.write(ended(line), None),
                Effect::Counted(mut counted) => {
                    counted.server = self.server.clone().or(counted.server);
                    self.account.iter().for_each(|account| account.count("relay", &counted));
                }
                Effect::Shaped(receipt) if !receipt.steps.is_empty() => {
                    self.log.write(ended(receipt_line(&receipt.to_json(), Naming::Camel)), None);
                }
                _ => {}
            }
        }
    }

    fn write(&mut self, side: PumpSide, bytes: Vec<u8>, load: Option<std::sync::Arc<crate::gate::Load>>) {
        if side == PumpSide::Client {
            self.is_line_open = !bytes.ends_with(b"\n");
        }
        if side == PumpSide::Server
            && let Some(remote) = &mut self.remote
        {
            return remote.send(&bytes);
        }
        let to = if side == PumpSide::Client { &self.to_client } else { &self.to_server };
        if let Some(to) = to {
            to.write(bytes, load);
        }
    }

    fn say(&self, text: &str) {
        self.log.write(ended(format!("toolshape: {text}")), None);
    }

    /// Answers everything that the client waits for, and waits until it has heard it.
    fn leave(&mut self, reason: &str, events: &Receiver<Event>) {
        let patience = if self.has_client_spoken { LAST_WORDS } else { FIRST_WORDS };
        self.answer_all(reason);
        while !self.has_client_ended || self.relay.awaits_store() {
            match events.recv_timeout(if self.relay.awaits_store() { STORE } else { patience }) {
                Ok(Event::StoreReply(number, reply)) => {
                    let effects = self.relay.resume(number, reply);
                    self.carry_out(effects, None);
                    self.answer_all(reason);
                }
                Ok(Event::Read(PumpSide::Client, input @ (Input::Lines(_) | Input::LongLine(..)))) => {
                    self.read(PumpSide::Client, input);
                    self.answer_all(reason);
                    if patience == FIRST_WORDS {
                        break;
                    }
                }
                Ok(Event::ClientWritten(_) | Event::ClientGone) => return,
                Ok(Event::Read(PumpSide::Client, Input::End) | Event::Signal(_)) | Err(_) => break,
                Ok(_) => {}
            }
        }
        if self.to_client.take().is_none() {
            return;
        }
        // A client that never reads is left by a signal.
        while let Ok(event) = events.recv() {
            if matches!(event, Event::ClientWritten(_) | Event::ClientGone | Event::Signal(_)) {
                return;
            }
        }
    }

    fn answer_all(&mut self, reason: &str) {
        for effect in self.relay.server_ended(reason) {
            if let Effect::ToClient(text) = effect {
                if self.is_line_open {
                    self.write(PumpSide::Client, b"\n".to_vec(), None);
                }
                self.write(PumpSide::Client, ended(text), None);
            }
        }
    }

    /// The server's exit code; success if it was ended because nobody needed it any more.
    fn exit_code(&self) -> u8 {
        let code = self.exited.map(child::code);
        let is_ended_by_us = code.is_none_or(|code| code == 128 + SIGTERM || code == 128 + SIGKILL);
        match (code, self.signal) {
            (_, None) if self.is_dismissed && is_ended_by_us => 0,
            (Some(code), _) => code,
            (None, Some(signal)) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
            (None, None) => 1,
        }
    }
}

impl PumpSide {
    fn other(self) -> Self {
        if self == Self::Client { Self::Server } else { Self::Client }
    }
}

/// Whether a line goes on as it is, and nothing is to be written before it.
fn passes(effects: &[Effect]) -> bool {
    let [before @ .., Effect::Pass] = effects else { return false };
    before.iter().all(|effect| matches!(effect, Effect::Shaped(_)))
}

fn ended(mut line: String) -> Vec<u8> {
    line.push('\n');
    line.into_bytes()
}
