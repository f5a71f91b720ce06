//! Cursors: opaque text that names a place in a result, and the call and the result that it belongs to.
//!
//! Layout before base64url (RFC 4648, section 5, no padding): version, kind and flags, a hash of tool and arguments, in
//! versions 2 and 3 the handle of the stored result that contains the place, the expiry time if there is one, and the place. With
//! a key the first 16 bytes of an HMAC-SHA256 (RFC 2104) over all of these follow. A place consists of position, end,
//! total, fingerprint and the pointer to what is paged, or, for rows that a database finds again, of their sort keys.
//! Without a key a cursor is trusted with only two things: a place, and a handle, which anyone who knows the content
//! could name as well. The handle's ticket says which tools' calls it answers.

use std::cell::OnceCell;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::base::error::{Error, ErrorCode};
use crate::request::call::Call;
use crate::request::handle::{HANDLE_BYTES, Handle};
use crate::request::policy::Settings;
use crate::request::secret::Secret;
use crate::value::json_text::JsonText;
use crate::value::source::{Kind, Source};

/// The version of a cursor into a part of a stored result, of one into the whole of it, and of one that names none.
const OF_PART: u8 = 3;
const OF_SNAPSHOT: u8 = 2;
const LIVE: u8 = 1;
/// The bytes of the hash of what a cursor belongs to. It detects mistakes; the signature detects forgeries.
pub(crate) const BINDING_BYTES: usize = 6;
/// Half of the HMAC, the least that RFC 2104 recommends to keep, because a cursor is to be short.
const MAC_BYTES: usize = 16;
/// A cursor is short; a longer text is refused without being decoded.
const MAX_CHARS: usize = 1024;
/// No cursor contains a longer pointer, because a model has to copy the cursor.
const MAX_POINTER_BYTES: usize = 200;

/// Flags in the byte of the kind.
const HAS_AFTER: u8 = 0x04;
const EXPIRES: u8 = 0x08;
/// The kind of a cursor with sort keys and without a position.
const KEYSET: u8 = 3;

/// What a cursor counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Rows,
    Chars,
    Keys,
}

impl Unit {
    /// The two bits of the kind. All four kinds are in use: another unit needs new versions, with a byte for the kind.
    fn kind(self) -> u8 {
        match self {
            Self::Rows => 0,
            Self::Chars => 1,
            Self::Keys => 2,
        }
    }
}

/// A place in a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub unit: Unit,
    /// The first row, character or key to show.
    pub position: usize,
    /// Where to stop: `total`, unless the part after the end was already shown.
    pub end: usize,
    /// How many there were when the cursor was created.
    pub total: usize,
    /// Of what was shown last; 0 if it is unknown.
    pub fingerprint: u32,
    /// JSON Pointer to what is paged; empty for the whole result.
    pub pointer: String,
}

/// The row after which a page of rows with sort keys begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct After {
    /// A hash of the keys and their order.
    pub order: u16,
    /// The row's sort keys as a JSON array; an empty array is the place before the first row.
    pub values: String,
}

/// What a cursor contains: a place in a result, the row after which that result begins, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub place: Option<Place>,
    pub after: Option<After>,
    /// The stored result that contains the place.
    pub snapshot: Option<Handle>,
}

/// What the cursors of one call belong to, the keys that sign them, and when they expire.
#[derive(Clone)]
pub(crate) struct Binding<'a> {
    call: &'a Call,
    part: String,
    /// A hash of tool, arguments and part. It is computed with the first cursor, because most calls have none.
    hash: OnceCell<[u8; BINDING_BYTES]>,
    keys: &'a [Secret],
    /// How many seconds new cursors are valid.
    ttl: Option<u64>,
}

impl<'a> Binding<'a> {
    /// Binds to a call's tool, arguments and scope, and to the shown part of its result.
    pub fn new(call: &'a Call, part: &str, settings: &'a Settings) -> Self {
        Self {
            call,
            part: part.to_owned(),
            hash: OnceCell::new(),
            keys: &settings.cursor_keys,
            ttl: settings.cursor_ttl,
        }
    }

    fn hash(&self) -> &[u8; BINDING_BYTES] {
        self.hash.get_or_init(|| match self.call.bound_to.filter(|_| self.part.is_empty()) {
            Some(bound) => bound,
            None => hash_of(self.call, &self.part),
        })
    }

    /// The text of a cursor; `None` if its pointer or its keys are too long for one.
    pub fn encode(&self, mark: &Cursor) -> Option<String> {
        let expires = self.ttl.map(|ttl| self.call.now.unwrap_or(0).saturating_add(ttl));
        let kind = mark.place.as_ref().map_or(KEYSET, |place| place.unit.kind());
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let flags = flag(mark.place.is_some() && mark.after.is_some(), HAS_AFTER) | flag(expires.is_some(), EXPIRES);
        let version = match mark.snapshot {
            Some(_) if self.part.is_empty() => OF_SNAPSHOT,
            Some(_) => OF_PART,
            None => LIVE,
        };
        let mut bytes = vec![version << 4 | flags | kind];
        bytes.extend(self.hash());
        bytes.extend(mark.snapshot.iter().flat_map(|handle| handle.to_bytes()));
        if let Some(expires) = expires {
            put_number(&mut bytes, expires);
        }
        if let Some(after) = &mark.after {
            if mark.place.is_some() {
                put_number(&mut bytes, after.values.len() as u64);
            }
            bytes.extend(after.order.to_le_bytes());
            bytes.extend(after.values.as_bytes());
        }
        if let Some(place) = &mark.place {
            if place.pointer.len() > MAX_POINTER_BYTES {
                return None;
            }
            put_place(&mut bytes, place);
        }
        sealed(bytes, self.keys)
    }

    /// Reads a cursor from a caller.
    ///
    /// # Errors
    /// `INVALID_CURSOR`: malformed, of another version, changed after it was created, of another tool or other
    /// arguments, or expired.
    pub fn decode(&self, text: &str) -> Result<Cursor, Error> {
        let (head, bytes) = bytes_of(text)?;
        let body = verified(&bytes, self.keys)?;
        let mut rest = body.get(1 + BINDING_BYTES..).ok_or_else(|| refuse("it is cut short"))?;
        if body[1..=BINDING_BYTES] != *self.hash() {
            return Err(refuse("it belongs to another tool or to other arguments"));
        }
        let snapshot = if head >> 4 == LIVE { None } else { Some(take_handle(&mut rest)?) };
        if head & EXPIRES != 0 {
            let expires = take_number(&mut rest).ok_or_else(|| refuse("it is cut short"))?;
            if self.call.now.is_none_or(|now| now >= expires) {
                return Err(refuse("it has expired"));
            }
        }
        let unit = match head & 0x03 {
            0 => Unit::Rows,
            1 => Unit::Chars,
            2 => Unit::Keys,
            _ if head & HAS_AFTER != 0 => return Err(refuse("it is malformed")),
            _ => return Ok(Cursor { place: None, after: Some(take_after(rest)?), snapshot }),
        };
        let after = if head & HAS_AFTER == 0 {
            None
        } else {
            let len = take_number(&mut rest).and_then(|len| usize::try_from(len).ok()?.checked_add(2));
            let (after, place) =
                len.and_then(|len| rest.split_at_checked(len)).ok_or_else(|| refuse("it is cut short"))?;
            rest = place;
            Some(take_after(after)?)
        };
        Ok(Cursor { place: Some(take_place(unit, rest)?), after, snapshot })
    }
}

/// A hash of a call's tool, arguments and scope, and of the part of its result.
fn hash_of(call: &Call, part: &str) -> [u8; BINDING_BYTES] {
    let mut hasher = Sha256::new();
    let arguments = if call.arguments.is_empty() { "{}" } else { &call.arguments };
    for text in [call.tool_name().unwrap_or(""), arguments, part].into_iter().chain(call.owner()) {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    let mut hash = [0; BINDING_BYTES];
    hash.copy_from_slice(&hasher.finalize()[..BINDING_BYTES]);
    hash
}

/// What a cursor into a stored result says without the call that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Continued {
    /// The stored result that it continues.
    pub handle: Handle,
    /// The hash of the tool and the arguments that it belongs to.
    pub bound: [u8; BINDING_BYTES],
}

impl Continued {
    /// Reads the cursor of a caller who names neither the tool nor its arguments: the stored result is enough to go on.
    ///
    /// # Errors
    /// `INVALID_CURSOR`: malformed, of another version, changed after it was created; one that names no stored result, and
    /// one into a part of a result, because only the call says which part.
    pub fn read(text: &str, keys: &[Secret]) -> Result<Self, Error> {
        let (head, bytes) = bytes_of(text)?;
        let body = verified(&bytes, keys)?;
        match head >> 4 {
            LIVE => {
                return Err(refuse("it names no stored result; repeat the call that returned it, with this cursor"));
            }
            OF_PART => return Err(refuse("it is of a part; repeat the call that returned it, with this cursor")),
            _ => {}
        }
        let (bound, mut rest) =
            body[1..].split_first_chunk::<BINDING_BYTES>().ok_or_else(|| refuse("it is cut short"))?;
        Ok(Self { handle: take_handle(&mut rest)?, bound: *bound })
    }

    /// Whether a text looks like a cursor into a stored result.
    pub fn is_one(text: &str) -> bool {
        bytes_of(text).is_ok_and(|(head, _)| head >> 4 != LIVE)
    }
}

/// A cursor to the rows after those of a page, which can be moved back to a row of the page.
pub(crate) struct NextRows<'k> {
    /// What precedes the place.
    head: Vec<u8>,
    place: Place,
    keys: &'k [Secret],
}

impl<'k> NextRows<'k> {
    /// Reads a cursor, whatever call it belongs to.
    ///
    /// # Errors
    /// `INVALID_CURSOR`: malformed, of another version, changed after it was created; one that does not count rows.
    pub fn read(text: &str, keys: &'k [Secret]) -> Result<Self, Error> {
        let (head, bytes) = bytes_of(text)?;
        let body = verified(&bytes, keys)?;
        if head & (HAS_AFTER | 0x03) != Unit::Rows.kind() {
            return Err(refuse("it counts no rows"));
        }
        let mut rest = body.get(1 + BINDING_BYTES..).ok_or_else(|| refuse("it is cut short"))?;
        if head >> 4 != LIVE {
            take_handle(&mut rest)?;
        }
        if head & EXPIRES != 0 {
            take_number(&mut rest).ok_or_else(|| refuse("it is cut short"))?;
        }
        let place = take_place(Unit::Rows, rest)?;
        Ok(Self { head: body[..body.len() - rest.len()].to_vec(), place, keys })
    }

    /// How many rows are before its own.
    pub fn position(&self) -> usize {
        self.place.position
    }

    /// The cursor to a row before its own.
    pub fn back_at(&self, position: usize) -> Option<String> {
        let mut bytes = self.head.clone();
        put_place(&mut bytes, &Place { position, fingerprint: 0, ..self.place.clone() });
        sealed(bytes, self.keys)
    }
}

/// The text of a cursor with its signature; `None` if it is too long.
fn sealed(mut bytes: Vec<u8>, keys: &[Secret]) -> Option<String> {
    if let Some(key) = keys.first() {
        let mac = sign(key, &bytes).finalize().into_bytes();
        bytes.extend(&mac[..MAC_BYTES]);
    }
    Some(URL_SAFE_NO_PAD.encode(bytes)).filter(|text| text.len() <= MAX_CHARS)
}

/// The first byte of a cursor, and all of them.
fn bytes_of(text: &str) -> Result<(u8, Vec<u8>), Error> {
    if text.len() > MAX_CHARS {
        return Err(refuse("it is longer than any cursor"));
    }
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| refuse("it is malformed"))?;
    let (&head, _) = bytes.split_first().ok_or_else(|| refuse("it is empty"))?;
    if !matches!(head >> 4, LIVE | OF_SNAPSHOT | OF_PART) {
        return Err(refuse("it is of another version"));
    }
    Ok((head, bytes))
}

/// The bytes without their signature, which any of the keys may have created.
fn verified<'b>(bytes: &'b [u8], keys: &[Secret]) -> Result<&'b [u8], Error> {
    if keys.is_empty() {
        return Ok(bytes);
    }
    let Some(split) = bytes.len().checked_sub(MAC_BYTES) else {
        return Err(refuse("it is cut short"));
    };
    let (body, mac) = bytes.split_at(split);
    if keys.iter().any(|key| sign(key, body).verify_truncated_left(mac).is_ok()) {
        Ok(body)
    } else {
        Err(refuse("its signature does not match: it was changed, or signed with another key"))
    }
}

fn take_handle(bytes: &mut &[u8]) -> Result<Handle, Error> {
    let (handle, rest) = bytes.split_first_chunk::<HANDLE_BYTES>().ok_or_else(|| refuse("it is cut short"))?;
    *bytes = rest;
    Handle::from_bytes(handle).ok_or_else(|| refuse("it is malformed"))
}

fn put_place(bytes: &mut Vec<u8>, place: &Place) {
    for number in [place.position, place.end - place.position, place.total - place.end] {
        put_number(bytes, number as u64);
    }
    bytes.extend(place.fingerprint.to_le_bytes());
    bytes.extend(place.pointer.as_bytes());
}

fn take_place(unit: Unit, mut bytes: &[u8]) -> Result<Place, Error> {
    let mut number = || {
        let number = take_number(&mut bytes).ok_or_else(|| refuse("it is cut short"))?;
        usize::try_from(number).map_err(|_| refuse("it is malformed"))
    };
    let position = number()?;
    let end = position.checked_add(number()?).ok_or_else(|| refuse("it is malformed"))?;
    let total = end.checked_add(number()?).ok_or_else(|| refuse("it is malformed"))?;
    let (fingerprint, pointer) = bytes.split_first_chunk::<4>().ok_or_else(|| refuse("it is cut short"))?;
    let pointer = std::str::from_utf8(pointer).map_err(|_| refuse("it is malformed"))?;
    if !(pointer.is_empty() || pointer.starts_with('/')) {
        return Err(refuse("it is malformed"));
    }
    let fingerprint = u32::from_le_bytes(*fingerprint);
    Ok(Place { unit, position, end, total, fingerprint, pointer: pointer.to_owned() })
}

fn take_after(bytes: &[u8]) -> Result<After, Error> {
    let (order, values) = bytes.split_first_chunk::<2>().ok_or_else(|| refuse("it is cut short"))?;
    let values = std::str::from_utf8(values).map_err(|_| refuse("it is malformed"))?;
    let are_scalars = JsonText::parse(values).is_ok_and(|list| {
        let is_scalar = |value: &JsonText<'_>| !matches!(value.kind(), Kind::Array | Kind::Object);
        list.kind() == Kind::Array && list.items(0, usize::MAX).is_ok_and(|values| values.iter().all(is_scalar))
    });
    if !are_scalars {
        return Err(refuse("it is malformed"));
    }
    Ok(After { order: u16::from_le_bytes(*order), values: values.to_owned() })
}

fn sign(key: &Secret, bytes: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("HMAC takes a key of any length");
    mac.update(bytes);
    mac
}

/// A fingerprint of what was shown last; never 0.
pub(crate) fn fingerprint(text: &str) -> u32 {
    let hash = Sha256::digest(text);
    u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]]).max(1)
}

/// The error for a refused cursor, with its reason.
pub(crate) fn refuse(reason: &str) -> Error {
    let message = format!("the cursor cannot be used: {reason}");
    Error::new(ErrorCode::InvalidCursor, message, "/cursor")
}

/// Writes a number in LEB128.
fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..56).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
