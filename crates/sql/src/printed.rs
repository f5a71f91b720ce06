//! Operators and functions of texts work on values as the table prints them: `day LIKE '%March%'`, `substr(day, -4)`.
//!
//! Columns of numbers and dates are read, so that they compare, sort and compute; for texts there is a hidden column beside each.

use crate::sqlite::NamedTable;
use crate::statements;
use crate::table::Column;
use crate::tokens::Tokens;

/// Operators whose left side is a text.
const MATCHES: [&str; 3] = ["like", "glob", "regexp"];
/// Functions of a text.
const OF_TEXTS: [&str; 18] = [
    "capture", "concat", "concat_ws", "glob", "group_concat", "instr", "length", "like", "lower", "ltrim",
    "regexp_replace", "replace", "rtrim", "string_agg", "substr", "substring", "trim", "upper",
];

/// The statement with the texts of columns where it works on texts, and the names of these columns; `None` if there are none.
pub fn of_texts(sql: &str, tables: &[NamedTable]) -> Option<(String, Vec<String>)> {
    let small = sql.to_ascii_lowercase();
    let tokens = Tokens(statements::tokens(&small));
    let (mut out, mut names) = (sql.to_owned(), Vec::new());
    for at in (0..tokens.0.len()).rev() {
        let name = tokens.0[at].trim_matches(['"', '`', '[', ']']);
        if tokens.0[at].starts_with('\'') || !is_text_there(&tokens, at) {
            continue;
        }
        let Some(column) = read_column(name, tables) else { continue };
        let start = tokens.0[at].as_ptr().addr() - small.as_ptr().addr();
        let quoted = format!("\"{}\"", column.printed_name().replace('"', "\"\""));
        out.replace_range(start..start + tokens.0[at].len(), &quoted);
        if !names.contains(&column.name) {
            names.push(column.name.clone());
        }
    }
    (!names.is_empty()).then_some((out, names))
}

/// The column of a name that is read in each table that has it.
fn read_column<'t>(name: &str, tables: &'t [NamedTable]) -> Option<&'t Column> {
    let of = |table: &'t NamedTable| {
        let at = table.table.columns().iter().position(|column| column.name.eq_ignore_ascii_case(name))?;
        Some((&table.table.columns()[at], table.table.printed(at).is_some()))
    };
    let mut found = tables.iter().filter_map(of);
    let (column, is_read) = found.next()?;
    (is_read && found.all(|(_, is_read)| is_read)).then_some(column)
}

/// Whether the name at a token is a column that is used as a text.
fn is_text_there(tokens: &Tokens<'_>, at: usize) -> bool {
    let start = if at >= 2 && tokens.is(at - 1, ".") { at - 2 } else { at };
    let before = start.checked_sub(1).map_or("", |at| tokens.0[at]);
    let [after, next] = [1, 2].map(|by| tokens.0.get(at + by).copied().unwrap_or_default());
    let is_joined = |at: usize| tokens.is(at, "|") && tokens.is(at + 1, "|");
    if MATCHES.contains(&after) || after == "not" && MATCHES.contains(&next) {
        return true;
    }
    if is_joined(at + 1) || start.checked_sub(2).is_some_and(is_joined) {
        return true;
    }
    let Some(open) = tokens.opening(start) else { return false };
    let function = open.checked_sub(1).map_or("", |at| tokens.0[at]);
    let is_argument = ["(", ",", "distinct"].contains(&before) && [")", ",", "order"].contains(&after);
    is_argument && OF_TEXTS.contains(&function)
        || function == "cast" && before == "(" && after == "as" && (next.contains("text") || next.contains("char"))
}
