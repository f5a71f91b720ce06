//! Where the rows of a text begin. The place of every nth row is stored, so that a later page is found without a scan
//! from the start.

use std::ops::Range;
use std::rc::Rc;

use super::grammar::Grammar;

/// The place of every row with a multiple of this index is stored.
const STRIDE: usize = 64;

/// The rows of a text, and the names of their cells.
#[derive(Clone, Debug)]
pub struct RowIndex {
    pub grammar: Grammar,
    /// The names as JSON strings; empty where a row has no cells.
    pub names: Vec<Rc<str>>,
    pub len: usize,
    /// Whether the last row is cut.
    pub is_cut: bool,
    starts: Vec<usize>,
    /// Where the text of all rows begins, with their header, and where it ends.
    place: Range<usize>,
}

impl RowIndex {
    /// An index without rows of a text whose first row, or header, begins at `start`.
    pub fn new(grammar: Grammar, names: Vec<Rc<str>>, start: usize) -> Self {
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
