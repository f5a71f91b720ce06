//! CSV and TSV (RFC 4180): recognized by their first rows, then checked row by row.
//!
//! Only the places of rows are wanted here; their cells are read when they are shown.

use std::rc::Rc;

use toolshape_text::rows::cells;
use toolshape_text::rows::grammar::{Grammar, Quotes};
use toolshape_text::rows::head::{Head, without_break};
use toolshape_text::rows::record;
use toolshape_text::rows::row_index::RowIndex;

use super::header::{self, Evidence};
use super::ragged::{RAGGED, Ragged};
use super::structure::{Formats, Skipped, Structure, TextFormat};

/// The delimiters that are tried.
const DELIMITERS: [u8; 4] = [b'\t', b',', b';', b'|'];
/// The rows that are looked at before all are.
const SAMPLE: usize = 64;
/// Lines after the last row that are looked at.
const MOST_AFTER: usize = 3;
/// Lines of a title before the header, with the blank one or the fence after it.
const MOST_TITLE: usize = 6;
const FENCE: &str = "```";
/// What the first cell of a row of sums says.
const TOTALS: [&str; 6] = ["total", "totals", "grand total", "sum", "summe", "gesamt"];
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A delimiter, and the header that the first row is.
struct Dialect {
    delimiter: u8,
    quotes: Quotes,
    names: Vec<Rc<str>>,
    /// Where the header begins, and the first row.
    start: usize,
    first: usize,
}

/// Whether the start of a text is delimited.
pub(super) fn may_begin(head: &Head<'_>, formats: Formats) -> bool {
    ways(head.text).any(|quotes| dialect(head, quotes, formats).is_some())
}

/// The ways in which quotes may be written in a text.
fn ways(text: &str) -> impl Iterator<Item = Quotes> {
    let escaped = text.contains("\\\"").then_some(Quotes::Escaped);
    let prose = [", ", "; "].iter().any(|mark| text.contains(mark)).then_some(Quotes::Prose);
    std::iter::once(Quotes::Doubled).chain(escaped).chain(prose)
}

/// How the start of a text is delimited, if it is; of several ways the one with the most cells.
fn dialect(head: &Head<'_>, quotes: Quotes, formats: Formats) -> Option<Dialect> {
    let found = DELIMITERS.into_iter().filter_map(|delimiter| with_delimiter(head, delimiter, quotes, formats));
    found.max_by_key(|dialect| dialect.names.len())
}

fn with_delimiter(head: &Head<'_>, delimiter: u8, quotes: Quotes, formats: Formats) -> Option<Dialect> {
    let mut start = header_start(head.text, delimiter);
    // Between bars the cells are those of a table in Markdown.
    if delimiter == b'|' && head.text[start..].starts_with('|') {
        return None;
    }
    let mut filled = 0;
    for line in head.text[start..].split_inclusive('\n').take(MOST_TITLE) {
        // A title has fewer cells than the header.
        let dialect = from(head, start, (delimiter, quotes), formats).filter(|dialect| dialect.names.len() > filled);
        if dialect.is_some() {
            return dialect;
        }
        let cells = without_break(line).split(char::from(delimiter));
        filled = filled.max(cells.filter(|cell| !cell.trim().is_empty()).count());
        start += line.len();
    }
    None
}

/// The same for a header that begins there.
fn from(head: &Head<'_>, start: usize, (delimiter, quotes): (u8, Quotes), formats: Formats) -> Option<Dialect> {
    let (bytes, grammar) = (head.text.as_bytes(), Grammar::Delimited(delimiter, quotes));
    let first = record::read(bytes, start, delimiter, quotes)?;
    if first.cells < 2 || first.is_open {
        return None;
    }
    let (mut rows, mut at, mut spaced, mut ragged, mut ended) = (Vec::new(), first.next, first.spaced, 0, 0);
    let mut quoted = first.quoted;
    while at < bytes.len() && rows.len() < SAMPLE {
        let row = record::read(bytes, at, delimiter, quotes)?;
        let is_ended = row.cells == first.cells + 1 && bytes[..row.end].ends_with(&[delimiter]);
        ended += usize::from(is_ended);
        // The last row of a start may be cut.
        ragged += usize::from(row.cells != first.cells && !is_ended && row.next < bytes.len());
        if (row.cells == first.cells || is_ended) && !row.is_open {
            (spaced, quoted) = (spaced + row.spaced, quoted + row.quoted);
            rows.push(cells::texts(&head.text[at..row.end], grammar));
        }
        at = row.next;
    }
    let mut titles = cells::texts(&head.text[start..first.end], grammar);
    // All rows end in a delimiter that the header does not have, or a few are ragged.
    if ended > 0 && ended == rows.len() {
        titles.push(String::new());
        ended = 0;
    }
    if (ragged + ended) * RAGGED > rows.len() {
        return None;
    }
    let delimiters = (first.cells - 1) * (rows.len() + 1);
    let evidence = Evidence {
        // Commas in prose are before spaces.
        is_spaced: spaced * 4 > delimiters && matches!(delimiter, b',' | b';'),
        is_quoted: quoted > 0,
        is_regular: ragged == 0,
        is_asked: formats == Formats::Delimited,
    };
    let names = header::names(&titles, &rows, evidence)?;
    Some(Dialect { delimiter, quotes, names, start, first: first.next })
}

/// Where the header begins: after a byte order mark, the line by which a spreadsheet names its delimiter (`sep=;`), and
/// comments.
fn header_start(text: &str, delimiter: u8) -> usize {
    let mut start = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    for line in text[start..].split_inclusive('\n') {
        let content = line.trim_end();
        let names_delimiter = content.strip_prefix("sep=").is_some_and(|name| name.as_bytes() == [delimiter]);
        // Comments of genomic formats; those of others have a space.
        let is_comment = content.starts_with("##") || content.starts_with("# ") || content == "#";
        if !(names_delimiter || is_comment || content.is_empty() && start > 0) {
            break;
        }
        start += line.len();
    }
    start
}

/// The structure of a text whose rows have the cells of its header, except for a few; the last one may be cut. If it has several,
/// all rows have these.
pub(super) fn recognize(text: &str, head: &Head<'_>, formats: Formats) -> Option<Structure> {
    let mut first = None;
    for quotes in ways(text) {
        let found = dialect(head, quotes, formats).and_then(|dialect| read(text, &dialect));
        match found {
            Some(found) if found.skipped == Skipped::Nothing => return Some(found),
            Some(found) => first = first.or(Some(found)),
            None => {}
        }
    }
    first
}

/// The same in one dialect.
fn read(text: &str, dialect: &Dialect) -> Option<Structure> {
    let &Dialect { delimiter, quotes, start, first, .. } = dialect;
    let (bytes, wanted) = (text.as_bytes(), dialect.names.len());
    let mut index = RowIndex::new(Grammar::Delimited(delimiter, quotes), dialect.names.clone(), start);
    let is_fenced = text[..start].trim_end().lines().next_back().is_some_and(|line| line.starts_with(FENCE));
    let fence = if is_fenced { text[first..].find("\n```").map(|end| first + end + 1) } else { None };
    let after = fence.unwrap_or_else(|| message_after(text, dialect));
    // Line breaks after the last row are none.
    let (mut at, end) = (first, text[..after].trim_end_matches(['\r', '\n']).len());
    let mut ragged = Ragged::of(wanted);
    while at < end {
        let row = record::read(bytes, at, delimiter, quotes)?;
        let is_last = row.next >= bytes.len() && !bytes.ends_with(b"\n");
        index.is_cut = is_last && (row.cells < wanted || row.is_open);
        if row.is_open && !index.is_cut {
            return None;
        }
        if !index.is_cut {
            ragged.note(row.cells, index.len);
        }
        index.note(at, row.next);
        at = row.next;
    }
    let skipped = ragged.judge(&mut index)?;
    let mark = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let (format, is_cut) = (if delimiter == b'\t' { TextFormat::Tsv } else { TextFormat::Csv }, index.is_cut);
    let rows = Structure::of_rows(format, index, text, is_cut);
    Some(Structure { before: mark..start, after: after..text.len(), skipped, ..rows })
}

/// Where what a program says after the last row begins, such as an error or a count of rows; the text's end if it says nothing.
fn message_after(text: &str, dialect: &Dialect) -> usize {
    let &Dialect { delimiter, quotes, first, .. } = dialect;
    let mut after = text.len();
    for _ in 0..MOST_AFTER {
        let rows = text[..after].trim_end_matches(['\r', '\n']).len();
        let start = text[..rows].rfind('\n').map_or(0, |end| end + 1);
        let line = &text[start.min(rows)..rows];
        // What does not end in a line break may be a row that is cut.
        let is_whole = after < text.len() || text.ends_with('\n') || line.contains(": ");
        // A quote may be the end of a cell that has several lines.
        let is_said = line.starts_with(['{', '(']) || is_whole && line.contains(' ') && !line.contains('"');
        let is_short = || {
            let row = record::read(line.as_bytes(), 0, delimiter, quotes);
            row.is_none_or(|row| row.cells < dialect.names.len())
        };
        // A row of sums is not one of those that are summed.
        let name = line.split(char::from(delimiter)).next().unwrap_or_default().trim_matches(['"', ' ', ':']);
        let is_total = TOTALS.iter().any(|total| name.eq_ignore_ascii_case(total));
        if start <= first || !(is_total || is_said && is_short()) {
            break;
        }
        after = start;
    }
    after
}
