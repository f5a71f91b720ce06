//! A server behind streamable HTTP, without I/O: lines for the server in, requests to send out; answers in, lines of the
//! server out.
//!
//! Sessions, the stream that a GET opens, and streams that are taken up again belong to the revisions until 2025-11-25; in
//! those since 2026-07-28 a request says all of itself in headers, and ends when its answer does.

use std::collections::BTreeMap;

mod too_long;

use toolshape::host::{Kind as ValueKind, Source, quoted};

use super::edits::Edits;
use super::events::{Events, ServerSentEvent};
use super::exchange::{Exchange, ExchangeKind, ResponseBody};
use super::headers::{Headers, Parameters};
use super::ids::is_same_id;
use super::message::{Message, RelayLine};

/// How often in a row a broken response without a message is resumed.
const ATTEMPTS: u32 = 5;
/// The server's own stream is opened again for as long as the session lasts; each time that it says nothing the wait is twice
/// as long, up to this many times.
const DOUBLED: u32 = 6;
/// The longest wait, in milliseconds: what the timers of JavaScript hold, about 25 days.
const LONGEST: u64 = i32::MAX as u64;
const INTERNAL_ERROR: i32 = -32603;
const INITIALIZE: &str = "initialize";
const INITIALIZED: &str = "notifications/initialized";

/// What a pump does next for a server behind HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpEffect {
    /// Send a request, after this many milliseconds.
    Send { number: u64, after: u64, request: HttpRequest },
    /// Close the connection of a request that was cancelled or answered.
    Stop(u64),
    /// A line of the server, for [`Relay::from_server`](super::Relay::from_server).
    FromServer(String),
}

/// A request to the server's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// POST, GET or DELETE.
    pub method: &'static str,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
}

/// What is read of the head of an answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct HttpHead<'a> {
    pub status: u16,
    /// `Mcp-Session-Id`.
    pub session: Option<&'a str>,
    /// `Content-Type`.
    pub content: Option<&'a str>,
    /// `Retry-After`.
    pub retry_after: Option<&'a str>,
}

/// The server's side of a conversation.
#[derive(Default)]
pub struct Http {
    session: Option<String>,
    /// The revision that was agreed on, for every request after `initialize`.
    version: Option<String>,
    /// The client's `initialize`, to begin a new session when the server has forgotten one.
    initialize: Option<String>,
    beginning: Option<Beginning>,
    parameters: Parameters,
    open: BTreeMap<u64, Exchange>,
    numbers: u64,
    /// Whether the server has no stream of its own.
    is_without_stream: bool,
    /// The bytes of the longest message.
    most_bytes: usize,
}

/// The begin of a session: other lines wait, because requests over HTTP overtake each other.
struct Beginning {
    until: Until,
    waiting: Vec<String>,
}

enum Until {
    /// The answer to the `initialize` with this id, the client's or one of ours.
    Answer { id: String, is_own: bool },
    /// The head of the answer to `notifications/initialized`, which has this number.
    Head(u64),
}

impl Http {
    /// A connection whose messages have at most this many bytes.
    pub fn new(most_bytes: usize) -> Self {
        Self { most_bytes, ..Self::default() }
    }

    /// What to do with a line for the server.
    pub fn to_server(&mut self, line: &str) -> Vec<HttpEffect> {
        let read = RelayLine::read(line);
        let (mut method, mut is_modern) = (None, false);
        if let RelayLine::Message(message) = &read {
            (method, is_modern) = (message.method(), message.is_modern());
            if let Some(stopped) = self.cancelled(method.as_deref(), message) {
                return stopped;
            }
        }
        let messages = read.messages();
        let ids = requests(&messages);
        if method.as_deref() == Some(INITIALIZE) {
            (self.session, self.version, self.initialize) = (None, None, Some(line.to_owned()));
            if let Some(id) = ids.first().cloned() {
                self.wait_until(Until::Answer { id, is_own: false });
            }
        } else if messages.iter().any(|message| message.method().is_some())
            && !is_modern
            && let Some(beginning) = &mut self.beginning
        {
            beginning.waiting.push(line.to_owned());
            return Vec::new();
        }
        let is_initialized = method.as_deref() == Some(INITIALIZED);
        let effects = self.post(line, method, ids, is_modern);
        if is_initialized {
            self.wait_until(Until::Head(self.numbers));
        }
        effects
    }

    /// The head of an answer has come.
    pub fn answered(&mut self, number: u64, head: HttpHead<'_>) -> Vec<HttpEffect> {
        let HttpHead { status, session, content, retry_after } = head;
        let Some(exchange) = self.open.get_mut(&number) else { return vec![HttpEffect::Stop(number)] };
        exchange.status = status;
        exchange.retry_after = retry_after.map(str::to_owned);
        let content = content.unwrap_or_default().trim_start().to_ascii_lowercase();
        if content.starts_with("text/event-stream") && status < 300 {
            exchange.body = ResponseBody::Events(Events::of_at_most(self.most_bytes));
        }
        let ExchangeKind::Message { method, .. } = &exchange.kind else { return Vec::new() };
        let mut effects = Vec::new();
        match method.as_deref() {
            Some(INITIALIZE) if status < 300 => self.session = session.map(str::to_owned),
            Some(INITIALIZED) if status < 300 && !self.is_without_stream => {
                effects.push(self.get(ExchangeKind::Stream, Vec::new(), None, 0, 0));
            }
            _ => {}
        }
        effects.extend(self.release_after(number));
        effects
    }

    /// Bytes of an answer's body have come.
    pub fn body(&mut self, number: u64, bytes: &[u8]) -> Vec<HttpEffect> {
        let Some(exchange) = self.open.get_mut(&number) else { return vec![HttpEffect::Stop(number)] };
        let events = match &mut exchange.body {
            ResponseBody::Whole(whole) if whole.len() + bytes.len() > self.most_bytes => return self.too_long(number),
            ResponseBody::Whole(whole) => {
                whole.extend_from_slice(bytes);
                return Vec::new();
            }
            ResponseBody::Events(events) => {
                let read = events.read(bytes);
                exchange.retry = events.retry().unwrap_or(exchange.retry).min(LONGEST);
                read
            }
        };
        let mut effects: Vec<HttpEffect> = events.into_iter().flat_map(|event| self.event(number, event)).collect();
        // The stream of the server's own messages goes on behind one that is too long.
        if let Some(Exchange { body: ResponseBody::Events(events), kind, .. }) = self.open.get(&number)
            && events.is_too_long()
            && !matches!(kind, ExchangeKind::Stream)
        {
            effects.extend(self.too_long(number));
        }
        effects
    }

    /// An answer has ended, or the reason why there is none.
    pub fn ended(&mut self, number: u64, failure: Option<&str>) -> Vec<HttpEffect> {
        let Some(exchange) = self.open.remove(&number) else { return Vec::new() };
        let mut effects = self.closed(exchange, failure);
        effects.extend(self.release_after(number));
        effects
    }

    /// Whether the server has every message of the client: no line waits, and every notification has been received.
    pub fn is_delivered(&self) -> bool {
        let is_received = |exchange: &Exchange| exchange.is_received() || !exchange.ids.is_empty();
        self.beginning.as_ref().is_none_or(|beginning| beginning.waiting.is_empty())
            && self.open.values().all(is_received)
    }

    /// The request that ends the session, if there is one.
    pub fn close(&mut self) -> Option<HttpRequest> {
        self.session.as_ref()?;
        let headers = Headers::new(self.session.as_deref(), self.version.as_deref()).list;
        self.session = None;
        Some(HttpRequest { method: "DELETE", headers, body: None })
    }

    fn closed(&mut self, mut exchange: Exchange, failure: Option<&str>) -> Vec<HttpEffect> {
        if let Some(failure) = failure
            && exchange.last_event.is_none()
            && !matches!(exchange.kind, ExchangeKind::Stream)
        {
            return self.fail(&exchange, failure);
        }
        match std::mem::replace(&mut exchange.body, ResponseBody::Whole(Vec::new())) {
            ResponseBody::Events(_) => self.broke_off(exchange),
            ResponseBody::Whole(body) => self.whole(exchange, &body),
        }
    }

    fn post(&mut self, line: &str, method: Option<String>, ids: Vec<String>, is_modern: bool) -> Vec<HttpEffect> {
        let is_initialize = method.as_deref() == Some(INITIALIZE);
        let session = self.session.clone().filter(|_| !is_modern && !is_initialize);
        let version = self.version.clone().filter(|_| !is_modern && !is_initialize);
        let mut headers = Headers::new(session.as_deref(), version.as_deref());
        headers.add("Content-Type", "application/json");
        headers.add("Accept", "application/json, text/event-stream");
        if is_modern && let RelayLine::Message(message) = RelayLine::read(line) {
            headers.of_message(&message, &self.parameters);
        }
        let request = HttpRequest { method: "POST", headers: headers.list, body: Some(line.to_owned()) };
        let kind = ExchangeKind::Message { line: line.to_owned(), method };
        vec![self.send(Exchange::new(kind, ids, is_modern, session), request, 0)]
    }

    fn get(
        &mut self,
        kind: ExchangeKind,
        ids: Vec<String>,
        last: Option<&str>,
        attempts: u32,
        after: u64,
    ) -> HttpEffect {
        let mut headers = Headers::new(self.session.as_deref(), self.version.as_deref());
        headers.add("Accept", "text/event-stream");
        if let Some(last) = last {
            headers.add("Last-Event-ID", last);
        }
        let request = HttpRequest { method: "GET", headers: headers.list, body: None };
        let exchange = Exchange::new(kind, ids, false, self.session.clone());
        self.send(Exchange { last_event: last.map(str::to_owned), attempts, ..exchange }, request, after)
    }

    fn send(&mut self, exchange: Exchange, request: HttpRequest, after: u64) -> HttpEffect {
        self.numbers += 1;
        self.open.insert(self.numbers, exchange);
        HttpEffect::Send { number: self.numbers, after, request }
    }

    /// Since 2026-07-28 the end of its connection cancels a request, and no message does.
    fn cancelled(&mut self, method: Option<&str>, message: &Message<'_>) -> Option<Vec<HttpEffect>> {
        if method != Some("notifications/cancelled") {
            return None;
        }
        let id = message.at(&["params", "requestId"])?;
        let is_it =
            |exchange: &Exchange| exchange.is_modern && exchange.ids.iter().any(|own| is_same_id(own, id.span()));
        let number = *self.open.iter().find(|(_, exchange)| is_it(exchange))?.0;
        self.open.remove(&number);
        Some(vec![HttpEffect::Stop(number)])
    }

    fn event(&mut self, number: u64, event: ServerSentEvent) -> Vec<HttpEffect> {
        let Some(exchange) = self.open.get_mut(&number) else { return Vec::new() };
        exchange.attempts = 0;
        exchange.last_event = event.id.or(exchange.last_event.take());
        if event.data.is_empty() || !(event.name.is_empty() || event.name == "message") {
            return Vec::new();
        }
        self.message(number, &event.data)
    }

    /// A message of the server, in the answer to a request.
    fn message(&mut self, number: u64, data: &str) -> Vec<HttpEffect> {
        // A break of lines is white space in JSON: strings have none.
        let line = data.replace(['\n', '\r'], " ");
        let mut released = Vec::new();
        for message in RelayLine::read(&line).messages() {
            let Some(id) = message.id().filter(|_| message.method().is_none()) else { continue };
            if let Some(exchange) = self.open.get_mut(&number) {
                exchange.ids.retain(|own| !is_same_id(own, id));
            }
            if let Some(version) = message.text_at(&["result", "protocolVersion"]) {
                self.version = Some(version);
            }
            match self.awaits(id) {
                Some(true) if message.member("result").is_some() => return self.renewed(),
                Some(true) => return self.fail_waiting("the server has ended the session, and begins no other"),
                Some(false) => released = self.release(),
                None => {}
            }
            self.parameters.learn(&message);
        }
        [HttpEffect::FromServer(line)].into_iter().chain(released).collect()
    }

    fn whole(&mut self, exchange: Exchange, body: &[u8]) -> Vec<HttpEffect> {
        let status = exchange.status;
        if matches!(exchange.kind, ExchangeKind::Stream) {
            self.is_without_stream |= status == 405;
            return Vec::new();
        }
        if status == 404 && exchange.session.is_some() && !exchange.is_modern {
            return self.begin_again(exchange);
        }
        let text = String::from_utf8_lossy(body).replace(['\n', '\r'], " ");
        match RelayLine::read(&text) {
            RelayLine::Message(message)
                if message.method().is_none() && !exchange.ids.is_empty() && is_answer(&message, status) =>
            {
                // Who cannot read the id of a message answers without one, and all requests of a batch at once.
                let answers = match (message.id(), message.member("id")) {
                    (None, Some(null)) => exchange.ids.iter().map(|id| with_id(&text, null.span(), id)).collect(),
                    _ => vec![text.clone()],
                };
                return self.told(exchange, &answers);
            }
            RelayLine::Batch { .. } if status < 300 => return self.told(exchange, std::slice::from_ref(&text)),
            read if status < 300 && exchange.ids.is_empty() => {
                let is_message = !matches!(read, RelayLine::Noise);
                return if is_message { vec![HttpEffect::FromServer(text)] } else { Vec::new() };
            }
            _ => {}
        }
        let advice = match status {
            0..300 => ", and no message",
            401 | 403 => ": say who asks by --header 'Authorization: Bearer …', or put mcp-remote between",
            300..=399 => ": it has moved; name its new address",
            _ => "",
        };
        self.fail(&exchange, &format!("the server answered with HTTP status {status}{advice}"))
    }

    /// The message in the body of a response. A request without one gets no other response.
    fn told(&mut self, exchange: Exchange, lines: &[String]) -> Vec<HttpEffect> {
        self.open.insert(0, exchange);
        let mut effects: Vec<HttpEffect> = lines.iter().flat_map(|line| self.message(0, line)).collect();
        if let Some(exchange) = self.open.remove(&0) {
            effects.extend(self.fail(&exchange, "the server's answer has none for this request"));
        }
        effects
    }

    /// A stream ended; its answer may be taken up again.
    fn broke_off(&mut self, exchange: Exchange) -> Vec<HttpEffect> {
        let is_own = matches!(exchange.kind, ExchangeKind::Stream);
        if is_own && exchange.session != self.session {
            return Vec::new();
        }
        let is_continued = is_own || !exchange.ids.is_empty() && exchange.last_event.is_some();
        let is_tried_enough = exchange.attempts >= ATTEMPTS && !is_own;
        if exchange.is_modern || is_tried_enough || !is_continued {
            return self.fail(&exchange, "the server's answer broke off");
        }
        let Exchange { ids, last_event, retry, attempts, .. } = exchange;
        let (kind, after) = match is_own {
            true => (ExchangeKind::Stream, (retry << attempts.min(DOUBLED)).min(LONGEST)),
            false => (ExchangeKind::Resumed, retry),
        };
        let again = self.get(kind, ids, last_event.as_deref(), attempts.saturating_add(1), after);
        if let Some(exchange) = self.open.get_mut(&self.numbers) {
            exchange.retry = retry;
        }
        vec![again]
    }

    /// The server has forgotten the session: the client's `initialize` begins another one. What the server refused is sent
    /// again then, except for calls of tools: whether one has run is not ours to guess.
    fn begin_again(&mut self, exchange: Exchange) -> Vec<HttpEffect> {
        let (ExchangeKind::Message { line, method }, Some(initialize)) = (&exchange.kind, self.initialize.clone())
        else {
            return self.fail(&exchange, "the server has ended the session");
        };
        let is_call =
            RelayLine::read(line).messages().iter().any(|message| message.method().as_deref() == Some("tools/call"));
        let mut effects = match is_call {
            true => self.fail(&exchange, "the server has ended the session, and a new one begins: call again"),
            false => Vec::new(),
        };
        let again = (!is_call && method.as_deref() != Some(INITIALIZED)).then_some(line);
        if let Some(beginning) = &mut self.beginning {
            beginning.waiting.extend(again.cloned());
            return effects;
        }
        if self.session.is_some() && self.session != exchange.session {
            effects.extend(again.into_iter().flat_map(|line| self.to_server(line)));
            return effects;
        }
        let own = quoted(&format!("toolshape-{}", self.numbers + 1));
        let renewal = match RelayLine::read(&initialize) {
            RelayLine::Message(message) => message.id().map(|id| with_id(&initialize, id, &own)),
            _ => None,
        };
        let renewal = renewal.unwrap_or(initialize);
        (self.session, self.version) = (None, None);
        let waiting = again.cloned().into_iter().collect();
        self.beginning = Some(Beginning { until: Until::Answer { id: own.clone(), is_own: true }, waiting });
        effects.extend(self.post(&renewal, Some(INITIALIZE.to_owned()), vec![own], false));
        effects
    }

    fn wait_until(&mut self, until: Until) {
        let waiting = self.beginning.take().map_or_else(Vec::new, |beginning| beginning.waiting);
        self.beginning = Some(Beginning { until, waiting });
    }

    /// Whether lines wait for the answer with this id, and if so whether to a request of ours.
    fn awaits(&self, id: &str) -> Option<bool> {
        match &self.beginning.as_ref()?.until {
            Until::Answer { id: known, is_own } if is_same_id(known, id) => Some(*is_own),
            _ => None,
        }
    }

    /// Sends what has waited, to the first line for which others wait again.
    fn release(&mut self) -> Vec<HttpEffect> {
        let waiting = self.beginning.take().map_or_else(Vec::new, |beginning| beginning.waiting);
        waiting.iter().flat_map(|line| self.to_server(line)).collect()
    }

    /// Sends what has waited for the head of this answer.
    fn release_after(&mut self, number: u64) -> Vec<HttpEffect> {
        match &self.beginning {
            Some(Beginning { until: Until::Head(known), .. }) if *known == number => self.release(),
            _ => Vec::new(),
        }
    }

    /// Another session has begun.
    fn renewed(&mut self) -> Vec<HttpEffect> {
        if let Some(beginning) = &mut self.beginning {
            beginning.waiting.insert(0, format!(r#"{{"jsonrpc":"2.0","method":"{INITIALIZED}"}}"#));
        }
        self.release()
    }

    /// Answers the requests that wait for a session which does not begin.
    fn fail_waiting(&mut self, reason: &str) -> Vec<HttpEffect> {
        let waiting = self.beginning.take().map_or_else(Vec::new, |beginning| beginning.waiting);
        let ids = waiting.iter().flat_map(|line| requests(&RelayLine::read(line).messages()));
        ids.map(|id| failed(&id, reason, None)).collect()
    }

    /// Answers a request that gets no other answer.
    fn fail(&mut self, exchange: &Exchange, reason: &str) -> Vec<HttpEffect> {
        let awaited = exchange.ids.iter().find_map(|id| self.awaits(id));
        if awaited == Some(true) {
            return self.fail_waiting(reason);
        }
        let data = exchange.retry_after.as_deref().filter(|_| exchange.status >= 300);
        let data = data.map(|wait| format!(r#"{{"retryAfter":{}}}"#, quoted(wait)));
        let mut effects: Vec<HttpEffect> = exchange.ids.iter().map(|id| failed(id, reason, data.as_deref())).collect();
        if awaited.is_some() {
            effects.extend(self.release());
        }
        effects
    }
}

/// The ids of the requests among messages.
fn requests(messages: &[Message<'_>]) -> Vec<String> {
    let requests = messages.iter().filter(|message| message.method().is_some());
    requests.filter_map(|message| message.id().map(str::to_owned)).collect()
}

/// A line with another id.
fn with_id(line: &str, own: &str, id: &str) -> String {
    let mut edits = Edits::of(line);
    edits.replace(own, id.to_owned());
    edits.apply()
}

/// Whether a message without a method is an answer of JSON-RPC. The body of an HTTP error often has an `error` too, as
/// OAuth's `{"error":"invalid_token"}` (RFC 6750).
fn is_answer(message: &Message<'_>, status: u16) -> bool {
    let is_error = message.member("error").is_some_and(|error| error.kind() == ValueKind::Object);
    is_error || status < 300 && (message.member("result").is_some() || message.member("jsonrpc").is_some())
}

fn failed(id: &str, reason: &str, data: Option<&str>) -> HttpEffect {
    let message = quoted(reason);
    let data = data.map_or(String::new(), |data| format!(r#","data":{data}"#));
    let error = format!(r#"{{"code":{INTERNAL_ERROR},"message":{message}{data}}}"#);
    HttpEffect::FromServer(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))
}
