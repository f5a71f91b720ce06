//! What a heading says, without the markup in it.

use std::borrow::Cow;

use crate::chars::floor_char;
use crate::prose::terminal;

/// More of a title is not looked at.
const MAX_BYTES: usize = 1_000;

/// The text of a title: links as their text, without HTML tags and colors of a terminal.
pub(super) fn plain(title: &str) -> Cow<'_, str> {
    let title = split(title).0.trim();
    if !title.contains(['[', '<', '\x1b']) {
        return Cow::Borrowed(title);
    }
    let (mut out, mut rest) = (String::new(), title);
    while let Some(at) = rest.find(['[', '<', '\x1b']) {
        let image = rest[..at].ends_with('!');
        let (before, found) = rest.split_at(at);
        let skipped = match found.as_bytes()[0] {
            b'[' => link(found),
            b'<' => tag(found).map(|len| ("", len)),
            _ => Some(("", terminal::sequence(found.as_bytes()))),
        };
        match skipped {
            Some((text, len)) => {
                out += if image && !text.is_empty() { &before[..before.len() - 1] } else { before };
                out += text;
                rest = &found[len..];
            }
            None => {
                out += before;
                out += &found[..1];
                rest = &found[1..];
            }
        }
    }
    out += rest;
    Cow::Owned(out.trim().to_owned())
}

/// The part of a title that is looked at, and the rest.
pub(super) fn split(title: &str) -> (&str, &str) {
    title.split_at(floor_char(title, MAX_BYTES))
}

/// The text of a link `[text](address)` at the start, and the bytes that it takes.
fn link(text: &str) -> Option<(&str, usize)> {
    // Up to the next bracket alone, so that many of them take no longer.
    let next = text[1..].find('[').map_or(text.len(), |at| at + 1);
    let end = text[..next].find("](")?;
    let close = end + text[end..].find(')')? + 1;
    Some((&text[1..end], close))
}

/// The bytes of an HTML tag at the start.
fn tag(text: &str) -> Option<usize> {
    let first = *text.as_bytes().get(1)?;
    (first == b'/' || first.is_ascii_lowercase()).then(|| text.find('>').map(|end| end + 1)).flatten()
}

/// A line without escape sequences of a terminal at its start.
pub(super) fn uncolored(mut line: &str) -> &str {
    while line.starts_with('\x1b') {
        line = &line[terminal::sequence(line.as_bytes())..];
    }
    line
}
