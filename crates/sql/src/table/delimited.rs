//! Rows of cells found in a text (CSV, printed tables), read in place.

use std::borrow::Cow;

use toolshape_json::string;
use toolshape_text::rows::cells::{self, Cells};
use toolshape_text::rows::grammar::Grammar;
use toolshape_text::rows::row_index::RowIndex;

use super::Cell;
use super::column::{self, Column, ColumnKind, MOST_COLUMNS, Seen};

/// Where the rows are.
pub struct Delimited {
    grammar: Grammar,
    /// Where each row begins and ends.
    places: Vec<(u32, u32)>,
    /// How many cells of a row are columns.
    width: usize,
    left_out: usize,
    /// JSON Pointer to the text.
    base: String,
}

/// The cells of the row that was read last.
#[derive(Default)]
pub struct DelimitedReader {
    /// The row plus one.
    row: usize,
    cells: Vec<ReadCell>,
}

enum ReadCell {
    /// Where it begins and ends in the text.
    In(u32, u32),
    Owned(String),
    /// Empty and not in quotes.
    None,
}

impl Delimited {
    pub fn of(text: &str, index: &RowIndex) -> (Self, Vec<Column>) {
        let place = |row: &str| row.as_ptr().addr() - text.as_ptr().addr();
        let named = index.names.iter().take(MOST_COLUMNS);
        let mut names: Vec<String> = named.map(|name| string::text(name.trim_matches('"')).into_owned()).collect();
        let left_out = index.names.len() - names.len();
        if names.is_empty() {
            names.push("doc".to_owned());
        }
        let mut seen = vec![Seen::default(); names.len()];
        let mut places = Vec::with_capacity(index.len);
        for (_, row) in index.rows(text, 0, index.len) {
            places.push((place(row) as u32, (place(row) + row.len()) as u32));
            for (cell, seen) in cells::of(row, index.grammar).zip(&mut seen) {
                if cell.is_quoted || !cell.text.is_empty() {
                    seen.text(&cell.text);
                }
            }
        }
        let mut columns: Vec<Column> = names.into_iter().zip(seen).map(|(name, seen)| seen.column(name)).collect();
        columns.push(Column::hidden("pointer", ColumnKind::Text));
        column::tell_apart(&mut columns);
        (Self { grammar: index.grammar, places, width: columns.len() - 1, left_out, base: String::new() }, columns)
    }

    pub fn left_out(&self) -> usize {
        self.left_out
    }

    pub fn put_below(&mut self, base: &str) {
        self.base.insert_str(0, base);
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn longest(&self) -> usize {
        self.places.iter().map(|(start, end)| (end - start) as usize).max().unwrap_or(0)
    }

    pub fn cell<'t>(
        &'t self,
        text: &'t str,
        reader: &'t mut DelimitedReader,
        row: usize,
        column: usize,
        read_as: &Column,
    ) -> Cell<'t> {
        if column >= self.width {
            return Cell::Text(Cow::Owned(format!("{}/{row}", self.base)));
        }
        if reader.row != row + 1 {
            self.read(text, reader, row);
        }
        let spelled = match reader.cells.get(column) {
            Some(ReadCell::In(start, end)) => &text[*start as usize..*end as usize],
            Some(ReadCell::Owned(owned)) => owned,
            Some(ReadCell::None) | None => return Cell::Null,
        };
        read_as.cell(Cow::Borrowed(spelled))
    }

    fn read(&self, text: &str, reader: &mut DelimitedReader, row: usize) {
        let (start, end) = self.places[row];
        let row_text = &text[start as usize..end as usize];
        reader.row = row + 1;
        reader.cells.clear();
        let cells: Cells<'_> = cells::of(row_text, self.grammar);
        reader.cells.extend(cells.take(self.width).map(|cell| match cell.text {
            Cow::Borrowed("") if !cell.is_quoted => ReadCell::None,
            Cow::Borrowed(part) => {
                let from = part.as_ptr().addr() - text.as_ptr().addr();
                ReadCell::In(from as u32, (from + part.len()) as u32)
            }
            Cow::Owned(text) if text.is_empty() => ReadCell::None,
            Cow::Owned(text) => ReadCell::Owned(text),
        }));
    }
}
