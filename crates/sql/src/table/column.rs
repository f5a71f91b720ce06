//! Columns: their names, and what SQLite knows about their values.

use std::collections::HashSet;

use crate::number::{self, Number};

/// The most columns of a table; further fields are in `doc`.
pub const MOST_COLUMNS: usize = 500;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: ColumnKind,
    /// Whether `SELECT *` leaves it out.
    pub is_hidden: bool,
    /// Whether all values are texts that are numbers, which compare as text.
    pub has_numeric_texts: bool,
    /// Whether a number has more digits than a double holds.
    pub is_rounded: bool,
}

/// What the values of a column are, `NULL` aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    Integer,
    Real,
    /// Integers and real numbers.
    Number,
    /// Numbers of which one is beyond 64 bits: texts that compare as numbers.
    BigNumber,
    /// 1 and 0.
    Boolean,
    Text,
    /// Objects and lists, as JSON.
    Json,
    /// Values of several kinds.
    Mixed,
}

impl ColumnKind {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Real => "real",
            Self::Number | Self::BigNumber => "number",
            Self::Boolean => "boolean",
            Self::Text => "text",
            Self::Json => "json",
            Self::Mixed => "mixed",
        }
    }

    /// The declared type, which decides how SQLite compares values with others.
    pub(crate) fn declared(self) -> &'static str {
        match self {
            Self::Integer => "INTEGER",
            Self::Real => "REAL",
            Self::Number => "NUMERIC",
            Self::Boolean => "BOOLEAN",
            Self::BigNumber => "TEXT COLLATE digits",
            Self::Text | Self::Json => "TEXT",
            Self::Mixed => "",
        }
    }
}

/// The kinds of values that a column has, as bits.
#[derive(Clone, Copy, Default)]
pub struct Seen(u8);

const INTEGER: u8 = 1;
const REAL: u8 = 2;
const BEYOND: u8 = 4;
const BOOLEAN: u8 = 8;
const TEXT: u8 = 16;
const NUMERIC_TEXT: u8 = 32;
const NESTED: u8 = 64;
const ROUNDED: u8 = 128;

impl Seen {
    pub fn number(&mut self, spelled: &str) {
        // Most numbers are short: they fit whatever they are.
        let is_short = spelled.len() <= 15;
        let is_real = spelled.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
        self.0 |= match (is_short && !spelled.contains(['e', 'E']), is_real) {
            (true, true) => REAL,
            (true, false) => INTEGER,
            (false, _) => match number::read(spelled) {
                Number::Integer(_) => INTEGER,
                Number::Real(real) if number::is_rounded(spelled, real) => REAL | ROUNDED,
                Number::Real(_) => REAL,
                Number::Beyond => BEYOND,
            },
        };
    }

    pub fn text(&mut self, text: &str) {
        if self.0 & TEXT == 0 {
            self.0 |= if number::is_number(text) { NUMERIC_TEXT } else { TEXT };
        }
    }

    pub fn boolean(&mut self) {
        self.0 |= BOOLEAN;
    }

    pub fn nested(&mut self) {
        self.0 |= NESTED;
    }

    pub fn column(self, name: String) -> Column {
        let kind = match self.0 & !ROUNDED {
            INTEGER => ColumnKind::Integer,
            REAL => ColumnKind::Real,
            seen if seen == INTEGER | REAL => ColumnKind::Number,
            seen if seen & BEYOND > 0 && seen & !(INTEGER | REAL | BEYOND) == 0 => ColumnKind::BigNumber,
            BOOLEAN => ColumnKind::Boolean,
            NESTED => ColumnKind::Json,
            seen if seen > 0 && seen & !(TEXT | NUMERIC_TEXT) == 0 => ColumnKind::Text,
            _ => ColumnKind::Mixed,
        };
        let (has_numeric_texts, is_rounded) = (self.0 == NUMERIC_TEXT, self.0 & ROUNDED > 0);
        Column { name, kind, is_hidden: false, has_numeric_texts, is_rounded }
    }
}

impl Column {
    pub fn new(name: &str, kind: ColumnKind) -> Self {
        Self { name: name.to_owned(), kind, is_hidden: false, has_numeric_texts: false, is_rounded: false }
    }

    /// Whether all values are texts, `NULL` aside.
    pub fn is_text(&self) -> bool {
        matches!(self.kind, ColumnKind::Text | ColumnKind::Json)
    }

    pub fn hidden(name: &str, kind: ColumnKind) -> Self {
        Self { is_hidden: true, ..Self::new(name, kind) }
    }
}

/// Gives each column a name of its own: SQLite does not tell upper case from lower case.
pub fn tell_apart(columns: &mut [Column]) {
    let mut taken: HashSet<String> = HashSet::new();
    for column in columns {
        // A name without characters, or with one that ends it for C, cannot be declared.
        let name = column.name.replace('\0', "");
        let name = if name.is_empty() { "_".to_owned() } else { name };
        let mut unique = name.clone();
        let mut count = 1;
        while !taken.insert(unique.to_ascii_lowercase()) {
            count += 1;
            unique =
                if column.is_hidden { format!("{}{name}", "_".repeat(count - 1)) } else { format!("{name}_{count}") };
        }
        column.name = unique;
    }
}
