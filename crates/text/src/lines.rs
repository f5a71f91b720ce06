//! The lines of a text.

use std::borrow::Cow;

use memchr::memchr;

/// The byte that ends the lines of a text: a carriage return where it has no line feed.
pub fn end_of(text: &str) -> u8 {
    if memchr(b'\n', text.as_bytes()).is_none() && text.contains('\r') { b'\r' } else { b'\n' }
}

/// The text with line feeds at the ends of its lines, in as many bytes.
pub fn with_feeds<'t>(text: impl Into<Cow<'t, str>>) -> Cow<'t, str> {
    let text = text.into();
    if end_of(&text) == b'\r' { Cow::Owned(text.replace('\r', "\n")) } else { text }
}

/// The lines of a text.
pub fn of(text: &str) -> Vec<&str> {
    text.lines().collect()
}
