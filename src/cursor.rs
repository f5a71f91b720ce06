//! Cursors: opaque text that says where to go on, and what it belongs to.
//!
//! Layout before base64url (RFC 4648, section 5, no padding): version and kind, a hash of tool and
//! arguments, then position, end, total and fingerprint, the pointer to what is paged, and with a key
//! the first 16 bytes of an HMAC-SHA256 (RFC 2104) over all of it. Without a key a cursor is trusted
//! with a position and nothing more.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::error::{Error, ErrorCode};

const VERSION: u8 = 1;
const BINDING_BYTES: usize = 6;
const MAC_BYTES: usize = 16;
/// A cursor is short; anything longer is refused unread.
const MAX_CHARS: usize = 1024;
/// A pointer longer than this is not put into a cursor.
const MAX_POINTER_BYTES: usize = 200;

/// What a cursor counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Rows,
    Chars,
    Keys,
}

/// A place in a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub unit: Unit,
    /// The first row, character or key to show.
    pub position: usize,
    /// Where to stop; `total` unless the end was shown before.
    pub end: usize,
    /// How many there were when the cursor was made.
    pub total: usize,
    /// Of what was shown last; 0 if unknown.
    pub fingerprint: u32,
    /// JSON Pointer to what is paged; empty for the whole result.
    pub pointer: String,
}

/// What cursors of one call belong to and are signed with.
pub(crate) struct Binding<'a> {
    hash: [u8; BINDING_BYTES],
    keys: &'a [String],
}

impl<'a> Binding<'a> {
    /// Binds to a tool, its arguments, and the part of its result that is looked at.
    pub fn new(tool: Option<&str>, arguments: &str, part: &str, keys: &'a [String]) -> Self {
        let mut hasher = Sha256::new();
        for text in [tool.unwrap_or(""), arguments, part] {
            hasher.update((text.len() as u64).to_le_bytes());
            hasher.update(text);
        }
        let mut hash = [0; BINDING_BYTES];
        hash.copy_from_slice(&hasher.finalize()[..BINDING_BYTES]);
        Self { hash, keys }
    }

    /// The cursor as text; `None` where its pointer is too long to carry.
    pub fn encode(&self, cursor: &Cursor) -> Option<String> {
        if cursor.pointer.len() > MAX_POINTER_BYTES {
            return None;
        }
        let mut bytes = vec![VERSION << 4 | cursor.unit as u8];
        bytes.extend(self.hash);
        for number in [cursor.position, cursor.end - cursor.position, cursor.total - cursor.end] {
            put_number(&mut bytes, number as u64);
        }
        bytes.extend(cursor.fingerprint.to_le_bytes());
        bytes.extend(cursor.pointer.as_bytes());
        if let Some(key) = self.keys.first() {
            let mac = sign(key, &bytes).finalize().into_bytes();
            bytes.extend(&mac[..MAC_BYTES]);
        }
        Some(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Reads a cursor that a caller sent.
    ///
    /// # Errors
    /// `INVALID_CURSOR`: malformed, of another version, changed since it was given out, or of another
    /// tool or other arguments.
    pub fn decode(&self, text: &str) -> Result<Cursor, Error> {
        if text.len() > MAX_CHARS {
            return Err(refuse("it is too long to be one"));
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| refuse("it is malformed"))?;
        let (&head, _) = bytes.split_first().ok_or_else(|| refuse("it is empty"))?;
        if head >> 4 != VERSION {
            return Err(refuse("it is of another version"));
        }
        let body = self.verified(&bytes)?;
        let unit = match head & 0x0f {
            0 => Unit::Rows,
            1 => Unit::Chars,
            2 => Unit::Keys,
            _ => return Err(refuse("it is malformed")),
        };
        let mut rest = body.get(1 + BINDING_BYTES..).ok_or_else(|| refuse("it is cut short"))?;
        if body[1..=BINDING_BYTES] != self.hash {
            return Err(refuse("it belongs to another tool or to other arguments"));
        }
        let mut number = || take_number(&mut rest).ok_or_else(|| refuse("it is cut short"));
        let position = number()?;
        let end = position.checked_add(number()?).ok_or_else(|| refuse("it is malformed"))?;
        let total = end.checked_add(number()?).ok_or_else(|| refuse("it is malformed"))?;
        let (fingerprint, pointer) = rest.split_first_chunk::<4>().ok_or_else(|| refuse("it is cut short"))?;
        let pointer = std::str::from_utf8(pointer).map_err(|_| refuse("it is malformed"))?;
        if !(pointer.is_empty() || pointer.starts_with('/')) {
            return Err(refuse("it is malformed"));
        }
        let fingerprint = u32::from_le_bytes(*fingerprint);
        Ok(Cursor { unit, position, end, total, fingerprint, pointer: pointer.to_owned() })
    }

    /// The bytes without their signature, which any of the keys may have made.
    fn verified<'b>(&self, bytes: &'b [u8]) -> Result<&'b [u8], Error> {
        if self.keys.is_empty() {
            return Ok(bytes);
        }
        let Some(split) = bytes.len().checked_sub(MAC_BYTES) else {
            return Err(refuse("it is cut short"));
        };
        let (body, mac) = bytes.split_at(split);
        if self.keys.iter().any(|key| sign(key, body).verify_truncated_left(mac).is_ok()) {
            Ok(body)
        } else {
            Err(refuse("its signature does not match: it was changed, or signed with another key"))
        }
    }
}

fn sign(key: &str, bytes: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("HMAC takes a key of any length");
    mac.update(bytes);
    mac
}

/// A fingerprint of what was shown last; never 0.
pub(crate) fn fingerprint(text: &str) -> u32 {
    let hash = Sha256::digest(text);
    u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]]).max(1)
}

/// The refusal of a cursor, with its reason.
pub(crate) fn refuse(reason: &str) -> Error {
    let message = format!("the cursor cannot be used: {reason}");
    Error::new(ErrorCode::InvalidCursor, message, "/cursor")
}

/// A number in LEB128.
fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take_number(bytes: &mut &[u8]) -> Option<usize> {
    let mut number = 0u64;
    for shift in (0..56).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return usize::try_from(number).ok();
        }
    }
    None
}
