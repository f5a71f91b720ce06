//! Notes on the answers to a question in SQL.

use crate::request::context::Context;

/// The note about rows that are not shown.
pub(crate) fn rows_of(from: usize, to: usize, total: usize, has_cursor: bool, ctx: &Context<'_>) -> String {
    let rows = match to - from {
        0 => format!("None of {total} rows fits"),
        1 => format!("Row {to} of {total}"),
        _ => format!("Rows {} to {to} of {total}", from + 1),
    };
    match has_cursor {
        true => format!("{rows}; for more, {}.", super::read_on("nextCursor", ctx)),
        false => format!("{rows}; ask for the others with LIMIT and OFFSET."),
    }
}

/// The note about rows from a later one up to the last.
pub(crate) fn last_rows(from: usize, total: usize) -> String {
    match total.saturating_sub(from) {
        0 => format!("There are only {total} rows."),
        1 => format!("Row {total} of {total}, the last."),
        _ => format!("Rows {} to {total} of {total}, the last.", from + 1),
    }
}

/// The note of an answer of a part of a table.
pub(crate) fn first_rows(read: &str, of: &str, table: &str) -> String {
    format!("Stopped early: this is the answer for the first {read} of {of} rows of {table}.")
}

/// The note about shortened texts.
pub(crate) const SHORTENED: &str =
    "Texts that end in … (n characters) are shortened; substr(column, 1, 2000) reads them in parts.";

/// How a shortened text ends.
pub(crate) fn cut(chars: usize) -> String {
    format!("… ({chars} characters)")
}

/// What a table is, where no name is near the one that does not exist.
pub(crate) const WHAT_TABLES_ARE: &str =
    "; a table is the handle of a stored result: the 16 letters at the end of its uri";

/// The message where the budget has no room for an answer.
pub(crate) const NOTHING_FITS: &str = "not even the columns of the answer fit; select fewer";

/// The message for an argument that a question in SQL does not have.
pub(crate) fn beside(argument: &str) -> String {
    format!("{}; write all of the question in sql", super::read_back::either("sql", argument))
}

/// The message for a page without its size.
pub(crate) const NEEDS_PAGE_SIZE: &str =
    "of sql, page goes with pageSize; or set cursor to nextCursor, or write LIMIT and OFFSET";

/// The message where the program has no SQLite.
#[cfg(not(feature = "sql"))]
pub(crate) const NO_SQL: &str = "this server cannot answer sql";
