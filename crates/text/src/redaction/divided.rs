//! A word as a reader sees it, whatever stands within it that is not seen: escape sequences, tags, the addresses of links, invisible
//! characters; and characters that are spelled differently.

use std::borrow::Cow;

use crate::prose::{html, terminal};

use super::seen_char::{is_invisible, spelled};
use super::{Marks, closely};

/// The most bytes between two characters of a word, and of a tag.
const HIDDEN: usize = 256;

/// The ASCII characters that may not be seen, or begin what is not seen or is spelled.
const SPECIAL: Marks = Marks::of(b"\0\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f<&\\%]*`");

/// What is not seen, or is spelled.
#[derive(Clone, Copy, Default)]
pub struct Unseen {
    /// Nothing else than what [`closely`] reads.
    pub is_close: bool,
    /// Characters are spelled as in strings of a language.
    pub is_escaped: bool,
    /// Tags that divide no words, and the references of HTML.
    pub has_tags: bool,
    /// Tags that divide words, too.
    pub has_blocks: bool,
    /// The addresses of links, and the marks of Markdown.
    pub has_links: bool,
}

/// Where the run of characters at the start of a text ends.
pub fn run(text: &str, is_inside: fn(char) -> bool) -> usize {
    let unseen = Unseen { is_escaped: true, has_tags: true, has_blocks: false, has_links: true, is_close: false };
    let (mut end, mut at) = (0, 0);
    while at - end <= HIDDEN
        && let Some((seen, bytes)) = next(&text[at..], unseen)
    {
        // Markdown escapes marks.
        let is_escape = seen == Some('\\') && text[at + bytes..].starts_with(['_', '-', '.']);
        at += bytes;
        let seen = seen.filter(|_| !is_escape);
        match seen {
            Some(letter) if is_inside(letter) => end = at,
            Some(_) => break,
            None => {}
        }
    }
    end
}

/// What is seen first of a text, if its first bytes show anything, and how many these are.
pub fn next(text: &str, unseen: Unseen) -> Option<(Option<char>, usize)> {
    if unseen.is_close {
        return closely::next(text);
    }
    let first = text.chars().next()?;
    if u8::try_from(first).is_ok_and(|byte| byte.is_ascii() && !SPECIAL.has(byte)) {
        return Some((Some(first), 1));
    }
    let found = match first {
        escape if escape == '\x1b' || terminal::is_short(escape) => {
            Some((None, terminal::sequence(&text.as_bytes()[..text.len().min(HIDDEN)])))
        }
        '<' if unseen.has_tags => tag(text, unseen.has_blocks).map(|bytes| (None, bytes)),
        '&' if unseen.has_tags || unseen.is_escaped => {
            html::reference(&text[1..]).map(|(letter, bytes)| (Some(letter), bytes + 1))
        }
        '\\' | '%' if unseen.is_escaped => spelled(text).map(|(letter, bytes)| match letter {
            '\x1b' => (None, bytes + sequence_after(&text[bytes..])),
            letter => (Some(letter), bytes),
        }),
        ']' if unseen.has_links && text[1..].starts_with('(') => within(text, b')').map(|bytes| (None, bytes)),
        '*' | '`' if unseen.has_links => Some((None, 1)),
        _ => None,
    };
    let (seen, bytes) = found.unwrap_or((Some(first), first.len_utf8()));
    let bytes = (bytes..).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
    Some((seen.filter(|letter| !is_invisible(*letter)), bytes))
}

/// The bytes up to this one, and it.
fn within(text: &str, end: u8) -> Option<usize> {
    memchr::memchr(end, &text.as_bytes()[..text.len().min(HIDDEN)]).map(|end| end + 1)
}

/// A tag that divides no words, or a comment. A break is within a word that is too long for its line.
fn tag(text: &str, may_divide: bool) -> Option<usize> {
    let name = text[1..].strip_prefix('/').unwrap_or(&text[1..]);
    let name = &name[..name.bytes().take(HIDDEN).take_while(u8::is_ascii_alphanumeric).count()];
    let is_comment = text.starts_with("<!--");
    if !is_comment
        && (name.is_empty() || !may_divide && !name.eq_ignore_ascii_case("br") && html::divides_words(&lower(name)))
    {
        return None;
    }
    within(text, b'>')
}

fn lower(name: &str) -> Cow<'_, str> {
    match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(name.to_ascii_lowercase()),
        false => Cow::Borrowed(name),
    }
}

/// The bytes of an escape sequence whose first byte is spelled.
fn sequence_after(text: &str) -> usize {
    let rest = &text.as_bytes()[..text.len().min(HIDDEN)];
    terminal::sequence(&[b"\x1b", rest].concat()) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_goes_on_behind_what_is_not_seen() {
        for (text, rest) in [
            ("ab c", " c"),
            ("a\x1b[1mb c", " c"),
            ("a<b>b</b> c", "</b> c"),
            ("a<br/>b<p>c", "<p>c"),
            ("a&#98;c &amp;", " &amp;"),
            (r"a\u0062\x1b[1mc d", " d"),
            ("a](https://x)b c", " c"),
            ("a\u{9b}1mb\u{90}q z\u{9c}c d", " d"),
            ("a\u{200b}b\u{200b} c", "\u{200b} c"),
            (r"a\-b\c", r"\-b\c"),
            ("a<", "<"),
            ("", ""),
        ] {
            assert_eq!(&text[run(text, char::is_alphanumeric)..], rest, "{text}");
        }
    }
}
