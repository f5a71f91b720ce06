//! A stored content as a table: JSON by its rows, a text by the rows in it, or else by its lines.

use std::sync::Arc;

use toolshape_sql::{Table, TableError};

use crate::base::error::{Error, ErrorCode};
use crate::render::layout::ListLayout;
use crate::render::notes::sql as notes;
use crate::request::content_id::Form;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::own_page::OwnPage;
use crate::value::source::{Kind, Source};
use crate::value::structured_text::{self, Formats};

/// Opens the content under a key; if `is_whole`, JSON is one value, and a text is its lines whatever is in it.
///
/// # Errors
/// `INVALID_JSON`, and `INVALID_CALL` for a text that is too large.
pub(super) fn table(key: &str, text: &Arc<String>, is_whole: bool) -> Result<Table, Error> {
    match Form::of_key(key) {
        Some((Form::Json, _)) => of_json(text, is_whole),
        _ => of_text(text, is_whole),
    }
}

/// The rows are those that pages of the value show; a value that has none is one row.
fn of_json(text: &Arc<String>, is_whole: bool) -> Result<Table, Error> {
    let value = JsonText::parse(text)?;
    if value.kind() == Kind::String {
        return of_text(&Arc::new(value.text()?.into_owned()), is_whole);
    }
    if is_whole {
        return Table::json_document(Arc::clone(text)).map_err(unreadable);
    }
    let layout = ListLayout::new(AnySource::new(value.clone()));
    let (table, remark) = match layout.envelope()? {
        Some(envelope) => {
            let remark = envelope.own_page()?.map(|own| notes::own_page(&own, envelope.list.len()));
            (Table::json_rows(Arc::clone(text), &envelope.pointer), remark)
        }
        _ if value.kind() == Kind::Array => (Table::json_rows(Arc::clone(text), ""), None),
        _ => (Table::json_document(Arc::clone(text)), None),
    };
    Ok(table.map_err(unreadable)?.with_remark(remark))
}

fn of_text(text: &Arc<String>, is_whole: bool) -> Result<Table, Error> {
    let found = if is_whole { None } else { structured_text::recognize(text, Formats::All) };
    let Some(found) = found else { return Table::lines(Arc::clone(text)).map_err(unreadable) };
    let table = match (found.rows(), found.json_span(text)) {
        (Some(index), _) => Table::rows(Arc::clone(text), index).map_err(unreadable),
        (None, Some(json)) if json.trim().len() == text.trim().len() => of_json(text, false),
        (None, Some(json)) => of_json(&Arc::new(json.to_owned()), false),
        (None, None) => of_json(&Arc::new(found.source(text).json()?.into_owned()), false),
    }?;
    let own_page = OwnPage::of_head(&text[found.before.clone()]).map(|own| notes::own_page(&own, table.len()));
    Ok(if own_page.is_some() { table.with_remark(own_page) } else { table })
}

fn unreadable(TableError(message): TableError) -> Error {
    Error::new(ErrorCode::InvalidCall, message, "/sql")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_rows_or_json_is_not_copied() {
        let rows: String = (0..50).map(|at| format!("{at},{}\n", at * 2)).collect();
        for text in
            ["[{\"a\":1},{\"a\":2}]\n".to_owned(), "{\"a\":{\"b\":[1]}}".to_owned(), format!("a,b\n{rows}"), rows]
        {
            let text = Arc::new(text);
            let _table = table("0.txt", &text, false).unwrap();
            assert_eq!(Arc::strong_count(&text), 2, "{text}");
        }
    }
}
