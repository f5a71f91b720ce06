//! JSON string literals (RFC 8259, section 7): the text between the quotes, escaped and read.

use std::borrow::Cow;

/// Appends `text` to `out` as a JSON string.
pub fn quote_into(text: &str, out: &mut String) {
    out.push('"');
    escape_into(text, out);
    out.push('"');
}

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Appends `text` to `out` as a literal. What is escaped is what `JSON.stringify` escapes and nothing else.
pub fn escape_into(text: &str, out: &mut String) {
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[plain..at]);
        plain = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            0x09 => out.push_str("\\t"),
            0x0a => out.push_str("\\n"),
            0x0c => out.push_str("\\f"),
            0x0d => out.push_str("\\r"),
            _ => {
                out.push_str("\\u00");
                out.extend([byte >> 4, byte & 15].map(|digit| char::from(HEX[usize::from(digit)])));
            }
        }
    }
    out.push_str(&text[plain..]);
}

/// The text of a literal; a lone surrogate becomes U+FFFD.
pub fn text(literal: &str) -> Cow<'_, str> {
    if literal.contains('\\') { Cow::Owned(unescape(literal)) } else { Cow::Borrowed(literal) }
}

/// The text of the literal; a lone surrogate becomes U+FFFD.
pub fn unescape(literal: &str) -> String {
    let bytes = literal.as_bytes();
    // No text is longer than its literal. The last word that is copied may reach beyond what belongs there.
    let (mut out, mut written, mut at) = (vec![0; bytes.len() + WORD], 0, 0);
    while at < bytes.len() {
        // In JSON within a text, escapes are a few bytes apart: to search each would take longer than to look at all bytes.
        let plain = match bytes[at..].first_chunk::<WORD>() {
            Some(next) => {
                out[written..written + WORD].copy_from_slice(next);
                before_escape(*next)
            }
            None => {
                out[written] = bytes[at];
                usize::from(bytes[at] != b'\\')
            }
        };
        (at, written) = (at + plain, written + plain);
        if bytes.get(at) != Some(&b'\\') {
            continue;
        }
        match bytes.get(at + 1) {
            Some(&own @ (b'"' | b'\\' | b'/')) => {
                out[written] = own;
                (at, written) = (at + 2, written + 1);
            }
            _ => {
                let (character, read) = unit(&literal[at..]);
                (at, written) = (at + read, written + character.encode_utf8(&mut out[written..]).len());
            }
        }
    }
    out.truncate(written);
    String::from_utf8(out).unwrap_or_default()
}

/// The bytes that are looked at together.
const WORD: usize = 8;

/// The number of bytes before a backslash. A byte that is equal is zero in the difference, and borrows in the subtraction; the lowest
/// one is certain.
fn before_escape(bytes: [u8; WORD]) -> usize {
    const LOWEST: u64 = u64::from_le_bytes([0x01; WORD]);
    let differs = u64::from_le_bytes(bytes) ^ u64::from_le_bytes([b'\\'; WORD]);
    let same = differs.wrapping_sub(LOWEST) & !differs & (LOWEST << 7);
    (same.trailing_zeros() / 8) as usize
}

/// The characters of the literal's text; a lone surrogate is U+FFFD.
pub fn characters(literal: &str) -> impl Iterator<Item = char> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (character, bytes) = unit(literal.get(at..).filter(|rest| !rest.is_empty())?);
        at += bytes;
        Some(character)
    })
}

/// The first character of a literal that is not empty, and the number of bytes that it takes in the literal.
pub fn unit(literal: &str) -> (char, usize) {
    let bytes = literal.as_bytes();
    if bytes[0] != b'\\' {
        let character = literal.chars().next().unwrap_or('\u{fffd}');
        return (character, character.len_utf8());
    }
    match bytes.get(1) {
        Some(b'u') => {
            let high = hex4(bytes, 2);
            if (0xd800..0xdc00).contains(&high) && bytes.get(6..8) == Some(b"\\u") {
                let low = hex4(bytes, 8);
                if (0xdc00..0xe000).contains(&low) {
                    let scalar = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                    return (char::from_u32(scalar).unwrap_or('\u{fffd}'), 12);
                }
            }
            (char::from_u32(high).unwrap_or('\u{fffd}'), literal.len().min(6))
        }
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'n') => ('\n', 2),
        Some(b'r') => ('\r', 2),
        Some(b't') => ('\t', 2),
        _ => literal.chars().nth(1).map_or(('\\', 1), |other| (other, 1 + other.len_utf8())),
    }
}

/// Four hexadecimal digits; 0xFFFD if they are missing, which cannot happen in valid JSON.
fn hex4(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..at + 4)
        .and_then(|digits| std::str::from_utf8(digits).ok())
        .and_then(|digits| u32::from_str_radix(digits, 16).ok())
        .unwrap_or(0xfffd)
}
