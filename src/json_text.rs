//! JSON text as a [`Source`]: checked once in one pass, then sliced, never rebuilt.
//!
//! What is emitted are spans of the input, so every number and key keeps its spelling (RFC 8259).
//! No tree is built and nothing recurses, so that neither size nor nesting costs memory.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use crate::error::{Error, ErrorCode};
use crate::literal;
use crate::source::{Entry, Kind, MAX_DEPTH, Source, too_deep};

/// One item in so many has its place noted, so that a page far into a list is found without a scan.
const STRIDE: usize = 64;

/// A JSON value as a span of checked text.
#[derive(Clone, Debug)]
pub struct JsonText<'a> {
    /// Exactly the value: no white space around it.
    span: &'a str,
    items: OnceCell<Rc<Items>>,
}

/// How many items an array has, and where every [`STRIDE`]th begins.
#[derive(Clone, Debug, Default)]
struct Items {
    len: usize,
    starts: Vec<usize>,
}

impl Items {
    /// Takes up the next item, which begins at `at`.
    fn note(&mut self, at: usize) {
        if self.len.is_multiple_of(STRIDE) {
            self.starts.push(at);
        }
        self.len += 1;
    }
}

impl<'a> JsonText<'a> {
    /// Checks that `text` is one JSON value.
    ///
    /// # Errors
    /// `INVALID_JSON` with line and column of the first fault, `TOO_DEEP` beyond [`MAX_DEPTH`] levels.
    pub fn parse(text: &'a str) -> Result<Self, Error> {
        let bytes = text.as_bytes();
        let start = skip_space(bytes, 0);
        let mut items = Items::default();
        let end = check_value(bytes, start, |at| items.note(at - start)).map_err(|fault| fault.explain(text))?;
        let rest = skip_space(bytes, end);
        if rest < bytes.len() {
            return Err(Fault::At(rest, "the end of the text").explain(text));
        }
        Ok(Self { span: &text[start..end], items: OnceCell::from(Rc::new(items)) })
    }

    fn checked(span: &'a str) -> Self {
        Self { span, items: OnceCell::new() }
    }

    /// The value's text as it stands in the input.
    pub fn span(&self) -> &'a str {
        self.span
    }

    /// The inside of a string's literal; empty for every other kind.
    fn literal(&self) -> &'a str {
        if self.kind() == Kind::String { &self.span[1..self.span.len() - 1] } else { "" }
    }

    fn indexed(&self) -> &Items {
        self.items.get_or_init(|| {
            let bytes = self.span.as_bytes();
            let (mut items, mut at) = (Items::default(), skip_space(bytes, 1));
            while bytes[at] != b']' {
                items.note(at);
                at = next_member(bytes, skip_value(bytes, at));
            }
            Rc::new(items)
        })
    }

    /// The spans of an object's entries, key literals with their quotes.
    fn members(&self) -> Vec<(&'a str, JsonText<'a>)> {
        let bytes = self.span.as_bytes();
        let (mut members, mut at) = (Vec::new(), skip_space(bytes, 1));
        while bytes[at] != b'}' {
            let key_end = skip_value(bytes, at);
            let start = skip_space(bytes, skip_space(bytes, key_end) + 1);
            let end = skip_value(bytes, start);
            members.push((&self.span[at..key_end], Self::checked(&self.span[start..end])));
            at = next_member(bytes, end);
        }
        members
    }
}

impl Source for JsonText<'_> {
    fn kind(&self) -> Kind {
        match self.span.as_bytes()[0] {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::String,
            b't' | b'f' => Kind::Bool,
            b'n' => Kind::Null,
            _ => Kind::Number,
        }
    }

    fn len(&self) -> usize {
        match self.kind() {
            Kind::Array => self.indexed().len,
            Kind::Object => self.members().len(),
            _ => 0,
        }
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        if self.kind() != Kind::Array || start >= self.len() {
            return Ok(Vec::new());
        }
        let bytes = self.span.as_bytes();
        let Items { len, starts } = self.indexed();
        let len = *len;
        let mut at = starts[start / STRIDE];
        for _ in 0..start % STRIDE {
            at = next_member(bytes, skip_value(bytes, at));
        }
        let count = max.min(len - start);
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            let end = skip_value(bytes, at);
            items.push(Self::checked(&self.span[at..end]));
            at = next_member(bytes, end);
        }
        Ok(items)
    }

    fn entries(&self) -> Result<Vec<Entry<Self>>, Error> {
        if self.kind() != Kind::Object {
            return Ok(Vec::new());
        }
        Ok(self.members().into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    fn chars(&self) -> usize {
        literal::chars(self.literal())
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        Ok(literal::slice(self.literal(), start, max).to_owned())
    }

    fn min_bytes(&self, enough: usize) -> usize {
        let bytes = self.span.as_bytes();
        let (mut count, mut at) = (0, 0);
        while at < bytes.len() && count <= enough {
            let end = match bytes[at] {
                b'"' => skip_string(bytes, at),
                _ => at + 1,
            };
            if !is_space(bytes[at]) {
                count += end - at;
            }
            at = end;
        }
        count
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        Ok(minify(self.span))
    }
}

/// Checked JSON text without the white space between its tokens.
fn minify(span: &str) -> Cow<'_, str> {
    let bytes = span.as_bytes();
    let Some(first) = next_space(bytes, 0) else {
        return Cow::Borrowed(span);
    };
    let mut out = String::with_capacity(span.len());
    out.push_str(&span[..first]);
    let mut at = skip_space(bytes, first);
    while let Some(space) = next_space(bytes, at) {
        out.push_str(&span[at..space]);
        at = skip_space(bytes, space);
    }
    out.push_str(&span[at..]);
    Cow::Owned(out)
}

/// The next white space outside of strings, from `at`, which must not lie inside one.
fn next_space(bytes: &[u8], mut at: usize) -> Option<usize> {
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = skip_string(bytes, at),
            b if is_space(b) => return Some(at),
            _ => at += 1,
        }
    }
    None
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    // Indented text has long runs of spaces.
    while bytes.get(at..).and_then(<[u8]>::first_chunk) == Some(b"        ") {
        at += 8;
    }
    while at < bytes.len() && is_space(bytes[at]) {
        at += 1;
    }
    at
}

/// The end of the string that opens at `at`, in checked text.
fn skip_string(bytes: &[u8], at: usize) -> usize {
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

/// The first byte from `at` on that means something in a string: a quote, a backslash or a control character.
///
/// Looks at eight bytes at a time, since half of all strings are shorter than what a search in larger
/// steps pays for.
fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    // The high bit of each byte that is below `limit`, exact up to the first one that is.
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & (ONES << 7);
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*eight);
        let quotes = below(word ^ (ONES * u64::from(b'"')), 1);
        let backslashes = below(word ^ (ONES * u64::from(b'\\')), 1);
        let found = quotes | backslashes | below(word, 0x20);
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|&b| b >= 0x20 && b != b'"' && b != b'\\') {
        at += 1;
    }
    at
}

/// The end of the value that begins at `at`, in checked text.
fn skip_value(bytes: &[u8], at: usize) -> usize {
    match bytes[at] {
        b'"' => skip_string(bytes, at),
        b'{' | b'[' => {
            let (mut depth, mut at) = (0usize, at);
            loop {
                at = next_mark(bytes, at);
                match bytes[at] {
                    b'"' => {
                        at = skip_string(bytes, at);
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    return at;
                }
            }
        }
        _ => bytes[at..]
            .iter()
            .position(|b| matches!(b, b',' | b'}' | b']') || is_space(*b))
            .map_or(bytes.len(), |end| at + end),
    }
}

/// The first quote or bracket from `at` on, in checked text outside of strings, or a place before it.
fn next_mark(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*eight);
        // With this bit set `[` is `{`, `]` is `}`, and a quote stays one.
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

/// From the end of a member: the start of the next, or the closing bracket.
fn next_member(bytes: &[u8], end: usize) -> usize {
    let at = skip_space(bytes, end);
    if bytes[at] == b',' { skip_space(bytes, at + 1) } else { at }
}

/// Where checking stopped, and what would have been right there.
enum Fault {
    At(usize, &'static str),
    TooDeep,
}

impl Fault {
    fn explain(self, text: &str) -> Error {
        let Self::At(at, wanted) = self else {
            return too_deep();
        };
        let before = &text.as_bytes()[..at];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
        let found = match text.get(at..).and_then(|rest| rest.chars().next()) {
            Some(character) => format!("{character:?}"),
            None => "the end of the text".to_owned(),
        };
        let message = format!("line {line}, column {column}: found {found} where {wanted} belongs");
        Error::new(ErrorCode::InvalidJson, message, "")
    }
}

/// Checks the value that begins at `at`, and gives its end; `item` gets where each item begins, if it is an array.
fn check_value(bytes: &[u8], mut at: usize, mut item: impl FnMut(usize)) -> Result<usize, Fault> {
    // One bit would do for each level; a byte keeps the code plain, and depth is bounded.
    let mut open: Vec<u8> = Vec::new();
    loop {
        if open == *b"[" {
            item(at);
        }
        match bytes.get(at) {
            Some(&bracket @ (b'{' | b'[')) => {
                if open.len() == MAX_DEPTH {
                    return Err(Fault::TooDeep);
                }
                at = skip_space(bytes, at + 1);
                if bytes.get(at) == Some(&(bracket + 2)) {
                    at += 1;
                } else {
                    open.push(bracket);
                    if bracket == b'{' {
                        at = check_key(bytes, at)?;
                    }
                    continue;
                }
            }
            Some(b'"') => at = check_string(bytes, at)?,
            Some(b't') => at = check_word(bytes, at, b"true")?,
            Some(b'f') => at = check_word(bytes, at, b"false")?,
            Some(b'n') => at = check_word(bytes, at, b"null")?,
            Some(b'-' | b'0'..=b'9') => at = check_number(bytes, at)?,
            _ => return Err(Fault::At(at, "a value")),
        }
        loop {
            let Some(&bracket) = open.last() else {
                return Ok(at);
            };
            at = skip_space(bytes, at);
            match bytes.get(at) {
                Some(b',') => {
                    at = skip_space(bytes, at + 1);
                    if bracket == b'{' {
                        at = check_key(bytes, at)?;
                    }
                    break;
                }
                // In ASCII each closing bracket stands two after its opening one.
                Some(&byte) if byte == bracket + 2 => {
                    open.pop();
                    at += 1;
                }
                _ if bracket == b'{' => return Err(Fault::At(at, "',' or '}'")),
                _ => return Err(Fault::At(at, "',' or ']'")),
            }
        }
    }
}

fn check_key(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    if bytes.get(at) != Some(&b'"') {
        return Err(Fault::At(at, "a key in double quotes"));
    }
    let at = skip_space(bytes, check_string(bytes, at)?);
    if bytes.get(at) != Some(&b':') {
        return Err(Fault::At(at, "':'"));
    }
    Ok(skip_space(bytes, at + 1))
}

fn check_string(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    let mut at = at + 1;
    loop {
        at = plain_end(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => match bytes.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(b'u') => match bytes.get(at + 2..at + 6) {
                    Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => at += 6,
                    _ => return Err(Fault::At(at + 2, "four hexadecimal digits")),
                },
                _ => return Err(Fault::At(at + 1, "an escape such as \\n or \\u0041")),
            },
            Some(_) => return Err(Fault::At(at, "an escaped control character")),
            None => return Err(Fault::At(at, "'\"'")),
        }
    }
}

fn check_word(bytes: &[u8], at: usize, word: &'static [u8]) -> Result<usize, Fault> {
    if bytes[at..].starts_with(word) { Ok(at + word.len()) } else { Err(Fault::At(at, "a value")) }
}

fn check_number(bytes: &[u8], mut at: usize) -> Result<usize, Fault> {
    let digits = |at: usize| at + bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    if bytes[at] == b'-' {
        at += 1;
    }
    match bytes.get(at) {
        Some(b'0') => at += 1,
        Some(b'1'..=b'9') => at = digits(at),
        _ => return Err(Fault::At(at, "a digit")),
    }
    if bytes.get(at) == Some(&b'.') {
        let end = digits(at + 1);
        if end == at + 1 {
            return Err(Fault::At(end, "a digit"));
        }
        at = end;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        let end = digits(at);
        if end == at {
            return Err(Fault::At(end, "a digit"));
        }
        at = end;
    }
    Ok(at)
}
