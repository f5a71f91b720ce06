//! Where a text may be cut: never inside a grapheme cluster, a terminal control sequence, a number
//! or a base64 quantum.

use std::borrow::Cow;

pub(crate) use toolshape_text::chars::{floor_char, offset};
use toolshape_tokens::clusters;

/// Characters that a message shows of what a caller wrote: enough to recognize it.
pub(crate) const SHOWN_CHARS: usize = 60;
/// Characters that a result shows of a key where it may list several.
pub(crate) const KEY_CHARS: usize = 40;
/// Characters that a result repeats of the reason why a hook or a store failed; the host logs the rest.
pub(crate) const REASON_CHARS: usize = 100;
/// Characters beyond a cut that are read to see whether the cut is safe: a number or base64 is recognized in fewer.
pub(crate) const MARGIN: usize = 256;
/// A run of base64 digits of at least this length counts as base64; shorter runs are words.
const BASE64_RUN: usize = 64;
/// It must contain at least this many different digits: data contains most of them, a drawn line few.
const BASE64_KINDS: u32 = 16;
/// So far back the start of a run is looked for; a longer one, as in a file on one line, may be cut anywhere.
const BASE64_REACH: usize = 1 << 18;
/// A longer number may be cut anywhere.
const NUMBER: usize = 40;
/// The longest terminal control sequence that is looked for, in bytes.
const CONTROL: usize = 4096;

/// The greatest safe cut at or before byte `at` of `text`.
///
/// A safe cut splits no extended grapheme cluster (Unicode UAX 29) and no control sequence of ECMA-48 (CSI, OSC and the
/// other string sequences).
pub fn floor(text: &str, at: usize) -> usize {
    moved(text, floor_char(text, at), |(start, _)| start, clusters::boundary_before)
}

/// The smallest safe cut at or after byte `at` of `text`, which must be a character boundary.
pub fn ceil(text: &str, at: usize) -> usize {
    moved(text, at.min(text.len()), |(_, end)| end, clusters::boundary_after)
}

/// A cut moved out of every sequence and every cluster in which it is.
fn moved(text: &str, at: usize, side: fn((usize, usize)) -> usize, boundary: fn(&str, usize) -> usize) -> usize {
    let mut at = at;
    loop {
        let mut cut = enclosing(text, at).map_or(at, side);
        if !clusters::is_boundary(text, cut) {
            cut = boundary(text, cut);
        }
        if cut == at {
            return at;
        }
        at = cut;
    }
}

/// The start of `text` of at most `chars` characters, cut where it is safe.
pub fn start(text: &str, chars: usize) -> &str {
    &text[..floor(text, offset(text, chars))]
}

/// The same, with an ellipsis if it is cut.
pub fn clipped(text: &str, chars: usize) -> Cow<'_, str> {
    match start(text, chars) {
        start if start.len() < text.len() => Cow::Owned(format!("{start}…")),
        _ => Cow::Borrowed(text),
    }
}

/// The nearest safe cuts before and after `at`, if it lies inside a sequence, a quantum or a number.
fn enclosing(text: &str, at: usize) -> Option<(usize, usize)> {
    if at == 0 || at >= text.len() {
        return None;
    }
    let bytes = text.as_bytes();
    control_sequence(bytes, at).or_else(|| base64_quantum(bytes, at)).or_else(|| number(bytes, at))
}

fn control_sequence(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let from = at.saturating_sub(CONTROL);
    let start = from + bytes[from..at].iter().rposition(|&b| b == 0x1b)?;
    let end = control_sequence_end(bytes, start);
    (start < at && at < end).then_some((start, end))
}

/// The end of the control sequence that begins with the ESC at `start`; the end of the text if the sequence is
/// incomplete.
fn control_sequence_end(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start + 1..];
    let length = match rest.first() {
        None => Some(0),
        // CSI: parameters and intermediates, then one final byte.
        Some(b'[') => match rest[1..].iter().position(|b| !(0x20..=0x3f).contains(b)) {
            Some(end) if (0x40..=0x7e).contains(&rest[1 + end]) => Some(end + 2),
            Some(end) => Some(end + 1),
            None => None,
        },
        // OSC, DCS, SOS, PM, APC: a string up to BEL or ST (ESC \).
        Some(b']' | b'P' | b'X' | b'^' | b'_') => rest
            .iter()
            .take(CONTROL)
            .position(|&b| b == 0x07 || b == 0x1b)
            .map(|end| if rest[end] == 0x1b && rest.get(end + 1) == Some(&b'\\') { end + 2 } else { end + 1 })
            .or(if rest.len() > CONTROL { Some(1) } else { None }),
        // Two- and three-byte escapes, such as ESC ( B.
        Some(0x20..=0x2f) => Some(2.min(rest.len())),
        Some(_) => Some(1),
    };
    let mut end = length.map_or(bytes.len(), |length| start + 1 + length);
    while end < bytes.len() && bytes[end] & 0xc0 == 0x80 {
        end += 1;
    }
    end
}

/// Whether a text ends inside base64: in a run of its digits that is long enough and contains enough different ones.
pub(crate) fn ends_in_base64(text: &str) -> bool {
    // All digits are ASCII: one bit for each.
    let digits = text.bytes().rev().take_while(base64_digit);
    let (len, kinds) = digits.fold((0, 0u128), |(len, kinds), digit| (len + 1, kinds | 1 << digit));
    len >= BASE64_RUN && kinds.count_ones() >= BASE64_KINDS
}

fn base64_digit(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
}

fn base64_quantum(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let digit = base64_digit;
    if !digit(&bytes[at - 1]) || !digit(&bytes[at]) {
        return None;
    }
    let before = bytes[..at].iter().rev().take(BASE64_REACH + 1).take_while(|b| digit(b)).count();
    let after = bytes[at..].iter().take(BASE64_RUN).take_while(|b| digit(b)).count();
    if before + after < BASE64_RUN || before % 4 == 0 || before > BASE64_REACH {
        return None;
    }
    Some((at - before % 4, at + (4 - before % 4).min(after)))
}

/// The number around `at`: with the commas between its digits, as in `1,000,000`, unless that is a list too long to be
/// one number.
fn number(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    number_with(bytes, at, number_part).or_else(|| number_with(bytes, at, |b| number_part(b) && *b != b','))
}

fn number_part(byte: &u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'e' | b'E' | b'+' | b'-')
}

fn number_with(bytes: &[u8], at: usize, part: impl Fn(&u8) -> bool) -> Option<(usize, usize)> {
    if !part(&bytes[at - 1]) || !part(&bytes[at]) {
        return None;
    }
    let before = bytes[..at].iter().rev().take(NUMBER).take_while(|b| part(b)).count();
    let after = bytes[at..].iter().take(NUMBER).take_while(|b| part(b)).count();
    let whole = &bytes[at - before..at + after];
    let digits = |part: &[u8]| part.iter().any(u8::is_ascii_digit);
    let begun = digits(&whole[..before]) || whole[..before].iter().all(|b| matches!(b, b'+' | b'-' | b'.'));
    if before + after > NUMBER || !begun || !digits(&whole[before..]) {
        return None;
    }
    Some((at - before, at + after))
}

#[cfg(test)]
mod tests {
    use super::{BASE64_REACH, CONTROL, ceil, floor};

    /// Texts in parts; a cut inside a part must move to its start or its end.
    const WHOLE: &[&[&str]] = &[
        &["a", "👩‍👩‍👧‍👦", "🇩🇪", "🇫🇷", "e\u{301}\u{323}", "각", "\r\n", "z"],
        &["red ", "\u{1b}[38;5;200m", "x", "\u{1b}[0m", " ", "\u{1b}(B", "y"],
        &["see ", "\u{1b}]8;;https://example.com/a\u{7}", "link", "\u{1b}]8;;\u{1b}\\", " end"],
        &["pi is ", "3.14159", " and ", "-1.5e-10", " or ", "1,000,000", " or so"],
        &["odd ", "\u{1b}[38;5", "é", " end"],
        &["cut off ", "\u{1b}[38;5"],
    ];

    #[test]
    fn cuts_move_to_the_edges_of_what_must_stay_whole() {
        for parts in WHOLE {
            let text = parts.concat();
            let mut edges = vec![0];
            parts.iter().for_each(|part| edges.push(edges[edges.len() - 1] + part.len()));
            for (part, edge) in parts.iter().zip(edges.windows(2)) {
                let divisible = part.chars().all(|c| c.is_ascii_alphabetic() || " /:".contains(c));
                for at in (edge[0] + 1..edge[1]).filter(|&at| text.is_char_boundary(at) && !divisible) {
                    assert_eq!((floor(&text, at), ceil(&text, at)), (edge[0], edge[1]), "{part:?} of {text:?} at {at}");
                }
            }
        }
    }

    #[test]
    fn a_control_string_that_does_not_end_is_text() {
        let text = format!("\u{1b}]0;{}", "title ".repeat(CONTROL));
        assert_eq!((floor(&text, 40), ceil(&text, 40)), (40, 40));
        let short = &text[..CONTROL];
        assert_eq!((floor(short, 40), ceil(short, 40)), (0, CONTROL));
    }

    #[test]
    fn base64_is_cut_between_quanta() {
        let text = format!("data: {}", "QUJD".repeat(50));
        for at in 6..text.len() {
            assert_eq!(floor(&text, at), at - (at - 6) % 4);
            assert_eq!(ceil(&text, at), at + (4 - (at - 6) % 4) % 4);
        }
        // Its end is an edge, whole quantum or not; and a word is not base64.
        let text = format!("data: {}Q is all of {}", "QUJD".repeat(50), "QUJD".repeat(5));
        for at in 207..text.len() {
            assert_eq!((floor(&text, at), ceil(&text, at)), (at, at));
        }
    }

    #[test]
    fn a_comma_ends_a_number_in_a_list() {
        // As embeddings are written, without white space.
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let spellings: [fn(u64) -> String; 4] = [
            |n| format!("-{}", n % 10_000),
            |n| format!("0.{n}"),
            |n| format!("{}e-{}", n % 1_000, n % 30),
            |n| format!("{}", n % 1_000),
        ];
        for spelling in spellings {
            let numbers: Vec<String> = (0..300).map(|_| spelling(next())).collect();
            let text = format!("[{}]", numbers.join(","));
            for at in 1..text.len() {
                for cut in [floor(&text, at), ceil(&text, at)] {
                    let is_edge = |byte: u8| b"[],".contains(&byte);
                    let bytes = text.as_bytes();
                    let is_between = cut == text.len() || is_edge(bytes[cut - 1]) || is_edge(bytes[cut]);
                    assert!(
                        is_between,
                        "{} | {}",
                        &text[cut.saturating_sub(12)..cut],
                        &text[cut..text.len().min(cut + 12)]
                    );
                }
            }
        }
    }

    #[test]
    fn long_runs_are_cut_all_the_same() {
        let digits = "7".repeat(1000);
        assert_eq!(floor(&digits, 500), 500);
        // The start of a run is looked for only so far back.
        let base64 = "QUJD".repeat(BASE64_REACH / 2);
        assert_eq!(floor(&base64, BASE64_REACH - 1), BASE64_REACH - 4);
        assert_eq!(floor(&base64, BASE64_REACH + 1), BASE64_REACH + 1);
        let marks = format!("a{}", "\u{301}".repeat(10_000));
        assert_eq!((floor(&marks, 501), ceil(&marks, 501)), (0, marks.len()));
    }
}
