//! The lines of a server for one request or stream, as the body of a response.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::Receiver;

use super::process::Process;
use super::routes::Opened;
use crate::lock::locked;
use crate::reply::BoxError;
use toolshape_proxy::write_event;

/// A line of a server.
pub struct CommandLine {
    pub bytes: Vec<u8>,
    /// Whether it is the last answer that the request waits for.
    pub is_last: bool,
}

/// The lines for a request or a stream.
pub struct Events {
    before: VecDeque<CommandLine>,
    lines: Receiver<CommandLine>,
    _lease: Option<Lease>,
}

impl Events {
    /// `lease` is given back at the end.
    pub fn new(opened: Opened, lease: Option<Lease>) -> Self {
        Self { before: opened.before, lines: opened.lines, _lease: lease }
    }

    pub async fn next(&mut self) -> Option<CommandLine> {
        match self.before.pop_front() {
            Some(line) => Some(line),
            None => self.lines.recv().await,
        }
    }

    /// The line that was taken last comes again.
    pub fn put_back(&mut self, line: CommandLine) {
        self.before.push_front(line);
    }
}

impl Body for Events {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let line = match self.before.pop_front() {
            Some(line) => Poll::Ready(Some(line)),
            None => self.lines.poll_recv(context),
        };
        let event = |line: CommandLine| {
            let event = write_event("event: message\n", Some(&String::from_utf8_lossy(&line.bytes)));
            Ok(Frame::data(event.into()))
        };
        line.map(|line| line.map(event))
    }
}

/// A process that one request has for itself.
pub struct Lease {
    process: Arc<Process>,
    tenant: String,
    idle: IdleProcesses,
    _permit: Option<OwnedSemaphorePermit>,
}

/// The processes that serve nobody now, with their tenants.
pub type IdleProcesses = Arc<Mutex<Vec<(String, Arc<Process>)>>>;

impl Lease {
    /// At its end the process is among the idle ones, unless a request is still open: its client has gone.
    pub fn new(process: Arc<Process>, tenant: &str, idle: IdleProcesses, permit: Option<OwnedSemaphorePermit>) -> Self {
        Self { process, tenant: tenant.to_owned(), idle, _permit: permit }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.process.routes().has_open() {
            self.process.close();
        } else if !self.process.has_ended() {
            let one = (std::mem::take(&mut self.tenant), Arc::clone(&self.process));
            locked(&self.idle).push(one);
        }
    }
}
