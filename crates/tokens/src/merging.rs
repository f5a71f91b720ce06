//! From pieces to tokens: byte pair encoding, and the caches before it.

pub(crate) mod batch;
pub(crate) mod merge;
pub(crate) mod merge_cache;
pub(crate) mod repeat;
pub(crate) mod small_pieces;
pub(crate) mod words;
