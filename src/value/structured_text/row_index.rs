//! Where the rows of a text begin. The place of one row in so many is stored, so that a later page is found without a scan
//! from the start.

use std::ops::Range;

use memchr::memchr;

use super::delimited;
use super::without_break;
use super::yaml_documents;

/// The place of one row in so many is stored.
const STRIDE: usize = 64;

/// How a text is divided into rows, and a row into cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    /// RFC 4180, with this delimiter.
    Delimited(u8),
    /// Lines with cells between bars.
    Bars,
    /// A JSON value on each line.
    JsonLines,
    YamlDocuments,
}

impl Grammar {
    /// Where the row that begins at `start` ends, without its line break, and where the next one begins.
    fn row(self, text: &str, start: usize, end: usize) -> (usize, usize) {
        match self {
            Self::Delimited(delimiter) => {
                // Every row was read when the text was recognized.
                delimited::record(&text.as_bytes()[..end], start, delimiter)
                    .map_or((end, end), |record| (record.end, record.next))
            }
            Self::Bars | Self::JsonLines => {
                let next = memchr(b'\n', &text.as_bytes()[start..end]).map_or(end, |at| start + at + 1);
                (start + without_break(&text[start..next]).len(), next)
            }
            Self::YamlDocuments => {
                let next = yaml_documents::next(&text[..end], start);
                (start + without_break(&text[start..next]).len(), next)
            }
        }
    }
}

/// The rows of a text, and the names of their cells.
#[derive(Clone, Debug)]
pub(super) struct RowIndex {
    pub grammar: Grammar,
    /// The names as JSON strings; empty where a row has no cells.
    pub names: Vec<std::rc::Rc<str>>,
    pub len: usize,
    /// Whether the last row is cut.
    pub is_cut: bool,
    starts: Vec<usize>,
    /// Where the text of all rows begins, with their header, and where it ends.
    place: Range<usize>,
}

impl RowIndex {
    /// An index without rows of a text whose first row, or header, begins at `start`.
    pub fn new(grammar: Grammar, names: Vec<std::rc::Rc<str>>, start: usize) -> Self {
        Self { grammar, names, len: 0, is_cut: false, starts: Vec::new(), place: start..start }
    }

    /// Adds the next row.
    pub fn note(&mut self, start: usize, end: usize) {
        if self.len.is_multiple_of(STRIDE) {
            self.starts.push(start);
        }
        self.len += 1;
        self.place.end = end;
    }

    pub fn first(&self) -> usize {
        self.place.start
    }

    pub fn end(&self) -> usize {
        self.place.end
    }

    /// At most `max` rows from number `start` on, as spans of the text.
    pub fn rows<'a>(&self, text: &'a str, start: usize, max: usize) -> impl Iterator<Item = (usize, &'a str)> {
        let (grammar, end) = (self.grammar, self.place.end);
        let mut at = self.starts.get(start / STRIDE).copied().unwrap_or(end);
        if start < self.len {
            for _ in 0..start % STRIDE {
                at = grammar.row(text, at, end).1;
            }
        }
        let last = start.saturating_add(max).min(self.len);
        (start..last).map(move |number| {
            let (row_end, next) = grammar.row(text, at, end);
            let row = &text[at..row_end];
            at = next;
            (number, row)
        })
    }
}
