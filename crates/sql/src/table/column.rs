//! Columns: their names, and what SQLite knows about their values.

use std::borrow::Cow;
use std::collections::HashSet;

use toolshape_text::values::column::{Reading, Survey, Value};
use toolshape_text::values::quantity::{Quantity, bytes_of, spelling};

use super::Cell;
use crate::number::{self, Number};

/// The most columns of a table, with those that are hidden: SQLite has no more.
pub const MOST_COLUMNS: usize = 1990;

/// The end of the name of a hidden column that has the texts of a column that is read.
const AS_PRINTED: &str = " as printed";

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: ColumnKind,
    /// Whether `SELECT *` leaves it out.
    pub is_hidden: bool,
    /// How its texts are read.
    pub reading: Reading,
    /// Whether its texts sort otherwise than the numbers that they begin with.
    pub has_numeric_texts: bool,
    /// Whether its dates compare as text, because nobody knows if the day or the month is first.
    pub has_unclear_dates: bool,
    /// Whether a number is a bound, as `<0.1`.
    pub has_bounds: bool,
    /// Whether its numbers are read as its texts are: beside `1.330.950`, `330.950` has a point between thousands too.
    pub reads_numbers: bool,
    /// The name that it would have if names that differ in case were told apart.
    pub own_name: Option<String>,
}

/// What the values of a column are, `NULL` aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    Integer,
    Real,
    /// Integers and real numbers.
    Number,
    /// Numbers of which one has more digits than 64 bits hold: texts that compare as numbers.
    BigNumber,
    /// 1 and 0.
    Boolean,
    Text,
    /// Times that do not sort as text.
    Time,
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
            Self::Text | Self::Time => "text",
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
            Self::Time => "TEXT COLLATE times",
            Self::Text | Self::Json => "TEXT",
            Self::Mixed => "",
        }
    }
}

/// The kinds of values that a column has, as bits, and what its texts are.
#[derive(Clone, Default)]
pub struct Seen {
    kinds: u8,
    texts: Option<Box<Survey>>,
    /// The kinds of the plain numbers among the texts.
    in_texts: u8,
    /// The least and the most digits behind the points of numbers.
    decimals: Option<(usize, usize)>,
    /// Whether the point of a number is certainly none between thousands.
    has_decimals: bool,
}

const INTEGER: u8 = 1;
const REAL: u8 = 2;
const BEYOND: u8 = 4;
const BOOLEAN: u8 = 8;
const TEXT: u8 = 16;
const NESTED: u8 = 32;
const NOT_ZERO: u8 = 128;

impl Seen {
    pub fn number(&mut self, spelled: &str) {
        self.kinds |= kind_of(spelled);
        if spelled.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
            self.kinds |= NOT_ZERO;
        }
        if let Some(at) = spelled.find('.') {
            let digits = spelled.len() - at - 1;
            let (least, most) = self.decimals.unwrap_or((usize::MAX, 0));
            self.decimals = Some((least.min(digits), most.max(digits)));
            self.has_decimals |= Quantity::parse(spelled).is_none_or(|number| number.spellings & spelling::COMMA == 0);
        }
    }

    pub fn text(&mut self, text: &str) {
        let number = self.texts.get_or_insert_default().note(text);
        if let Some(number) = number.filter(|number| number.unit.is_empty()) {
            self.in_texts |= kind_of(&number.json(spelling::THOUSANDS));
        }
    }

    pub fn boolean(&mut self) {
        self.kinds |= BOOLEAN;
    }

    pub fn nested(&mut self) {
        self.kinds |= NESTED;
    }

    /// The column with this name.
    pub fn column(self, name: String) -> Column {
        let (kinds, mut texts) = (self.kinds, self.texts);
        if let (Some(texts), Some((least, most))) = (&mut texts, self.decimals) {
            texts.note_decimals(least, most);
        }
        let has_numbers = kinds & (INTEGER | REAL | BEYOND) > 0;
        if let Some(texts) = &mut texts {
            texts.has_bare |= has_numbers;
        }
        let reading = match &texts {
            Some(texts) if kinds & (BOOLEAN | NESTED) == 0 => match texts.reading(&name) {
                // Beside numbers, texts are read if they are numbers that compare with them, or missing.
                Reading::Text if has_numbers && texts.values == 0 => Reading::plain(),
                Reading::Number { unit, spelling } if !unit.is_empty() && kinds & NOT_ZERO > 0 => {
                    if bytes_of(&unit).is_some() { Reading::Size { spelling } } else { Reading::Text }
                }
                Reading::Duration { .. } | Reading::Scaled { .. } if kinds & NOT_ZERO > 0 => Reading::Text,
                reading if reading.is_time() && has_numbers => Reading::Text,
                reading => reading,
            },
            _ => Reading::Text,
        };
        // Codes of which some have no zeros before them, and versions.
        let are_names = reading == Reading::Text
            && kinds & (BOOLEAN | NESTED) == 0
            && texts.as_deref().is_some_and(|texts| texts.has_codes || texts.are_versions(&name));
        let is_plain =
            matches!(&reading, Reading::Number { spelling, unit } if unit.is_empty() && *spelling != spelling::COMMA);
        let kinds = kinds & !NOT_ZERO | if is_plain { self.in_texts } else { 0 };
        let is_comma = matches!(&reading, Reading::Number { spelling: spelling::COMMA, .. });
        let has_texts = texts.is_some() && !reading.is_number();
        let kind = match &reading {
            Reading::Instant | Reading::Dates { .. } | Reading::Clocks => ColumnKind::Time,
            reading if reading.is_number() && !is_plain => ColumnKind::Number,
            _ if are_names => ColumnKind::Text,
            _ => of_kinds(kinds | if has_texts { TEXT } else { 0 }),
        };
        let of_texts = |is_so: fn(&Survey) -> bool| texts.as_deref().is_some_and(is_so);
        Column {
            kind,
            is_hidden: false,
            has_numeric_texts: reading == Reading::Text && of_texts(Survey::sorts_unlike_numbers),
            has_unclear_dates: of_texts(Survey::has_unclear_dates),
            has_bounds: reading.is_number() && of_texts(|texts| texts.bounds > 0),
            reads_numbers: is_comma && !self.has_decimals,
            own_name: None,
            name,
            reading,
        }
    }
}

/// What a number is.
fn kind_of(spelled: &str) -> u8 {
    // Most numbers are short: they fit whatever they are.
    let is_short = spelled.len() <= 15;
    let is_real = spelled.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    match (is_short && !spelled.contains(['e', 'E']), is_real) {
        (true, true) => REAL,
        (true, false) => INTEGER,
        (false, _) => match number::read(spelled) {
            Number::Integer(_) => INTEGER,
            Number::Real(_) => REAL,
            Number::Beyond => BEYOND,
        },
    }
}

fn of_kinds(kinds: u8) -> ColumnKind {
    match kinds {
        INTEGER => ColumnKind::Integer,
        REAL => ColumnKind::Real,
        seen if seen == INTEGER | REAL => ColumnKind::Number,
        seen if seen & BEYOND > 0 && seen & !(INTEGER | REAL | BEYOND) == 0 => ColumnKind::BigNumber,
        BOOLEAN => ColumnKind::Boolean,
        NESTED => ColumnKind::Json,
        TEXT => ColumnKind::Text,
        _ => ColumnKind::Mixed,
    }
}

impl Column {
    pub fn new(name: &str, kind: ColumnKind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            reading: Reading::Text,
            is_hidden: false,
            has_numeric_texts: false,
            has_unclear_dates: false,
            has_bounds: false,
            reads_numbers: false,
            own_name: None,
        }
    }

    /// Whether all values are texts, `NULL` aside.
    pub fn is_text(&self) -> bool {
        matches!(self.kind, ColumnKind::Text | ColumnKind::Json)
    }

    pub fn hidden(name: &str, kind: ColumnKind) -> Self {
        Self { is_hidden: true, ..Self::new(name, kind) }
    }

    /// The name of the hidden column with its texts.
    pub(crate) fn printed_name(&self) -> String {
        format!("{}{AS_PRINTED}", self.name)
    }

    /// Whether it has the texts of another one.
    pub(crate) fn is_printed(&self) -> bool {
        self.is_hidden && self.name.ends_with(AS_PRINTED)
    }

    /// A text of the column, as it is read.
    pub(super) fn cell<'t>(&self, text: Cow<'t, str>) -> Cell<'t> {
        match self.reading.value(text) {
            Value::Blank => Cell::Null,
            Value::Text(text) => Cell::Text(text),
            Value::Double(number) if number.fract() == 0.0 && number.abs() < 1e15 => Cell::Integer(number as i64),
            Value::Double(number) => Cell::Real(number),
            Value::Number(spelled) if self.kind == ColumnKind::BigNumber => Cell::Text(spelled),
            Value::Number(spelled) => match number::read(&spelled) {
                Number::Integer(number) => Cell::Integer(number),
                Number::Real(number) => Cell::Real(number),
                Number::Beyond => Cell::Text(spelled),
            },
        }
    }
}

/// Adds a hidden column with the texts of each column whose values are not its texts, as far as there is room, and returns those.
pub fn add_printed(columns: &mut Vec<Column>) -> Vec<usize> {
    let names: HashSet<String> = columns.iter().map(|column| column.name.to_ascii_lowercase()).collect();
    let is_read = |column: &Column| !matches!(column.reading, Reading::Text | Reading::Time);
    let mut read = Vec::new();
    for at in 0..columns.len() {
        let name = columns[at].printed_name();
        if is_read(&columns[at]) && columns.len() < MOST_COLUMNS && !names.contains(&name.to_ascii_lowercase()) {
            columns.push(Column::hidden(&name, ColumnKind::Text));
            read.push(at);
        }
    }
    read
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
        column.own_name = (count > 1 && !column.is_hidden).then_some(name);
        column.name = unique;
    }
}
