//! The rules by which rows are named that differ from the others.

/// How a row differs from the others.
#[derive(Clone)]
pub(crate) enum Rule {
    /// Its value is in this many rows.
    InRows(usize),
    /// Its form is that of the values of this many rows, whatever their digits.
    Form(usize),
    /// Its number is far from those of the others, which are between these.
    Others(String, String),
    /// No other row has a greater number.
    Largest,
    /// It alone has no value, or an empty one.
    Empty,
    /// It alone has a value.
    Filled,
    /// It is one of this many that have a value.
    FilledIn(usize),
}

/// How many rows were looked at, from the first on, and whether these are all.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    pub rows: usize,
    pub is_all: bool,
}

impl Rule {
    pub fn text(&self, seen: Seen) -> String {
        let first = if seen.is_all { "" } else { "the first " };
        let rows = format!("{first}{} rows", seen.rows);
        match self {
            Self::InRows(count) => format!("in {count} of {rows}"),
            Self::Form(1) => format!("the only one of its form in {rows}"),
            Self::Form(count) => format!("of a form that {count} of {rows} have"),
            Self::Others(low, high) if low == high => format!("the others of {rows} have {low}"),
            Self::Others(low, high) => format!("the others of {rows} have {low} to {high}"),
            Self::Largest => format!("the largest of {rows}"),
            Self::Empty => format!("the only empty one of {rows}"),
            Self::Filled => format!("the only one of {rows} that is not empty"),
            Self::FilledIn(count) => format!("only {count} of {rows} have one"),
        }
    }
}
