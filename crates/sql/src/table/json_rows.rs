//! JSON values as rows, read in place: of a row no more is read than leads to the columns that are asked for.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use toolshape_json::{check, minify, next_member, skip_space, skip_string, skip_value, string};
use toolshape_text::rows::grammar::Grammar;
use toolshape_text::rows::row_index::RowIndex;

use super::column::{self, Column, ColumnKind, MOST_COLUMNS, Seen};
use super::json_place::{self, Members};
use super::{Cell, TableError};
use crate::number::{self, Number};

/// The deepest nesting that is read.
const MOST_DEPTH: usize = 4096;

/// What is rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    List,
    Map,
    /// One value, not rows.
    Document,
}

/// Where the rows are, and which keys are columns.
pub struct JsonRows {
    shape: Shape,
    pointer: String,
    /// Where the value of each row begins.
    starts: Vec<u32>,
    /// Where its key begins, in a map.
    keys: Vec<u32>,
    /// The number of the field of each key.
    fields: HashMap<Box<str>, u32>,
    /// The keys without their quotes, as they are spelled first.
    names: Vec<Box<str>>,
    /// The first column that is a field; before it are `key` and `value`.
    first_field: usize,
    /// Keys without a column.
    left_out: HashSet<Box<str>>,
    /// Whether rows other than objects have a column.
    has_value: bool,
}

/// Where values are in the row that was read last.
pub struct JsonReader {
    /// The row plus one.
    row: usize,
    /// Where the next member begins; 0 after the last.
    next: usize,
    /// The field that probably comes next.
    guess: usize,
    /// For each column the row plus one in which it was found last, and the place there.
    found: Vec<(u32, u32, u32)>,
}

impl JsonReader {
    pub fn new(columns: usize) -> Self {
        Self { row: 0, next: 0, guess: 0, found: vec![(0, 0, 0); columns] }
    }
}

impl JsonRows {
    pub fn of(text: &str) -> Result<(Self, Vec<Column>), TableError> {
        match text.as_bytes()[whole(text)?.0] {
            b'[' => Self::at(text, ""),
            _ => Self::document(text),
        }
    }

    /// The members of the list or the object at a JSON Pointer.
    pub fn at(text: &str, pointer: &str) -> Result<(Self, Vec<Column>), TableError> {
        let start = json_place::at(text, whole(text)?, pointer);
        let shape = start.and_then(|start| match text.as_bytes()[start] {
            b'[' => Some((Shape::List, start)),
            b'{' => Some((Shape::Map, start)),
            _ => None,
        });
        let (shape, start) = shape.ok_or_else(|| TableError(format!("there are no rows at {pointer:?}")))?;
        let (mut starts, mut keys) = (Vec::new(), Vec::new());
        for member in Members::of(text, start) {
            starts.push(member.value.0 as u32);
            if shape == Shape::Map {
                keys.push(member.key.0 as u32);
            }
        }
        Ok(Self::with(text, shape, pointer.to_owned(), starts, keys))
    }

    pub fn document(text: &str) -> Result<(Self, Vec<Column>), TableError> {
        let (start, _) = whole(text)?;
        let rows = Self {
            shape: Shape::Document,
            pointer: String::new(),
            starts: vec![start as u32],
            keys: Vec::new(),
            fields: HashMap::new(),
            names: Vec::new(),
            first_field: 0,
            left_out: HashSet::new(),
            has_value: false,
        };
        Ok((rows, vec![Column::new("doc", ColumnKind::Json), Column::hidden("pointer", ColumnKind::Text)]))
    }

    pub fn are_in(index: &RowIndex) -> bool {
        index.grammar == Grammar::JsonLines
    }

    /// A JSON value on each line.
    pub fn lines(text: &str, index: &RowIndex) -> Result<(Self, Vec<Column>), TableError> {
        let mut starts = Vec::with_capacity(index.len);
        for (number, row) in index.rows(text, 0, index.len) {
            let checked = check(row, MOST_DEPTH).map_err(|_| TableError(format!("row {} is not JSON", number + 1)))?;
            starts.push((row.as_ptr().addr() - text.as_ptr().addr() + checked.value.start) as u32);
        }
        Ok(Self::with(text, Shape::List, String::new(), starts, Vec::new()))
    }

    fn with(text: &str, shape: Shape, pointer: String, starts: Vec<u32>, keys: Vec<u32>) -> (Self, Vec<Column>) {
        let mut rows = Self {
            shape,
            pointer,
            starts,
            keys,
            fields: HashMap::new(),
            names: Vec::new(),
            first_field: 0,
            left_out: HashSet::new(),
            has_value: false,
        };
        let (fields, value) = rows.survey(text);
        let mut columns = Vec::with_capacity(fields.len() + 4);
        if shape == Shape::Map {
            columns.push(Column::new("key", ColumnKind::Text));
        }
        if let Some(value) = value {
            rows.has_value = true;
            columns.push(value.column("value".to_owned()));
        }
        rows.first_field = columns.len();
        let named = rows.names.iter().zip(fields);
        columns.extend(named.map(|(name, seen)| seen.column(string::text(name).into_owned())));
        columns.push(Column::hidden("doc", ColumnKind::Json));
        columns.push(Column::hidden("pointer", ColumnKind::Text));
        column::tell_apart(&mut columns);
        (rows, columns)
    }

    /// Reads every row once: which fields there are, and what their values are; and what the other rows are.
    fn survey(&mut self, text: &str) -> (Vec<Seen>, Option<Seen>) {
        let bytes = text.as_bytes();
        let (mut seen, mut value): (Vec<Seen>, Option<Seen>) = (Vec::new(), None);
        let starts = std::mem::take(&mut self.starts);
        for &start in &starts {
            let start = start as usize;
            if bytes[start] != b'{' {
                note(value.get_or_insert_default(), text, start, skip_value(bytes, start));
                continue;
            }
            let (mut guess, mut at) = (0, skip_space(bytes, start + 1));
            while bytes[at] != b'}' {
                let key_end = skip_string(bytes, at);
                let key = &text[at + 1..key_end - 1];
                let place = skip_space(bytes, skip_space(bytes, key_end) + 1);
                let end = skip_value(bytes, place);
                let field = self.field(key, guess).or_else(|| self.add(key, &mut seen));
                if let Some(field) = field {
                    guess = field + 1;
                    note(&mut seen[field], text, place, end);
                }
                at = next_member(bytes, end);
            }
        }
        self.starts = starts;
        (seen, value)
    }

    /// The number of a key's field; `guess` is what it probably is.
    fn field(&self, key: &str, guess: usize) -> Option<usize> {
        if self.names.get(guess).is_some_and(|name| **name == *key) {
            return Some(guess);
        }
        // A key may be spelled with escapes in one row and without in another.
        self.fields.get(&*string::text(key)).map(|&field| field as usize)
    }

    fn add(&mut self, key: &str, seen: &mut Vec<Seen>) -> Option<usize> {
        if self.names.len() == MOST_COLUMNS {
            // Names that are left out are counted up to the same number.
            if self.left_out.len() < MOST_COLUMNS {
                self.left_out.insert(key.into());
            }
            return None;
        }
        let field = self.names.len();
        self.names.push(key.into());
        self.fields.insert(string::text(key).into(), field as u32);
        seen.push(Seen::default());
        Some(field)
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    pub fn left_out(&self) -> usize {
        self.left_out.len()
    }

    pub fn put_below(&mut self, base: &str) {
        self.pointer.insert_str(0, base);
    }

    pub fn longest(&self, text_len: usize) -> usize {
        let ends = self.starts.iter().skip(1).map(|&start| start as usize).chain([text_len]);
        self.starts.iter().zip(ends).map(|(&start, end)| end - start as usize).max().unwrap_or(0)
    }

    pub fn cell<'t>(
        &'t self,
        text: &'t str,
        reader: &mut JsonReader,
        row: usize,
        column: usize,
        read_as: &Column,
    ) -> Cell<'t> {
        let field = column.wrapping_sub(self.first_field);
        if column >= self.first_field && field < self.names.len() {
            let place = self.find(text, reader, row, field);
            return place.map_or(Cell::Null, |(start, end)| value_of(text, start, end, read_as));
        }
        let bytes = text.as_bytes();
        let start = self.starts[row] as usize;
        // Behind the fields are `doc` and `pointer`.
        match column.checked_sub(self.first_field + self.names.len()) {
            Some(0) => Cell::Text(minify(&text[start..skip_value(bytes, start)])),
            Some(_) => Cell::Text(Cow::Owned(self.pointer_of(text, row))),
            None if column == 0 && self.shape == Shape::Map => Cell::Text(self.key(text, row)),
            None if self.has_value && bytes[start] != b'{' => value_of(text, start, skip_value(bytes, start), read_as),
            None => Cell::Null,
        }
    }

    fn key<'t>(&self, text: &'t str, row: usize) -> Cow<'t, str> {
        let start = self.keys[row] as usize;
        string::text(&text[start + 1..skip_string(text.as_bytes(), start) - 1])
    }

    fn pointer_of(&self, text: &str, row: usize) -> String {
        let mut pointer = self.pointer.clone();
        match self.shape {
            Shape::Document => {}
            Shape::Map => json_place::pointer_token(&self.key(text, row), &mut pointer),
            Shape::List => write!(pointer, "/{row}").expect("writing to a String cannot fail"),
        }
        pointer
    }

    /// Where a field is in a row, which is read on from where it was read last. Of equal keys the first counts.
    fn find(&self, text: &str, reader: &mut JsonReader, row: usize, wanted: usize) -> Option<(usize, usize)> {
        let bytes = text.as_bytes();
        let mark = row as u32 + 1;
        if reader.row != row + 1 {
            let start = self.starts[row] as usize;
            let next = if bytes[start] == b'{' { skip_space(bytes, start + 1) } else { 0 };
            (reader.row, reader.next, reader.guess) = (row + 1, next, 0);
        }
        loop {
            let (found, start, end) = reader.found[wanted];
            if found == mark {
                return Some((start as usize, end as usize));
            }
            if reader.next == 0 || bytes[reader.next] == b'}' {
                return None;
            }
            let key_end = skip_string(bytes, reader.next);
            let key = &text[reader.next + 1..key_end - 1];
            let start = skip_space(bytes, skip_space(bytes, key_end) + 1);
            let end = skip_value(bytes, start);
            if let Some(field) = self.field(key, reader.guess) {
                reader.guess = field + 1;
                if reader.found[field].0 != mark {
                    reader.found[field] = (mark, start as u32, end as u32);
                }
            }
            reader.next = next_member(bytes, end);
        }
    }
}

/// Where the value of a text begins and ends.
pub fn whole(text: &str) -> Result<(usize, usize), TableError> {
    let checked = check(text, MOST_DEPTH).map_err(|fault| TableError(format!("not JSON: {fault:?}")))?;
    Ok((checked.value.start, checked.value.end))
}

fn note(seen: &mut Seen, text: &str, start: usize, end: usize) {
    match text.as_bytes()[start] {
        b'"' => seen.text(&string::text(&text[start + 1..end - 1])),
        b'{' | b'[' => seen.nested(),
        b't' | b'f' => seen.boolean(),
        b'n' => {}
        _ => seen.number(&text[start..end]),
    }
}

/// What a checked value is as a cell of a column.
fn value_of<'t>(text: &'t str, start: usize, end: usize, column: &Column) -> Cell<'t> {
    match text.as_bytes()[start] {
        // Digits that count as text, or beyond 64 bits.
        b'-' | b'0'..=b'9' if matches!(column.kind, ColumnKind::BigNumber | ColumnKind::Text) => {
            Cell::Text(Cow::Borrowed(&text[start..end]))
        }
        b'-' | b'0'..=b'9' if column.reads_numbers => column.cell(Cow::Borrowed(&text[start..end])),
        b'"' => column.cell(string::text(&text[start + 1..end - 1])),
        _ => value(text, start, end),
    }
}

/// What a checked value is as a cell.
pub fn value(text: &str, start: usize, end: usize) -> Cell<'_> {
    let spelled = &text[start..end];
    match text.as_bytes()[start] {
        b'"' => Cell::Text(string::text(&spelled[1..spelled.len() - 1])),
        b'{' | b'[' => Cell::Text(minify(spelled)),
        b't' => Cell::Integer(1),
        b'f' => Cell::Integer(0),
        b'n' => Cell::Null,
        _ => match number::read(spelled) {
            Number::Integer(number) => Cell::Integer(number),
            Number::Real(number) => Cell::Real(number),
            Number::Beyond => Cell::Text(Cow::Borrowed(spelled)),
        },
    }
}
