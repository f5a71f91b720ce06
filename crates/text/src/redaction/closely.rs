//! The closest reading of a text, after all others: without letters that are struck over and those that are spelled and not seen, with what
//! is encoded twice, marks that Markdown escapes, and wide letters as others are.

use std::borrow::Cow;

use crate::prose::html;

use super::Marks;
use super::seen_char::{is_invisible, spelled};

/// The first bytes of what this reading changes.
const SPECIAL: Marks = Marks::of(b"\0\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1c\x1d\x1e\x1f\x7f&\\%\xc2\xcd\xd8\xe1\xe2\xef\xf3");
/// The most characters of a spelling.
const SPELLING: usize = 40;

/// The text in this reading. What is JSON stays JSON.
pub fn read(text: &str) -> Cow<'_, str> {
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(found) = SPECIAL.find(&text.as_bytes()[at..]) {
        let special = at + found;
        let before = text[copied..special].chars().next_back().map_or(0, char::len_utf8);
        let start = if overstruck(&text[special - before..]).is_some() { special - before } else { special };
        let Some((seen, bytes)) = next(&text[start..]) else { break };
        at = start + bytes;
        if seen.is_none_or(|seen| !text[start..at].starts_with(seen)) {
            out.push_str(&text[copied..start]);
            out.extend(seen);
            copied = at;
        }
    }
    if copied == 0 { Cow::Borrowed(text) } else { Cow::Owned(out + &text[copied..]) }
}

/// What is seen first of a text, if its first bytes show anything, and how many these are.
pub fn next(text: &str) -> Option<(Option<char>, usize)> {
    let first = text.chars().next()?;
    let struck = overstruck(text).map(|bytes| (None, bytes));
    let seen = || if is_invisible(first) { None } else { Some(narrow(first).unwrap_or(first)) };
    Some(struck.or_else(|| spelled_closely(text)).unwrap_or_else(|| (seen(), first.len_utf8())))
}

/// The bytes of a letter and of the way back, which strings spell `\b`, if it is printed again over itself (bold), or another one over a line.
fn overstruck(text: &str) -> Option<usize> {
    let first = text.chars().next().filter(|first| *first != '\\')?;
    let rest = &text[first.len_utf8()..];
    let spelled = || rest.strip_prefix('\\').and_then(|rest| rest.trim_start_matches('\\').strip_prefix('b'));
    let back = rest.strip_prefix('\x08').or_else(spelled)?;
    (back.starts_with(first) || first == '_' && !back.is_empty()).then_some(text.len() - back.len())
}

/// A character that is spelled in more than one way at once, a mark that Markdown escapes, or what is spelled and not seen.
fn spelled_closely(text: &str) -> Option<(Option<char>, usize)> {
    if !text.starts_with(['\\', '%', '&']) {
        return None;
    }
    let slashes = text.bytes().take_while(|byte| *byte == b'\\').count();
    if let Some(mark @ ('_' | '-' | '.')) = text[slashes..].chars().next().filter(|_| slashes > 0) {
        return Some((Some(mark), slashes + 1));
    }
    let (mut letter, mut end) = spelled_once(text)?;
    let mut is_inner = false;
    while matches!(letter, '\\' | '%' | '&') {
        let near: String = std::iter::once(letter).chain(text[end..].chars().take(SPELLING)).collect();
        let Some((inner, bytes)) = spelled_once(&near) else { break };
        (letter, end, is_inner) = (inner, end + bytes - 1, true);
    }
    // Others are marks of the text itself.
    let is_inner =
        is_inner && (letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | ':' | '=' | '/' | '+' | '~'));
    match is_invisible(letter) {
        true => Some((None, end)),
        false => is_inner.then_some((Some(letter), end)),
    }
}

fn spelled_once(text: &str) -> Option<(char, usize)> {
    match text.strip_prefix('&') {
        Some(name) => html::reference(name).map(|(letter, bytes)| (letter, bytes + 1)),
        None => spelled(text),
    }
}

/// What a wide letter, digit or mark of a name looks like.
fn narrow(letter: char) -> Option<char> {
    const TO_NARROW: u32 = '：' as u32 - ':' as u32;
    let is_wide = matches!(letter, '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' | '：' | '＝' | '＿' | '－');
    if is_wide { char::from_u32(letter as u32 - TO_NARROW) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_from_other_readings_is_read() {
        for (text, wanted) in [
            ("a%2538%25252e%25 %38", "a8.%25 %38"),
            ("&amp;#56;&#37;38 &amp;lt; &amp;amp;", "88 &amp;lt; &amp;amp;"),
            (r"\x5cx38 \x38 a\_b\\-c \n\\n", r"8 \x38 a_b-c \n\\n"),
            ("p\x08pa\x08a_\x08é é\x08éb\x08c\x08", "paé ébc"),
            (r"p\bpa\ba a\\ba \b", r"pa a \b"),
            ("a\u{200b}b\\u200bc&shy;\u{ad}d\r\n", "abcd\r\n"),
            ("ａ＿１：b，é", "a_1:b，é"),
            (r"C:\users\n \ud83d \u", r"C:\users\n \ud83d \u"),
            ("\\", "\\"),
        ] {
            assert_eq!(read(text), wanted);
            let (mut seen, mut at) = (String::new(), 0);
            while let Some((letter, bytes)) = next(&text[at..]) {
                seen.extend(letter);
                at += bytes;
            }
            assert_eq!(seen, wanted);
        }
    }
}
