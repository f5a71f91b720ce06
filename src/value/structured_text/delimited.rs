//! CSV and TSV (RFC 4180): recognized by their first rows, then checked row by row.
//!
//! Rows are divided here, because only their places are wanted; `csv-core` reads the cells of those that are shown.

use std::rc::Rc;

use memchr::{memchr, memchr2};

use super::cells;
use super::header::{self, Evidence};
use super::row_index::{Grammar, RowIndex};
use super::{Formats, Head, Structure, TextFormat};

/// The delimiters that are tried.
const DELIMITERS: [u8; 4] = [b'\t', b',', b';', b'|'];
/// The rows that are looked at before all are.
const SAMPLE: usize = 64;
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A row of the text.
pub(super) struct Record {
    /// Where it ends, without its line break.
    pub end: usize,
    /// Where the next row begins.
    pub next: usize,
    pub cells: usize,
    /// Whether the text ends inside quotes.
    is_open: bool,
    /// Delimiters before a space, outside of quotes.
    spaced: usize,
}

/// The row that begins at `start`; `None` where a quote is followed by something else than a delimiter or a line break.
pub(super) fn record(bytes: &[u8], start: usize, delimiter: u8) -> Option<Record> {
    let mut row = Record { end: bytes.len(), next: bytes.len(), cells: 1, is_open: false, spaced: 0 };
    let mut at = start;
    loop {
        if bytes.get(at) == Some(&b'"') {
            let Some(end) = closing_quote(bytes, at + 1) else {
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
            match memchr2(delimiter, b'\n', &bytes[at..]) {
                Some(found) => at += found,
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
fn closing_quote(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr(b'"', &bytes[at..])?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// A delimiter, and the header that the first row is.
pub(super) struct Dialect {
    delimiter: u8,
    names: Vec<Rc<str>>,
    /// Where the header begins, and the first row.
    start: usize,
    first: usize,
}

/// How the start of a text is delimited, if it is; of several ways the one with the most cells.
pub(super) fn dialect(head: &Head<'_>, formats: Formats) -> Option<Dialect> {
    let found = DELIMITERS.into_iter().filter_map(|delimiter| with_delimiter(head, delimiter, formats));
    found.max_by_key(|dialect| dialect.names.len())
}

fn with_delimiter(head: &Head<'_>, delimiter: u8, formats: Formats) -> Option<Dialect> {
    let (bytes, grammar) = (head.text.as_bytes(), Grammar::Delimited(delimiter));
    let start = if head.text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let first = record(bytes, start, delimiter)?;
    if first.cells < 2 || first.is_open {
        return None;
    }
    let (mut rows, mut at, mut spaced) = (Vec::new(), first.next, first.spaced);
    while at < bytes.len() && rows.len() < SAMPLE {
        let row = record(bytes, at, delimiter)?;
        // The last row of a start may be cut.
        if row.cells != first.cells && row.next < bytes.len() {
            return None;
        }
        if row.cells == first.cells && !row.is_open {
            spaced += row.spaced;
            rows.push(cells::of(&head.text[at..row.end], grammar));
        }
        at = row.next;
    }
    let titles = cells::of(&head.text[start..first.end], grammar);
    let delimiters = (first.cells - 1) * (rows.len() + 1);
    let evidence = Evidence {
        // Commas in prose stand before spaces.
        is_spaced: spaced * 4 > delimiters && matches!(delimiter, b',' | b';'),
        is_asked: formats == Formats::Delimited,
    };
    let names = header::names(&titles, &rows, evidence)?;
    Some(Dialect { delimiter, names, start, first: first.next })
}

/// The structure of a text whose rows all have the cells of its header; only the last one may be cut.
pub(super) fn recognize(text: &str, head: &Head<'_>, formats: Formats) -> Option<Structure> {
    let Dialect { delimiter, names, start, first } = dialect(head, formats)?;
    let (bytes, wanted) = (text.as_bytes(), names.len());
    let mut index = RowIndex::new(Grammar::Delimited(delimiter), names, start);
    let mut at = first;
    while at < bytes.len() {
        // Line breaks after the last row are none.
        if matches!(bytes[at], b'\n' | b'\r') && text[at..].trim_matches(['\r', '\n']).is_empty() {
            break;
        }
        let row = record(bytes, at, delimiter)?;
        let is_short = row.cells < wanted || row.is_open;
        if row.cells > wanted || is_short && (row.next < bytes.len() || bytes.ends_with(b"\n")) {
            return None;
        }
        index.is_cut = is_short;
        index.note(at, row.next);
        at = row.next;
    }
    let (format, is_cut) = (if delimiter == b'\t' { TextFormat::Tsv } else { TextFormat::Csv }, index.is_cut);
    Some(Structure { before: 0..0, after: 0..0, ..Structure::of_rows(format, index, text, is_cut) })
}
