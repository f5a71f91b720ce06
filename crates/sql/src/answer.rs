//! What a statement returns.

use std::fmt::Write;

use toolshape_json::string::quote_into;

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum SqlValue {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    /// Bytes that are not a text, as hexadecimal digits.
    Blob(String),
}

/// The rows of one statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<SqlValue>>,
    /// The number of all rows, whether returned or not.
    pub total: usize,
    /// The index of the first row that is returned.
    pub from: usize,
    /// Which rows of a table the answer is of, if not all were read.
    pub first_rows: Option<FirstRows>,
    /// Facts that a reader needs so as not to misread the rows.
    pub notes: Vec<String>,
}

/// The table that was not read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstRows {
    pub table: String,
    /// How many rows were read, and how many there are.
    pub read: usize,
    pub of: usize,
}

impl Answer {
    /// The index of the first row that is not returned, if there is one.
    pub fn next(&self) -> Option<usize> {
        let next = self.from.saturating_add(self.rows.len());
        (next < self.total).then_some(next)
    }
}

impl SqlValue {
    /// Writes the value as JSON: a real number always has a point or an exponent.
    pub fn write_json(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Integer(number) => write!(out, "{number}").expect("writing to a String cannot fail"),
            Self::Real(number) if number.is_finite() => {
                write!(out, "{number:?}").expect("writing to a String cannot fail");
            }
            Self::Real(number) => write!(out, "\"{number}\"").expect("writing to a String cannot fail"),
            Self::Text(text) => quote_into(text, out),
            Self::Blob(digits) => write!(out, "\"x'{digits}'\"").expect("writing to a String cannot fail"),
        }
    }

    /// The bytes that it takes, roughly.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Text(text) | Self::Blob(text) => text.len() + 2,
            _ => 8,
        }
    }
}
