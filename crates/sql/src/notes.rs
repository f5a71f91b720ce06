//! Facts about an answer that a reader needs so as not to misread it.

use std::collections::BTreeSet;

use crate::comparisons;
use crate::functions::EXACT;
use crate::sqlite::NamedTable;
use crate::statements;
use crate::table::{Column, ColumnKind};
use crate::tokens::{MEMBER, Tokens};
use toolshape_text::values::column::Reading;

/// The notes about the columns that a statement read, and about values that sums and means left out.
pub fn of(sql: &str, read: &BTreeSet<(String, String)>, tables: &[NamedTable], left_out: usize) -> Vec<String> {
    let is_read = |table: &NamedTable, column: &Column| read.contains(&(table.name.clone(), column.name.clone()));
    let columns: Vec<&Column> =
        tables.iter().flat_map(|table| table.table.columns().iter().filter(|column| is_read(table, column))).collect();
    let names = |is_so: &dyn Fn(&Column) -> bool| {
        let names: Vec<&str> =
            columns.iter().filter(|column| is_so(column)).map(|column| column.name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let small = sql.to_ascii_lowercase();
    let tokens = Tokens(statements::tokens(&small));
    let mut notes = Vec::new();
    if let Some(names) = names(&|column| column.has_numeric_texts && tokens.compares_as_text(&column.name)) {
        notes.push(format!("{names}: compared as text, as not all values are numbers"));
    }
    if let Some(names) = names(&|column| column.has_unclear_dates && tokens.compares_as_text(&column.name)) {
        notes.push(format!("{names}: compared as text, as day and month may be either"));
    }
    // One unit of all values is what a table prints; values of two tables may have two.
    let of_table = |table: &NamedTable| {
        let read = table.table.columns().iter().filter(|column| is_read(table, column));
        read.filter_map(|column| unit(column, true)).collect::<BTreeSet<String>>()
    };
    let mut with_units = tables.iter().map(of_table).filter(|units| !units.is_empty());
    let have_other = with_units.next().is_some_and(|first| with_units.any(|units| units != first));
    let unit_of = |column: &Column| unit(column, have_other);
    let units: BTreeSet<String> = columns.iter().filter_map(|column| unit_of(column)).collect();
    for unit in units {
        if let Some(names) = names(&|column| unit_of(column).as_deref() == Some(&*unit)) {
            notes.push(format!("{names}: in {unit}"));
        }
    }
    // A column of numbers has no `'n/a'`, and no text is less than a number.
    for (name, text) in comparisons::with_other_texts(&tokens, &columns) {
        notes.push(format!("{name}: numbers, NULL where there is none; {text} is compared as text"));
    }
    if let Some(names) = names(&|column| column.has_bounds) {
        notes.push(format!("{names}: a bound such as <0.1 counts as its number"));
    }
    for column in &columns {
        if let Some(own) = &column.own_name {
            notes.push(format!("{} is the column {own}: names here do not differ in case alone", column.name));
        }
    }
    for table in tables.iter().filter(|table| read.iter().any(|(name, _)| *name == table.name)) {
        if table.table.left_out() > 0 {
            notes.push(format!("{}: {} more columns are not in the table", table.name, table.table.left_out()));
        }
    }
    if let Some(names) = names(&|column| column.kind == ColumnKind::BigNumber) {
        notes.push(format!("{names}: has numbers beyond 64 bits, kept as text: the column compares and sums as numbers, expressions of it do not"));
    }
    if tokens.0.contains(&EXACT) {
        notes.push("json_each, json_tree: numbers beyond 64 bits are texts there, and compare as such".to_owned());
    }
    if left_out > 0 {
        notes.push(format!("{left_out} texts that are not numbers are left out of sums, means and medians"));
    }
    notes
}

/// The unit that the numbers of a column have in statements; where all are printed with one, only if it is wanted.
fn unit(column: &Column, with_printed: bool) -> Option<String> {
    match &column.reading {
        Reading::Size { .. } => Some("bytes".to_owned()),
        Reading::Duration { .. } => Some("seconds".to_owned()),
        Reading::Scaled { base, .. } => Some(base.to_string()),
        Reading::Number { unit, .. } if with_printed && !unit.is_empty() => Some(unit.to_string()),
        _ => None,
    }
}

/// What is to be stated about the tables that a statement names.
pub fn of_tables(sql: &str, tables: &[NamedTable]) -> Vec<String> {
    let tokens: Vec<String> = statements::tokens(sql)
        .iter()
        .map(|token| token.trim_matches(['"', '`', '[', ']']).to_ascii_lowercase())
        .collect();
    let named = tables.iter().filter(|table| tokens.contains(&table.name));
    named.filter_map(|table| Some(format!("{}: {}", table.name, table.table.remark()?))).collect()
}

/// Functions that give a text of a value.
const TEXTS: [&str; 9] =
    ["capture", "json_extract", "ltrim", "regexp_replace", "replace", "rtrim", "substr", "substring", "trim"];
/// The note on numbers that functions give as texts, where a statement compares or sorts these and makes no numbers of them.
pub fn of_functions(sql: &str) -> Option<String> {
    let sql = sql.to_ascii_lowercase();
    let tokens = Tokens(statements::tokens(&sql));
    let mut names: Vec<&str> = Vec::new();
    for (at, &token) in tokens.0.iter().enumerate() {
        let place = match token {
            MEMBER => (tokens.start(at), tokens.end(at + 1)),
            _ if TEXTS.contains(&token) && tokens.is(at + 1, "(") => (at, tokens.end(at + 1)),
            _ => continue,
        };
        if !names.contains(&token) && tokens.is_compared_as_text(place) {
            names.push(token);
        }
    }
    let first = *names.first()?;
    let example = if first == MEMBER { "(… ->> …)".to_owned() } else { format!("{first}(…)") };
    let names = names.join(", ");
    Some(format!("{names}: numbers in strings, compared and sorted as text; {example} + 0 compares numbers"))
}

#[cfg(test)]
mod tests {
    use super::of_functions;

    #[test]
    fn numbers_in_texts_are_noted_where_they_are_compared() {
        for (sql, names) in [
            (r"SELECT count(*) FROM log WHERE capture(text, 'took (\d+)') > 1000", "capture:"),
            (r"SELECT Capture(text, '\((\d+)\)') AS ms FROM log ORDER BY ms", "capture:"),
            ("SELECT a, capture(text, 'a'), b FROM log ORDER BY a, 2 DESC", "capture:"),
            ("SELECT capture(text, 'a') + 0, max(capture(text, 'b')) FROM log", "capture:"),
            ("SELECT id FROM t WHERE doc->>'n' = 10 AND substr(a, 1, 2) <> -3", "->>, substr:"),
            ("SELECT id FROM t WHERE json_extract(doc, '$.n') IN (1, 2)", "json_extract:"),
            ("SELECT id FROM t WHERE 10 < t.a->'b'->>'n'", "->>:"),
            ("SELECT abs(a->>'n'), a->>'m' FROM t WHERE a->>'n' BETWEEN 1 AND 2", "->>:"),
        ] {
            let note = of_functions(sql).unwrap_or_default();
            assert!(note.starts_with(names), "{sql}: {note}");
        }
        for sql in [
            "SELECT count(*) FROM log WHERE level = 'ERROR' AND line > 5",
            r"SELECT capture(text, '\((\d+)\) ''ms''') + 0 AS ms FROM log ORDER BY ms",
            r"SELECT avg(capture(text, '(\d+)')), CAST( capture(text, 'b') AS INT) FROM log ORDER BY 1",
            "SELECT id FROM t WHERE (t.a->'b'->>'n') + 0 > 5 AND 1 * trim(c) < 2 ORDER BY round(coalesce(a, b)->>'n', 1)",
            "SELECT capture(text, 'status=(\\d+)') AS status, count(*) FROM log WHERE status = '500' GROUP BY 1 ORDER BY 2 DESC",
            "SELECT max(line), avg(CASE WHEN capture(text, 'a') = 'x' THEN 1 END) FROM log WHERE line > 5",
            "SELECT a->>'zip', count(*) FROM t WHERE a->>'zip' = '10115' GROUP BY 1",
            "SELECT a->>'zip' FROM t WHERE a->>'city' IN ('x') AND b <> 'y'",
        ] {
            assert_eq!(of_functions(sql), None, "{sql}");
        }
    }
}
