//! Cells of a table that span rows or columns: their text is in each of these, so that all rows have as many cells.

use super::tokens::Tag;

/// A cell that spans more is as one that spans as many.
const MOST_ROWS: usize = 1_000;
const MOST_COLUMNS: usize = 64;
/// A longer text is not repeated.
const MOST_BYTES: usize = 200;

/// A table that is open.
#[derive(Default)]
pub(super) struct OpenTable {
    /// Whether the current row has a cell.
    pub has_cell: bool,
    /// The column of the next cell.
    column: usize,
    cell: Option<Cell>,
    /// By column the text of a cell above, and how many more rows it spans.
    above: Vec<(usize, String)>,
}

/// A cell that is open.
struct Cell {
    /// Where its text begins in what is written.
    from: usize,
    rows: usize,
    columns: usize,
}

impl OpenTable {
    /// A cell begins, whose text is written from a place on.
    pub fn begin(&mut self, tag: &Tag<'_>, from: usize) {
        let span = |name: &str, most: usize| {
            tag.attribute(name).and_then(|number| number.trim().parse().ok()).unwrap_or(1).clamp(1, most)
        };
        self.has_cell = true;
        self.cell = Some(Cell { from, rows: span("rowspan", MOST_ROWS), columns: span("colspan", MOST_COLUMNS) });
    }

    /// The open cell ends, after what is written; the texts of the other columns that it spans.
    pub fn end(&mut self, written: &str) -> Vec<String> {
        let Some(cell) = self.cell.take() else { return Vec::new() };
        let column = self.column;
        self.column += cell.columns;
        if cell.rows == 1 && cell.columns == 1 {
            return Vec::new();
        }
        let text = written.get(cell.from..).unwrap_or_default().trim();
        let text = if text.len() > MOST_BYTES || text.contains('\n') { "" } else { text };
        if cell.rows > 1 {
            self.above.resize(self.above.len().max(self.column), (0, String::new()));
            self.above[column..self.column].fill((cell.rows - 1, text.to_owned()));
        }
        vec![text.to_owned(); cell.columns - 1]
    }

    /// The text of a cell above that spans the next column.
    pub fn spanned(&mut self) -> Option<String> {
        let (rows, text) = self.above.get_mut(self.column).filter(|(rows, _)| *rows > 0)?;
        *rows -= 1;
        self.column += 1;
        Some(text.clone())
    }

    pub fn end_row(&mut self) {
        (self.has_cell, self.column) = (false, 0);
    }
}
