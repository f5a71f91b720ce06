//! The rows of a text as a [`Source`]: a row is read when it is asked for.

use std::borrow::Cow;
use std::rc::Rc;

use toolshape_text::rows::cells::{self, Cell};
use toolshape_text::rows::grammar::Grammar;
use toolshape_text::rows::row_index::RowIndex;

use crate::base::error::Error;
use crate::value::json_text::JsonText;
use crate::value::plain_text::PlainText;
use crate::value::source::{Entry, Kind, Source};

use super::cell;

/// The list, a row of it, or a value in a row.
#[derive(Clone)]
pub(super) enum RowValue<'a> {
    List(&'a str, Rc<RowIndex>),
    /// A row that has cells.
    Row(&'a str, Rc<RowIndex>),
    /// The JSON text of a cell.
    Cell(Rc<str>),
    Json(JsonText<'a>),
    Text(PlainText<'a>),
}

impl<'a> RowValue<'a> {
    fn row(index: &Rc<RowIndex>, number: usize, row: &'a str) -> Self {
        match index.grammar {
            Grammar::JsonLines if index.is_cut && number + 1 == index.len => Self::Text(PlainText::new(row)),
            Grammar::JsonLines => Self::Json(JsonText::checked(row.trim())),
            Grammar::YamlDocuments => Self::Text(PlainText::new(row)),
            Grammar::Delimited(..) | Grammar::Bars => Self::Row(row, Rc::clone(index)),
        }
    }
}

/// The name of each cell of a row, and the cell; a row that is cut has fewer cells than names.
fn named_cells<'r>(row: &'r str, index: &'r RowIndex) -> impl Iterator<Item = (&'r str, Cell<'r>)> {
    index.names.iter().map(|name| &**name).zip(cells::of(row, index.grammar))
}

/// Appends a row as a JSON object.
fn write_row(row: &str, index: &RowIndex, out: &mut String) {
    let mut separator = '{';
    for (name, cell) in named_cells(row, index) {
        out.push(separator);
        out.push_str(name);
        out.push(':');
        cell::write(&cell, out);
        separator = ',';
    }
    out.push('}');
}

/// At most `max` rows from number `start` on as JSON.
pub(super) fn write_rows(text: &str, index: &Rc<RowIndex>, start: usize, max: usize) -> Result<String, Error> {
    let mut out = String::from("[");
    for (number, row) in index.rows(text, start, max) {
        if number > start {
            out.push(',');
        }
        match RowValue::row(index, number, row) {
            RowValue::Row(row, index) => write_row(row, &index, &mut out),
            value => out.push_str(&value.json()?),
        }
    }
    out.push(']');
    Ok(out)
}

impl Source for RowValue<'_> {
    fn kind(&self) -> Kind {
        match self {
            Self::List(..) => Kind::Array,
            Self::Row(..) => Kind::Object,
            Self::Cell(json) => JsonText::checked(json).kind(),
            Self::Json(value) => value.kind(),
            Self::Text(_) => Kind::String,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::List(_, index) => index.len,
            Self::Row(row, index) => named_cells(row, index).count(),
            Self::Cell(_) | Self::Text(_) => 0,
            Self::Json(value) => value.len(),
        }
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        Ok(match self {
            Self::List(text, index) => {
                index.rows(text, start, max).map(|(number, row)| Self::row(index, number, row)).collect()
            }
            Self::Json(value) => value.items(start, max)?.into_iter().map(Self::Json).collect(),
            Self::Row(..) | Self::Cell(_) | Self::Text(_) => Vec::new(),
        })
    }

    fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
        Ok(match self {
            Self::Row(row, index) => {
                let wanted = named_cells(row, index).enumerate().filter(|(at, (name, _))| is_wanted(*at, name));
                wanted.map(|(_, (name, cell))| (name.to_owned(), Self::Cell(cell::json(&cell)))).collect()
            }
            Self::Json(value) => {
                let entries = value.entries_where(is_wanted)?;
                entries.into_iter().map(|(key, value)| (key, Self::Json(value))).collect()
            }
            Self::List(..) | Self::Cell(_) | Self::Text(_) => Vec::new(),
        })
    }

    fn chars(&self) -> usize {
        match self {
            Self::Cell(json) => JsonText::checked(json).chars(),
            Self::Json(value) => value.chars(),
            Self::Text(text) => text.chars(),
            Self::List(..) | Self::Row(..) => 0,
        }
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        match self {
            Self::Cell(json) => JsonText::checked(json).slice(start, max),
            Self::Json(value) => value.slice(start, max),
            Self::Text(text) => text.slice(start, max),
            Self::List(..) | Self::Row(..) => Ok(String::new()),
        }
    }

    fn min_bytes(&self, enough: usize) -> usize {
        match self {
            // Each row has its brackets and a separator, and each cell its name.
            Self::List(_, index) => {
                let names: usize = index.names.iter().map(|name| name.len() + 2).sum();
                (3 + names).saturating_mul(index.len.saturating_sub(usize::from(index.is_cut)))
            }
            Self::Row(row, index) => {
                let mut cell_json = String::new();
                let bytes = named_cells(row, index).map(|(name, cell)| {
                    cell_json.clear();
                    cell::write(&cell, &mut cell_json);
                    name.len() + cell_json.len() + 2
                });
                1 + bytes.sum::<usize>()
            }
            Self::Cell(json) => json.len(),
            Self::Json(value) => value.min_bytes(enough),
            Self::Text(text) => text.min_bytes(enough),
        }
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        match self {
            Self::Cell(json) => Ok(Cow::Borrowed(json)),
            Self::Json(value) => value.json(),
            Self::Text(text) => text.json(),
            Self::List(text, index) => write_rows(text, index, 0, index.len).map(Cow::Owned),
            Self::Row(row, index) => {
                let mut out = String::new();
                write_row(row, index, &mut out);
                Ok(Cow::Owned(out))
            }
        }
    }
}
