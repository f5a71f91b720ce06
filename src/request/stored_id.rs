//! Ids of stored results: how an id names a content, and how a content is checked against its id.
//!
//! Without a key an id is the SHA-256 of the content. With a key it is an HMAC-SHA256 (RFC 2104) of scope and content,
//! the scope with its length before it, so that neither a guessed hash nor the id of another scope gives access.
//! Every reader checks a content against its id: content that was changed in the store, or belongs to another scope, is
//! not found.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::request::secret::Secret;

/// Distinguish these signatures from each other and from those of cursors, which use the same key.
const OF_CONTENT: &[u8] = b"toolshape handle 1\0";
const OF_OWNER: &[u8] = b"toolshape owner 1\0";
pub(crate) const ID_BYTES: usize = 32;
/// The bytes of an owner's name.
const OWNER_BYTES: usize = 8;

/// The id of a stored content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Id(pub [u8; ID_BYTES]);

impl Id {
    /// Whether the id names this content in this scope, by any of the keys.
    pub fn is_of(&self, content: &str, scope: Option<&str>, keys: &[Secret]) -> bool {
        if keys.is_empty() {
            return Sha256::digest(content)[..] == self.0;
        }
        keys.iter().any(|key| sign(OF_CONTENT, key, scope).chain_update(content).verify_slice(&self.0).is_ok())
    }

    /// Reads an id from 64 lower-case hexadecimal digits.
    pub fn parse(digits: &str) -> Option<Self> {
        let digits = digits.as_bytes();
        let mut id = [0; ID_BYTES];
        if digits.len() != 2 * ID_BYTES {
            return None;
        }
        let value = |digit: u8| match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        };
        for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = value(pair[0])? << 4 | value(pair[1])?;
        }
        Some(Self(id))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Computes the id of a content that is read in pieces.
pub(crate) enum Namer {
    Hash(Sha256),
    Keyed(Hmac<Sha256>),
}

impl Namer {
    /// For a scope; by the newest key if there are any.
    pub fn new(scope: Option<&str>, keys: &[Secret]) -> Self {
        keys.first().map_or_else(|| Self::Hash(Sha256::new()), |key| Self::Keyed(sign(OF_CONTENT, key, scope)))
    }

    pub fn update(&mut self, piece: &str) {
        match self {
            Self::Hash(hash) => Digest::update(hash, piece),
            Self::Keyed(mac) => Mac::update(mac, piece.as_bytes()),
        }
    }

    pub fn finish(self) -> Id {
        Id(match self {
            Self::Hash(hash) => hash.finalize().into(),
            Self::Keyed(mac) => mac.finalize().into_bytes().into(),
        })
    }
}

/// What a stored content is: JSON, minified, or plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    Text,
}

impl Form {
    /// The key under which a store holds a content of this form.
    pub fn key(self, id: &Id) -> String {
        match self {
            Self::Json => format!("{id}.json"),
            Self::Text => format!("{id}.txt"),
        }
    }

    /// What a store's key contains: the form of the content, and its id.
    pub fn of_key(key: &str) -> Option<(Self, Id)> {
        let (id, extension) = key.split_once('.')?;
        let form = match extension {
            "json" => Self::Json,
            "txt" => Self::Text,
            _ => return None,
        };
        Some((form, Id::parse(id)?))
    }
}

/// Whose results a store holds, as a name that tells nothing of the scope; `None` without a scope or a key.
pub(crate) fn owner(scope: Option<&str>, keys: &[Secret]) -> Option<String> {
    let name = sign(OF_OWNER, keys.first()?, Some(scope?)).finalize().into_bytes();
    Some(name[..OWNER_BYTES].iter().map(|byte| format!("{byte:02x}")).collect())
}

/// An HMAC for a purpose and a scope, that waits for what it signs.
pub(crate) fn sign(purpose: &[u8], key: &Secret, scope: Option<&str>) -> Hmac<Sha256> {
    let mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("HMAC takes a key of any length");
    let scope = scope.unwrap_or("");
    mac.chain_update(purpose).chain_update((scope.len() as u64).to_le_bytes()).chain_update(scope)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(content: &str, scope: Option<&str>, keys: &[Secret]) -> Id {
        let mut namer = Namer::new(scope, keys);
        content.split_inclusive('b').for_each(|piece| namer.update(piece));
        namer.finish()
    }

    #[test]
    fn an_id_without_a_key_is_the_sha256_of_the_content() {
        let id = id_of("abc", None, &[]);
        assert_eq!(id.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(Id::parse(&id.to_string()), Some(id));
        assert_eq!(Form::of_key(&Form::Text.key(&id)), Some((Form::Text, id)));
    }

    #[test]
    fn a_keyed_id_holds_in_its_scope_alone_and_outlives_a_rotation() {
        let [old, new] = ["the first secret of all", "the second secret of all"].map(Secret::from);
        let id = id_of("content", Some("a"), std::slice::from_ref(&old));
        assert!(id.is_of("content", Some("a"), &[new.clone(), old.clone()]));
        assert!(!id.is_of("content", Some("b"), std::slice::from_ref(&old)));
        assert!(!id.is_of("content", None, std::slice::from_ref(&old)));
        assert!(!id.is_of("Content", Some("a"), std::slice::from_ref(&old)));
        assert!(!id.is_of("content", Some("a"), &[new]));
        // The same bytes, divided differently into scope and content, have another id.
        assert_ne!(id_of("bc", Some("a"), std::slice::from_ref(&old)), id_of("c", Some("ab"), &[old]));
    }

    #[test]
    fn what_is_no_key_of_a_content_is_refused() {
        let id = id_of("abc", None, &[]).to_string();
        for key in [id.clone(), format!("toolshape://result/{id}.json"), format!("{id}.json.txt"), format!("{id}.md")] {
            assert_eq!(Form::of_key(&key), None, "{key}");
        }
    }

    #[test]
    fn an_owner_is_told_by_its_scope_and_tells_nothing_of_it() {
        let keys = ["the first secret of all".into()];
        let owner = |scope| owner(Some(scope), &keys).unwrap();
        assert_eq!(owner("a"), owner("a"));
        assert_ne!(owner("a"), owner("b"));
        assert_eq!(owner("a").len(), 16);
        assert_eq!(super::owner(None, &keys), None);
    }
}
