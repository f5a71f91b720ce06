//! The text of a JSON string.

use std::borrow::Cow;

/// The text between the quotes of a checked JSON string; half of a surrogate pair becomes U+FFFD.
pub fn text(literal: &str) -> Cow<'_, str> {
    let Some(mut next) = memchr::memchr(b'\\', literal.as_bytes()) else { return Cow::Borrowed(literal) };
    let mut out = String::with_capacity(literal.len());
    let mut rest = literal;
    loop {
        out.push_str(&rest[..next]);
        let (character, len) = escape(&rest[next..]);
        out.push(character);
        rest = &rest[next + len..];
        match memchr::memchr(b'\\', rest.as_bytes()) {
            Some(at) => next = at,
            None => break,
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The character of the escape at the start, and its bytes.
fn escape(text: &str) -> (char, usize) {
    let simple = match text.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return unit(text).map_or(('\u{fffd}', 2), |first| pair(text, first)),
        Some(&other) => char::from(other),
        None => return ('\u{fffd}', 1),
    };
    (simple, 2)
}

fn pair(text: &str, first: u32) -> (char, usize) {
    if let Some(character) = char::from_u32(first) {
        return (character, 6);
    }
    let second = text.get(6..).filter(|rest| rest.starts_with("\\u")).and_then(unit);
    match second.filter(|second| first < 0xdc00 && (0xdc00..0xe000).contains(second)) {
        Some(second) => {
            (char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)).unwrap_or('\u{fffd}'), 12)
        }
        None => ('\u{fffd}', 6),
    }
}

fn unit(escape: &str) -> Option<u32> {
    u32::from_str_radix(escape.get(2..6)?, 16).ok()
}

/// Writes a text as a token of a JSON Pointer (RFC 6901).
pub fn pointer_token(key: &str, out: &mut String) {
    out.push('/');
    out.push_str(&key.replace('~', "~0").replace('/', "~1"));
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn escapes_are_read() {
        assert_eq!(text(r#"a\n\"\\\/\u00e9\ud83d\ude00é"#), "a\n\"\\/é😀é");
        assert_eq!(text(r"\ud83d\u0041 \ude00"), "\u{fffd}A \u{fffd}");
        assert_eq!(text("plain"), "plain");
    }
}
