//! A server that is a command: each session has a process of its own, because a server on standard input has one client.
//!
//! Requests without a session (2026-07-28) carry all that they need: each has a process for itself until it is answered, and the
//! next one of the same tenant has it after that. So nothing in a message is changed, and no client sees another's messages.
//! A tenant has a few such processes; further requests wait.

mod environment;
mod events;
mod noise;
mod process;
mod routes;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Bytes;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Response, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use toolshape::host::printable_within;
use toolshape_proxy::{MessageHead, Relay, RelayOptions, heads};

use crate::headers::SESSION;
use crate::lock::locked;
use crate::options::{CommandOptions, ServeLimits};
use crate::reply::{self, Body, Refusal};
use crate::share::Share;
use events::{Events, IdleProcesses, Lease};
use noise::Noise;
use process::Process;

/// The most characters of a command that are shown.
const SHOWN: usize = 200;

/// The processes that requests of one tenant without a session have at the same time.
const PARALLEL: usize = 4;

/// A session's process, and whose it is.
struct CommandSession {
    tenant: String,
    process: Arc<Process>,
}

/// The processes of one server.
pub struct Command {
    options: CommandOptions,
    max_line_bytes: usize,
    limits: ServeLimits,
    /// Reads what is not a message.
    relay: Relay,
    /// Processes of all servers at the same time.
    room: Arc<Share>,
    sessions: Mutex<HashMap<String, CommandSession>>,
    idle: IdleProcesses,
    /// The processes that requests without a session may still have, by tenant.
    parallel: Mutex<HashMap<String, Weak<Semaphore>>>,
    noise: Arc<Noise>,
    /// All processes that have not ended.
    running: Mutex<Vec<Weak<Process>>>,
}

/// A request, as far as a command has to know it.
pub struct CommandRequest<'r> {
    pub method: &'r Method,
    pub tenant: &'r str,
    pub session: Option<&'r str>,
    pub body: Bytes,
}

impl Command {
    pub fn new(options: CommandOptions, of_relay: &RelayOptions, limits: ServeLimits, room: Arc<Share>) -> Self {
        let (relay, max_line_bytes) = (Relay::of(of_relay, false), of_relay.max_line_bytes);
        let (sessions, idle, parallel, running) = Default::default();
        let noise = Noise::new(of_relay);
        Self { options, max_line_bytes, limits, relay, room, sessions, idle, parallel, noise, running }
    }

    /// The answer to a request, as a server over HTTP would give it.
    ///
    /// # Errors
    /// A process that cannot be started, or does not answer in time; a request of no session.
    pub async fn send(&self, request: CommandRequest<'_>) -> Result<Response<Body>, Refusal> {
        match *request.method {
            Method::POST => self.post(&request).await,
            Method::GET => {
                let process = self.session(request.tenant, request.session)?;
                let opened = process.open_stream().ok_or_else(no_session)?;
                Ok(of_events(Events::new(opened, None), None))
            }
            Method::DELETE => {
                self.session(request.tenant, request.session)?.close();
                let id = request.session.unwrap_or_default();
                locked(&self.sessions).remove(id);
                Ok(Response::new(reply::whole(Bytes::new())))
            }
            _ => {
                let mut response = reply::text(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "POST, GET or DELETE\n");
                response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST, GET, DELETE"));
                Ok(response)
            }
        }
    }

    async fn post(&self, request: &CommandRequest<'_>) -> Result<Response<Body>, Refusal> {
        let heads = heads(&request.body);
        if heads.is_empty() {
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "the body is not a message of JSON-RPC"));
        }
        let is_first = heads.iter().any(|head| head.method.as_deref() == Some("initialize"));
        let (process, begun, lease) = match request.session {
            Some(id) => (self.session(request.tenant, Some(id))?, None, None),
            None if is_first => {
                let (id, process) = self.begin(request.tenant)?;
                (process, Some(id), None)
            }
            None if heads.iter().all(|head| head.is_modern) => {
                let is_open_ended = heads.iter().any(listens);
                let permit = if is_open_ended { None } else { Some(self.turn(request.tenant).await?) };
                let process = self.lease(request.tenant)?;
                let lease = Lease::new(Arc::clone(&process), request.tenant, Arc::clone(&self.idle), permit);
                (process, None, Some(lease))
            }
            None => return Err(Refusal::new(StatusCode::BAD_REQUEST, "the request has no session: initialize first")),
        };
        self.ask(&process, &heads, request, lease, begun.as_deref()).await
    }

    /// Sends the messages of a request, and waits until its answer begins.
    async fn ask(
        &self,
        process: &Arc<Process>,
        heads: &[MessageHead],
        request: &CommandRequest<'_>,
        lease: Option<Lease>,
        begun: Option<&str>,
    ) -> Result<Response<Body>, Refusal> {
        heads.iter().filter_map(|head| head.cancels.as_deref()).for_each(|key| process.routes().cancel(key));
        let waits =
            |head: &MessageHead| Some((head.id_key.clone()?, head.id.clone()?)).filter(|_| head.method.is_some());
        let waits: Vec<(String, String)> = heads.iter().filter_map(waits).collect();
        if waits.is_empty() {
            process.write(&request.body)?;
            return Ok(reply::accepted());
        }
        let opened = process.routes().open(waits).ok_or_else(no_session)?;
        let mut events = Events::new(opened, lease);
        process.write(&request.body)?;
        if heads.iter().any(listens) {
            return Ok(of_events(events, begun));
        }
        let limit = self.limits.first_byte;
        let first = timeout(limit, events.next()).await.map_err(|_| Refusal::late(limit))?;
        match first {
            Some(line) if line.is_last => {
                let mut response = reply::text(StatusCode::OK, "application/json", line.bytes);
                named(&mut response, begun);
                Ok(response)
            }
            Some(line) => {
                events.put_back(line);
                Ok(of_events(events, begun))
            }
            // The client has cancelled it.
            None => Ok(reply::accepted()),
        }
    }

    /// The process of a session.
    fn session(&self, tenant: &str, id: Option<&str>) -> Result<Arc<Process>, Refusal> {
        let id = id.ok_or_else(|| Refusal::new(StatusCode::BAD_REQUEST, "the request has no session"))?;
        let mut sessions = locked(&self.sessions);
        let found = sessions.get(id).filter(|session| session.tenant == tenant).ok_or_else(no_session)?;
        if found.process.has_ended() {
            sessions.remove(id);
            return Err(no_session());
        }
        Ok(Arc::clone(&found.process))
    }

    fn begin(&self, tenant: &str) -> Result<(String, Arc<Process>), Refusal> {
        let mut random = [0; 16];
        if getrandom::fill(&mut random).is_err() {
            return Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the system has no random numbers"));
        }
        let id: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let process = self.start(tenant, true)?;
        let session = CommandSession { tenant: tenant.to_owned(), process: Arc::clone(&process) };
        locked(&self.sessions).insert(id.clone(), session);
        Ok((id, process))
    }

    /// Waits until a request of a tenant may have a process.
    async fn turn(&self, tenant: &str) -> Result<OwnedSemaphorePermit, Refusal> {
        let turns = {
            let mut parallel = locked(&self.parallel);
            parallel.retain(|_, turns| turns.strong_count() > 0);
            let known = parallel.get(tenant).and_then(Weak::upgrade);
            let turns = known.unwrap_or_else(|| Arc::new(Semaphore::new(PARALLEL)));
            parallel.insert(tenant.to_owned(), Arc::downgrade(&turns));
            turns
        };
        let busy = || Refusal::new(StatusCode::GATEWAY_TIMEOUT, "all processes of the server are busy");
        timeout(self.limits.first_byte, turns.acquire_owned()).await.ok().and_then(Result::ok).ok_or_else(busy)
    }

    /// A process that serves nobody else.
    fn lease(&self, tenant: &str) -> Result<Arc<Process>, Refusal> {
        let mut idle = locked(&self.idle);
        idle.retain(|(_, process)| !process.has_ended());
        if let Some(place) = idle.iter().position(|(owner, _)| owner == tenant) {
            return Ok(idle.swap_remove(place).1);
        }
        drop(idle);
        self.start(tenant, false)
    }

    fn start(&self, tenant: &str, is_session: bool) -> Result<Arc<Process>, Refusal> {
        let Some(place) = self.room.take(&tenant.into()) else {
            let reason = "too many processes at the same time (maxProcesses), or too many of one tenant";
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, reason));
        };
        let (relay, noise) = (self.relay.branch(), Arc::clone(&self.noise));
        let started =
            Process::start(&self.options, self.max_line_bytes, is_session, relay, noise, place).map_err(|error| {
                // Its arguments may have a secret, which is not for the client.
                eprintln!("toolshape: cannot start {}: {error}", printable_within(&self.options.command[0], SHOWN));
                Refusal::new(StatusCode::BAD_GATEWAY, "cannot start the server")
            })?;
        let mut running = locked(&self.running);
        running.retain(|process| process.strong_count() > 0);
        running.push(Arc::downgrade(&started));
        Ok(started)
    }

    /// Closes the processes that have served nobody for so long.
    pub fn close_idle(&self, after: Duration) {
        let mut sessions = locked(&self.sessions);
        sessions.retain(|_, session| stays(&session.process, after));
        drop(sessions);
        locked(&self.idle).retain(|(_, process)| stays(process, after));
    }

    /// Closes all processes; they end on their own, or are ended.
    pub fn close_all(&self) -> Vec<Arc<Process>> {
        locked(&self.sessions).clear();
        locked(&self.idle).clear();
        let all: Vec<Arc<Process>> = locked(&self.running).iter().filter_map(Weak::upgrade).collect();
        all.iter().for_each(|process| process.close());
        all
    }

    /// Ends all processes at once.
    pub fn kill_all(&self) {
        locked(&self.running).iter().filter_map(Weak::upgrade).for_each(|process| process.kill());
    }
}

impl Drop for Command {
    fn drop(&mut self) {
        self.close_all();
    }
}

fn stays(process: &Arc<Process>, after: Duration) -> bool {
    if process.is_idle(after) {
        process.close();
    }
    !process.is_closed()
}

/// Whether a request is open as long as its client wants.
fn listens(head: &MessageHead) -> bool {
    head.method.as_deref() == Some("subscriptions/listen")
}

fn no_session() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "no such session, or its server has ended: initialize again")
}

fn of_events(events: Events, begun: Option<&str>) -> Response<Body> {
    let mut response = Response::new(events.boxed_unsync());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    named(&mut response, begun);
    response
}

/// Names the session that a response begins.
fn named(response: &mut Response<Body>, begun: Option<&str>) {
    if let Some(id) = begun.and_then(|id| HeaderValue::try_from(id).ok()) {
        response.headers_mut().insert(&SESSION, id);
    }
}
