//! The body of a server's answer, part by part.

use std::mem;

use hyper::body::Bytes;

use crate::answer::{ExchangeKind, JsonText, one, together};
use crate::exchange::Exchange;
use crate::headers::Content;
use crate::stream::{BROKEN, last_events, message_event, shape};
use toolshape_proxy::Frames;

/// What is done with a body. `own` are the answers to requests that the server did not get.
pub enum AnswerBody {
    Unchanged,
    /// It is held until it is whole.
    Json {
        text: JsonText,
        own: Vec<String>,
    },
    /// An event is held until it is whole.
    Events {
        frames: Frames,
        own: Vec<u8>,
    },
}

impl AnswerBody {
    pub fn new(exchange: &Exchange, content: Content, own: Vec<String>) -> Self {
        match content {
            Content::Json => Self::Json { text: JsonText::new(exchange), own },
            Content::Events => {
                let own = own.iter().flat_map(|answer| message_event(answer)).collect();
                Self::Events { frames: Frames::new(exchange.upstream.max_line_bytes), own }
            }
            Content::Other => Self::Unchanged,
        }
    }

    /// Takes the next part, and returns what the client gets now.
    pub async fn read(&mut self, exchange: &mut Exchange, kind: ExchangeKind, part: &Bytes, is_last: bool) -> Bytes {
        match self {
            Self::Unchanged => part.clone(),
            Self::Json { text, .. } => {
                text.read(exchange, part).await;
                if is_last { self.end(exchange, kind).await } else { Bytes::new() }
            }
            Self::Events { frames, own } => {
                let mut sent = mem::take(own);
                for frame in frames.read(part) {
                    sent.extend(shape(exchange, kind == ExchangeKind::Stream, frame).await);
                }
                if is_last {
                    sent.extend(last_events(exchange, kind == ExchangeKind::Stream, BROKEN));
                }
                sent.into()
            }
        }
    }

    async fn end(&mut self, exchange: &mut Exchange, kind: ExchangeKind) -> Bytes {
        let Self::Json { text, own } = mem::replace(self, Self::Unchanged) else { return Bytes::new() };
        let answers = text.end(exchange, kind).await;
        match own.is_empty() {
            true => one(answers),
            false => together(own.into_iter().map(Bytes::from).chain(answers)),
        }
    }
}
