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
