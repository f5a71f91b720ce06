//! Places where text may be cut so that the counts of the parts add up to that of the whole.
//!
//! A cut is a boundary between two pieces in both patterns, whatever text is before and after it: a number begins or
//! ends, a word ends, white space or a line begins. Ordinary text has such a place every few characters; one long word,
//! or symbols without a space, has none.

use crate::split::class::{self, MARK, NEWLINE, NUMBER, SPACE, is_letter};

/// The most characters that are read to find the end of an indentation.
const INDENT: usize = 64;

/// Whether `text` can be cut at `at`, a character boundary inside it; between letters and digits of
/// ASCII only if `in_words`.
fn is_cut(text: &[u8], at: usize, in_words: bool) -> bool {
    if !in_words && text[at].is_ascii_alphanumeric() && text[at - 1].is_ascii_alphanumeric() {
        return false;
    }
    let (last, _) = class::at(text, char_before(text, at));
    let (next, _) = class::at(text, at);
    match (last, next) {
        // White space at the end of a text is split differently from white space before other characters.
        (SPACE, _) => false,
        (NUMBER, _) | (_, NUMBER) => last != next,
        (NEWLINE, SPACE) => indents(text, at),
        (NEWLINE, _) => next != NEWLINE && text[at] != b'/',
        (_, SPACE) => true,
        _ => is_letter(last) && !is_letter(next) && next != MARK && text[at] != b'\'',
    }
}

/// Whether the white space at `at` has no line break and is followed by something else.
fn indents(text: &[u8], mut at: usize) -> bool {
    for _ in 0..INDENT {
        match text.get(at).map(|_| class::at(text, at)) {
            Some((SPACE, len)) => at += len,
            Some((NEWLINE, _)) | None => return false,
            Some(_) => return true,
        }
    }
    false
}

/// The start of the character before `at`, a character boundary above zero.
fn char_before(text: &[u8], at: usize) -> usize {
    let mut start = at - 1;
    while text[start] & 0xC0 == 0x80 {
        start -= 1;
    }
    start
}

/// The first cut after `from`, a character boundary.
pub(crate) fn next_cut(text: &str, from: usize, in_words: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        at += class::at(bytes, at).1;
        if at < bytes.len() && is_cut(bytes, at, in_words) {
            return Some(at);
        }
    }
    None
}

/// The last cut that is at least `from` and below `to`, both character boundaries.
pub(crate) fn last_cut(text: &str, from: usize, to: usize, in_words: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = to;
    while at > from.max(1) {
        at = char_before(bytes, at);
        if at > 0 && at >= from && is_cut(bytes, at, in_words) {
            return Some(at);
        }
    }
    None
}

/// The last character boundary that is at most `at`.
pub(crate) fn floor_char(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The first character boundary that is at least `at`.
pub(crate) fn ceil_char(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
