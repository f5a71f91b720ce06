//! A request to a server behind HTTP, until its answer has ended.

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
}
