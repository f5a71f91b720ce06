//! Whole texts that a host hashes, because it has them, or is faster at it.

/// SHA-256 of two texts after each other or, with a key, their HMAC-SHA-256; `None` from a host that has neither.
pub type HostHash = fn(key: Option<&[u8]>, before: &[u8], text: &[u8]) -> Option<[u8; 32]>;

/// How a whole text is hashed: by SHA-256 or, with a key, by HMAC-SHA-256, with other bytes before it.
#[derive(Clone, Copy, Debug)]
pub struct Hashing<'a> {
    pub key: Option<&'a [u8]>,
    pub before: &'a [u8],
}

/// What is known of a whole text that stays in its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashed {
    pub hash: [u8; 32],
    /// Its length in UTF-8.
    pub bytes: usize,
    /// Its start and its end; both all of it, if it is short.
    pub head: String,
    pub tail: String,
}
