//! A request to a server behind HTTP, until its answer has ended.

use serde_json::{Value, json};

use super::events::Events;

/// How long to wait before a stream is opened again, in milliseconds, if the server sets no time.
const RETRY: u64 = 1000;

pub(super) struct Exchange {
    pub kind: ExchangeKind,
    /// The ids of the requests in it that are not answered: several in a batch.
    pub ids: Vec<String>,
    pub is_modern: bool,
    /// The session that it belongs to.
    pub session: Option<String>,
    pub status: u16,
    pub retry_after: Option<String>,
    pub body: ResponseBody,
    pub last_event: Option<String>,
    /// In milliseconds.
    pub retry: u64,
    pub attempts: u32,
}

pub(super) enum ExchangeKind {
    /// A message or a batch, with what is sent again if the session has ended.
    Message { line: String, method: Option<String> },
    /// The stream of the server's own messages.
    Stream,
    /// A stream that broke off before its answer, taken up again.
    Resumed,
}

pub(super) enum ResponseBody {
    Whole(Vec<u8>),
    Events(Events),
}

impl Exchange {
    pub fn new(kind: ExchangeKind, ids: Vec<String>, is_modern: bool, session: Option<String>) -> Self {
        let body = ResponseBody::Whole(Vec::new());
        let (status, retry_after, last_event) = (0, None, None);
        Self { kind, ids, is_modern, session, status, retry_after, body, last_event, retry: RETRY, attempts: 0 }
    }

    /// Whether the server has what it was sent: the head of the answer has come. A stream of the server's is sent nothing.
    pub fn is_received(&self) -> bool {
        self.status != 0 || !matches!(self.kind, ExchangeKind::Message { .. })
    }

    /// What is known of it; `None` while a part of its answer waits for the rest.
    pub fn state(&self) -> Option<Value> {
        let body = match &self.body {
            ResponseBody::Whole(bytes) if bytes.is_empty() => Value::Null,
            ResponseBody::Whole(_) => return None,
            ResponseBody::Events(events) => events.state()?,
        };
        let (kind, line, method) = match &self.kind {
            ExchangeKind::Message { line, method } => ("message", Some(line), method.as_ref()),
            ExchangeKind::Stream => ("stream", None, None),
            ExchangeKind::Resumed => ("resumed", None, None),
        };
        Some(json!({
            "kind": kind, "line": line, "method": method, "ids": self.ids, "isModern": self.is_modern, "session": self.session,
            "status": self.status, "retryAfter": self.retry_after, "body": body, "lastEvent": self.last_event, "retry": self.retry, "attempts": self.attempts,
        }))
    }

    /// The exchange of a [`state`](Self::state).
    pub fn of_state(state: &Value, most: usize) -> Self {
        let text = |name: &str| state[name].as_str().map(str::to_owned);
        let number = |name: &str| state[name].as_u64().unwrap_or_default();
        let kind = match state["kind"].as_str() {
            Some("message") => ExchangeKind::Message { line: text("line").unwrap_or_default(), method: text("method") },
            Some("stream") => ExchangeKind::Stream,
            _ => ExchangeKind::Resumed,
        };
        let body = match &state["body"] {
            Value::Null => ResponseBody::Whole(Vec::new()),
            events => ResponseBody::Events(Events::of_state(events, most)),
        };
        Self {
            kind,
            ids: state["ids"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|id| id.as_str().map(str::to_owned))
                .collect(),
            is_modern: state["isModern"] == true,
            session: text("session"),
            status: u16::try_from(number("status")).unwrap_or_default(),
            retry_after: text("retryAfter"),
            body,
            last_event: text("lastEvent"),
            retry: number("retry"),
            attempts: u32::try_from(number("attempts")).unwrap_or_default(),
        }
    }
}
