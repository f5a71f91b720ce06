//! What is answered to Envoy's messages about one exchange, in their order.

use std::mem;
use std::sync::Arc;

use hyper::body::Bytes;
use hyper::header::{ACCEPT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{Method, StatusCode};
use tonic::Status;

use crate::answer::{self, ExchangeKind};
use crate::exchange::Exchange;
use crate::ext_proc::body::AnswerBody;
use crate::ext_proc::messages::{BodySendMode, HttpBody, HttpHeaders, Phase, ProcessingRequest, ProcessingResponse};
use crate::ext_proc::replies::{self, BodyChange, Direction};
use crate::gateway::{Begun, Gateway};
use crate::headers::{self, Content};
use crate::reply::Refusal;
use crate::report::Report;
use crate::upstream::Upstream;

type Replies = Result<Vec<ProcessingResponse>, Status>;

/// A stream.
pub struct Processor {
    gateway: Arc<Gateway>,
    /// The server that Envoy's configuration names for the route.
    server: Option<String>,
    /// How Envoy sends the bodies of the request and of the response; `None` if it does not say.
    modes: [BodySendMode; 2],
    stage: Stage,
}

enum Stage {
    /// Whatever comes passes.
    Passing,
    Request(Box<ArrivingRequest>),
    Answer(Box<ArrivingAnswer>),
}

struct ArrivingRequest {
    upstream: Arc<Upstream>,
    method: Method,
    headers: HeaderMap,
    body: Vec<u8>,
    report: Report,
}

struct ArrivingAnswer {
    exchange: Box<Exchange>,
    kind: ExchangeKind,
    id: Option<String>,
    own: Vec<String>,
    body: AnswerBody,
    /// Whether a part of the body was here.
    has_begun: bool,
}

impl Processor {
    pub fn new(gateway: Arc<Gateway>, server: Option<String>) -> Self {
        Self { gateway, server, modes: [BodySendMode::None; 2], stage: Stage::Passing }
    }

    /// Whether the answer has no end of its own: a stream of the server's messages.
    pub fn is_open_ended(&self) -> bool {
        let Stage::Answer(open) = &self.stage else { return false };
        let is_stream = open.kind == ExchangeKind::Stream || open.exchange.is_open_ended();
        is_stream && matches!(open.body, AnswerBody::Events { .. })
    }

    /// The responses to a message.
    ///
    /// # Errors
    /// A message of a kind that is not known, after which Envoy does what it is configured to do without a processor; or a body
    /// that cannot be sent any more.
    pub async fn answer(&mut self, request: ProcessingRequest) -> Replies {
        if let Some(config) = &request.protocol_config {
            self.modes = [config.request_body_mode(), config.response_body_mode()];
        }
        if request.observability_mode {
            return Ok(Vec::new());
        }
        match request.request {
            Some(Phase::RequestHeaders(headers)) => Ok(vec![self.request_headers(headers).await]),
            Some(Phase::RequestBody(part)) => Ok(self.request_body(part).await),
            Some(Phase::RequestTrailers(_)) => Ok(self.request_trailers().await),
            Some(Phase::ResponseHeaders(headers)) => Ok(vec![self.response_headers(headers).await]),
            Some(Phase::ResponseBody(part)) => Ok(self.response_body(part).await),
            Some(Phase::ResponseTrailers(_)) => self.response_trailers().await,
            None => Err(Status::unimplemented("a message of an unknown kind")),
        }
    }

    async fn request_headers(&mut self, received: HttpHeaders) -> ProcessingResponse {
        let (of_request, headers) = read_headers(&received);
        let pseudo = |name: &str| of_request.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let method = pseudo(":method").and_then(|method| method.parse().ok()).unwrap_or(Method::GET);
        let Some(upstream) = self.upstream(pseudo(":path").unwrap_or_default()) else {
            return replies::headers(Direction::Request, &[]);
        };
        let report = match self.gateway.admit(&upstream, &method, &headers) {
            Ok(report) => report,
            Err(refusal) => return refused(&refusal, None),
        };
        if received.end_of_stream || method != Method::POST {
            let begun = self.gateway.begin(&upstream, &method, &headers, Bytes::new(), report).await;
            self.stage = Stage::Answer(Box::new(begun.into()));
        } else {
            self.stage =
                Stage::Request(Box::new(ArrivingRequest { upstream, method, headers, body: Vec::new(), report }));
        }
        // A result that is compressed cannot be read.
        replies::headers(Direction::Request, &[(ACCEPT_ENCODING.as_str(), "identity")])
    }

    async fn request_body(&mut self, part: HttpBody) -> Vec<ProcessingResponse> {
        let mode = self.modes[0];
        let is_duplex = mode == BodySendMode::FullDuplexStreamed;
        let is_end = part.end_of_stream;
        let (received, sent) = (part.body.clone(), part.body.clone());
        let same = BodyChange { received, sent, is_whole: true, is_end, is_duplex, method: None };
        let Stage::Request(open) = &mut self.stage else { return replies::body(Direction::Request, &same) };
        if mode == BodySendMode::BufferedPartial && !is_end {
            // The rest does not come here.
            self.request_unread().await;
            return replies::body(Direction::Request, &same);
        }
        let is_whole = open.body.is_empty();
        open.body.extend_from_slice(&part.body);
        if open.body.len() > self.gateway.limits.request_bytes {
            let refusal = Refusal::too_long(self.gateway.limits.request_bytes);
            let Stage::Request(open) = mem::replace(&mut self.stage, Stage::Passing) else { return Vec::new() };
            return vec![refuse(open.report, &refusal, None)];
        }
        if !is_end && mode != BodySendMode::Buffered {
            let held = BodyChange { sent: Bytes::new(), ..same };
            return replies::body(Direction::Request, &held);
        }
        match self.request_is_here().await {
            Ok((sent, method)) => replies::body(Direction::Request, &BodyChange { sent, is_whole, method, ..same }),
            Err(answer) => vec![answer],
        }
    }

    async fn request_trailers(&mut self) -> Vec<ProcessingResponse> {
        let mut replies = Vec::new();
        if let Stage::Request(open) = &self.stage {
            let is_duplex = self.modes[0] == BodySendMode::FullDuplexStreamed;
            if !is_duplex && !open.body.is_empty() {
                let reason = "a request with trailers requires request_body_mode BUFFERED or FULL_DUPLEX_STREAMED";
                let Stage::Request(open) = mem::replace(&mut self.stage, Stage::Passing) else { return replies };
                return vec![refuse(open.report, &Refusal::new(StatusCode::NOT_IMPLEMENTED, reason), None)];
            }
            match self.request_is_here().await {
                Ok((sent, _)) if is_duplex => replies.extend(rest(Direction::Request, sent)),
                Ok(_) => {}
                Err(answer) => return vec![answer],
            }
        }
        replies.push(replies::trailers(Direction::Request));
        replies
    }

    /// Begins the exchange, and returns what the server gets, with its method if that is not the client's.
    ///
    /// # Errors
    /// The answer, if the server gets nothing.
    async fn request_is_here(&mut self) -> Result<(Bytes, Option<String>), ProcessingResponse> {
        let Stage::Request(open) = mem::replace(&mut self.stage, Stage::Passing) else {
            return Ok((Bytes::new(), None));
        };
        let ArrivingRequest { upstream, method, headers, body, report } = *open;
        let mut begun = self.gateway.begin(&upstream, &method, &headers, body.into(), report).await;
        match begun.to_server.take() {
            Some(sent) => {
                let method = begun.question.take();
                self.stage = Stage::Answer(Box::new(begun.into()));
                Ok((sent, method))
            }
            None => Err(own_answers(begun.exchange, begun.own)),
        }
    }

    /// The request's body does not come here: whatever looks like a tool's result is one.
    async fn request_unread(&mut self) {
        let Stage::Request(open) = mem::replace(&mut self.stage, Stage::Passing) else { return };
        let ArrivingRequest { upstream, headers, report, .. } = *open;
        let begun = self.gateway.begin(&upstream, &Method::GET, &headers, Bytes::new(), report).await;
        self.stage = Stage::Answer(Box::new(begun.into()));
    }

    async fn response_headers(&mut self, received: HttpHeaders) -> ProcessingResponse {
        if matches!(self.stage, Stage::Request(_)) {
            self.request_unread().await;
        }
        let pass = replies::headers(Direction::Response, &[]);
        let Stage::Answer(open) = &mut self.stage else { return pass };
        let (of_response, headers) = read_headers(&received);
        let status = of_response.iter().find(|(key, _)| key == ":status").map(|(_, value)| value.as_bytes());
        let status = status.and_then(|status| StatusCode::from_bytes(status).ok()).unwrap_or(StatusCode::OK);
        open.exchange.answered(status);
        if let Some(id) = headers::text(&headers, &headers::SESSION) {
            open.exchange.begin_session(id);
        }
        let content = headers::content(&headers);
        if open.kind.passes(&open.exchange, &headers, &open.own) {
            return pass;
        }
        let is_refused = content != Content::Other && headers::is_encoded(&headers);
        if is_refused || content == Content::Other || received.end_of_stream && !open.own.is_empty() {
            let Stage::Answer(open) = mem::replace(&mut self.stage, Stage::Passing) else { return pass };
            return match is_refused {
                true => refuse(open.exchange.report, &Refusal::compressed(), open.id.as_deref()),
                false => own_answers(open.exchange, open.own),
            };
        }
        let length = headers::text(&headers, &CONTENT_LENGTH).and_then(|length| length.parse().ok());
        let is_unread = open.own.is_empty() && length.is_some_and(|length| open.exchange.relay.fits(length));
        open.body = AnswerBody::new(&open.exchange, content, mem::take(&mut open.own));
        // Envoy may send the body all the same.
        if is_unread && content == Content::Json { replies::unread() } else { pass }
    }

    async fn response_body(&mut self, part: HttpBody) -> Vec<ProcessingResponse> {
        let mode = self.modes[1];
        let is_end = part.end_of_stream;
        let is_duplex = mode == BodySendMode::FullDuplexStreamed;
        let received = part.body;
        let mut change =
            BodyChange { sent: received.clone(), received, is_whole: true, is_end, is_duplex, method: None };
        if let Stage::Answer(open) = &mut self.stage {
            if mode == BodySendMode::BufferedPartial && !is_end {
                // The rest does not come here.
                open.exchange.report.note("the answer is longer than Envoy's buffer".to_owned());
                open.body = AnswerBody::Unchanged;
            }
            let is_last = is_end || mode == BodySendMode::Buffered;
            change.is_whole = is_last && !mem::replace(&mut open.has_begun, true);
            change.sent = open.body.read(&mut open.exchange, open.kind, &change.received, is_last).await;
            if is_last {
                self.stage = Stage::Passing;
            }
        }
        replies::body(Direction::Response, &change)
    }

    async fn response_trailers(&mut self) -> Replies {
        let mut replies = Vec::new();
        if let Stage::Answer(mut open) = mem::replace(&mut self.stage, Stage::Passing) {
            let sent = open.body.read(&mut open.exchange, open.kind, &Bytes::new(), true).await;
            if self.modes[1] == BodySendMode::FullDuplexStreamed {
                replies.extend(rest(Direction::Response, sent));
            } else if !sent.is_empty() {
                let reason = "an answer with trailers requires response_body_mode BUFFERED or FULL_DUPLEX_STREAMED";
                open.exchange.report.note(reason.to_owned());
                return Err(Status::failed_precondition(reason));
            }
        }
        replies.push(replies::trailers(Direction::Response));
        Ok(replies)
    }

    /// The server that a request is for: the one that the route names, the one that the path begins with, or the only one.
    fn upstream(&self, path: &str) -> Option<Arc<Upstream>> {
        let all = &self.gateway.upstreams;
        let found = match &self.server {
            Some(name) => all.get(name),
            None => {
                let only = all.values().next().filter(|_| all.len() == 1);
                path.split(['/', '?']).nth(1).and_then(|name| all.get(name)).or(only)
            }
        };
        found.map(Arc::clone)
    }
}

impl From<Begun> for ArrivingAnswer {
    fn from(begun: Begun) -> Self {
        let Begun { exchange, kind, id, own, .. } = begun;
        Self { exchange, kind, id, own, body: AnswerBody::Unchanged, has_begun: false }
    }
}

/// What is left of a body that trailers end.
fn rest(direction: Direction, sent: Bytes) -> Vec<ProcessingResponse> {
    let received = Bytes::new();
    let change = BodyChange { received, sent, is_whole: false, is_end: false, is_duplex: true, method: None };
    replies::body(direction, &change)
}

/// The answers to requests that the server does not get.
fn own_answers(mut exchange: Box<Exchange>, own: Vec<String>) -> ProcessingResponse {
    let status = if own.is_empty() { StatusCode::ACCEPTED } else { StatusCode::OK };
    exchange.report.status = status.as_u16();
    let json = [("content-type", "application/json")];
    let body = answer::one(own.into_iter().map(Bytes::from).collect());
    replies::immediate(status, if body.is_empty() { &[] } else { &json }, body, "toolshape_answered")
}

fn refuse(mut report: Report, refusal: &Refusal, id: Option<&str>) -> ProcessingResponse {
    report.refused(refusal);
    refused(refusal, id)
}

fn refused(refusal: &Refusal, id: Option<&str>) -> ProcessingResponse {
    let mut headers = vec![("content-type", "application/json")];
    if refusal.status == StatusCode::SERVICE_UNAVAILABLE {
        headers.push((RETRY_AFTER.as_str(), "1"));
    }
    replies::immediate(refusal.status, &headers, refusal.error(id).into(), "toolshape_refused")
}

/// The headers of a message; those of HTTP/2 itself, such as `:path`, apart.
fn read_headers(received: &HttpHeaders) -> (Vec<(String, String)>, HeaderMap) {
    let (mut pseudo, mut headers) = (Vec::new(), HeaderMap::new());
    for field in received.headers.iter().flat_map(|list| &list.headers) {
        let value = if field.raw_value.is_empty() { field.value.as_bytes() } else { &field.raw_value };
        if field.key.starts_with(':') {
            pseudo.push((field.key.clone(), String::from_utf8_lossy(value).into_owned()));
        } else if let (Ok(name), Ok(value)) = (HeaderName::try_from(&field.key), HeaderValue::from_bytes(value)) {
            headers.append(name, value);
        }
    }
    (pseudo, headers)
}
