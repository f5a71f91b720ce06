//! Checks that a text is JSON (RFC 8259), in one pass, without a tree and without recursion.

use std::ops::Range;

use crate::outline::{LARGE, MemberMark, ValueIndex};
use crate::scan::{digits_end, is_space, plain_end, skip_space};

/// JSON text that is valid.
#[derive(Debug)]
pub struct Checked {
    /// The place of its one value.
    pub value: Range<usize>,
    pub outline: ValueIndex,
    /// Whether it has no white space outside strings.
    pub is_minified: bool,
}

/// Checks that `text` is one JSON value. `max_depth` is the limit of nested levels.
///
/// # Errors
/// The first [`JsonFault`].
///
/// ```
/// use toolshape_json::{JsonFault, check};
/// assert_eq!(check(" [1] ", 10).unwrap().value, 1..4);
/// assert_eq!(check("[1", 10).unwrap_err(), JsonFault::At(2, "',' or ']'"));
/// ```
pub fn check(text: &str, max_depth: usize) -> Result<Checked, JsonFault> {
    let checked = check_start(text, max_depth)?;
    let rest = skip_space(text.as_bytes(), checked.value.end);
    if rest < text.len() {
        return Err(JsonFault::At(rest, "the end of the text"));
    }
    Ok(checked)
}

/// Checks the JSON value that `text` begins with, after a byte order mark if there is one (RFC 8259, section 8.1). Whatever
/// follows the value is not read.
///
/// # Errors
/// As [`check`].
///
/// ```
/// use toolshape_json::{JsonFault, check_start};
/// assert_eq!(check_start("[1] and more", 10).unwrap().value, 0..3);
/// assert_eq!(check_start("[1 and more", 10).unwrap_err(), JsonFault::At(3, "',' or ']'"));
/// ```
pub fn check_start(text: &str, max_depth: usize) -> Result<Checked, JsonFault> {
    let bytes = text.as_bytes();
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let start = skip_space(bytes, mark);
    let mut outline = ValueIndex::default();
    let mut spaces = Spaces::default();
    let end = check_value(bytes, start, max_depth, &mut outline, &mut spaces)?;
    Ok(Checked { value: start..end, outline, is_minified: spaces.0 == 0 })
}

/// Why a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonFault {
    /// The byte at which the check stopped, and what was expected there.
    At(usize, &'static str),
    /// Arrays and objects nest deeper than the limit.
    TooDeep,
}

/// How many bytes of white space were skipped.
#[derive(Default)]
struct Spaces(usize);

impl Spaces {
    #[inline(always)]
    fn skip(&mut self, bytes: &[u8], at: usize) -> usize {
        let end = skip_space(bytes, at);
        self.0 += end - at;
        end
    }
}

/// An open array or object.
struct OpenBracket {
    bracket: u8,
    start: usize,
    members: usize,
    /// How many large values precede it, and how many bytes of the text they contain.
    large: usize,
    outlined: usize,
    marks: Vec<MemberMark>,
    /// The bytes before the last mark that are in no large value; before there is one, those before the first member.
    marked: usize,
}

impl OpenBracket {
    /// Goes on to the member that begins at `at`, and marks it if the last mark is far before.
    #[inline(always)]
    fn next(&mut self, at: usize, outlined: usize) {
        if at - outlined - self.marked >= LARGE {
            self.marks.push(MemberMark { index: self.members, at });
            self.marked = at - outlined;
        }
        self.members += 1;
    }
}

/// Checks the value that begins at `at`, and returns its end.
fn check_value(
    bytes: &[u8],
    mut at: usize,
    max_depth: usize,
    outline: &mut ValueIndex,
    spaces: &mut Spaces,
) -> Result<usize, JsonFault> {
    let mut open: Vec<OpenBracket> = Vec::new();
    // Bytes that are in a large value.
    let mut outlined = 0;
    // Whether what comes next is a key, and not a value.
    let mut is_key_next = false;
    loop {
        if is_key_next {
            at = check_key(bytes, at, spaces)?;
            is_key_next = false;
        }
        match bytes.get(at) {
            Some(&bracket @ (b'{' | b'[')) => {
                if open.len() == max_depth {
                    return Err(JsonFault::TooDeep);
                }
                let start = at;
                at = spaces.skip(bytes, at + 1);
                if bytes.get(at) == Some(&(bracket + 2)) {
                    at += 1;
                } else {
                    let (large, marked) = (outline.count(), at - outlined);
                    open.push(OpenBracket { bracket, start, members: 1, large, outlined, marks: Vec::new(), marked });
                    is_key_next = bracket == b'{';
                    continue;
                }
            }
            Some(b'"') => {
                let start = at;
                at = check_string(bytes, at)?;
                if at - start >= LARGE {
                    outline.enclose(outline.count(), start..at, 0, &[]);
                    outlined += at - start;
                }
            }
            Some(b't') => at = check_word(bytes, at, b"true")?,
            Some(b'f') => at = check_word(bytes, at, b"false")?,
            Some(b'n') => at = check_word(bytes, at, b"null")?,
            Some(b'-' | b'0'..=b'9') => at = check_number(bytes, at)?,
            Some(&byte) if is_space(byte) => {
                at = spaces.skip(bytes, at);
                continue;
            }
            _ => return Err(JsonFault::At(at, "a value")),
        }
        loop {
            let Some(level) = open.last_mut() else {
                return Ok(at);
            };
            match bytes.get(at) {
                Some(b',') => {
                    at = spaces.skip(bytes, at + 1);
                    level.next(at, outlined);
                    is_key_next = level.bracket == b'{';
                    break;
                }
                // In ASCII each closing bracket is the code of its opening bracket plus two.
                Some(&byte) if byte == level.bracket + 2 => {
                    at += 1;
                    if at - level.start - (outlined - level.outlined) >= LARGE {
                        outline.enclose(level.large, level.start..at, level.members, &level.marks);
                        outlined = level.outlined + (at - level.start);
                    }
                    open.pop();
                }
                Some(&byte) if is_space(byte) => at = spaces.skip(bytes, at),
                _ if level.bracket == b'{' => return Err(JsonFault::At(at, "',' or '}'")),
                _ => return Err(JsonFault::At(at, "',' or ']'")),
            }
        }
    }
}

/// Checks a key and the colon after it.
#[inline(always)] // a call in wasm returns its result through memory
fn check_key(bytes: &[u8], at: usize, spaces: &mut Spaces) -> Result<usize, JsonFault> {
    if bytes.get(at) != Some(&b'"') {
        return Err(JsonFault::At(at, "a key in double quotes"));
    }
    let end = plain_end(bytes, at + 1);
    // Most keys have no escapes, and no space before the colon.
    if bytes.get(end..).and_then(<[u8]>::first_chunk) == Some(b"\":") {
        return Ok(end + 2);
    }
    let at = spaces.skip(bytes, check_escapes(bytes, end)?);
    if bytes.get(at) != Some(&b':') {
        return Err(JsonFault::At(at, "':'"));
    }
    Ok(at + 1)
}

#[inline(always)]
fn check_string(bytes: &[u8], at: usize) -> Result<usize, JsonFault> {
    let end = plain_end(bytes, at + 1);
    // Most strings have no escapes.
    if bytes.get(end) == Some(&b'"') { Ok(end + 1) } else { check_escapes(bytes, end) }
}

/// Checks the rest of a string from the byte at `at`, which needs a closer look.
///
/// It is a function of its own so that what most strings need is inlined.
#[inline(never)]
fn check_escapes(bytes: &[u8], mut at: usize) -> Result<usize, JsonFault> {
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => match bytes.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(b'u') => match bytes.get(at + 2..at + 6) {
                    Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => at += 6,
                    _ => return Err(JsonFault::At(at + 2, "four hexadecimal digits")),
                },
                _ => return Err(JsonFault::At(at + 1, "an escape such as \\n or \\u0041")),
            },
            Some(_) => return Err(JsonFault::At(at, "an escaped control character")),
            None => return Err(JsonFault::At(at, "'\"'")),
        }
        // Escapes often follow each other.
        if bytes.get(at) != Some(&b'\\') {
            at = plain_end(bytes, at);
        }
    }
}

fn check_word(bytes: &[u8], at: usize, word: &'static [u8]) -> Result<usize, JsonFault> {
    if bytes[at..].starts_with(word) { Ok(at + word.len()) } else { Err(JsonFault::At(at, "a value")) }
}

fn check_number(bytes: &[u8], mut at: usize) -> Result<usize, JsonFault> {
    if bytes[at] == b'-' {
        at += 1;
    }
    match bytes.get(at) {
        Some(b'0') => at += 1,
        Some(b'1'..=b'9') => at = digits_end(bytes, at),
        _ => return Err(JsonFault::At(at, "a digit")),
    }
    if bytes.get(at) == Some(&b'.') {
        let end = digits_end(bytes, at + 1);
        if end == at + 1 {
            return Err(JsonFault::At(end, "a digit"));
        }
        at = end;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        let end = digits_end(bytes, at);
        if end == at {
            return Err(JsonFault::At(end, "a digit"));
        }
        at = end;
    }
    Ok(at)
}
