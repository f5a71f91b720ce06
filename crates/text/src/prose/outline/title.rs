//! What a heading says, without the markup in it.

use std::borrow::Cow;

/// More of a title is not looked at.
const MAX_BYTES: usize = 1_000;

/// The text of a title: links as their text, without HTML tags and colors of a terminal.
pub(super) fn plain(title: &str) -> Cow<'_, str> {
    let end = (0..=title.len().min(MAX_BYTES)).rev().find(|&at| title.is_char_boundary(at));
    let title = title[..end.unwrap_or(0)].trim();
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
            _ => color(found).map(|len| ("", len)),
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

/// The text of a link `[text](address)` at the start, and the bytes that it takes.
fn link(text: &str) -> Option<(&str, usize)> {
    let end = text.find("](")?;
    let close = end + text[end..].find(')')? + 1;
    let inside = &text[1..end];
    (!inside.contains('[')).then_some((inside, close))
}

/// The bytes of an HTML tag at the start.
fn tag(text: &str) -> Option<usize> {
    let first = *text.as_bytes().get(1)?;
    (first == b'/' || first.is_ascii_lowercase()).then(|| text.find('>').map(|end| end + 1)).flatten()
}

/// The bytes of a terminal's control sequence at the start.
fn color(text: &str) -> Option<usize> {
    let inside = text.strip_prefix("\x1b[")?;
    inside.find(|c: char| c.is_ascii_alphabetic()).map(|end| end + 3)
}

/// A line without colors of a terminal at its start.
pub(super) fn uncolored(mut line: &str) -> &str {
    while let Some(len) = color(line) {
        line = &line[len..];
    }
    line
}
