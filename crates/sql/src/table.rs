//! A stored text as a table: its columns, its rows in place, and an index of a column for joins.

mod column;
mod delimited;
mod diff_lines;
mod hash_index;
pub(crate) mod json_place;
pub(crate) mod json_rows;
mod lines;
mod log_line;
mod sections;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use toolshape_text::rows::row_index::RowIndex;

pub use column::{Column, ColumnKind};
pub(crate) use hash_index::HashIndex;

use delimited::{Delimited, DelimitedReader};
use json_rows::{JsonReader, JsonRows};
use lines::Lines;

/// The most bytes of a text: places in it are 32 bits.
const MOST_BYTES: usize = u32::MAX as usize - 1;

/// How many times as long as reading a text finding its structure takes.
const READ_FOR_STRUCTURE: usize = 8;

/// Bytes of a line that are sought for the escape sequences of terminals in the time in which one is read; a line is where it is.
const SOUGHT_AT_ONCE: usize = 8;

/// The largest integer of 64 bits.
const MOST_HELD: &[u8] = b"9223372036854775807";

/// A text cannot be read as a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError(pub String);

/// A text as a table. It is read once when it is made, to know its columns; keep it between questions.
pub struct Table {
    text: Arc<String>,
    columns: Vec<Column>,
    /// The columns that are read, whose texts are the last columns.
    read: Vec<usize>,
    rows: Rows,
    indexes: Vec<OnceLock<HashIndex>>,
    longest: usize,
    remark: Option<String>,
    has_long_numbers: OnceLock<bool>,
}

enum Rows {
    Json(JsonRows),
    Delimited(Delimited),
    Lines(Box<Lines>),
}

/// What is in a column of a row.
#[derive(Debug, PartialEq)]
pub(crate) enum Cell<'t> {
    Null,
    Integer(i64),
    Real(f64),
    Text(Cow<'t, str>),
}

/// Reads the cells of one row after another, in any order.
pub(crate) enum RowReader {
    Json(JsonReader),
    Delimited(DelimitedReader),
    Lines,
}

impl Table {
    /// JSON: the items of a list are rows; any other value is one row with the column `doc`.
    ///
    /// # Errors
    /// If the text is not JSON, or larger than 4 GB.
    pub fn json(text: impl Into<TableText>) -> Result<Self, TableError> {
        let text = within(text)?;
        let (rows, columns) = JsonRows::of(&text)?;
        Ok(Self::new(text, Rows::Json(rows), columns))
    }

    /// The items of the list, or the entries of the object, at a JSON Pointer.
    ///
    /// # Errors
    /// As [`Table::json`], and if there is neither at the pointer.
    pub fn json_rows(text: impl Into<TableText>, pointer: &str) -> Result<Self, TableError> {
        let text = within(text)?;
        let (rows, columns) = JsonRows::at(&text, pointer)?;
        Ok(Self::new(text, Rows::Json(rows), columns))
    }

    /// JSON as one row with the column `doc`, whatever it is.
    ///
    /// # Errors
    /// As [`Table::json`].
    pub fn json_document(text: impl Into<TableText>) -> Result<Self, TableError> {
        let text = within(text)?;
        let (rows, columns) = JsonRows::document(&text)?;
        Ok(Self::new(text, Rows::Json(rows), columns))
    }

    /// Rows found in a text, such as CSV, a printed table or JSON lines: a column for each cell.
    ///
    /// # Errors
    /// If the text is larger than 4 GB, or a row of JSON lines is not JSON.
    pub fn rows(text: impl Into<TableText>, index: &RowIndex) -> Result<Self, TableError> {
        let text = within(text)?;
        if JsonRows::are_in(index) {
            let (rows, columns) = JsonRows::lines(&text, index)?;
            return Ok(Self::new(text, Rows::Json(rows), columns));
        }
        let (rows, columns) = Delimited::of(&text, index);
        Ok(Self::new(text, Rows::Delimited(rows), columns))
    }

    /// The lines of a text: `line` and `text`, and the columns of what its lines are: of a document `section`, `level` and
    /// `path`, of a log `time`, `level`, `message` and `template`, of a difference `file`, `hunk` and `kind`.
    ///
    /// # Errors
    /// If the text is larger than 4 GB.
    pub fn lines(text: impl Into<TableText>) -> Result<Self, TableError> {
        let text = within(text)?;
        let (rows, columns) = Lines::of(&text);
        Ok(Self::new(text, Rows::Lines(Box::new(rows)), columns))
    }

    fn new(text: Arc<String>, rows: Rows, mut columns: Vec<Column>) -> Self {
        let longest = match &rows {
            Rows::Json(rows) => rows.longest(text.len()),
            Rows::Delimited(rows) => rows.longest(),
            Rows::Lines(rows) => rows.longest(),
        };
        let read = column::add_printed(&mut columns);
        let indexes = columns.iter().map(|_| OnceLock::new()).collect();
        Self { text, columns, read, rows, indexes, longest, remark: None, has_long_numbers: OnceLock::new() }
    }

    /// The same table, with a fact that every answer of its rows states.
    #[must_use]
    pub fn with_remark(self, remark: Option<String>) -> Self {
        Self { remark, ..self }
    }

    /// The same table as a part of a value: pointers of rows begin with the one to it.
    #[must_use]
    pub fn below(mut self, base: &str) -> Self {
        match &mut self.rows {
            Rows::Json(rows) => rows.put_below(base),
            Rows::Delimited(rows) => rows.put_below(base),
            Rows::Lines(_) => {}
        }
        self
    }

    /// Whether the text has digits of an integer beyond 64 bits.
    pub(crate) fn has_long_numbers(&self) -> bool {
        let is_long = |run: &[u8]| run.len() > MOST_HELD.len() || run.len() == MOST_HELD.len() && run > MOST_HELD;
        let find = || {
            let mut before = b' ';
            self.text.as_bytes().split_inclusive(|byte| !byte.is_ascii_digit()).any(|run| {
                let (last, digits) =
                    run.split_last().filter(|(last, _)| !last.is_ascii_digit()).unwrap_or((&b' ', run));
                let is_fraction = std::mem::replace(&mut before, *last) == b'.';
                is_long(digits) && !is_fraction
            })
        };
        *self.has_long_numbers.get_or_init(find)
    }

    /// What every answer of its rows states.
    pub(crate) fn remark(&self) -> Option<&str> {
        self.remark.as_deref()
    }

    /// The columns, hidden ones included.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::Json(rows) => rows.len(),
            Rows::Delimited(rows) => rows.len(),
            Rows::Lines(rows) => rows.len(),
        }
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many fields or cells have no column, because there are too many.
    pub(crate) fn left_out(&self) -> usize {
        match &self.rows {
            Rows::Json(rows) => rows.left_out(),
            Rows::Delimited(rows) => rows.left_out(),
            Rows::Lines(_) => 0,
        }
    }

    /// The bytes of the longest value.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// What reading a row costs, in bytes.
    pub(crate) fn row_bytes(&self) -> usize {
        let bytes = self.text.len() / self.len().max(1);
        match &self.rows {
            Rows::Lines(_) => bytes / SOUGHT_AT_ONCE,
            _ => bytes,
        }
    }

    /// What reading a cell costs in addition to that of its row, in bytes: parts of lines are sought in each.
    pub(crate) fn cell_bytes(&self, column: usize) -> usize {
        match &self.rows {
            Rows::Lines(rows) => rows.cost(column) * (self.text.len() / self.len().max(1)),
            _ => 0,
        }
    }

    /// The bytes that have to be read, and how often, before a column can be: what it says takes the whole text.
    pub(crate) fn unread(&self, column: usize) -> usize {
        match &self.rows {
            Rows::Lines(rows) if rows.is_unread(column) => READ_FOR_STRUCTURE * self.text.len(),
            _ => 0,
        }
    }

    /// The hidden column with the texts of a column that is read.
    pub(crate) fn printed(&self, column: usize) -> Option<usize> {
        let at = self.read.iter().position(|&read| read == column)?;
        Some(self.columns.len() - self.read.len() + at)
    }

    pub(crate) fn reader(&self) -> RowReader {
        match &self.rows {
            Rows::Json(_) => RowReader::Json(JsonReader::new(self.columns.len())),
            Rows::Delimited(_) => RowReader::Delimited(DelimitedReader::default()),
            Rows::Lines(_) => RowReader::Lines,
        }
    }

    pub(crate) fn cell<'t>(&'t self, reader: &'t mut RowReader, row: usize, column: usize) -> Cell<'t> {
        let read_as = &self.columns[column];
        let column = match column.checked_sub(self.columns.len() - self.read.len()) {
            Some(printed) => self.read[printed],
            None => column,
        };
        match (&self.rows, reader) {
            (Rows::Json(rows), RowReader::Json(reader)) => rows.cell(&self.text, reader, row, column, read_as),
            (Rows::Delimited(rows), RowReader::Delimited(reader)) => {
                rows.cell(&self.text, reader, row, column, read_as)
            }
            (Rows::Lines(rows), RowReader::Lines) => rows.cell(&self.text, row, column),
            _ => unreachable!("a reader is made by the table that it reads"),
        }
    }

    /// The index of a column, which is made when it is asked for first; `charge` is given the bytes that this reads, and stops it.
    pub(crate) fn index(&self, column: usize, mut charge: impl FnMut(usize) -> bool) -> Option<&HashIndex> {
        if let Some(index) = self.indexes[column].get() {
            return Some(index);
        }
        let (mut reader, mut entries) = (self.reader(), Vec::with_capacity(self.len()));
        for row in 0..self.len() {
            if !charge(self.row_bytes()) {
                return None;
            }
            let hash = match self.cell(&mut reader, row, column) {
                Cell::Null => continue,
                Cell::Integer(number) => HashIndex::of_number(number as f64),
                Cell::Real(number) => HashIndex::of_number(number),
                Cell::Text(text) => {
                    if text.len() > self.row_bytes() && !charge(text.len()) {
                        return None;
                    }
                    HashIndex::of_text(&text)
                }
            };
            entries.push((hash, row as u32));
        }
        Some(self.indexes[column].get_or_init(|| HashIndex::new(entries)))
    }
}

/// The text of a table, which tables of the same text may share.
pub struct TableText(Arc<String>);

impl From<&str> for TableText {
    fn from(text: &str) -> Self {
        Self(Arc::new(text.to_owned()))
    }
}

impl From<String> for TableText {
    fn from(text: String) -> Self {
        Self(Arc::new(text))
    }
}

impl From<Arc<String>> for TableText {
    fn from(text: Arc<String>) -> Self {
        Self(text)
    }
}

fn within(text: impl Into<TableText>) -> Result<Arc<String>, TableError> {
    let TableText(text) = text.into();
    match text.len() <= MOST_BYTES {
        true => Ok(text),
        false => Err(TableError("the text is larger than 4 GB".to_owned())),
    }
}
