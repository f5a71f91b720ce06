//! What the relay asks of a store, and what it hears.

/// What a store is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreRequest {
    /// Return the value under a key.
    Read { key: String },
    /// Keep a value under a key, for its owner's share of the store.
    Write { key: String, value: String, owner: Option<String> },
}

/// What a store answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreReply {
    /// The value under the key, or that there is none.
    Value(Option<String>),
    /// The value is kept.
    Done,
    /// Why it could not; a text for the model.
    Failed(String),
}
