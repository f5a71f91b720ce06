//! The relay's requests to a store, and the replies: effects of the core's sessions, with their texts.

use toolshape::Error;
use toolshape::host::{Effect as StoreEffect, Heard, Slot, Slots, SqlQuestion};

use super::ids::is_same_id;
use super::store_read::StoreRead;
use super::store_write::StoreWrite;
use super::{Effect, Relay};

/// A request to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreRequest {
    /// Return the value under a key.
    Read { key: String },
    /// Keep a value under a key, for its owner's share of the store.
    Write { key: String, value: String, owner: Option<String> },
    /// Answer a question in SQL, where the core has no SQLite: a value with the answers, or none.
    Ask { question: SqlQuestion, sources: Vec<AskedSource> },
}

/// A stored result that a question may name: its handle, and its key and content, or why it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedSource {
    pub handle: String,
    pub content: Result<(String, String), Error>,
}

/// A reply of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreReply {
    /// The value under the key, or that there is none.
    Value(Option<String>),
    /// The value is kept.
    Done,
    /// Why it could not; a text for the model.
    Failed(String),
}

/// What waits for the store.
pub(super) enum StoreWait {
    Write(Box<StoreWrite>),
    Read(Box<StoreRead>),
}

/// A turn of requests to the store.
pub(super) struct StoreTurn {
    pub wait: StoreWait,
    pub slots: Slots<'static>,
    /// The slot that takes the reply to each request, if one does, and what was heard.
    asked: Vec<(Option<Slot>, Option<Heard>)>,
}

impl StoreTurn {
    /// A turn, and its requests. Contents are moved into these, because they may be long.
    pub fn new(wait: StoreWait, mut slots: Slots<'static>, effects: Vec<StoreEffect>) -> (Self, Vec<StoreRequest>) {
        let (mut asked, mut requests) = (Vec::new(), Vec::new());
        for effect in effects {
            let (to, request) = match effect {
                StoreEffect::Get { key, to } => (Some(to), StoreRequest::Read { key }),
                StoreEffect::Set { key, from, owner } => {
                    (None, StoreRequest::Write { key, value: slots.take(from).into_owned(), owner })
                }
                StoreEffect::Ask { question, sources, to } => {
                    let source = |source: toolshape::host::AskedSource| AskedSource {
                        handle: source.handle,
                        content: source.content.map(|(key, at)| (key, slots.take(at).into_owned())),
                    };
                    let sources = sources.into_iter().map(source).collect();
                    (Some(to), StoreRequest::Ask { question, sources })
                }
                // Lines are redacted before they are shaped, and the server is asked whether it accepts the client.
                StoreEffect::Redact { .. } | StoreEffect::Allow { .. } => continue,
            };
            asked.push((to, None));
            requests.push(request);
        }
        (Self { wait, slots, asked }, requests)
    }

    /// Whether it is for the request with this id.
    pub fn is_of(&self, id: &str) -> bool {
        match &self.wait {
            StoreWait::Read(found) => is_same_id(&found.id, id),
            StoreWait::Write(kept) => kept.id.as_deref().is_some_and(|one| is_same_id(one, id)),
        }
    }

    /// Takes the reply to one of the requests; what was heard of all of them, once it is the last.
    pub fn hear(&mut self, at: usize, reply: StoreReply) -> Option<Vec<Heard>> {
        let (to, heard) = self.asked.get_mut(at).filter(|(_, heard)| heard.is_none())?;
        *heard = Some(match (reply, to) {
            (StoreReply::Failed(reason), _) => Heard::Failed(reason),
            (StoreReply::Value(Some(value)), Some(to)) => {
                self.slots.put(*to, value);
                Heard::There
            }
            (_, Some(_)) => Heard::Absent,
            (_, None) => Heard::There,
        });
        self.asked.iter().map(|(_, heard)| heard.clone()).collect()
    }
}

impl Relay {
    pub(super) fn ask(&mut self, wait: StoreWait, slots: Slots<'static>, effects: Vec<StoreEffect>) -> Vec<Effect> {
        let first = self.numbers + 1;
        let (turn, requests) = StoreTurn::new(wait, slots, effects);
        self.numbers += requests.len() as u64;
        self.waiting.insert(first, turn);
        (first..).zip(requests).map(|(number, request)| Effect::Store(number, request)).collect()
    }
}
