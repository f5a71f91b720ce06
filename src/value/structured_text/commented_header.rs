//! Rows whose columns a comment before them names, as servers and sensors write their logs: `#Fields: date time cs-method`.
//!
//! Comments begin with `#` without a blank. One of those before the rows has as many words, perhaps behind a label, as each row; tabs
//! or blanks divide both.

use std::borrow::Cow;

use toolshape_text::rows::cells::Cell;
use toolshape_text::rows::head::Head;

use crate::value::json_in_text::SharedJson;

use super::cell;
use super::header::{self, Evidence};
use super::printed_table::MOST_BYTES;
use super::structure::{Body, Skipped, Structure, TextFormat};

/// The most comments before the rows, and the rows that are looked at before all are.
const MOST_COMMENTS: usize = 64;
const SAMPLE: usize = 64;
/// The fewest columns.
const LEAST_COLUMNS: usize = 3;

/// Whether a text may begin with such comments.
pub(super) fn may_begin(head: &Head<'_>) -> bool {
    titles(head.text).is_some()
}

/// The rows of a text that has nothing else but comments.
pub(super) fn recognize(text: &str, head: &Head<'_>) -> Option<Structure> {
    if text.len() > MOST_BYTES {
        return None;
    }
    let (titles, divider) = titles(head.text)?;
    let names = header::distinct(&titles);
    let (mut json, mut start) = ("[".to_owned(), None);
    for line in rows(text) {
        start = start.or(Some(line.as_ptr().addr() - text.as_ptr().addr()));
        let cells = cells(line, divider);
        if cells.len() != names.len() {
            return None;
        }
        json.push_str(if json.len() > 1 { ",{" } else { "{" });
        for (nth, (name, text)) in names.iter().zip(cells).enumerate() {
            json.push_str(if nth > 0 { "," } else { "" });
            json.push_str(name);
            json.push(':');
            cell::write(&Cell { text: Cow::Borrowed(text), is_quoted: false }, &mut json);
        }
        json.push('}');
    }
    json.push(']');
    let body = Body::Literal(SharedJson::of(json)?);
    let (before, after) = (0..start?, text.len()..text.len());
    Some(Structure { before, after, ..Structure::of_all(TextFormat::Table, Skipped::Nothing, body) })
}

/// The names of the columns, and what divides them.
fn titles(text: &str) -> Option<(Vec<String>, char)> {
    let is_comment = |line: &&str| line.starts_with('#') && !line.starts_with("# ");
    let comments: Vec<&str> = text.lines().take_while(is_comment).take(MOST_COMMENTS).collect();
    comments.first()?;
    let first = rows(text).next()?;
    let divider = if first.contains('\t') { '\t' } else { ' ' };
    let rows: Vec<Vec<String>> =
        rows(text).take(SAMPLE).map(|line| cells(line, divider).into_iter().map(str::to_owned).collect()).collect();
    let are_alike = rows.len() >= header::ROWS && rows.iter().all(|row| row.len() == rows[0].len());
    let is_filled = |at: usize| rows.iter().any(|row| row[at] == "-" || row[at].contains(char::is_alphanumeric));
    if !are_alike || rows[0].len() < LEAST_COLUMNS || !(0..rows[0].len()).all(is_filled) {
        return None;
    }
    let named = comments.iter().find_map(|comment| {
        let words = comment.trim_start_matches('#').trim();
        // A label ends in a colon, or in a tab.
        let label = words.split([' ', '\t']).next().filter(|label| label.ends_with(':') || divider == '\t');
        [Some(words), label.map(|label| words[label.len()..].trim_start())].into_iter().flatten().find_map(|words| {
            let divider = if words.contains('\t') { '\t' } else { ' ' };
            let titles: Vec<String> = cells(words, divider).into_iter().map(str::to_owned).collect();
            let are_names = titles.iter().all(|title| title.starts_with(|c: char| c.is_alphabetic() || c == '_'));
            let is_whole = titles.len() == rows[0].len() && are_names;
            (is_whole && header::names(&titles, &rows, Evidence { is_asked: true, ..Evidence::default() }).is_some())
                .then_some(titles)
        })
    });
    named.map(|titles| (titles, divider))
}

/// The lines that are neither comments nor blank.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty())
}

/// The cells of a line; blanks in quotes divide none.
fn cells(line: &str, divider: char) -> Vec<&str> {
    if divider == '\t' {
        return line.split('\t').collect();
    }
    let mut in_quotes = false;
    let divides = |c: char| {
        in_quotes ^= c == '"';
        c == ' ' && !in_quotes
    };
    line.split(divides).filter(|cell| !cell.is_empty()).map(|cell| cell.trim_matches('"')).collect()
}
