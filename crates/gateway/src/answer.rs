//! An answer of the server on its way to the client: the results of tools are shaped, everything else passes.

use std::time::Instant;

use http_body_util::BodyExt;
use hyper::body::{Body as _, Bytes};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Method, Response, StatusCode};
use tokio::time::timeout;

use crate::exchange::{Exchange, Sent};
use crate::headers::{self, Content};
use crate::reply::{self, Body, Refusal};
use crate::report::Report;
use crate::{stream, well_known};

/// The kind of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExchangeKind {
    /// Messages of the client, and their answers.
    Messages,
    /// The stream of the server's own messages, or a stream that is resumed.
    Stream,
    /// Anything else.
    Other,
}

impl ExchangeKind {
    pub fn of(method: &Method) -> Self {
        match *method {
            Method::POST => Self::Messages,
            Method::GET => Self::Stream,
            _ => Self::Other,
        }
    }

    /// Whether the answer passes as it is. `own` are those to requests that the server did not get.
    pub fn passes(self, exchange: &Exchange, headers: &HeaderMap, own: &[String]) -> bool {
        let content = headers::content(headers);
        let is_plain = content == Content::Json && !headers::is_encoded(headers);
        // An error of HTTP may have one of JSON-RPC. Whoever does not consent says why.
        let is_read = self == Self::Messages && is_plain && own.is_empty() && !exchange.relay.asks_consent();
        self == Self::Other || exchange.has_failed() && !is_read || content == Content::Other && own.is_empty()
    }
}

/// The response for the client. `own` are the answers to requests that the server did not get.
///
/// # Errors
/// An answer that cannot be read.
pub async fn answer(
    mut exchange: Box<Exchange>,
    kind: ExchangeKind,
    answered: Response<Body>,
    own: Vec<String>,
) -> Result<Response<Body>, (Refusal, Box<Exchange>)> {
    exchange.answered(answered.status());
    if let Some(id) = headers::text(answered.headers(), &headers::SESSION) {
        exchange.begin_session(id);
    }
    let content = headers::content(answered.headers());
    if kind.passes(&exchange, answered.headers(), &own) {
        return match exchange.relay.redacts() {
            true => Box::pin(redacted(exchange, answered)).await,
            false => Ok(passed(exchange, answered)),
        };
    }
    let (head, body) = answered.into_parts();
    if content != Content::Other && headers::is_encoded(&head.headers) {
        return Err((Refusal::compressed(), exchange));
    }
    let mut out = to_client(&exchange, head.headers);
    if content == Content::Events {
        return Ok(response(head.status, out, stream::shaped(exchange, kind, body, own)));
    }
    let answers = match content {
        Content::Json => match json(&mut exchange, body, kind).await {
            Ok(answers) => answers,
            Err(refusal) => return Err((refusal, exchange)),
        },
        _ => Vec::new(),
    };
    let (status, text) = match own.is_empty() {
        true => (head.status, one(answers)),
        false => {
            out.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            (StatusCode::OK, together(own.into_iter().map(Bytes::from).chain(answers)))
        }
    };
    exchange.report.status = status.as_u16();
    Ok(response(status, out, reply::whole(text)))
}

/// The response for the client, as the server wrote it.
fn passed(exchange: Box<Exchange>, answered: Response<Body>) -> Response<Body> {
    let (head, body) = answered.into_parts();
    let length = headers::text(&head.headers, &CONTENT_LENGTH).and_then(|length| length.parse().ok());
    let mut out = to_client(&exchange, head.headers);
    if let Some(length) = length.filter(|length| body.size_hint().exact() == Some(*length)) {
        out.insert(CONTENT_LENGTH, length.into());
    }
    response(head.status, out, stream::unchanged(exchange, body))
}

/// The response for the client without secrets.
async fn redacted(
    mut exchange: Box<Exchange>,
    answered: Response<Body>,
) -> Result<Response<Body>, (Refusal, Box<Exchange>)> {
    let (head, mut body) = answered.into_parts();
    if headers::is_encoded(&head.headers) {
        return Err((Refusal::compressed(), exchange));
    }
    let mut whole = Vec::new();
    loop {
        match next(&exchange, &mut body).await {
            Ok(None) => break,
            Ok(Some(part)) => whole.extend_from_slice(&part),
            Err(refusal) => return Err((refusal, exchange)),
        }
        if whole.len() > exchange.upstream.max_line_bytes {
            let reason = "the server's answer is too long (maxLineBytes)";
            return Err((Refusal::new(StatusCode::BAD_GATEWAY, reason), exchange));
        }
    }
    let text = exchange.redacted(whole.into());
    Ok(response(head.status, to_client(&exchange, head.headers), reply::whole(text)))
}

fn to_client(exchange: &Exchange, headers: HeaderMap) -> HeaderMap {
    let mut out = headers::forwarded(headers);
    well_known::rewrite(&exchange.gateway, &exchange.upstream, &mut out);
    out
}

/// The answers to requests that the server did not get, alone.
pub fn own(mut exchange: Box<Exchange>, answers: Vec<String>) -> Response<Body> {
    let answers = one(answers.into_iter().map(Bytes::from).collect());
    let response = match answers.is_empty() {
        true => reply::accepted(),
        false => reply::text(StatusCode::OK, "application/json", answers),
    };
    exchange.report.status = response.status().as_u16();
    response
}

/// A stream with these messages alone.
pub fn events(mut report: Report, messages: &[String]) -> Response<Body> {
    report.status = StatusCode::OK.as_u16();
    let events: Vec<u8> = messages.iter().flat_map(|message| stream::message_event(message)).collect();
    reply::text(StatusCode::OK, "text/event-stream", events)
}

fn response(status: StatusCode, headers: HeaderMap, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    (*response.status_mut(), *response.headers_mut()) = (status, headers);
    response
}

/// The next part of an answer that is read whole.
async fn next(exchange: &Exchange, body: &mut Body) -> Result<Option<Bytes>, Refusal> {
    match timeout(exchange.gateway.limits.first_byte, body.frame()).await {
        Ok(None) => Ok(None),
        Ok(Some(Ok(part))) => Ok(Some(part.into_data().unwrap_or_default())),
        Ok(Some(Err(_))) => Err(Refusal::new(StatusCode::BAD_GATEWAY, stream::BROKEN)),
        Err(_) => Err(Refusal::new(StatusCode::GATEWAY_TIMEOUT, "the server's answer stopped")),
    }
}

/// The messages of a body of JSON.
async fn json(exchange: &mut Exchange, body: Body, kind: ExchangeKind) -> Result<Vec<Bytes>, Refusal> {
    let mut text = JsonText::new(exchange);
    let asked = Instant::now();
    let read = text.read_all(exchange, body).await;
    exchange.report.waited += asked.elapsed();
    read?;
    Ok(text.end(exchange, kind).await)
}

/// A body of JSON that is read whole, unless it is too long.
pub struct JsonText {
    text: Vec<u8>,
    most: usize,
    is_long: bool,
}

impl JsonText {
    pub fn new(exchange: &Exchange) -> Self {
        Self { text: Vec::new(), most: exchange.upstream.max_line_bytes, is_long: false }
    }

    async fn read_all(&mut self, exchange: &mut Exchange, mut body: Body) -> Result<(), Refusal> {
        let announced = usize::try_from(body.size_hint().lower()).unwrap_or(self.most);
        self.text.reserve(announced.min(self.most));
        while !body.is_end_stream()
            && let Some(part) = next(exchange, &mut body).await?
        {
            self.read(exchange, &part).await;
        }
        Ok(())
    }

    /// Takes the next part.
    pub async fn read(&mut self, exchange: &mut Exchange, part: &[u8]) {
        self.text.extend_from_slice(part);
        if self.is_long || self.text.len() > self.most {
            self.is_long = true;
            exchange.long(&self.text, false).await;
            self.text.clear();
        }
    }

    /// The messages for the client.
    pub async fn end(self, exchange: &mut Exchange, kind: ExchangeKind) -> Vec<Bytes> {
        let sent = match self.is_long {
            true => exchange.long(&[], true).await,
            false if self.text.trim_ascii().is_empty() => Vec::new(),
            false => exchange.of_server(&self.text, kind == ExchangeKind::Stream).await,
        };
        let text = Bytes::from(self.text);
        let answers = sent.into_iter().filter_map(|sent| match sent {
            Sent::Same => Some(text.clone()),
            Sent::ToClient(line) => Some(Bytes::from(line)),
            Sent::ToServer(_) => None,
        });
        let answers: Vec<Bytes> = answers.collect();
        if !answers.is_empty() || self.is_long {
            return answers;
        }
        if exchange.has_failed() {
            return vec![exchange.redacted(text)];
        }
        // It answers another request, or is not JSON.
        let errors = exchange.unanswered("the server's answer is not one to this request");
        errors.into_iter().map(Bytes::from).collect()
    }
}

/// One message, or several as a batch.
pub fn one(mut messages: Vec<Bytes>) -> Bytes {
    if messages.len() < 2 { messages.pop().unwrap_or_default() } else { together(messages.into_iter()) }
}

/// A batch of messages, some of which are batches.
pub fn together(messages: impl Iterator<Item = Bytes>) -> Bytes {
    let inside = |message: Bytes| {
        let text = message.trim_ascii();
        text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]")).unwrap_or(text).to_vec()
    };
    let messages: Vec<Vec<u8>> = messages.map(inside).filter(|message| !message.trim_ascii().is_empty()).collect();
    [b"[".as_slice(), &messages.join(&b","[..]), b"]"].concat().into()
}
