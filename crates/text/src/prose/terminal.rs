//! What a terminal shows of a text: its colours and other escape sequences (ECMA-48) are not there, nor what was written over.

use std::borrow::Cow;

use memchr::{memchr_iter, memchr2};

use crate::lines;

use super::severity::{self, Severity};

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;
/// The first byte of control characters that are one letter for an escape and another: U+009B is `ESC [`.
const SHORT: u8 = 0xc2;
/// What is between the letter behind an escape and the second byte of the short form.
const TO_SHORT: u8 = 0x40;
/// The short form of a line break, which stays.
const NEXT_LINE: u8 = 0x85;

/// The text without escape sequences, and of a line that was written over what was last to be seen; lines keep their numbers.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !is_written_over(text) {
        return without_sequences(text);
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\r', '\n']);
        match is_written_over(content) {
            true => {
                out += last_seen(content).trim_end();
                out += &line[content.len()..];
            }
            false => out += &without_sequences(line),
        }
    }
    Cow::Owned(out)
}

/// The same of a whole text, whose lines may end with carriage returns.
pub fn shown_text(text: &str) -> Cow<'_, str> {
    match lines::with_feeds(text) {
        Cow::Borrowed(text) => shown(text),
        Cow::Owned(text) => Cow::Owned(shown(&text).into_owned()),
    }
}

/// Whether the cursor goes back to the start of a line, and something follows.
pub fn is_written_over(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1).is_some_and(|next| !matches!(next, b'\r' | b'\n')))
}

/// What is seen at last of a line in which the cursor goes back to its start: each part is over the ones before, as far as it goes.
/// The first part that says that something failed stays before it.
fn last_seen(line: &str) -> String {
    let (mut failed, mut seen) = (String::new(), Vec::<char>::new());
    let mut parts = line.split('\r').peekable();
    while let Some(part) = parts.next() {
        let plain = without_sequences(part);
        if failed.is_empty() && parts.peek().is_some() && severity::of_line(&plain).severity() == Severity::Error {
            failed = plain.trim().to_owned() + " ";
            seen.clear();
            continue;
        }
        let (mut column, mut at) = (0, 0);
        while let Some(character) = part[at..].chars().next() {
            match sequence(&part.as_bytes()[at..]) {
                0 => {
                    match seen.get_mut(column) {
                        Some(known) => *known = character,
                        None => seen.push(character),
                    }
                    (column, at) = (column + 1, at + character.len_utf8());
                }
                bytes => {
                    let erased = part[at..at + bytes]
                        .strip_suffix('K')
                        .map(|rest| rest.trim_start_matches(['\x1b', '\u{9b}', '[']));
                    match erased {
                        Some("" | "0") => seen.truncate(column),
                        Some("2") => seen.iter_mut().for_each(|character| *character = ' '),
                        _ => {}
                    }
                    at += bytes;
                }
            }
        }
    }
    failed.extend(seen);
    failed
}

fn without_sequences(text: &str) -> Cow<'_, str> {
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(found) = memchr2(ESCAPE, SHORT, &text.as_bytes()[at..]) {
        let start = at + found;
        match sequence(&text.as_bytes()[start..]) {
            // Another character that begins as the short forms do.
            0 => at = start + 1,
            bytes => {
                if copied == 0 {
                    out.reserve(text.len());
                }
                out.push_str(&text[copied..start]);
                at = start + bytes;
                copied = at;
            }
        }
    }
    if copied == 0 { Cow::Borrowed(text) } else { Cow::Owned(out + &text[copied..]) }
}

/// Whether a control character is the short form of an escape and a letter.
pub fn is_short(letter: char) -> bool {
    matches!(letter, '\u{80}'..='\u{84}' | '\u{86}'..='\u{9f}')
}

/// The bytes of the escape sequence at the start; 0 if there is none. One that does not end as it should ends before the first byte
/// that cannot be in it, so that no line break belongs to any.
pub fn sequence(bytes: &[u8]) -> usize {
    let kind = match bytes {
        [SHORT, NEXT_LINE, ..] => return 0,
        [SHORT, code @ 0x80..=0x9f, ..] => Some(code - TO_SHORT),
        [ESCAPE, rest @ ..] => rest.first().copied(),
        _ => return 0,
    };
    let run = |from: usize, is_inside: fn(&u8) -> bool| {
        from + bytes[from..].iter().position(|byte| !is_inside(byte)).unwrap_or(bytes.len() - from)
    };
    let has = |at: usize, is_wanted: fn(&u8) -> bool| usize::from(bytes.get(at).is_some_and(is_wanted));
    match kind {
        // A control sequence: parameters, and the letter that says what it does.
        Some(b'[') => {
            let end = run(2, |byte| matches!(byte, 0x20..=0x3f));
            end + has(end, |byte| matches!(byte, 0x40..=0x7e))
        }
        // A title, a link or a string for the device, up to a bell or another escape.
        Some(b']' | b'P' | b'X' | b'^' | b'_') => {
            let mut end = run(2, |byte| !matches!(*byte, ESCAPE | SHORT | BELL | b'\n' | b'\r'));
            while bytes.get(end) == Some(&SHORT) && bytes.get(end + 1) != Some(&(b'\\' + TO_SHORT)) {
                end = run(end + 1, |byte| !matches!(*byte, ESCAPE | SHORT | BELL | b'\n' | b'\r'));
            }
            match bytes.get(end) {
                Some(&BELL) => end + 1,
                Some(&SHORT) => end + 2,
                Some(&ESCAPE) => end + 1 + has(end + 1, |byte| *byte == b'\\'),
                _ => end,
            }
        }
        // Character sets and the like: intermediate bytes, and a final one.
        Some(0x20..=0x2f) => {
            let end = run(1, |byte| matches!(byte, 0x20..=0x2f));
            end + has(end, |byte| matches!(byte, 0x30..=0x7e))
        }
        Some(0x30..=0x7e) => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn escape_sequences_are_not_shown() {
        let cases = [
            ("\x1b[31mERROR\x1b[0m app", "ERROR app"),
            ("\x1b[38;5;196mx\x1b[m\x1b[K\x1b[1;1H", "x"),
            ("\x1b]8;;https://x.y\x1b\\link\x1b]8;;\x07 \x1b(B\x1b7é", "link é"),
            ("plain", "plain"),
            ("\x1b[31\nERROR\x1b", "\nERROR"),
            ("\x1b]0;title\nnext\x1b\n\x1bé", "\nnext\né"),
            ("\u{9b}31mé\u{9b}0m ° \u{85}\u{a0}x", "é ° \u{85}\u{a0}x"),
            ("a\x1bP1 °\x1b\\b\x1b_x y\u{9c}c\u{9d}8;;u°\u{9c}d\u{98} °", "abcd"),
        ];
        for (text, wanted) in cases {
            assert_eq!(shown(text), wanted);
            assert_eq!(shown(text).matches('\n').count(), text.matches('\n').count());
        }
    }

    #[test]
    fn a_line_that_is_written_over_is_what_is_seen_at_last() {
        for (text, wanted) in [
            ("  0%\r 50%\r100%\ndone\n", "100%\ndone\n"),
            ("Downloading a.zip\rDone\x1b[K\r\nnext\r\n", "Done\r\nnext\r\n"),
            ("\x1b[32m##   \x1b[0m 40%\r\x1b[2K\x1b[32m#####\x1b[0m 100%", "##### 100%"),
            ("abcdef\rxyz", "xyzdef"),
            ("a long frame   \rshort          \n", "short\n"),
            ("one\r\r\ntwo\r", "one\r\r\ntwo\r"),
            ("é1\rö", "ö1"),
            (
                "\r1 %\rerror: no space left on the disk\r2 %\r100 %\nend\n",
                "error: no space left on the disk 100 %\nend\n",
            ),
        ] {
            assert_eq!(shown(text), wanted, "{text:?}");
        }
    }
}
