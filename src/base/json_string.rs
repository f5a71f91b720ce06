//! JSON string literals (RFC 8259, section 7): escaping, unescaping, and safe cuts.
//!
//! A "literal" is the text between the quotes. Escaping covers what `JSON.stringify` escapes and nothing else, so that
//! every face writes the same bytes. [`Quoted`] is a literal with its quotes.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::base::text_cuts;

pub(crate) use toolshape_json::chars;
use toolshape_json::string::{self, unit};
pub use toolshape_json::string::{characters, escape_into, quote_into, unescape};

/// A JSON string with its quotes, such as the key of an object's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quoted<'a>(&'a str);

impl<'a> Quoted<'a> {
    /// Takes a JSON string with its quotes.
    pub fn new(json: &'a str) -> Self {
        debug_assert!(json.len() > 1 && json.starts_with('"') && json.ends_with('"'), "{json}");
        Self(json)
    }

    /// Takes a JSON value, if it is a string.
    pub fn of(json: &'a str) -> Option<Self> {
        json.starts_with('"').then(|| Self::new(json))
    }

    /// The literal between the quotes.
    pub fn literal(self) -> &'a str {
        &self.0[1..self.0.len() - 1]
    }

    /// The text: see [`unescape`].
    pub fn text(self) -> Cow<'a, str> {
        string::text(self.literal())
    }

    /// How the texts compare, by Unicode code points; a lone surrogate counts as U+FFFD.
    pub fn compare(self, other: Quoted<'_>) -> Ordering {
        let (a, b) = (self.literal(), other.literal());
        match a.contains('\\') || b.contains('\\') {
            true => characters(a).cmp(characters(b)),
            // UTF-8 keeps the order of code points.
            false => a.cmp(b),
        }
    }

    /// Whether the text is `text`: see [`is_text`].
    pub fn is(self, text: &str) -> bool {
        is_text(self.literal(), text)
    }
}

/// `text` as a JSON string literal with its quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote_into(text, &mut out);
    out
}

/// Whether the text of the literal is `text`; a lone surrogate counts as U+FFFD.
pub fn is_text(literal: &str, text: &str) -> bool {
    string::text(literal) == text
}

/// The literal as [`escape_into`] writes its text; lone surrogates are lower-case escapes.
pub fn normalized(literal: &str) -> String {
    let (mut out, mut at) = (String::with_capacity(literal.len()), 0);
    while at < literal.len() {
        let (character, bytes) = unit(&literal[at..]);
        match &literal[at..at + bytes] {
            escape if character == '\u{fffd}' && escape.len() == 6 && !escape.eq_ignore_ascii_case("\\ufffd") => {
                out += &escape.to_ascii_lowercase();
            }
            _ => escape_into(character.encode_utf8(&mut [0; 4]), &mut out),
        }
        at += bytes;
    }
    out
}

/// At most `max` characters of the literal, from character `start`.
pub fn slice(literal: &str, start: usize, max: usize) -> &str {
    let from = skip(literal, start);
    let rest = &literal[from..];
    &rest[..skip(rest, max)]
}

/// The byte offset of character `count`, or the length if there are fewer.
fn skip(literal: &str, count: usize) -> usize {
    let (mut at, mut left) = (0, count);
    while left > 0 && at < literal.len() {
        let rest = &literal.as_bytes()[at..];
        // Looks no farther than the remaining characters can reach.
        let seen = &rest[..rest.len().min(left.saturating_mul(4))];
        let plain = memchr::memchr(b'\\', seen).unwrap_or(seen.len());
        if plain == 0 {
            at += unit(&literal[at..]).1;
            left -= 1;
            continue;
        }
        let bytes = &seen[..plain];
        if bytes.is_ascii() {
            let step = plain.min(left);
            at += step;
            left -= step;
            continue;
        }
        let mut chars = literal[at..].chars();
        while left > 0 && literal.len() - chars.as_str().len() < at + plain {
            chars.next();
            left -= 1;
        }
        at = literal.len() - chars.as_str().len();
    }
    at
}

/// The literal, or its start of at most `chars` characters and an ellipsis, cut where it is safe.
pub fn clipped(literal: &str, chars: usize) -> Cow<'_, str> {
    let start = slice(literal, 0, chars).len();
    match start < literal.len() {
        true => Cow::Owned(format!("{}…", &literal[..floor(literal, start)])),
        false => Cow::Borrowed(literal),
    }
}

/// The greatest safe cut of the literal at or before byte `at`: see `text_cuts::floor`.
pub fn floor(literal: &str, at: usize) -> usize {
    let map = Decoded::new(literal);
    map.raw(text_cuts::floor(&map.text, map.decoded(at)))
}

/// The smallest safe cut of the literal at or after byte `at`: see `text_cuts::ceil`.
pub fn ceil(literal: &str, at: usize) -> usize {
    let map = Decoded::new(literal);
    let floor = map.decoded(at);
    let next = map.text[floor..].chars().next().filter(|_| map.raw(floor) < at).map_or(0, char::len_utf8);
    map.raw(text_cuts::ceil(&map.text, floor + next))
}

/// The last byte at or before `at` that is not inside a character or an escape.
pub fn floor_char(literal: &str, at: usize) -> usize {
    let map = Decoded::new(literal);
    map.raw(map.decoded(at))
}

/// A literal's text, with the place of each escape.
struct Decoded {
    text: String,
    /// Before and after each escape: the offset in the text, the offset in the literal. Between two of these edges both
    /// offsets advance in step.
    edges: Vec<(usize, usize)>,
}

impl Decoded {
    fn new(literal: &str) -> Self {
        let (mut text, mut edges, mut at) = (String::with_capacity(literal.len()), vec![(0, 0)], 0);
        while let Some(next) = literal[at..].find('\\') {
            text.push_str(&literal[at..at + next]);
            at += next;
            edges.push((text.len(), at));
            let (character, bytes) = unit(&literal[at..]);
            text.push(character);
            at += bytes;
            edges.push((text.len(), at));
        }
        text.push_str(&literal[at..]);
        Self { text, edges }
    }

    /// The character boundary in the text at or before byte `raw` of the literal.
    fn decoded(&self, raw: usize) -> usize {
        let edge = self.edges.partition_point(|edge| edge.1 <= raw) - 1;
        let (text, literal) = self.edges[edge];
        // Inside an escape the offset in the text does not advance: the edge before it is the start of the escape.
        let limit = self.edges.get(edge + 1).map_or(self.text.len(), |edge| edge.0);
        let inside_escape = self.edges.get(edge + 1).is_some_and(|edge| edge.1 - literal != edge.0 - text);
        let at = if inside_escape { text } else { (text + raw - literal).min(limit) };
        (0..=at).rev().find(|&i| self.text.is_char_boundary(i)).unwrap_or(0)
    }

    fn raw(&self, decoded: usize) -> usize {
        let (text, literal) = self.edges[self.edges.partition_point(|edge| edge.0 <= decoded) - 1];
        literal + (decoded - text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_json_stringify() {
        let text = "\"\\/\u{8}\t\n\u{c}\r\u{0}\u{1f}\u{7f}\u{2028}é😀";
        let literal = quoted(text);
        assert_eq!(literal, serde_json::to_string(text).unwrap());
        assert_eq!(Quoted::new(&literal).text(), text);
    }

    #[test]
    fn escapes_are_read_wherever_they_are() {
        for escape in [r#"\""#, r"\\", r"\/", r"\n", r"\u00e9", r"\ud83d\ude00", r"\\\\", "é", "]", "\u{dc}"] {
            for (before, after) in (0..20).flat_map(|before| (0..20).map(move |after| (before, after))) {
                let literal = format!("{}{escape}{}{escape}", "x".repeat(before), "ü".repeat(after));
                let wanted: String = serde_json::from_str(&format!("\"{literal}\"")).unwrap();
                assert_eq!(unescape(&literal), wanted, "{literal}");
            }
        }
    }

    #[test]
    fn characters_are_counted_and_sliced_across_escapes() {
        let literal = r"a\n\u00e9\ud83d\ude00\ud83d\\b";
        assert_eq!(chars(literal), 7);
        let pieces: Vec<&str> = (0..7).map(|at| slice(literal, at, 1)).collect();
        assert_eq!(pieces, ["a", r"\n", r"\u00e9", r"\ud83d\ude00", r"\ud83d", r"\\", "b"]);
        assert_eq!(unescape(literal), "a\né😀\u{fffd}\\b");
        assert_eq!(slice(literal, 3, 100), r"\ud83d\ude00\ud83d\\b");
        assert_eq!(slice(literal, 100, 1), "");
    }

    #[test]
    fn equal_texts_have_one_literal() {
        let (literal, normal) = (r"\u0061\/\u000A\ud83d\uDE00\uD83D\ufffd\u0000", r"a/\n😀\ud83d\u{fffd}\u0000");
        assert_eq!(normalized(literal), normal.replace(r"\u{fffd}", "\u{fffd}"));
        assert_eq!(normalized(&normalized(literal)), normalized(literal));
    }

    #[test]
    fn no_cut_falls_inside_an_escape() {
        let literal = r"a\n\u00e9\ud83d\ude00\\b";
        let edges = [0, 1, 3, 9, 21, 23, 24];
        for at in 0..=literal.len() {
            let (before, after) = (floor(literal, at), ceil(literal, at));
            assert!(edges.contains(&before) && before <= at, "{at}: {before}");
            assert!(edges.contains(&after) && after >= at, "{at}: {after}");
        }
    }
}
