//! Spans on their way to a collector: OTLP over HTTP, as JSON (OpenTelemetry Protocol 1.10). Nothing waits for it: what the
//! collector does not take is dropped and counted.

use std::mem;
use std::sync::Mutex;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Uri};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

use crate::forward;
use crate::gateway::Gateway;
use crate::lock::locked;
use crate::trace::{Span, attribute};

/// The spans that wait, those of one request, and how long they are collected: as the SDKs of OpenTelemetry do.
const WAITING: usize = 2048;
const BATCH: usize = 512;
const COLLECTED: Duration = Duration::from_secs(1);
/// How long the collector may take.
const ANSWER: Duration = Duration::from_secs(10);
/// How long the last spans are waited for.
const LAST: Duration = Duration::from_secs(2);

enum Item {
    Span(Box<Span>),
    /// All spans before it are sent.
    End(oneshot::Sender<()>),
}

/// Where spans go.
pub struct Tracer {
    url: Uri,
    to: mpsc::Sender<Item>,
    /// Taken by whoever sends them.
    items: Mutex<Option<mpsc::Receiver<Item>>>,
}

impl Tracer {
    pub fn new(url: Uri) -> Self {
        let (to, items) = mpsc::channel(WAITING);
        Self { url, to, items: Mutex::new(Some(items)) }
    }

    /// Adds a span; false if too many wait.
    pub fn add(&self, span: Span) -> bool {
        self.to.try_send(Item::Span(Box::new(span))).is_ok()
    }

    /// Waits a short while until all spans are sent.
    pub async fn flush(&self) {
        let (done, sent) = oneshot::channel();
        let end = async {
            let _ = self.to.send(Item::End(done)).await;
            let _ = sent.await;
        };
        let _ = timeout(LAST, end).await;
    }
}

/// Sends the spans of a gateway as long as it runs.
pub async fn export(gateway: &Gateway, tracer: &Tracer) {
    let items = locked(&tracer.items).take();
    let Some(mut items) = items else { return };
    let mut spans = Vec::new();
    while let Some(first) = items.recv().await {
        let (mut next, mut end) = (Some(first), None);
        let mut over = std::pin::pin!(sleep(COLLECTED));
        while let Some(item) = next {
            match item {
                Item::Span(span) => spans.push(span.to_json()),
                Item::End(done) => end = Some(done),
            }
            if end.is_some() || spans.len() >= BATCH {
                break;
            }
            next = tokio::select! {
                item = items.recv() => item,
                () = &mut over => None,
            };
        }
        let count = spans.len();
        if count > 0 && !is_taken(gateway, tracer, mem::take(&mut spans)).await {
            gateway.reporting.metrics.spans_dropped(count);
        }
        end.map(|done| done.send(()));
    }
}

/// Whether the collector takes these spans.
async fn is_taken(gateway: &Gateway, tracer: &Tracer, spans: Vec<Value>) -> bool {
    let own = [("service.name", json!("toolshape")), ("service.version", json!(env!("CARGO_PKG_VERSION")))];
    let resource = own.map(|(name, value)| attribute(name, &value));
    let body = json!({ "resourceSpans": [{
        "resource": { "attributes": resource },
        "scopeSpans": [{ "scope": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") }, "spans": spans }],
    }] });
    let mut request = Request::new(Full::new(Bytes::from(body.to_string())));
    (*request.method_mut(), *request.uri_mut()) = (Method::POST, tracer.url.clone());
    request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let answered = timeout(ANSWER, forward::reach(gateway, request)).await;
    answered.is_ok_and(|answered| answered.is_ok_and(|response| response.status().is_success()))
}
