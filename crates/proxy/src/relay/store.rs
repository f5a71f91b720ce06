//! The relay's requests to a store, and the replies.

use toolshape::Error;
use toolshape::host::SqlQuestion;

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
