//! Requests to a server behind HTTP: each has a thread of its own, which reads the answer as it comes.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use toolshape_proxy::{Address, Http, HttpEffect, HttpHead, HttpRequest};
use ureq::http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri};
use ureq::{Agent, Body};

use crate::gate::{Gate, Load};
use crate::lines::{Input, Lines};
use crate::misuse::Misuse;
use crate::network;
use crate::pump::{Event, PumpSide};

/// How long the end of a session is waited for.
const GOODBYE: Duration = Duration::from_millis(1000);
/// How much of an answer is read at once.
const STEP: usize = 1 << 16;

/// A part of an answer.
pub enum ResponsePart {
    Head {
        status: u16,
        session: Option<String>,
        content: Option<String>,
        retry_after: Option<String>,
    },
    /// Bytes, which count for the answer until what they say is written.
    Body(Vec<u8>, Arc<Load>),
    /// The end, or why there is no answer.
    End(Option<String>),
}

/// A server behind HTTP, and the requests to it.
pub struct Remote {
    http: Http,
    agent: Agent,
    url: String,
    /// The address in messages.
    shown: String,
    /// The headers that every request has.
    headers: HeaderMap,
    events: Sender<Event>,
    /// Whether nobody waits for the answer to a request any more, by its number.
    stopped: HashMap<u64, Arc<AtomicBool>>,
}

impl Remote {
    /// A server at an address, with messages of at most `most` bytes; `headers` are written as `Name: value`.
    ///
    /// # Errors
    /// An invalid address, an invalid header, and invalid network settings.
    pub fn new(url: &str, headers: &[String], most: usize, events: Sender<Event>) -> Result<Self> {
        let is_address = url.starts_with("https://") || url.starts_with("http://");
        let address = url.parse().ok().filter(|address: &Uri| is_address && address.host().is_some());
        // What cannot be read may be a secret too.
        let address = address.ok_or(Misuse("invalid server URL: must start with http:// or https://"))?;
        let mut all = HeaderMap::new();
        for header in headers {
            let Some((name, value)) = header.split_once(':') else {
                // What is written may be a secret.
                bail!(Misuse("invalid header: must be 'Name: value'"))
            };
            let name = HeaderName::try_from(name.trim()).map_err(|_| Misuse("invalid header name"))?;
            let value = HeaderValue::try_from(value.trim()).map_err(|_| Misuse("invalid header value"))?;
            all.append(name, value);
        }
        let (http, agent, url) = (Http::new(most), network::agent(&address)?, url.to_owned());
        Ok(Self {
            http,
            agent,
            shown: Address::new(&url).to_string(),
            url,
            headers: all,
            events,
            stopped: HashMap::new(),
        })
    }

    /// Sends lines to the server. What it says is an event, as the lines of a process are.
    pub fn send(&mut self, lines: &[u8]) {
        for line in String::from_utf8_lossy(lines).lines().filter(|line| !line.trim().is_empty()) {
            let effects = self.http.to_server(line);
            self.follow(effects, None);
        }
    }

    /// Takes a part of an answer.
    pub fn take(&mut self, number: u64, part: ResponsePart) {
        let mut load = None;
        let effects = match part {
            ResponsePart::Head { status, session, content, retry_after } => {
                let (session, content, retry_after) = (session.as_deref(), content.as_deref(), retry_after.as_deref());
                self.http.answered(number, HttpHead { status, session, content, retry_after })
            }
            ResponsePart::Body(bytes, of_bytes) => {
                load = Some(of_bytes);
                self.http.body(number, &bytes)
            }
            ResponsePart::End(failure) => {
                self.stopped.remove(&number);
                self.http.ended(number, failure.as_deref())
            }
        };
        self.follow(effects, load.as_ref());
    }

    /// Whether the client's messages have reached the server.
    pub fn is_delivered(&self) -> bool {
        self.http.is_delivered()
    }

    /// Ends the session.
    pub fn close(&mut self) {
        let Some(request) = self.http.close() else { return };
        let (done, ended) = mpsc::channel();
        let (agent, request) = (self.agent.clone(), self.request(request));
        thread::spawn(move || _ = done.send(request.map(|request| agent.run(request).is_ok())));
        let _ = ended.recv_timeout(GOODBYE);
    }

    fn follow(&mut self, effects: Vec<HttpEffect>, load: Option<&Arc<Load>>) {
        for effect in effects {
            match effect {
                HttpEffect::FromServer(line) => {
                    let load = load.cloned().unwrap_or_else(Gate::open);
                    let lines = Lines { bytes: (line + "\n").into_bytes(), load };
                    let _ = self.events.send(Event::Read(PumpSide::Server, Input::Lines(lines)));
                }
                HttpEffect::Send { number, after, request } => {
                    let (agent, events, url) = (self.agent.clone(), self.events.clone(), self.shown.clone());
                    let request = self.request(request);
                    let is_stopped = Arc::new(AtomicBool::new(false));
                    self.stopped.insert(number, Arc::clone(&is_stopped));
                    thread::spawn(move || {
                        thread::sleep(Duration::from_millis(after));
                        let send = |part| Ok(events.send(Event::Http(number, part))?);
                        let answered = request
                            .and_then(|request| agent.run(request).with_context(|| format!("cannot reach {url}")));
                        let ended = answered.and_then(|answer| read(answer, &url, &is_stopped, send));
                        events
                            .send(Event::Http(number, ResponsePart::End(ended.err().map(|error| format!("{error:#}")))))
                    });
                }
                // The thread ends when the server next says something.
                HttpEffect::Stop(number) => {
                    if let Some(stopped) = self.stopped.get(&number) {
                        stopped.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
    }

    fn request(&self, request: HttpRequest) -> Result<Request<String>> {
        let mut built = Request::builder().method(request.method).uri(&self.url);
        for (name, value) in &request.headers {
            built = built.header(name, value);
        }
        for (name, value) in &self.headers {
            built = built.header(name, value);
        }
        Ok(built.body(request.body.unwrap_or_default())?)
    }
}

/// Hands on an answer as it comes, as long as anybody waits for it, and no faster than it is taken.
fn read(
    answer: Response<Body>,
    url: &str,
    is_stopped: &AtomicBool,
    send: impl Fn(ResponsePart) -> Result<()>,
) -> Result<()> {
    let head = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (session, content, retry_after) = (head("mcp-session-id"), head("content-type"), head("retry-after"));
    send(ResponsePart::Head { status: answer.status().as_u16(), session, content, retry_after })?;
    let mut body = answer.into_body().into_reader();
    let (mut bytes, gate) = (vec![0; STEP], Arc::new(Gate::default()));
    while !is_stopped.load(Ordering::Relaxed) {
        match body.read(&mut bytes).with_context(|| format!("the answer of {url} broke off"))? {
            0 => break,
            read => send(ResponsePart::Body(bytes[..read].to_vec(), Arc::new(gate.pass(read))))?,
        }
    }
    Ok(())
}
