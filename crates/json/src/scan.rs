//! Walking over checked JSON text: the ends of values, the starts of members, white space.
//!
//! Strings, numbers and indentation are read in steps of eight bytes.

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
#[inline]
pub fn skip_space(bytes: &[u8], at: usize) -> usize {
    // In minified text there is none: that costs one comparison, and no call.
    if bytes.get(at).is_some_and(|&byte| byte <= b' ') { space_end(bytes, at) } else { at }
}

#[inline(never)]
fn space_end(bytes: &[u8], mut at: usize) -> usize {
    // Most often it is one space, after a colon or a comma.
    if bytes.get(at) == Some(&b' ') && bytes.get(at + 1).is_some_and(|&byte| byte > b' ') {
        return at + 1;
    }
    loop {
        while matches!(bytes.get(at), Some(b'\n' | b'\r' | b'\t')) {
            at += 1;
        }
        if bytes.get(at) != Some(&b' ') {
            return at;
        }
        // Indented text has long runs of spaces.
        at = find(bytes, at, |word| word ^ (ONES * u64::from(b' ')), |byte| byte != b' ');
    }
}

/// The most items of the array that `text` is, if it is JSON at all, which is not checked.
///
/// ```
/// use toolshape_json::most_items;
/// assert_eq!(most_items("[1, [2, 3], \"4, 5\"]"), 3);
/// ```
pub fn most_items(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut items) = (0, 0_usize, 1);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = skip_string(bytes, at);
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 1 => items += 1,
            _ => {}
        }
        at += 1;
    }
    items
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
#[inline(always)]
pub(crate) fn plain_end(bytes: &[u8], at: usize) -> usize {
    // Half of all strings are this short: they need no loop and no call.
    match bytes.get(at..).and_then(<[u8]>::first_chunk) {
        Some(eight) => match special(u64::from_le_bytes(*eight)) {
            0 => far_plain_end(bytes, at + 8),
            found => at + found.trailing_zeros() as usize / 8,
        },
        None => far_plain_end(bytes, at),
    }
}

/// The same for longer strings; in a function of its own, the loop has registers for all that it compares with.
#[inline(never)]
fn far_plain_end(bytes: &[u8], at: usize) -> usize {
    find(bytes, at, special, |byte| byte < b' ' || byte == b'"' || byte == b'\\')
}

/// The high bits of the bytes of a word that have a meaning in a string; exact up to the first.
fn special(word: u64) -> u64 {
    // With its second bit flipped, a quote is a space, and still only control characters are below a space.
    let low = (word ^ (ONES * 2)).wrapping_sub(ONES * u64::from(b' ' + 1));
    let backslash = (word ^ (ONES * u64::from(b'\\'))).wrapping_sub(ONES);
    (low | backslash) & !word & HIGH
}

/// The first byte from `at` on that is not a digit.
pub(crate) fn digits_end(bytes: &[u8], at: usize) -> usize {
    let others = |word: u64| {
        // A digit becomes its value: only what is ten or more has or gets the high bit.
        let values = word ^ (ONES * u64::from(b'0'));
        (values.wrapping_add(ONES * (0x80 - 10)) | values) & HIGH
    };
    find(bytes, at, others, |byte| !byte.is_ascii_digit())
}

/// One in each byte of a word.
const ONES: u64 = u64::MAX / 255;

/// The high bit of each byte of a word.
const HIGH: u64 = ONES << 7;

/// The first byte from `at` on that is sought, or the end. Eight bytes are read at a time.
///
/// `in_word` sets bits in each byte of a word that is sought. It may set some in other bytes after the first of them,
/// but in none before.
fn find(bytes: &[u8], at: usize, in_word: impl Fn(u64) -> u64, is_sought: impl Fn(u8) -> bool) -> usize {
    let mut rest = bytes.get(at..).unwrap_or_default();
    while let Some((eight, after)) = rest.split_first_chunk() {
        let found = in_word(u64::from_le_bytes(*eight));
        if found != 0 {
            return bytes.len() - rest.len() + found.trailing_zeros() as usize / 8;
        }
        rest = after;
    }
    bytes.len() - rest.iter().skip_while(|&&byte| !is_sought(byte)).count()
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
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_found_at_each_place() {
        type Search = (fn(&[u8], usize) -> usize, u8, fn(u8) -> bool);
        let searches: [Search; 3] = [
            (plain_end, b'a', |byte| byte < b' ' || byte == b'"' || byte == b'\\'),
            (digits_end, b'7', |byte| !byte.is_ascii_digit()),
            (skip_space, b' ', |byte| !is_space(byte)),
        ];
        for (search, other, is_sought) in searches {
            for byte in 0..=255 {
                for place in 0..20 {
                    let mut bytes = [other; 20];
                    bytes[place] = byte;
                    let expected = if is_sought(byte) { place } else { bytes.len() };
                    assert_eq!(search(&bytes, 0), expected, "{byte:#x} at {place}");
                }
            }
        }
    }

    #[test]
    fn items_are_those_of_the_outer_array_alone() {
        let cases = [
            ("[]", 1),
            ("[1]", 1),
            (" [1, 2,3 ]", 3),
            (r#"[[1,2],{"a":1,"b":[3,4]},5]"#, 3),
            (r#"["a,b\",c","]",1]"#, 3),
            (r#"["a\\",1]"#, 2),
            // What is not JSON.
            ("", 1),
            ("[1,2", 2),
            ("]]],[1,2]", 2),
            (r#"[1,"a,b"#, 2),
            (r#"[1,"a\"#, 2),
        ];
        for (text, items) in cases {
            assert_eq!(most_items(text), items, "{text}");
        }
    }
}
