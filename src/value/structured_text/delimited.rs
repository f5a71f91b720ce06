//! CSV and TSV (RFC 4180): recognized by their first rows, then checked row by row.
//!
//! Only the places of rows are wanted here; their cells are read when they are shown.

use std::rc::Rc;

use toolshape_text::rows::cells;
use toolshape_text::rows::grammar::Grammar;
use toolshape_text::rows::head::Head;
use toolshape_text::rows::record;
use toolshape_text::rows::row_index::RowIndex;

use crate::base::json_string;

use super::header::{self, Evidence};
use super::structure::{Formats, Skipped, Structure, TextFormat};

/// The delimiters that are tried.
const DELIMITERS: [u8; 4] = [b'\t', b',', b';', b'|'];
/// The rows that are looked at before all are.
const SAMPLE: usize = 64;
/// At most 1/n of the rows may have more cells or fewer, such as one with a delimiter too many, or the total.
const RAGGED: usize = 32;
/// Cells of such a row that have no title.
const MOST_MORE: usize = 8;
/// Lines after the last row that are looked at.
const MOST_AFTER: usize = 3;
/// Lines before the header that are looked at.
const MOST_COMMENTS: usize = 20;
/// Lines of a title before the header.
const MOST_TITLE: usize = 6;
const FENCE: &str = "```";
/// What the first cell of a row of sums says.
const TOTALS: [&str; 6] = ["total", "totals", "grand total", "sum", "summe", "gesamt"];
const BYTE_ORDER_MARK: &str = "\u{feff}";

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
    let start = header_start(head.text, delimiter);
    from(head, start, delimiter, formats)
        .or_else(|| from(head, start + title_end(&head.text[start..])?, delimiter, formats))
}

/// The same for a header that begins there.
fn from(head: &Head<'_>, start: usize, delimiter: u8, formats: Formats) -> Option<Dialect> {
    let (bytes, grammar) = (head.text.as_bytes(), Grammar::Delimited(delimiter));
    let first = record::read(bytes, start, delimiter)?;
    if first.cells < 2 || first.is_open {
        return None;
    }
    let (mut rows, mut at, mut spaced, mut ragged) = (Vec::new(), first.next, first.spaced, 0);
    while at < bytes.len() && rows.len() < SAMPLE {
        let row = record::read(bytes, at, delimiter)?;
        // The last row of a start may be cut.
        ragged += usize::from(row.cells != first.cells && row.next < bytes.len());
        if row.cells == first.cells && !row.is_open {
            spaced += row.spaced;
            rows.push(cells::texts(&head.text[at..row.end], grammar));
        }
        at = row.next;
    }
    if ragged * RAGGED > rows.len() {
        return None;
    }
    let titles = cells::texts(&head.text[start..first.end], grammar);
    let delimiters = (first.cells - 1) * (rows.len() + 1);
    let evidence = Evidence {
        // Commas in prose are before spaces.
        is_spaced: spaced * 4 > delimiters && matches!(delimiter, b',' | b';'),
        is_asked: formats == Formats::Delimited,
    };
    let names = header::names(&titles, &rows, evidence)?;
    Some(Dialect { delimiter, names, start, first: first.next })
}

/// Where the header begins: after a byte order mark, the line by which a spreadsheet names its delimiter (`sep=;`), and
/// comments.
fn header_start(text: &str, delimiter: u8) -> usize {
    let mut start = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    for line in text[start..].split_inclusive('\n').take(MOST_COMMENTS) {
        let content = line.trim_end();
        let names_delimiter = content.strip_prefix("sep=").is_some_and(|name| name.as_bytes() == [delimiter]);
        let is_comment = content.starts_with("# ") || content == "#";
        if !(names_delimiter || is_comment || content.is_empty() && start > 0) {
            break;
        }
        start += line.len();
    }
    start
}

/// The end of a title: of the lines before the first blank one, or before a fence, if that is soon.
fn title_end(text: &str) -> Option<usize> {
    let mut end = 0;
    for line in text.split_inclusive('\n').take(MOST_TITLE) {
        end += line.len();
        if line.starts_with(FENCE) || line.trim_end().is_empty() {
            return Some(end);
        }
    }
    None
}

/// The structure of a text whose rows have the cells of its header, except for a few; the last one may be cut.
pub(super) fn recognize(text: &str, head: &Head<'_>, formats: Formats) -> Option<Structure> {
    let Dialect { delimiter, names, start, first } = dialect(head, formats)?;
    let (bytes, wanted) = (text.as_bytes(), names.len());
    let mut index = RowIndex::new(Grammar::Delimited(delimiter), names, start);
    let is_fenced = text[..start].trim_end().lines().next_back().is_some_and(|line| line.starts_with(FENCE));
    let fence = if is_fenced { text[first..].find("\n```").map(|end| first + end + 1) } else { None };
    let after = fence.unwrap_or_else(|| message_after(text, first, delimiter, wanted));
    // Line breaks after the last row are none.
    let (mut at, end) = (first, text[..after].trim_end_matches(['\r', '\n']).len());
    let (mut ragged, mut first_ragged, mut most) = (0, 0, wanted);
    while at < end {
        let row = record::read(bytes, at, delimiter)?;
        let is_last = row.next >= bytes.len() && !bytes.ends_with(b"\n");
        index.is_cut = is_last && (row.cells < wanted || row.is_open);
        if !index.is_cut && (row.cells != wanted || row.is_open) {
            (ragged, most) = (ragged + 1, most.max(row.cells));
            first_ragged = if ragged == 1 { index.len + 1 } else { first_ragged };
            if row.is_open {
                return None;
            }
        }
        index.note(at, row.next);
        at = row.next;
    }
    // The cells that no title names have the names of their columns.
    let more = (wanted + 1..=most).map(|column| json_string::quoted(&format!("column_{column}")).into());
    let more: Vec<Rc<str>> = more.collect();
    if ragged * RAGGED > index.len || most > wanted + MOST_MORE || more.iter().any(|name| index.names.contains(name)) {
        return None;
    }
    index.names.extend(more);
    let mark = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let (format, is_cut) = (if delimiter == b'\t' { TextFormat::Tsv } else { TextFormat::Csv }, index.is_cut);
    let rows = Structure::of_rows(format, index, text, is_cut);
    let skipped = if ragged > 0 { Skipped::Ragged { count: ragged, first: first_ragged } } else { Skipped::Nothing };
    Some(Structure { before: mark..start, after: after..text.len(), skipped, ..rows })
}

/// Where what a program says after the last row begins, such as an error or a count of rows; the text's end if it says nothing.
fn message_after(text: &str, first: usize, delimiter: u8, wanted: usize) -> usize {
    let mut after = text.len();
    for _ in 0..MOST_AFTER {
        let rows = text[..after].trim_end_matches(['\r', '\n']).len();
        let start = text[..rows].rfind('\n').map_or(0, |end| end + 1);
        let line = &text[start.min(rows)..rows];
        // What does not end in a line break may be a row that is cut.
        let is_whole = after < text.len() || text.ends_with('\n') || line.contains(": ");
        // A quote may be the end of a cell that has several lines.
        let is_said = line.starts_with(['{', '(']) || is_whole && line.contains(' ') && !line.contains('"');
        let is_short = || record::read(line.as_bytes(), 0, delimiter).is_none_or(|row| row.cells < wanted);
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
