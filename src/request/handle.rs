//! How a result names a stored one: by a handle of 16 letters, which a model copies without error.
//!
//! A handle is made from the id of the content: its first 128 bits as a number, modulo 26¹⁶, which is 75 bits. It is as
//! hard to guess as the id, since nobody asks a server 2⁷⁴ times. What it opens is written in a [ticket](super::ticket).
//! The id itself, the name of its file and their addresses name the same result.

use std::fmt;

use crate::base::error::{Error, ErrorCode};
use crate::request::content_id::{ContentId, Form};

/// The part before the handle in the address of a stored result.
pub const SCHEME: &str = "toolshape://result/";
const LETTERS: usize = 16;
/// How many handles there are.
const COUNT: u128 = 26u128.pow(LETTERS as u32);
/// The bytes that a handle takes in a cursor.
pub(crate) const HANDLE_BYTES: usize = 10;
/// What follows the handle in the key of its ticket.
const TICKET_ENDING: &str = ".handle";

/// The handle of a stored content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle(u128);

impl Handle {
    /// The handle of the content with that id.
    pub fn of(id: &ContentId) -> Self {
        let start = id.0.first_chunk().expect("an id has 32 bytes");
        Self(u128::from_be_bytes(*start) % COUNT)
    }

    fn parse(letters: &str) -> Option<Self> {
        let is_handle = letters.len() == LETTERS && letters.bytes().all(|letter| letter.is_ascii_lowercase());
        is_handle.then(|| Self(letters.bytes().fold(0, |sum, letter| sum * 26 + u128::from(letter - b'a'))))
    }

    /// The address of the stored result.
    pub fn uri(self) -> String {
        format!("{SCHEME}{self}")
    }

    /// The key under which a store holds the ticket.
    pub fn ticket_key(self) -> String {
        format!("{self}{TICKET_ENDING}")
    }

    pub fn to_bytes(self) -> [u8; HANDLE_BYTES] {
        *self.0.to_be_bytes().last_chunk().expect("a number of 128 bits has 16 bytes")
    }

    /// The handle of bytes from a cursor.
    pub fn from_bytes(bytes: &[u8; HANDLE_BYTES]) -> Option<Self> {
        let number = bytes.iter().fold(0, |sum, &byte| sum << 8 | u128::from(byte));
        (number < COUNT).then_some(Self(number))
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = [b'a'; LETTERS];
        let mut rest = self.0;
        for letter in letters.iter_mut().rev() {
            *letter += (rest % 26) as u8;
            rest /= 26;
        }
        letters.iter().try_for_each(|&letter| write!(f, "{}", letter as char))
    }
}

/// A stored result as a caller names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredName {
    Handle(Handle),
    Id(ContentId),
}

impl StoredName {
    /// Reads a handle, an id or the name of its file, with or without the start of an address.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.strip_prefix(SCHEME).unwrap_or(name);
        if let Some(handle) = Handle::parse(name) {
            return Some(Self::Handle(handle));
        }
        Form::of_key(name).map(|(_, id)| id).or_else(|| ContentId::parse(name)).map(Self::Id)
    }

    pub fn handle(&self) -> Handle {
        match self {
            Self::Handle(handle) => *handle,
            Self::Id(id) => Handle::of(id),
        }
    }

    /// Whether it names the content with that id.
    pub fn is_of(&self, id: &ContentId) -> bool {
        match self {
            Self::Handle(handle) => *handle == Handle::of(id),
            Self::Id(named) => named == id,
        }
    }

    /// The keys under which a store may hold what is named, the more likely one first: a ticket, or a content.
    pub fn keys(&self) -> Vec<String> {
        match self {
            Self::Handle(handle) => vec![handle.ticket_key()],
            Self::Id(id) => [Form::Json, Form::Text].map(|form| form.key(id)).into(),
        }
    }
}

/// The name in the address of a stored result.
pub(crate) fn of_address(uri: &str) -> Option<StoredName> {
    StoredName::parse(uri).filter(|_| uri.starts_with(SCHEME))
}

/// The handle whose ticket has this key.
pub fn handle_of(key: &str) -> Option<&str> {
    key.strip_suffix(TICKET_ENDING)
}

/// The name in a caller's argument `handle`.
pub(crate) fn read(handle: &str) -> Result<StoredName, Error> {
    StoredName::parse(handle).ok_or_else(|| {
        let message = format!("a handle is 16 letters in lower case, or {SCHEME} and these");
        Error::new(ErrorCode::InvalidHandle, message, "/handle")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_handle_are_read_as_they_are_written() {
        for (number, letters) in [(0, "a".repeat(16)), (COUNT - 1, "z".repeat(16))] {
            assert_eq!(Handle(number).to_string(), letters);
            assert_eq!(Handle::parse(&letters), Some(Handle(number)));
            assert_eq!(Handle::from_bytes(&Handle(number).to_bytes()), Some(Handle(number)));
        }
        assert_eq!(Handle::from_bytes(&[0xff; HANDLE_BYTES]), None);
    }
}
