//! Ids of stored results: how an id names a content, and how a content is checked against its id.
//!
//! Without a key an id is the SHA-256 of the content. With a key it is an HMAC-SHA256 (RFC 2104) of scope and content,
//! the scope with its length before it, so that neither a guessed hash nor the id of another scope gives access.
//! Every reader checks a content against its id: content that was changed in the store, or belongs to another scope, is
//! not found.

use std::fmt;

use hmac::digest::CtOutput;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::request::secret::Secret;
use crate::value::hashed::{Hashing, HostHash};

/// Distinguish these signatures from each other and from those of cursors, which use the same key.
const OF_CONTENT: &[u8] = b"toolshape handle 1\0";
const OF_OWNER: &[u8] = b"toolshape owner 1\0";
pub(crate) const ID_BYTES: usize = 32;

/// The id of a stored content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContentId(pub [u8; ID_BYTES]);

impl ContentId {
    /// Whether the id names this content in this scope, by any of the keys.
    pub fn is_of(&self, content: &str, scope: Option<&str>, keys: &[Secret], host: Option<HostHash>) -> bool {
        if keys.is_empty() {
            return Namer::new(None, scope, host).name(content) == *self;
        }
        // Compared in constant time, because whoever can change the store may try contents and ids.
        let signature = |id: ContentId| CtOutput::<Hmac<Sha256>>::new(id.0.into());
        keys.iter().any(|key| signature(Namer::new(Some(key), scope, host).name(content)) == signature(*self))
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

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Computes the ids of contents: by a key, if there is one, for a scope.
pub(crate) struct Namer<'a> {
    key: Option<&'a Secret>,
    /// What is hashed before a content.
    before: Vec<u8>,
    host: Option<HostHash>,
}

impl<'a> Namer<'a> {
    /// Has hashes made by the host, if it makes them.
    pub fn new(key: Option<&'a Secret>, scope: Option<&str>, host: Option<HostHash>) -> Self {
        Self { key, before: key.map_or_else(Vec::new, |_| before(OF_CONTENT, scope)), host }
    }

    /// The id of a content.
    pub fn name(&self, content: &str) -> ContentId {
        let Hashing { key, before } = self.hashing();
        if let Some(hash) = self.host.and_then(|host| host(key, before, content.as_bytes())) {
            return ContentId(hash);
        }
        let mut id = self.in_pieces();
        id.update(content);
        id.finish()
    }

    /// How a host that has a content hashes it: the hash is the id.
    pub fn hashing(&self) -> Hashing<'_> {
        Hashing { key: self.key.map(Secret::as_bytes), before: &self.before }
    }

    /// Computes the id of a content that is read in pieces.
    pub fn in_pieces(&self) -> PartialId {
        match self.key {
            None => PartialId::Hash(Sha256::new()),
            Some(key) => PartialId::Keyed(keyed(key).chain_update(&self.before)),
        }
    }
}

/// The id of what was read so far.
pub(crate) enum PartialId {
    Hash(Sha256),
    Keyed(Hmac<Sha256>),
}

impl PartialId {
    pub fn update(&mut self, piece: &str) {
        match self {
            Self::Hash(hash) => Digest::update(hash, piece),
            Self::Keyed(mac) => Mac::update(mac, piece.as_bytes()),
        }
    }

    pub fn finish(self) -> ContentId {
        ContentId(match self {
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
    pub fn key(self, id: &ContentId) -> String {
        match self {
            Self::Json => format!("{id}.json"),
            Self::Text => format!("{id}.txt"),
        }
    }

    /// What a store's key contains: the form of the content, and its id.
    pub fn of_key(key: &str) -> Option<(Self, ContentId)> {
        let (id, extension) = key.split_once('.')?;
        let form = match extension {
            "json" => Self::Json,
            "txt" => Self::Text,
            _ => return None,
        };
        Some((form, ContentId::parse(id)?))
    }
}

/// Whose results a store holds, as a name that does not reveal the scope; `None` without a scope or a key.
pub(crate) fn owner(scope: Option<&str>, keys: &[Secret]) -> Option<String> {
    let name = sign(OF_OWNER, keys.first()?, Some(scope?)).finalize().into_bytes();
    Some(name[..8].iter().map(|byte| format!("{byte:02x}")).collect())
}

/// An HMAC for a purpose and a scope, that waits for what it signs.
pub(crate) fn sign(purpose: &[u8], key: &Secret, scope: Option<&str>) -> Hmac<Sha256> {
    keyed(key).chain_update(before(purpose, scope))
}

fn keyed(key: &Secret) -> Hmac<Sha256> {
    Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("HMAC takes a key of any length")
}

/// What is signed before a content: the purpose, and the scope with its length before it.
fn before(purpose: &[u8], scope: Option<&str>) -> Vec<u8> {
    let scope = scope.unwrap_or("");
    [purpose, &(scope.len() as u64).to_le_bytes(), scope.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(content: &str, scope: Option<&str>, keys: &[Secret]) -> ContentId {
        let namer = Namer::new(keys.first(), scope, None);
        let mut id = namer.in_pieces();
        content.split_inclusive('b').for_each(|piece| id.update(piece));
        let id = id.finish();
        assert_eq!(namer.name(content), id);
        id
    }

    #[test]
    fn an_id_without_a_key_is_the_sha256_of_the_content() {
        let id = id_of("abc", None, &[]);
        assert_eq!(id.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(ContentId::parse(&id.to_string()), Some(id));
        assert_eq!(Form::of_key(&Form::Text.key(&id)), Some((Form::Text, id)));
    }

    #[test]
    fn a_keyed_id_holds_in_its_scope_alone_and_outlives_a_rotation() {
        let [old, new] = ["the first secret of all", "the second secret of all"].map(Secret::from);
        let id = id_of("content", Some("a"), std::slice::from_ref(&old));
        assert!(id.is_of("content", Some("a"), &[new.clone(), old.clone()], None));
        assert!(!id.is_of("content", Some("b"), std::slice::from_ref(&old), None));
        assert!(!id.is_of("content", None, std::slice::from_ref(&old), None));
        assert!(!id.is_of("Content", Some("a"), std::slice::from_ref(&old), None));
        assert!(!id.is_of("content", Some("a"), &[new], None));
        // The same bytes, divided differently into scope and content, have another id.
        assert_ne!(id_of("bc", Some("a"), std::slice::from_ref(&old)), id_of("c", Some("ab"), &[old]));
    }

    #[test]
    fn a_host_that_hashes_is_asked_for_every_id() {
        let host: HostHash = |key, before, text| {
            assert_eq!((key, text), (Some(&b"the first secret of all"[..]), &b"content"[..]));
            assert!(before.starts_with(OF_CONTENT) && before.ends_with(b"tenant"));
            Some([7; ID_BYTES])
        };
        let key = Secret::from("the first secret of all");
        assert_eq!(Namer::new(Some(&key), Some("tenant"), Some(host)).name("content"), ContentId([7; ID_BYTES]));
        assert!(ContentId([7; ID_BYTES]).is_of("content", Some("tenant"), std::slice::from_ref(&key), Some(host)));
        let unable: HostHash = |_, _, _| None;
        let of = |host| Namer::new(Some(&key), None, host).name("content");
        assert_eq!(of(Some(unable)), of(None));
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
