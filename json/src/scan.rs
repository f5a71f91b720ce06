//! Walking over checked JSON text: the ends of values, the starts of members, white space.
//!
//! Long strings and long indentation are read in steps of eight bytes.

use std::borrow::Cow;

use crate::outline::Steps;

/// Checked JSON text without the white space between its tokens.
pub fn minify(span: &str) -> Cow<'_, str> {
    let bytes = span.as_bytes();
    let mut end = next_space(bytes, 0);
    if end == bytes.len() {
        return Cow::Borrowed(span);
    }
    // The last word that is copied may reach beyond what belongs there.
    let mut out = vec![0; bytes.len() + WORD];
    let (mut start, mut written) = (0, 0);
    while start < bytes.len() {
        copy(bytes, start, end, &mut out, written);
        written += end - start;
        start = skip_space(bytes, end);
        end = next_space(bytes, start);
    }
    out.truncate(written);
    Cow::Owned(String::from_utf8(out).expect("white space is cut out at the edges of characters"))
}

const WORD: usize = 8;

/// Copies a stretch, whole words at a time, since most stretches are shorter than what a call of `memcpy` is worth.
fn copy(bytes: &[u8], start: usize, end: usize, out: &mut [u8], mut to: usize) {
    let mut at = start;
    while at < end {
        let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<WORD>) else {
            out[to..to + end - at].copy_from_slice(&bytes[at..end]);
            return;
        };
        out[to..to + WORD].copy_from_slice(word);
        (at, to) = (at + WORD, to + WORD);
    }
}

/// The next white space outside of strings from `at`, which must not be inside a string, or the end.
fn next_space(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = skip_string(bytes, at),
            b if is_space(b) => break,
            _ => at += 1,
        }
    }
    at
}

/// Whether a byte is JSON white space.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// The first place from `at` on that is not white space.
pub fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    // Indented text has long runs of spaces.
    while bytes.get(at..).and_then(<[u8]>::first_chunk) == Some(b"        ") {
        at += 8;
    }
    while at < bytes.len() && is_space(bytes[at]) {
        at += 1;
    }
    at
}

/// The end of the string that begins at `at`, in checked text.
pub fn skip_string(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    loop {
        at = plain_end(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return at + 1,
            Some(_) => at += 2,
            None => return bytes.len(),
        }
    }
}

/// The first byte from `at` on with a meaning in a string: a quote, a backslash or a control character.
///
/// Checks eight bytes at a time: half of all strings are too short for a search in larger steps to be faster.
pub(crate) fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    // The high bit of each byte that is below `limit`; exact up to the first such byte.
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & (ONES << 7);
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*eight);
        let quotes = below(word ^ (ONES * u64::from(b'"')), 1);
        let backslashes = below(word ^ (ONES * u64::from(b'\\')), 1);
        let found = quotes | backslashes | below(word, 0x20);
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|&b| b >= 0x20 && b != b'"' && b != b'\\') {
        at += 1;
    }
    at
}

/// The end of the value that begins at `at`, in checked text.
pub fn skip_value(bytes: &[u8], at: usize) -> usize {
    Steps::new(bytes).skip_value(at)
}

/// The end of the number or the word that begins at `at`, in checked text.
pub(crate) fn skip_scalar(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']') || is_space(*byte);
    bytes[at..].iter().position(ends).map_or(bytes.len(), |end| at + end)
}

/// The first quote or bracket from `at` on, in checked text outside of strings, or a place before it.
pub(crate) fn next_mark(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*eight);
        // With this bit set, `[` becomes `{`, `]` becomes `}`, and a quote does not change.
        let folded = word | (ONES * 0x20);
        let marks = [b'{', b'}', b'"'].map(|mark| zeros(folded ^ (ONES * u64::from(mark))));
        let found = marks[0] | marks[1] | marks[2];
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at
}

/// From the end of a member to the start of the next one, or to the closing bracket.
pub fn next_member(bytes: &[u8], end: usize) -> usize {
    let at = skip_space(bytes, end);
    if bytes[at] == b',' { skip_space(bytes, at + 1) } else { at }
}
