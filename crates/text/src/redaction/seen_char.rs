//! Characters that a text spells (`\u0038`, `\x38`, `\033`, `%38`, `&#56;`), and those that nobody sees.

use std::borrow::Cow;

use crate::prose::html;

use super::Marks;

/// The longest spelling: a few backslashes, and `u0038`.
const MOST_BACKSLASHES: usize = 8;

/// The controls, and the bytes with which other invisible characters begin.
const MAY_BE_INVISIBLE: Marks = Marks::of(b"\0\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1c\x1d\x1e\x1f\x7f\xc2\xcd\xd8\xe1\xe2\xef\xf3");

/// The character that is spelled at the start of a text, and the bytes of its spelling. Backslashes may be escaped themselves.
pub fn spelled(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    if *bytes.first()? == b'%' {
        let code = hex(bytes.get(1..3)?)?;
        return ascii(code).map(|letter| (letter, 3));
    }
    let slashes = bytes.iter().take(MOST_BACKSLASHES).take_while(|byte| **byte == b'\\').count();
    if slashes == 0 {
        return None;
    }
    let (letter, bytes_of_code) = match bytes.get(slashes)? {
        b'u' => (char::from_u32(hex(bytes.get(slashes + 1..slashes + 5)?)?)?, 5),
        b'x' => (ascii(hex(bytes.get(slashes + 1..slashes + 3)?)?)?, 3),
        b'e' => ('\x1b', 1),
        b'0'..=b'1' => {
            let digits = bytes.get(slashes..slashes + 3)?;
            let is_octal = digits.iter().all(|digit| matches!(digit, b'0'..=b'7'));
            let code = digits.iter().fold(0, |code, digit| code * 8 + u32::from(digit.wrapping_sub(b'0')));
            (is_octal.then(|| ascii(code)).flatten()?, 3)
        }
        _ => return None,
    };
    Some((letter, slashes + bytes_of_code))
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |code, digit| Some(code * 16 + char::from(*digit).to_digit(16)?))
}

fn ascii(code: u32) -> Option<char> {
    char::from_u32(code).filter(char::is_ascii)
}

/// The text with the characters that it spells.
pub fn unescaped(text: &str) -> Cow<'_, str> {
    let (mut out, mut copied) = (String::new(), 0);
    while let Some((start, letter, end)) = next_spelled(text, copied) {
        if copied == 0 {
            out.reserve(text.len());
        }
        out.push_str(&text[copied..start]);
        out.push(letter);
        copied = end;
    }
    if copied == 0 { Cow::Borrowed(text) } else { Cow::Owned(out + &text[copied..]) }
}

/// Whether a text spells characters.
pub fn is_spelled(text: &str) -> bool {
    next_spelled(text, 0).is_some()
}

/// The next character that is spelled, with where it begins and ends.
fn next_spelled(text: &str, mut at: usize) -> Option<(usize, char, usize)> {
    while let Some(found) = memchr::memchr3(b'\\', b'%', b'&', &text.as_bytes()[at..]) {
        let start = at + found;
        let found = match text[start..].strip_prefix('&') {
            Some(name) => html::reference(name).map(|(letter, bytes)| (letter, bytes + 1)),
            None => spelled(&text[start..]),
        };
        match found {
            Some((letter, bytes)) => return Some((start, letter, start + bytes)),
            None => at = start + 1,
        }
    }
    None
}

/// Whether a character takes no room: controls, joiners, marks of direction, tags.
pub fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\0'..='\x08' | '\x0e'..='\x1a' | '\x1c'..='\x1f' | '\x7f'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// The text without invisible characters.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !MAY_BE_INVISIBLE.are_in(text) || !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    out.extend(text.chars().filter(|letter| !is_invisible(*letter)));
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spelled_is_read() {
        for (text, read) in [
            (r"a\u0038b", "a8b"),
            (r"a\\u0038b", "a8b"),
            (r"a\x38\x1b[1m", "a8\x1b[1m"),
            (r"\033[1m\e[m", "\x1b[1m\x1b[m"),
            ("a%38%2e%zz%", "a8.%zz%"),
            ("<a b='&#56;&none;&amp'>", "<a b='8&none;&'>"),
            (r"C:\users\n \ud83d \u", r"C:\users\n \ud83d \u"),
            ("é\\", "é\\"),
        ] {
            assert_eq!(unescaped(text), read);
        }
        assert_eq!(visible("a\u{200b}b\u{ad}c\r\n"), "abc\r\n");
    }
}
