//! Facts about an answer that a reader needs so as not to misread it.

use std::collections::BTreeSet;

use crate::sqlite::NamedTable;
use crate::table::{Column, ColumnKind};

/// The notes about the columns that a statement read, and about values that sums and means left out.
pub fn of(read: &BTreeSet<(String, String)>, tables: &[NamedTable], left_out: usize) -> Vec<String> {
    let is_read = |table: &NamedTable, column: &Column| read.contains(&(table.name.clone(), column.name.clone()));
    let columns: Vec<&Column> =
        tables.iter().flat_map(|table| table.table.columns().iter().filter(|column| is_read(table, column))).collect();
    let names = |is_so: fn(&Column) -> bool| {
        let names: Vec<&str> =
            columns.iter().filter(|column| is_so(column)).map(|column| column.name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let mut notes = Vec::new();
    if let Some(names) = names(|column| column.has_numeric_texts) {
        notes.push(format!(
            "{names}: numbers in strings, compared and sorted as text; CAST(… AS REAL) compares numbers"
        ));
    }
    if let Some(names) = names(|column| column.kind == ColumnKind::BigNumber) {
        notes.push(format!("{names}: has numbers beyond 64 bits, kept as text: the column compares and sums as numbers, expressions of it do not"));
    }
    if let Some(names) = names(|column| column.is_rounded) {
        notes.push(format!("{names}: has numbers with more digits than a double holds, rounded"));
    }
    if left_out > 0 {
        notes.push(format!("{left_out} values that are NULL or no number are left out of sums, means and medians"));
    }
    notes
}

/// What makes numbers of what `capture` gives: an operator behind it, or a function around it.
const OPERATORS: [char; 5] = ['+', '-', '*', '/', '%'];
const FUNCTIONS: [&str; 8] = ["cast", "sum", "avg", "total", "median", "percentile", "abs", "round"];

/// The note on numbers that `capture` gives, which are texts, unless a statement makes numbers of all of them.
pub fn of_captures(sql: &str) -> Option<String> {
    const CALL: &str = "capture(";
    let sql = sql.to_ascii_lowercase();
    let is_number = |at: usize| {
        let arguments = &sql[at + CALL.len()..];
        let around = sql[..at].trim_end().strip_suffix('(').map(str::trim_end).unwrap_or_default();
        let behind = arguments[end(arguments)..].trim_start();
        behind.starts_with(OPERATORS) || FUNCTIONS.iter().any(|name| around.ends_with(name))
    };
    sql.match_indices(CALL)
        .any(|(at, _)| !is_number(at))
        .then(|| "capture: numbers in strings, compared and sorted as text; capture(…) + 0 compares numbers".to_owned())
}

/// Behind the bracket that closes a call, from its arguments on.
fn end(arguments: &str) -> usize {
    let (mut depth, mut is_text) = (1, false);
    for (at, c) in arguments.char_indices() {
        match c {
            '\'' => is_text = !is_text,
            '(' if !is_text => depth += 1,
            ')' if !is_text => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    arguments.len()
}

#[cfg(test)]
mod tests {
    use super::of_captures;

    #[test]
    fn captured_numbers_are_texts_unless_all_are_made_numbers() {
        for sql in [
            r"SELECT count(*) FROM log WHERE capture(text, 'took (\d+)') > 1000",
            r"SELECT Capture(text, '\((\d+)\)') AS ms FROM log ORDER BY ms",
            "SELECT capture(text, 'a') + 0, max(capture(text, 'b')) FROM log",
        ] {
            assert!(of_captures(sql).is_some(), "{sql}");
        }
        for sql in [
            "SELECT count(*) FROM log WHERE level = 'ERROR'",
            r"SELECT capture(text, '\((\d+)\) ''ms''') + 0 AS ms FROM log ORDER BY ms",
            r"SELECT avg(capture(text, '(\d+)')), CAST( capture(text, 'b') AS INT) FROM log",
        ] {
            assert!(of_captures(sql).is_none(), "{sql}");
        }
    }
}
