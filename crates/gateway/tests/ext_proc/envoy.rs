//! Envoy, as its documentation describes the filter: what it sends, what it expects, and what it does with the responses.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::Request;
use hyper::body::{Bytes, Frame, Incoming};
use hyper::client::conn::http2::{self, SendRequest};
use hyper::header::HeaderMap;
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use toolshape_gateway::{Engine, Gateway, ServeOptions};
use toolshape_stores::Store;

use crate::messages::{
    Answer, BodySendMode, HeaderField, HeaderList, HeaderMutation, HttpBody, HttpHeaders, HttpTrailers, Mutation,
    PROCESS, PartResponse, Phase, ProcessingRequest, ProcessingResponse, ProtocolConfiguration,
};
use crate::world::{self, DAY, Replica, Seen};

const LONG: Duration = Duration::from_secs(20);

/// Starts a processor.
pub async fn processor(options: Value, store: Option<Arc<dyn Store>>) -> Replica {
    processor_of(Engine::Envoy, options, store).await
}

/// Starts a processor of an engine.
pub async fn processor_of(engine: Engine, options: Value, store: Option<Arc<dyn Store>>) -> Replica {
    let mut all = json!({ "listen": "127.0.0.1:0", "maxTokens": 500, "upstreams": { "up": {} } });
    all.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    let mut gateway = Gateway::new(ServeOptions::of_processor(&all, engine).unwrap(), store, DAY).unwrap();
    let listener = gateway.bind().await.unwrap();
    let (address, gateway) = (gateway.address(), Arc::new(gateway));
    Replica { address, task: tokio::spawn(Arc::clone(&gateway).run(listener)), gateway }
}

/// A message of HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Http {
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

impl Http {
    pub fn new(headers: &[(&str, &str)], body: impl Into<Bytes>) -> Self {
        let (headers, body) = (headers.iter().map(|(key, value)| (key.to_string(), value.to_string())), body.into());
        let mut headers: Vec<_> = headers.collect();
        if !body.is_empty() {
            headers.push(("content-length".to_owned(), body.len().to_string()));
        }
        Self { headers, body }
    }

    /// A message for the server `up`.
    pub fn post(headers: &[(&str, &str)], message: &Value) -> Self {
        let mut all = vec![(":method", "POST"), (":path", "/up"), ("content-type", "application/json")];
        all.extend(headers);
        Self::new(&all, message.to_string())
    }

    pub fn answer(status: &str, kind: &str, body: impl Into<Bytes>) -> Self {
        Self::new(&[(":status", status), ("content-type", kind)], body)
    }

    pub fn json(answer: &Value) -> Self {
        Self::answer("200", "application/json", answer.to_string())
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The text of a tool's result.
    pub fn result(&self) -> String {
        world::text(&serde_json::from_str(&self.text()).unwrap_or_else(|_| panic!("{self:?}")))
    }

    fn message(&self) -> HttpHeaders {
        let field = |(key, value): &(String, String)| HeaderField {
            key: key.clone(),
            value: String::new(),
            raw_value: value.as_bytes().to_vec(),
        };
        let headers = Some(HeaderList { headers: self.headers.iter().map(field).collect() });
        HttpHeaders { headers, end_of_stream: self.body.is_empty() }
    }

    fn change(&mut self, mutation: Option<&HeaderMutation>) {
        for option in mutation.iter().flat_map(|mutation| &mutation.set_headers) {
            let field = option.header.as_ref().unwrap();
            let is_there = self.headers.iter().any(|(key, _)| *key == field.key);
            match option.append_action {
                2 => {}
                3 if is_there => {}
                3 => continue,
                other => panic!("{other} does not replace"),
            }
            self.headers.retain(|(key, _)| *key != field.key);
            self.headers.push((field.key.clone(), String::from_utf8(field.raw_value.clone()).unwrap()));
        }
        let removed: Vec<&String> = mutation.iter().flat_map(|mutation| &mutation.remove_headers).collect();
        self.headers.retain(|(key, _)| !removed.contains(&key));
    }
}

/// The server of the other tests.
pub fn usual(request: &Http) -> Http {
    let mut answer = world::usual(&Seen {
        method: request.header(":method").to_owned(),
        path: request.header(":path").to_owned(),
        headers: HeaderMap::new(),
        body: request.text(),
    });
    let body = answer.parts.try_recv().unwrap().unwrap();
    let status = answer.status.to_string();
    let headers: Vec<_> = answer.headers.iter().map(|(key, value)| (*key, value.as_str())).collect();
    Http::new(&[&[(":status", &*status)], &headers[..]].concat(), body)
}

/// How bodies are sent.
#[derive(Clone, Copy, Debug)]
pub struct Modes {
    pub request: BodySendMode,
    pub response: BodySendMode,
    /// The bytes of a part.
    pub part: usize,
    /// Whether Envoy says how: older versions do not.
    pub says: bool,
    /// Whether the processor may say that a body need not be sent: not in full duplex.
    pub heeds: bool,
}

impl Modes {
    pub const BUFFERED: Self =
        Self { request: BodySendMode::Buffered, response: BodySendMode::Buffered, part: 1000, says: true, heeds: true };
    pub const STREAMED: Self =
        Self { request: BodySendMode::Streamed, response: BodySendMode::Streamed, part: 700, says: true, heeds: true };
    pub const RECOMMENDED: Self = Self {
        request: BodySendMode::Buffered,
        response: BodySendMode::FullDuplexStreamed,
        part: 700,
        says: true,
        heeds: false,
    };
    pub const DUPLEX: Self = Self { request: BodySendMode::FullDuplexStreamed, ..Self::RECOMMENDED };
    /// All that are tested, older versions of Envoy among them.
    pub const ALL: [Self; 6] = [
        Self::BUFFERED,
        Self { says: false, heeds: false, ..Self::BUFFERED },
        Self::STREAMED,
        Self { says: false, part: 7, ..Self::STREAMED },
        Self::RECOMMENDED,
        Self::DUPLEX,
    ];
}

/// What became of an exchange.
#[derive(Debug)]
pub struct Done {
    /// What the server got; nothing if the processor answered.
    pub server: Option<Http>,
    pub client: Http,
}

struct Parts(mpsc::UnboundedReceiver<Bytes>);

impl hyper::body::Body for Parts {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(context).map(|part| part.map(|part| Ok(Frame::data(part))))
    }
}

/// A connection.
pub struct Envoy(SendRequest<Parts>);

/// A stream.
pub struct Stream {
    to: mpsc::UnboundedSender<Bytes>,
    body: Incoming,
    bytes: Vec<u8>,
    /// The status of gRPC with which the processor ended it.
    pub status: Option<String>,
    modes: Modes,
    is_first: bool,
    /// Whether the body of the answer need not be sent.
    pub is_unread: bool,
}

impl Envoy {
    pub async fn connect(to: SocketAddr) -> Self {
        let connection = TokioIo::new(TcpStream::connect(to).await.unwrap());
        let (sender, connection) = http2::handshake(TokioExecutor::new(), connection).await.unwrap();
        tokio::spawn(connection);
        Self(sender)
    }

    pub async fn stream(&self, modes: Modes, metadata: &[(&str, &str)]) -> Stream {
        let (to, parts) = mpsc::unbounded_channel();
        let mut request = Request::post(format!("http://processor{PROCESS}")).header("te", "trailers");
        for (name, value) in [("content-type", "application/grpc")].iter().chain(metadata) {
            request = request.header(*name, *value);
        }
        let response = self.0.clone().send_request(request.body(Parts(parts)).unwrap()).await.unwrap();
        assert_eq!(
            (response.status().as_u16(), &response.headers()["content-type"]),
            (200, &"application/grpc".parse().unwrap())
        );
        let status = response.headers().get("grpc-status").map(|status| status.to_str().unwrap().to_owned());
        Stream { to, body: response.into_body(), bytes: Vec::new(), status, modes, is_first: true, is_unread: false }
    }

    /// An exchange from the first message to the last. Fails if the processor breaks the rules.
    pub async fn exchange(&self, modes: Modes, request: Http, server: impl FnOnce(&Http) -> Http) -> Done {
        let mut stream = self.stream(modes, &[]).await;
        let to_server = match stream.pass(request, true).await {
            Ok(request) => request,
            Err(client) => return Done { server: None, client },
        };
        let answer = server(&to_server);
        let (Ok(client) | Err(client)) = stream.pass(answer, false).await;
        Done { server: Some(to_server), client }
    }
}

impl Stream {
    pub fn send(&self, bytes: Bytes) {
        let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
        let _ = self.to.send([&[0][..], &length, &bytes].concat().into());
    }

    pub fn say(&mut self, phase: Phase) {
        let (is_first, modes) = (std::mem::take(&mut self.is_first), self.modes);
        let config = ProtocolConfiguration {
            request_body_mode: modes.request.into(),
            response_body_mode: modes.response.into(),
        };
        let protocol_config = (is_first && modes.says).then_some(config);
        let request = ProcessingRequest { request: Some(phase), observability_mode: false, protocol_config };
        self.send(request.encode_to_vec().into());
    }

    /// The next response; none if the stream has ended.
    pub async fn hear(&mut self) -> Option<Answer> {
        loop {
            if let Some(length) = self.bytes.get(1..5) {
                let length = u32::from_be_bytes(length.try_into().unwrap()) as usize;
                if let Some(message) = self.bytes.get(5..5 + length) {
                    let response = ProcessingResponse::decode(message).unwrap();
                    self.bytes.drain(..5 + length);
                    let mode = response.mode_override.as_ref();
                    self.is_unread |= mode.is_some_and(|mode| mode.response_body_mode() == BodySendMode::None);
                    return Some(response.response.expect("a response without an answer"));
                }
            }
            match tokio::time::timeout(LONG, self.body.frame()).await.expect("no response")?.unwrap().into_data() {
                Ok(data) => self.bytes.extend_from_slice(&data),
                Err(frame) => {
                    let trailers = frame.into_trailers().unwrap();
                    self.status = Some(trailers["grpc-status"].to_str().unwrap().to_owned());
                    return None;
                }
            }
        }
    }

    /// Whether nothing more comes when Envoy has ended the stream.
    pub async fn ends(mut self) -> bool {
        let (to, _) = mpsc::unbounded_channel();
        self.to = to;
        self.hear().await.is_none() && self.status.as_deref() == Some("0")
    }

    /// Sends the headers of a message, and applies the response to them.
    pub async fn headers(&mut self, mut message: Http, is_request: bool) -> Result<Http, Http> {
        let headers = message.message();
        self.say(if is_request { Phase::RequestHeaders(headers) } else { Phase::ResponseHeaders(headers) });
        let part = part(self.hear().await.expect("no response"), is_request, true)?;
        if let Some(response) = part.response {
            message.change(response.header_mutation.as_ref());
        }
        Ok(message)
    }

    /// A message on its way through the filter, or else the processor's own answer.
    pub async fn pass(&mut self, message: Http, is_request: bool) -> Result<Http, Http> {
        let mode = if is_request { self.modes.request } else { self.modes.response };
        let mut message = self.headers(message, is_request).await?;
        if mode != BodySendMode::Buffered {
            // Envoy does not know how long it will be.
            message.headers.retain(|(key, _)| key != "content-length");
        }
        let body = std::mem::take(&mut message.body);
        let is_unread = !is_request && self.modes.heeds && self.is_unread;
        if body.is_empty() || mode == BodySendMode::None || is_unread {
            return Ok(Http { body, ..message });
        }
        let size = if mode == BodySendMode::Buffered { body.len() } else { self.modes.part };
        let mut sent = Vec::new();
        for start in (0..body.len()).step_by(size) {
            let end = body.len().min(start + size);
            let part = HttpBody { body: body.slice(start..end), end_of_stream: end == body.len() };
            sent.extend(self.part(&mut message, part, is_request, mode).await?);
        }
        message.body = sent.into();
        let length = message.header("content-length");
        assert!(length.is_empty() || length == message.body.len().to_string(), "{message:?}");
        Ok(message)
    }

    /// A part of a body on its way through.
    pub async fn part(
        &mut self,
        message: &mut Http,
        sent: HttpBody,
        is_request: bool,
        mode: BodySendMode,
    ) -> Result<Vec<u8>, Http> {
        let (received, is_end) = (sent.body.clone(), sent.end_of_stream);
        self.say(if is_request { Phase::RequestBody(sent) } else { Phase::ResponseBody(sent) });
        if mode == BodySendMode::FullDuplexStreamed {
            return if is_end { self.streamed(is_request).await } else { Ok(Vec::new()) };
        }
        let response = part(self.hear().await.expect("no response"), is_request, false)?.response.unwrap_or_default();
        if mode == BodySendMode::Buffered {
            message.change(response.header_mutation.as_ref());
        }
        Ok(match response.body_mutation.and_then(|body| body.mutation) {
            None => received.to_vec(),
            Some(Mutation::Body(body)) => body.to_vec(),
            Some(Mutation::ClearBody(true)) => Vec::new(),
            Some(other) => panic!("{other:?} in {mode:?}"),
        })
    }

    /// All that comes until the end of a body in full duplex.
    async fn streamed(&mut self, is_request: bool) -> Result<Vec<u8>, Http> {
        let mut all = Vec::new();
        loop {
            let part = self.streamed_part(is_request).await?;
            all.extend_from_slice(&part.body);
            if part.end_of_stream {
                return Ok(all);
            }
        }
    }

    pub async fn streamed_part(&mut self, is_request: bool) -> Result<HttpBody, Http> {
        let response = part(self.hear().await.expect("no response"), is_request, false)?.response.unwrap();
        match response.body_mutation.unwrap().mutation {
            Some(Mutation::Streamed(part)) => Ok(part),
            other => panic!("{other:?} in full duplex"),
        }
    }

    /// Sends trailers.
    pub fn trailers(&mut self, is_request: bool) {
        let trailers = HttpTrailers {};
        self.say(if is_request { Phase::RequestTrailers(trailers) } else { Phase::ResponseTrailers(trailers) });
    }
}

/// The response to headers or to a part of a body, or else the processor's own answer.
fn part(answer: Answer, is_request: bool, is_headers: bool) -> Result<PartResponse, Http> {
    match (answer, is_request, is_headers) {
        (Answer::RequestHeaders(part), true, true)
        | (Answer::RequestBody(part), true, false)
        | (Answer::ResponseHeaders(part), false, true)
        | (Answer::ResponseBody(part), false, false) => Ok(part),
        (Answer::Immediate(response), ..) => {
            let status = response.status.unwrap().code.to_string();
            let mut message = Http::new(&[(":status", &status), ("content-type", "text/plain")], response.body);
            message.change(response.headers.as_ref());
            Err(message)
        }
        (other, ..) => panic!("{other:?} is not an answer to what was sent"),
    }
}
