//! A server, gateways before it, and a client.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::{HeaderMap, HeaderName};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use toolshape_gateway::{Gateway, ServeOptions};
use toolshape_stores::Store;

pub const DAY: Duration = Duration::from_secs(86_400);
const LONG: Duration = Duration::from_secs(20);

/// What the events of a stream are sent to.
pub type Sender = mpsc::UnboundedSender<Result<Bytes, std::io::Error>>;

/// A request, as the server sees it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
}

impl Seen {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// What the server answers.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub parts: mpsc::UnboundedReceiver<Result<Bytes, std::io::Error>>,
    pub wait: Duration,
}

impl Answer {
    pub fn of(status: u16, kind: &str, text: impl Into<Bytes>) -> Self {
        let (to, parts) = mpsc::unbounded_channel();
        to.send(Ok(text.into())).unwrap();
        Self { status, headers: vec![("content-type", kind.to_owned())], parts, wait: Duration::ZERO }
    }

    pub fn json(answer: &Value) -> Self {
        Self::of(200, "application/json", answer.to_string())
    }

    /// A stream, and what its events are sent to.
    pub fn events() -> (Sender, Self) {
        let (to, parts) = mpsc::unbounded_channel();
        let headers = vec![("content-type", "text/event-stream".to_owned())];
        (to, Self { status: 200, headers, parts, wait: Duration::ZERO })
    }

    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

struct Parts(mpsc::UnboundedReceiver<Result<Bytes, std::io::Error>>);

impl hyper::body::Body for Parts {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(context).map(|part| part.map(|part| part.map(Frame::data)))
    }
}

/// A server that answers as a test wants.
pub struct Server {
    pub address: SocketAddr,
    pub seen: Arc<Mutex<Vec<Seen>>>,
    /// The connections that it has had.
    pub connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// A server whose answers are streams that a test sends to.
    pub async fn streaming() -> (Self, Arc<Mutex<Vec<Sender>>>) {
        let streams: Arc<Mutex<Vec<Sender>>> = Arc::default();
        let all = Arc::clone(&streams);
        let server = Self::start(move |_| {
            let (to, answer) = Answer::events();
            all.lock().unwrap().push(to);
            answer
        })
        .await;
        (server, streams)
    }

    pub async fn start(answer: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, answer) = (listener.local_addr().unwrap(), Arc::new(answer));
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let connections: Arc<AtomicUsize> = Arc::default();
        let (all, counted) = (Arc::clone(&seen), Arc::clone(&connections));
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                let (answer, all) = (Arc::clone(&answer), Arc::clone(&all));
                let service = service_fn(move |request: Request<Incoming>| {
                    let (answer, all) = (Arc::clone(&answer), Arc::clone(&all));
                    async move {
                        let (head, body) = request.into_parts();
                        let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
                        let body = String::from_utf8_lossy(&body).into_owned();
                        let path = head.uri.to_string();
                        let one = Seen { method: head.method.to_string(), path, headers: head.headers, body };
                        let answer = answer(&one);
                        all.lock().unwrap().push(one);
                        tokio::time::sleep(answer.wait).await;
                        let mut response = Response::builder().status(answer.status);
                        for (name, value) in answer.headers {
                            response = response.header(name, value);
                        }
                        Ok::<_, Infallible>(response.body(Parts(answer.parts)).unwrap())
                    }
                });
                let served =
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(connection), service);
                tokio::spawn(served);
            }
        });
        Self { address, seen, connections, task }
    }

    /// A server with the tools `list`, which returns many rows, and `small`; in a session, or in none.
    pub async fn usual() -> Self {
        Self::start(usual).await
    }

    pub fn last(&self) -> Seen {
        self.seen.lock().unwrap().last().cloned().unwrap()
    }

    pub fn calls(&self) -> usize {
        self.seen.lock().unwrap().iter().filter(|seen| seen.body.contains("tools/call")).count()
    }
}

/// The rows of the tool `list`, which begins each with a word.
pub fn rows(word: &str) -> Value {
    let rows: Vec<Value> = (0..400).map(|row| json!({ "id": row, "name": format!("{word} {row}") })).collect();
    json!({ "content": [{ "type": "text", "text": Value::Array(rows).to_string() }] })
}

pub fn usual(seen: &Seen) -> Answer {
    if seen.method != "POST" {
        return Answer::of(405, "text/plain", "no");
    }
    let message = seen.json();
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => {
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": { "name": "rows", "version": "1" } })
        }
        "tools/list" => json!({ "tools": [
            { "name": "list", "inputSchema": { "type": "object", "properties": { "word": { "type": "string" } } } },
            { "name": "small", "inputSchema": { "type": "object" } },
        ] }),
        "tools/call" if message["params"]["name"] == "list" => {
            rows(message["params"]["arguments"]["word"].as_str().unwrap_or("row"))
        }
        "tools/call" => json!({ "content": [{ "type": "text", "text": "few words" }] }),
        "ping" | "server/discover" => json!({}),
        _ => return Answer::of(202, "text/plain", ""),
    };
    let answer = Answer::json(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
    if message["method"] == "initialize" { answer.with("mcp-session-id", "session-1") } else { answer }
}

/// A gateway.
pub struct Replica {
    pub address: SocketAddr,
    pub gateway: Arc<Gateway>,
    pub task: JoinHandle<()>,
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Starts a gateway whose server `up` is at an address.
pub async fn gateway(server: SocketAddr, options: Value, store: Option<Arc<dyn Store>>) -> Replica {
    let mut all = json!({ "listen": "127.0.0.1:0", "maxTokens": 500, "upstreams": { "up": { "url": format!("http://{server}/mcp") } } });
    all.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    let mut gateway = Gateway::new(ServeOptions::new(&all).unwrap(), store, DAY).unwrap();
    let listener = gateway.bind().await.unwrap();
    let (address, gateway) = (gateway.address(), Arc::new(gateway));
    Replica { address, task: tokio::spawn(Arc::clone(&gateway).run(listener)), gateway }
}

/// What a client gets.
#[derive(Debug)]
pub struct Got {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

impl Got {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// The text of a tool's result.
    pub fn text(&self) -> String {
        text(&self.json())
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

pub fn text(answer: &Value) -> String {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// The handle that a result names.
pub fn handle(text: &str) -> String {
    let place = text.find("toolshape://result/").unwrap_or_else(|| panic!("{text}")) + "toolshape://result/".len();
    text[place..place + 16].to_owned()
}

/// Sends a request, and returns the response whose body is still to be read.
pub async fn open(
    to: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: String,
) -> Response<Incoming> {
    let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
    let mut request = Request::builder().method(method).uri(format!("http://{to}{path}"));
    for (name, value) in headers {
        request = request.header(name.parse::<HeaderName>().unwrap(), *value);
    }
    let request = request.body(Full::new(Bytes::from(body))).unwrap();
    tokio::time::timeout(LONG, client.request(request)).await.expect("no answer").unwrap()
}

pub async fn send(to: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: String) -> Got {
    let (head, body) = open(to, method, path, headers, body).await.into_parts();
    let body = tokio::time::timeout(LONG, body.collect()).await.expect("no end").unwrap().to_bytes();
    Got { status: head.status.as_u16(), headers: head.headers, body: String::from_utf8_lossy(&body).into_owned() }
}

/// Posts a message.
pub async fn post(to: SocketAddr, headers: &[(&str, &str)], message: &Value) -> Got {
    let mut all = vec![("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    all.extend(headers);
    send(to, "POST", "/up", &all, message.to_string()).await
}

/// The next bytes of a stream, until they end with `end`.
pub async fn until(body: &mut Incoming, end: &str) -> String {
    let mut text = String::new();
    while !text.ends_with(end) {
        let part = tokio::time::timeout(LONG, body.frame()).await.unwrap_or_else(|_| panic!("only {text:?}"));
        match part {
            Some(Ok(part)) => text.push_str(&String::from_utf8_lossy(part.data_ref().unwrap())),
            other => panic!("{other:?} after {text:?}"),
        }
    }
    text
}

pub fn call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

pub fn request(id: u64, method: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": {} })
}
