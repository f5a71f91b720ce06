//! Which request a line of a server is for.
//!
//! An answer is for whoever waits for it. What the server says on its own is for the request that began last, or else for the
//! session's stream; until there is one of both, it waits.

use std::collections::VecDeque;

use tokio::sync::mpsc::{Receiver, Sender, channel};
use toolshape_proxy::{LongLine, MessageHead, heads, id_key};

use super::events::CommandLine;

/// The lines that wait for a slow client.
const WAITING: usize = 16;
/// The bytes of lines that wait for a request or a stream. The oldest are dropped.
const QUEUED: usize = 1 << 20;

/// What a request or a stream gets: what has waited for it, and then what comes.
pub struct Opened {
    pub before: VecDeque<CommandLine>,
    pub lines: Receiver<CommandLine>,
}

/// A request, or several in a batch.
struct OpenRequest {
    /// The keys of the ids that wait, and the ids as the client spells them.
    waits: Vec<(String, String)>,
    to: Sender<CommandLine>,
}

/// Where the lines of a server go.
#[derive(Default)]
pub struct Routes {
    open: Vec<OpenRequest>,
    stream: Option<Sender<CommandLine>>,
    queued: VecDeque<Vec<u8>>,
    queued_bytes: usize,
    is_session: bool,
    /// Why there are no more lines.
    pub ended: Option<String>,
}

/// A line, and who gets it.
pub type Routed = Vec<(Sender<CommandLine>, CommandLine)>;

impl Routes {
    /// In a session there may be a stream of the server's own messages.
    pub fn new(is_session: bool) -> Self {
        Self { is_session, ..Self::default() }
    }

    /// Opens a request; `None` if the server has ended.
    pub fn open(&mut self, waits: Vec<(String, String)>) -> Option<Opened> {
        if self.ended.is_some() {
            return None;
        }
        let (to, lines) = channel(WAITING);
        self.open.push(OpenRequest { waits, to });
        let before = if self.stream().is_none() { self.take_queued() } else { VecDeque::new() };
        Some(Opened { before, lines })
    }

    /// Opens the stream of the server's own messages; an earlier one ends.
    pub fn open_stream(&mut self) -> Option<Opened> {
        if self.ended.is_some() {
            return None;
        }
        let (to, lines) = channel(WAITING);
        self.stream = Some(to);
        Some(Opened { before: self.take_queued(), lines })
    }

    /// The client does not wait for this answer any more.
    pub fn cancel(&mut self, key: &str) {
        for request in &mut self.open {
            request.waits.retain(|(known, _)| known != key);
        }
        self.open.retain(|request| !request.waits.is_empty());
    }

    /// Whether nobody waits.
    pub fn is_idle(&self) -> bool {
        self.open.iter().all(|request| request.to.is_closed()) && self.stream.as_ref().is_none_or(Sender::is_closed)
    }

    /// Whether an answer is still to come.
    pub fn has_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Who gets a line with these messages.
    pub fn route(&mut self, line: &[u8], heads: &[MessageHead]) -> Routed {
        let mut routed = Vec::new();
        for head in heads.iter().filter(|head| head.method.is_none()) {
            let Some(key) = &head.id_key else { continue };
            let Some((to, answer)) = self.answered(key, line.to_vec()) else { continue };
            // A batch of answers is one line.
            let known = routed.iter_mut().find(|(known, _): &&mut (Sender<_>, CommandLine)| known.same_channel(&to));
            match known {
                Some((_, known)) => known.is_last |= answer.is_last,
                None => routed.push((to, answer)),
            }
        }
        let is_own = heads.iter().any(|head| head.method.is_some());
        if is_own && routed.is_empty() {
            let line = line.to_vec();
            match self.open.iter().rev().map(|request| &request.to).chain(self.stream()).find(|to| !to.is_closed()) {
                Some(to) => routed.push((to.clone(), CommandLine { bytes: line, is_last: false })),
                None => self.queue(line),
            }
        }
        routed
    }

    /// Who gets an error in place of a line that is too long, and the errors for the server.
    pub fn refuse(&mut self, line: &LongLine) -> (Routed, Vec<Vec<u8>>) {
        let reason =
            format!("a message of the server has {} bytes: more than toolshape holds (maxLineBytes)", line.bytes);
        let (mut routed, mut to_server) = (Vec::new(), Vec::new());
        for head in &line.heads {
            let Some(id) = &head.id else { continue };
            match head.has_method {
                true => to_server.push(error(id, &reason)),
                false => routed.extend(self.answered(&id_key(id), error(id, &reason))),
            }
        }
        (routed, to_server)
    }

    /// The server has ended: whoever waits gets an error with the reason.
    pub fn end(&mut self, reason: &str) -> Routed {
        self.ended.get_or_insert_with(|| reason.to_owned());
        (self.stream, self.queued, self.queued_bytes) = (None, VecDeque::new(), 0);
        let mut routed = Vec::new();
        for request in std::mem::take(&mut self.open) {
            let count = request.waits.len();
            for (place, (_, id)) in request.waits.iter().enumerate() {
                let line = CommandLine { bytes: error(id, reason), is_last: place + 1 == count };
                routed.push((request.to.clone(), line));
            }
        }
        routed
    }

    /// A line that could not be delivered, because its client has gone.
    pub fn return_line(&mut self, line: CommandLine) {
        if !line.is_last && heads(&line.bytes).iter().any(|head| head.method.is_some()) {
            self.queue(line.bytes);
        }
    }

    fn answered(&mut self, key: &str, line: Vec<u8>) -> Option<(Sender<CommandLine>, CommandLine)> {
        let waits = |request: &OpenRequest| request.waits.iter().position(|(known, _)| known == key);
        let (place, of_request) =
            self.open.iter().enumerate().find_map(|(place, request)| Some((place, waits(request)?)))?;
        let request = &mut self.open[place];
        request.waits.remove(of_request);
        let (to, is_last) = (request.to.clone(), request.waits.is_empty());
        if is_last {
            self.open.remove(place);
        }
        Some((to, CommandLine { bytes: line, is_last }))
    }

    fn stream(&self) -> Option<&Sender<CommandLine>> {
        self.stream.as_ref().filter(|to| !to.is_closed())
    }

    fn queue(&mut self, line: Vec<u8>) {
        // Between two requests without a session nobody is there.
        if !self.is_session || line.len() > QUEUED {
            return;
        }
        self.queued_bytes += line.len();
        self.queued.push_back(line);
        while self.queued_bytes > QUEUED {
            self.queued_bytes -= self.queued.pop_front().map_or(0, |line| line.len());
        }
    }

    fn take_queued(&mut self) -> VecDeque<CommandLine> {
        self.queued_bytes = 0;
        self.queued.drain(..).map(|bytes| CommandLine { bytes, is_last: false }).collect()
    }
}

fn error(id: &str, reason: &str) -> Vec<u8> {
    crate::reply::error(id, reason).into_bytes()
}
