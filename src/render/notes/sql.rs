//! Notes on the answers to a question in SQL.

use serde_json::Value;

use super::ways::Note;
use crate::request::context::Context;
#[cfg(feature = "sql")]
use crate::value::own_page::OwnPage;

/// The note about rows that are not shown.
pub(crate) fn rows_of(from: usize, to: usize, total: usize, has_cursor: bool, ctx: &Context<'_>) -> String {
    let rows = match to - from {
        0 => return format!("None of {total} rows fits; select fewer columns, or ask this alone."),
        1 => format!("Row {to} of {total}"),
        _ => format!("Rows {} to {to} of {total}", from + 1),
    };
    match has_cursor {
        true => {
            let mut note = Note::new(ctx, None);
            note.say(format!("{rows}."));
            note.cursor("nextCursor", "");
            note.finish()
        }
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

/// The note of an answer of rows that are one page of the tool's own.
#[cfg(feature = "sql")]
pub(crate) fn own_page(own: &OwnPage, rows: usize) -> String {
    let of = own.total.map_or_else(String::new, |total| format!(" of {total}"));
    format!("the {rows} rows are one page of the tool's own{of}, not all")
}

/// The note of an answer of rows of which some have more or fewer cells than their header; `first` is from 1.
#[cfg(feature = "sql")]
pub(crate) fn ragged(count: usize, first: usize, rows: usize) -> String {
    match count {
        1 => format!("row {first} of {rows} has more or fewer cells than the header"),
        _ => format!("{count} of {rows} rows have more or fewer cells than the header, the first of them row {first}"),
    }
}

/// The note of an answer of a page of HTML.
#[cfg(feature = "sql")]
pub(crate) const OF_PAGE: &str = "the rows are of the page as it is read, not of its HTML";

/// The message for the rows inside what has none.
#[cfg(feature = "sql")]
pub(crate) const NO_ROWS: &str = "the text has neither tables nor blocks that begin alike and have lines of a name and a value; without _rows, its lines are rows";

/// The message for the table of a part that is not there.
#[cfg(feature = "sql")]
pub(crate) fn no_part(number: usize) -> String {
    format!("there is no part {number}: parts are the blocks of a result or the members of an object, from 0")
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
    "; a table is the handle of a stored result: the last 16 letters of its uri; a result without one was shown whole";

/// The message where the budget has no room for an answer.
pub(crate) const NOTHING_FITS: &str = "not even the columns of the answer fit; select fewer";

/// The message for an argument that a question in SQL does not have, with what says the same about a table in SQL.
pub(crate) fn beside(argument: &str, given: &Value, table: &str) -> String {
    let inside = match argument {
        "pointer" => given.as_str().and_then(path).map(|path| format!("FROM {table}_doc, json_each(doc, '{path}')")),
        "lines" => Some("WHERE line BETWEEN 100 AND 200".to_owned()),
        "search" => Some("WHERE with LIKE or REGEXP".to_owned()),
        "outline" => Some("SELECT section, min(line) with GROUP BY section".to_owned()),
        "fields" => Some("the columns after SELECT".to_owned()),
        _ => None,
    };
    let instead = inside.as_deref().unwrap_or("all of the question");
    format!("{}; in sql, write {instead} instead", super::read_back::either("sql", argument))
}

/// A JSON Pointer as a path of SQLite, in a text of SQL; `None` for one with signs that paths cannot have.
fn path(pointer: &str) -> Option<String> {
    let mut path = "$".to_owned();
    for token in pointer.strip_prefix('/')?.split('/') {
        let key = token.replace("~1", "/").replace("~0", "~");
        let is_plain = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        path.push_str(&match key {
            key if is_plain => format!(".{key}"),
            key if !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit()) => format!("[{key}]"),
            key if key.contains(['"', '\\']) => return None,
            key => format!(".\"{}\"", key.replace('\'', "''")),
        });
    }
    Some(path)
}

/// The message for a page without its size.
pub(crate) const NEEDS_PAGE_SIZE: &str =
    "with sql, page requires pageSize; or set cursor to nextCursor, or write LIMIT and OFFSET";

/// The message where the program has no SQLite.
#[cfg(not(feature = "sql"))]
pub(crate) const NO_SQL: &str = "this server cannot answer sql";

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn pointers_are_paths() {
        for (pointer, wanted) in [
            ("/a/b_1", Some("$.a.b_1")),
            ("/0/rows/12", Some("$[0].rows[12]")),
            ("/a~1b/c d/it's", Some("$.\"a/b\".\"c d\".\"it''s\"")),
            ("/é/", Some("$.\"é\".\"\"")),
            ("/a\"b", None),
            ("a", None),
        ] {
            assert_eq!(path(pointer).as_deref(), wanted, "{pointer}");
        }
    }
}
