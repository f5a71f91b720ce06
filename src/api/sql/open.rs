//! A stored content as a table: JSON by its rows, a text by the rows in it, or else by its lines.

use toolshape_sql::{Table, TableError};

use crate::base::error::{Error, ErrorCode};
use crate::render::layout::ListLayout;
use crate::request::content_id::Form;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::source::{Kind, Source};
use crate::value::structured_text::{self, Formats};

/// Opens the content under a key; if `is_whole`, JSON is one value, and a text is its lines whatever is in it.
///
/// # Errors
/// `INVALID_JSON`, and `INVALID_CALL` for a text that is too large.
pub(super) fn table(key: &str, text: &str, is_whole: bool) -> Result<Table, Error> {
    match Form::of_key(key) {
        Some((Form::Json, _)) => {
            let value = JsonText::parse(text)?;
            if value.kind() == Kind::String {
                return of_text(&value.text()?, is_whole);
            }
            if is_whole {
                return Table::json_document(text).map_err(unreadable);
            }
            // Rows are those that pages of it show.
            let layout = ListLayout::new(AnySource::new(value.clone()));
            match layout.envelope()? {
                Some(envelope) if !envelope.is_in_text() => Table::json_rows(text, &envelope.pointer),
                _ if value.kind() == Kind::Array => Table::json_rows(text, ""),
                _ => Table::json(text),
            }
            .map_err(unreadable)
        }
        _ => of_text(text, is_whole),
    }
}

fn of_text(text: &str, is_whole: bool) -> Result<Table, Error> {
    let found = if is_whole { None } else { structured_text::recognize(text, Formats::All) };
    let Some(found) = found else { return Table::lines(text).map_err(unreadable) };
    match (found.rows(), found.json_span(text)) {
        (Some(index), _) => Table::rows(text, index),
        (None, Some(json)) => Table::json(json),
        (None, None) => Table::json(&*found.source(text).json()?),
    }
    .map_err(unreadable)
}

fn unreadable(TableError(message): TableError) -> Error {
    Error::new(ErrorCode::InvalidCall, message, "/sql")
}
