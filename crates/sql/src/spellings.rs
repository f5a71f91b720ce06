//! Values with a unit and dates, as the table spells them: `12.5 %` and not 12.5, `3 March 2024` and not 2024-03-03.

use std::collections::HashMap;

use rusqlite::Statement;
use toolshape_json::check;
use toolshape_text::values::column::Reading;

use crate::account::Account;
use crate::answer::SqlValue;
use crate::sqlite::NamedTable;
use crate::statements;
use crate::table::{Cell, Table};

/// Words that put rows of several statements into one column.
const COMPOUND: [&str; 3] = ["union", "intersect", "except"];

/// A column of a table that a column of an answer is.
pub struct Origin<'t> {
    table: &'t Table,
    column: usize,
}

/// The column whose values each column of the answer has; `None` where they are computed, or say as much as the table.
pub fn origins<'t>(statement: &Statement<'_>, sql: &str, added: &'t [NamedTable]) -> Vec<Option<Origin<'t>>> {
    let is_compound = |token: &&str| COMPOUND.contains(&&*token.to_ascii_lowercase());
    if statements::tokens(sql).iter().any(is_compound) {
        return Vec::new();
    }
    let origin = |table: Option<&str>, name: Option<&str>| {
        let table = &*added.iter().find(|added| Some(&*added.name) == table)?.table;
        let column = table.columns().iter().position(|column| Some(&*column.name) == name)?;
        let is_spelled = match &table.columns()[column].reading {
            Reading::Text | Reading::Time => true,
            // A number says as much without the separators of its thousands.
            Reading::Number { unit, .. } => unit.is_empty(),
            _ => false,
        };
        (!is_spelled).then_some(Origin { table, column })
    };
    statement.columns_with_metadata().map(|column| origin(column.table_name(), column.origin_name())).collect()
}

/// Puts the spelling in place of each value that the table spells in one way that is not a number of JSON.
///
/// The table is read once more for each such column, at the statement's cost; where there is no work left, values stay as read.
pub fn restore(rows: &mut [Vec<SqlValue>], origins: &[Option<Origin<'_>>], account: &Account) {
    for (at, origin) in origins.iter().enumerate() {
        let Some(origin) = origin else { continue };
        let mut wanted: HashMap<Key, Option<String>> =
            rows.iter().filter_map(|row| Some((Key::of_value(&row[at])?, None))).collect();
        if wanted.is_empty() || !origin.find(&mut wanted, account) {
            continue;
        }
        for row in &mut *rows {
            let found = Key::of_value(&row[at]).and_then(|key| wanted.get(&key)?.clone());
            if let Some(spelled) = found.filter(|spelled| !is_json_number(spelled)) {
                row[at] = SqlValue::Text(spelled);
            }
        }
    }
}

/// A value that is read, to find it again.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Integer(i64),
    Real(u64),
    Text(String),
}

impl Key {
    fn of_value(value: &SqlValue) -> Option<Self> {
        match value {
            SqlValue::Integer(number) => Some(Self::Integer(*number)),
            SqlValue::Real(number) => Some(Self::Real(number.to_bits())),
            SqlValue::Text(text) => Some(Self::Text(text.clone())),
            SqlValue::Null | SqlValue::Blob(_) => None,
        }
    }

    fn of_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Null => None,
            Cell::Integer(number) => Some(Self::Integer(number)),
            Cell::Real(number) => Some(Self::Real(number.to_bits())),
            Cell::Text(text) => Some(Self::Text(text.into_owned())),
        }
    }
}

impl Origin<'_> {
    /// Finds how the table spells each wanted value; `None` stays where it spells one in several ways. Returns whether there was
    /// enough work left to read the table.
    fn find(&self, wanted: &mut HashMap<Key, Option<String>>, account: &Account) -> bool {
        let Some(printed) = self.table.printed(self.column) else { return false };
        let (mut reader, mut several) = (self.table.reader(), Vec::new());
        for row in 0..self.table.len() {
            if !account.read(self.table.row_bytes()) {
                return false;
            }
            let Some(key) = Key::of_cell(self.table.cell(&mut reader, row, self.column)) else { continue };
            let Some(known) = wanted.get_mut(&key) else { continue };
            let Cell::Text(spelled) = self.table.cell(&mut reader, row, printed) else { continue };
            match known {
                None => *known = Some(spelled.into_owned()),
                Some(known) if **known == *spelled => {}
                Some(_) => several.push(key),
            }
        }
        for key in several {
            wanted.remove(&key);
        }
        true
    }
}

fn is_json_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) && check(text, 1).is_ok()
}
