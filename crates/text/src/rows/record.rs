//! One row of delimited text (RFC 4180): where it ends, and how many cells it has. The cells themselves are not read.

use memchr::{memchr, memchr2};

use super::grammar::Quotes;

/// A row of the text.
pub struct Record {
    /// Where it ends, without its line break.
    pub end: usize,
    /// Where the next row begins.
    pub next: usize,
    pub cells: usize,
    /// Whether the text ends inside quotes.
    pub is_open: bool,
    /// Delimiters before a space, outside of quotes.
    pub spaced: usize,
    pub quoted: usize,
}

/// The row that begins at `start`; `None` where a quote is followed by something else than a delimiter or a line break.
pub fn read(bytes: &[u8], start: usize, delimiter: u8, quotes: Quotes) -> Option<Record> {
    let mut row = Record { end: bytes.len(), next: bytes.len(), cells: 1, is_open: false, spaced: 0, quoted: 0 };
    let mut at = start;
    loop {
        if bytes.get(at) == Some(&b'"') {
            row.quoted += 1;
            let Some(end) = closing_quote(bytes, at + 1, quotes) else {
                return Some(Record { is_open: true, ..row });
            };
            at = end + 1;
            let is_break = bytes[at..].starts_with(b"\r\n");
            match bytes.get(at) {
                None => return Some(row),
                Some(&byte) if byte == delimiter => {}
                Some(b'\n') => {}
                Some(b'\r') if is_break => at += 1,
                Some(_) => return None,
            }
        } else {
            match quotes.cell_end(bytes, at, delimiter) {
                Some(end) => at = end,
                None => {
                    row.end = bytes.len() - usize::from(bytes[at..].ends_with(b"\r"));
                    return Some(row);
                }
            }
        }
        if bytes[at] == b'\n' {
            let end = if at > start && bytes[at - 1] == b'\r' { at - 1 } else { at };
            return Some(Record { end, next: at + 1, ..row });
        }
        at += 1;
        row.cells += 1;
        row.spaced += usize::from(bytes.get(at) == Some(&b' '));
    }
}

/// The place of the quote that ends a quoted cell; two quotes are one of its characters.
pub(super) fn closing_quote(bytes: &[u8], mut at: usize, quotes: Quotes) -> Option<usize> {
    loop {
        let rest = bytes.get(at..)?;
        at += match quotes {
            Quotes::Doubled | Quotes::Prose => memchr(b'"', rest)?,
            Quotes::Escaped => memchr2(b'"', b'\\', rest)?,
        };
        if bytes[at] == b'"' && bytes.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}
