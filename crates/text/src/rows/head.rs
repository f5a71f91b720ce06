//! The start of a text, by which most texts are excluded.

use crate::chars::floor_char;

/// The bytes of the start.
pub const HEAD: usize = 1 << 16;

/// The start of a text.
pub struct Head<'a> {
    /// Whole lines, unless that is all of the text.
    pub text: &'a str,
}

impl<'a> Head<'a> {
    pub fn of(text: &'a str) -> Self {
        let end = floor_char(text, HEAD);
        Self::new(&text[..end], end == text.len())
    }

    pub fn new(start: &'a str, is_all: bool) -> Self {
        let end = if is_all { start.len() } else { start.rfind('\n').map_or(start.len(), |at| at + 1) };
        Self { text: &start[..end] }
    }

    /// The lines, without their line breaks, and where each begins.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let mut at = 0;
        self.text.split_inclusive('\n').map(move |line| {
            let start = at;
            at += line.len();
            (start, without_break(line))
        })
    }
}

/// A line without its line break.
pub fn without_break(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}
