//! The relay's requests to a store, and the replies.

/// A request to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreRequest {
    /// Return the value under a key.
    Read { key: String },
    /// Keep a value under a key, for its owner's share of the store.
    Write { key: String, value: String, owner: Option<String> },
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
