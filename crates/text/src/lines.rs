//! The lines of a text.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

/// The byte that ends the lines of a text: a carriage return where it has no line feed.
pub fn end_of(text: &str) -> u8 {
    if memchr(b'\n', text.as_bytes()).is_none() && text.contains('\r') { b'\r' } else { b'\n' }
}

/// The text with line feeds at the ends of its lines, in as many bytes.
pub fn with_feeds<'t>(text: impl Into<Cow<'t, str>>) -> Cow<'t, str> {
    let text = text.into();
    if end_of(&text) == b'\r' { Cow::Owned(text.replace('\r', "\n")) } else { text }
}

/// The lines, as [`str::lines`] has them: without their line breaks, and none after the last one.
pub fn of(text: &str) -> Vec<&str> {
    let mut lines = Vec::with_capacity(memchr_iter(b'\n', text.as_bytes()).count() + 1);
    let mut from = 0;
    for at in memchr_iter(b'\n', text.as_bytes()) {
        let line = &text[from..at];
        lines.push(line.strip_suffix('\r').unwrap_or(line));
        from = at + 1;
    }
    if from < text.len() {
        lines.push(&text[from..]);
    }
    lines
}

#[cfg(test)]
mod tests {
    #[test]
    fn lines_are_those_of_the_standard_library() {
        for text in ["", "\n", "a", "a\n", "a\r\n\r\nb", "a\rb\n\n", "\r", "ö\r\n\r"] {
            assert_eq!(super::of(text), text.lines().collect::<Vec<_>>(), "{text:?}");
        }
    }
}
