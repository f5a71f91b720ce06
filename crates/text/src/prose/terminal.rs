//! What a terminal shows of a text: its colours and other escape sequences (ECMA-48) are not there.

use std::borrow::Cow;

use memchr::memchr;

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// The text without escape sequences; its lines keep their numbers.
pub fn shown(text: &str) -> Cow<'_, str> {
    let Some(mut next) = memchr(ESCAPE, text.as_bytes()) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        out.push_str(&rest[..next]);
        rest = &rest[next + sequence(&rest.as_bytes()[next..])..];
        match memchr(ESCAPE, rest.as_bytes()) {
            Some(at) => next = at,
            None => break,
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The bytes of the escape sequence at the start. One that does not end as it should ends before the first byte that cannot
/// be in it, so that no line break belongs to any.
pub fn sequence(bytes: &[u8]) -> usize {
    let run = |from: usize, is_inside: fn(&u8) -> bool| {
        from + bytes[from..].iter().position(|byte| !is_inside(byte)).unwrap_or(bytes.len() - from)
    };
    let has = |at: usize, is_wanted: fn(&u8) -> bool| usize::from(bytes.get(at).is_some_and(is_wanted));
    match bytes.get(1) {
        // A control sequence: parameters, and the letter that says what it does.
        Some(b'[') => {
            let end = run(2, |byte| matches!(byte, 0x20..=0x3f));
            end + has(end, |byte| matches!(byte, 0x40..=0x7e))
        }
        // A title or a link, up to a bell or another escape.
        Some(b']') => {
            let end = run(2, |byte| !matches!(*byte, ESCAPE | BELL | b'\n' | b'\r'));
            match bytes.get(end) {
                Some(&BELL) => end + 1,
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
        ];
        for (text, wanted) in cases {
            assert_eq!(shown(text), wanted);
            assert_eq!(shown(text).matches('\n').count(), text.matches('\n').count());
        }
    }
}
