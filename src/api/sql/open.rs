//! A stored content as a table: JSON by its rows, a text by the rows in it, or else by its lines.

use std::borrow::Cow;
use std::sync::Arc;

use toolshape_sql::{Table, TableError};
use toolshape_text::lines;
use toolshape_text::prose::terminal;

use crate::api::read_back;
use crate::base::error::{Error, ErrorCode};
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::base::members::Members;
use crate::render::envelope::Envelope;
use crate::render::layout::ListLayout;
use crate::render::notes::read_back::Unfit;
use crate::render::notes::sql as notes;
use crate::request::content_id::Form;
use crate::value::any_source::AnySource;
use crate::value::as_read;
use crate::value::json_text::JsonText;
use crate::value::own_page::OwnPage;
use crate::value::plain_text::PlainText;
use crate::value::prose::recognize;
use crate::value::prose::sample::Sample;
use crate::value::rows_inside::{self, RowsInside};
use crate::value::source::{Kind, RECORD_KEYS, Source};
use crate::value::structured_text::{self, Formats, Skipped, TextFormat};

/// A stored text is read as a page only if it has as many lines.
const LEAST_LINES: usize = 8;
/// How many texts may be inside each other.
const MOST_TEXTS: usize = 8;

/// What of a stored result is a table, and whether its rows are those inside a text that is otherwise read by its lines.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub of: TablePart<'a>,
    pub is_inside: bool,
}

#[derive(Clone, Copy)]
pub(super) enum TablePart<'a> {
    /// Its rows, or the lines of a text.
    Rows,
    /// JSON as one value, and a text as its lines whatever is in it.
    Whole,
    /// The rows of what is at a JSON Pointer.
    At(&'a str),
    /// The rows of the item or member with this number, from 0.
    Nth(usize),
}

/// Opens the content under a key.
///
/// # Errors
/// `INVALID_JSON`, `INVALID_CALL` for a text that is too large, and `UNKNOWN_FIELD` for a part that is not there.
pub(super) fn table(key: &str, text: &Arc<String>, part: Part<'_>) -> Result<Table, Error> {
    let form = Form::of_key(key).map_or(Form::Text, |(form, _)| form);
    let rows = if part.is_inside { rows_inside } else { rows_of };
    match (part.of, form) {
        (TablePart::Rows, _) => rows(form, text),
        (TablePart::Whole, _) if part.is_inside => rows_inside(form, text),
        (TablePart::Whole, Form::Json) => Table::json_document(Arc::clone(text)).map_err(unreadable),
        (TablePart::Whole, Form::Text) => Table::lines(with_feeds(text)).map_err(unreadable),
        (TablePart::At(pointer), _) => at(form, text, pointer, rows),
        (TablePart::Nth(number), _) => at(form, text, &nth(form, text, number)?, rows),
    }
}

/// The blocks of a text with a head and a body, such as mails and commits, or the rows of the tables of a document.
fn rows_inside(form: Form, text: &Arc<String>) -> Result<Table, Error> {
    let main = match form {
        Form::Json => {
            main_text(&JsonText::parse(text)?)?.map(|(_, main)| main.text().map(Cow::into_owned)).transpose()?
        }
        Form::Text => None,
    };
    let text = main.as_deref().unwrap_or(text);
    let text = &*lines::with_feeds(text);
    let shown = terminal::shown(text);
    let page = rows_inside::page(text, &shown);
    let (lines, page): (Vec<&str>, Vec<&str>) = (shown.lines().collect(), page.lines().collect());
    let rows = RowsInside::of(&lines, &page);
    // A text that has nothing but rows has them inside too.
    if matches!(rows, None | Some(RowsInside::Fields(_))) && structured_text::recognize(text, Formats::All).is_some() {
        return of_text(&Arc::new(text.to_owned()), MOST_TEXTS);
    }
    let rows = rows.map(RowsInside::json).ok_or_else(|| Error::new(ErrorCode::UnknownField, notes::NO_ROWS, "/sql"))?;
    Table::json_rows(Arc::new(rows), "").map_err(unreadable)
}

fn rows_of(form: Form, text: &Arc<String>) -> Result<Table, Error> {
    match form {
        Form::Json => of_json(text, MOST_TEXTS),
        Form::Text => of_text(text, MOST_TEXTS),
    }
}

/// JSON Pointer to an item or a member.
fn nth(form: Form, text: &str, number: usize) -> Result<String, Error> {
    let json = match form {
        Form::Json => Cow::Borrowed(text),
        Form::Text => {
            let read = structured_text::recognize(text, Formats::All);
            read.map_or(Ok(Cow::Borrowed("null")), |found| Ok(Cow::Owned(found.source(text).json()?.into_owned())))?
        }
    };
    let value = JsonText::parse(&json)?;
    let name = match value.kind() {
        Kind::Array => (number < value.len()).then(|| number.to_string()),
        _ => value.keys().nth(number).map(|key| json_pointer::escape(&Quoted::new(key).text()).into_owned()),
    };
    let name = name.ok_or_else(|| Error::new(ErrorCode::UnknownField, notes::no_part(number), "/sql"))?;
    Ok(format!("/{name}"))
}

/// The rows of what a pointer leads to, which may be in a text.
fn at(
    form: Form,
    text: &Arc<String>,
    pointer: &str,
    rows: fn(Form, &Arc<String>) -> Result<Table, Error>,
) -> Result<Table, Error> {
    let tokens = json_pointer::tokens(pointer).unwrap_or_default();
    let (mut form, mut text, mut led) = (form, Arc::clone(text), 0);
    for _ in 0..MOST_TEXTS * 2 {
        let found = match form {
            Form::Json => match JsonText::parse(&text)?.at(&tokens[led..]) {
                Ok(value) if value.kind() == Kind::String => (Form::Text, value.text()?.into_owned(), tokens.len()),
                Ok(value) => (Form::Json, value.span().to_owned(), tokens.len()),
                Err((last, more)) if last.kind() == Kind::String => (Form::Text, last.text()?.into_owned(), led + more),
                Err((last, more)) => return Err(read_back::missing(&last, &tokens[led..], more)?.0),
            },
            Form::Text if led == tokens.len() => return Ok(rows(form, &text)?.below(pointer)),
            Form::Text => match structured_text::recognize(&text, Formats::All) {
                Some(found) => (Form::Json, found.source(&text).json()?.into_owned(), led),
                None => return Err(read_back::unfit("pointer", Unfit::IsText)),
            },
        };
        let is_there = found.0 == Form::Json && found.2 == tokens.len();
        (form, text, led) = (found.0, Arc::new(found.1), found.2);
        if is_there {
            return Ok(rows(form, &text)?.below(pointer));
        }
    }
    Err(read_back::unfit("pointer", Unfit::IsText))
}

/// The rows are those that pages of the value show; a value that has none is one row.
fn of_json(text: &Arc<String>, texts: usize) -> Result<Table, Error> {
    let value = JsonText::parse(text)?;
    if value.kind() == Kind::String {
        return of_text(&Arc::new(value.text()?.into_owned()), texts);
    }
    let layout = ListLayout::new(AnySource::new(value.clone()));
    let envelope = layout.envelope()?;
    let has_rows = envelope.map_or(value.kind() == Kind::Array && value.len() > 1, |envelope| envelope.list.len() > 1);
    if !has_rows
        && texts > 0
        && let Some((pointer, main)) = main_text(&value)?
    {
        // Rows in the text that makes up most of the value.
        let rows = of_text(&Arc::new(main.text()?.into_owned()), texts - 1)?.below(&pointer);
        if rows.len() > 1 {
            return Ok(rows);
        }
    }
    let (table, remark) = match envelope {
        Some(envelope) => {
            let remark = envelope.own_page()?.map(|own| notes::own_page(&own, envelope.list.len()));
            let table = match named_rows(&value, envelope)? {
                Some(rows) => Table::json_rows(Arc::new(rows), "").map(|table| table.below(&envelope.pointer)),
                None => Table::json_rows(Arc::clone(text), &envelope.pointer),
            };
            (table, remark)
        }
        _ if value.kind() == Kind::Array => (Table::json_rows(Arc::clone(text), ""), None),
        _ => (Table::json_document(Arc::clone(text)), None),
    };
    Ok(table.map_err(unreadable)?.with_remark(remark))
}

/// The rows of a list of lists as objects, where another list has as many names: `{"columns":["id","n"],"rows":[[1,2]]}`.
fn named_rows(value: &JsonText<'_>, envelope: &Envelope<'_>) -> Result<Option<String>, Error> {
    let tokens = json_pointer::tokens(&envelope.pointer).unwrap_or_default();
    let (Some((_, around)), Ok(list)) = (tokens.split_last(), value.at(&tokens)) else { return Ok(None) };
    let rows = list.items(0, usize::MAX)?;
    let len = rows.first().map_or(0, Source::len);
    let are_cells = len > 0 && rows.iter().all(|row| row.kind() == Kind::Array && row.len() == len);
    let (Ok(around), true) = (value.at(around), are_cells) else { return Ok(None) };
    for (_, beside) in
        around.entries()?.iter().filter(|(_, beside)| beside.kind() == Kind::Array && beside.len() == len)
    {
        let Some(names) = beside.items(0, len)?.iter().map(name_of).collect::<Result<Option<Vec<String>>, Error>>()?
        else {
            continue;
        };
        let mut out = Vec::with_capacity(rows.len());
        for row in &rows {
            let mut object = Members::new();
            for (name, cell) in names.iter().zip(row.items(0, len)?) {
                object.json_under(name, cell.span());
            }
            out.push(object.into_object());
        }
        return Ok(Some(format!("[{}]", out.join(","))));
    }
    Ok(None)
}

/// The name of a column, as a JSON string: a text, or the member `name` of what describes it.
fn name_of(column: &JsonText<'_>) -> Result<Option<String>, Error> {
    match column.kind() {
        Kind::String => Ok(Some(column.span().to_owned())),
        Kind::Object => {
            let members = column.entries()?;
            let name = members.iter().find(|(key, member)| {
                Quoted::new(key).text().eq_ignore_ascii_case("name") && member.kind() == Kind::String
            });
            Ok(name.map(|(_, name)| name.span().to_owned()))
        }
        _ => Ok(None),
    }
}

/// The text that makes up most of a value, through objects and lists of one, and the pointer to it.
fn main_text<'j>(value: &JsonText<'j>) -> Result<Option<(String, JsonText<'j>)>, Error> {
    let (mut value, mut pointer) = (value.clone(), String::new());
    for _ in 0..MOST_TEXTS {
        match value.kind() {
            Kind::String => return Ok(Some((pointer, value))),
            Kind::Array if value.len() == 1 => {
                let Some(item) = value.items(0, 1)?.pop() else { return Ok(None) };
                pointer += "/0";
                value = item;
            }
            Kind::Object if value.len() <= RECORD_KEYS => {
                let entries = value.entries()?;
                let all: usize = entries.iter().map(|(_, member)| member.span().len()).sum();
                let main = entries.into_iter().find(|(_, member)| 2 * member.span().len() > all);
                let Some((key, member)) = main else { return Ok(None) };
                pointer = format!("{pointer}/{}", json_pointer::escape(&Quoted::new(&key).text()));
                value = member;
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// The text with line feeds at the ends of its lines.
fn with_feeds(text: &Arc<String>) -> Arc<String> {
    match lines::with_feeds(&***text) {
        Cow::Owned(new) => Arc::new(new),
        Cow::Borrowed(_) => Arc::clone(text),
    }
}

fn of_text(text: &Arc<String>, texts: usize) -> Result<Table, Error> {
    let text = &with_feeds(text);
    let Some(found) = structured_text::recognize(text, Formats::All) else {
        if let Some(inside) = json_string(text).filter(|_| texts > 0) {
            return of_text(&Arc::new(inside), texts - 1);
        }
        return of_page(text, texts).unwrap_or_else(|| Table::lines(Arc::clone(text)).map_err(unreadable));
    };
    let table = match (found.rows(), found.json_span(text)) {
        (Some(index), _) => Table::rows(Arc::clone(text), index).map_err(unreadable),
        (None, Some(json)) if json.trim().len() == text.trim().len() => of_json(text, texts),
        (None, Some(json)) => of_json(&Arc::new(json.to_owned()), texts),
        (None, None) => of_json(&Arc::new(found.source(text).json()?.into_owned()), texts),
    }?;
    let around = [&text[found.before.clone()], &text[found.after.clone()]];
    let own_page = OwnPage::of_text(around, table.len()).map(|own| notes::own_page(&own, table.len()));
    let ragged = match found.skipped {
        Skipped::Ragged { count, first } => Some(notes::ragged(count, first, table.len())),
        _ => None,
    };
    let remarks: Vec<String> = own_page.into_iter().chain(ragged).collect();
    Ok(if remarks.is_empty() { table } else { table.with_remark(Some(remarks.join("; "))) })
}

/// The text in a text that is a JSON string.
fn json_string(text: &str) -> Option<String> {
    let value = text.trim_start().starts_with('"').then(|| JsonText::parse(text)).and_then(Result::ok)?;
    value.text().ok().map(Cow::into_owned)
}

/// Whether a text is HTML.
fn is_page(text: &str) -> bool {
    Sample::of(&PlainText::new(text)).is_ok_and(|sample| recognize::format(&sample) == Some(TextFormat::Html))
}

/// The rows of a table of HTML, or the lines of the page that HTML makes.
fn of_page(text: &Arc<String>, texts: usize) -> Option<Result<Table, Error>> {
    if texts == 0 || !is_page(text) {
        return None;
    }
    let page = as_read::shown(text);
    if page == **text || page.lines().count() < LEAST_LINES {
        return None;
    }
    let table = of_text(&Arc::new(page.into_owned()), 0);
    Some(table.map(|table| table.with_remark(Some(notes::OF_PAGE.to_owned()))))
}

fn unreadable(TableError(message): TableError) -> Error {
    Error::new(ErrorCode::InvalidCall, message, "/sql")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mails_with_html_are_rows_inside_a_text() {
        let mail =
            "From x Mon Jun  6 2005\nFrom: a@x.example\nSubject: Hi\n\n<html><body><p>a &amp; b</p></body></html>\n\n";
        let part = Part { of: TablePart::Rows, is_inside: true };
        assert_eq!(table("0.txt", &Arc::new(mail.repeat(4)), part).unwrap().len(), 4);
        let page = "<html><body><h1>A</h1><table><tr><th>n</th><th>v</th></tr><tr><td>a</td><td>1</td></tr><tr><td>b</td>\
                    <td></td></tr></table></body></html>";
        assert_eq!(table("0.txt", &Arc::new(page.to_owned()), part).unwrap().len(), 2);
        assert!(table("0.txt", &Arc::new("a\nb\nc\n".to_owned()), part).is_err());
    }

    #[test]
    fn lists_have_the_names_beside_them() {
        let columns = |key: &str, text: &str| {
            let table = table(key, &Arc::new(text.to_owned()), Part { of: TablePart::Rows, is_inside: false }).unwrap();
            let names: Vec<String> =
                table.columns().iter().filter(|column| !column.is_hidden).map(|column| column.name.clone()).collect();
            (names.join(" "), table.len())
        };
        for (text, wanted) in [
            (r#"{"columns":["id","n"],"rows":[[1,"a"],[2,"b"],[3,"c"]]}"#, ("id n", 3)),
            (r#"{"fields":[{"name":"id"},{"Name":"n"}],"data":[[1,"a"],[2,"b"],[3,"c"]],"ok":true}"#, ("id n", 3)),
            (r#"{"columns":["id","n","x"],"rows":[[1,"a"],[2,"b"],[3,"c"]]}"#, ("value", 3)),
            (r#"{"columns":["id","n"],"rows":[[1,"a"],[2],[3,"c"]]}"#, ("value", 3)),
        ] {
            let (names, len) = columns("0.json", text);
            assert_eq!((&*names, len), wanted, "{text}");
        }
        let carriage = "id,n\r1,a\r2,b\r3,c\r4,d\r5,e\r6,f\r7,g\r8,h\r";
        assert_eq!(columns("0.txt", carriage), ("id n".to_owned(), 8));
    }

    #[test]
    fn a_text_that_is_rows_or_json_is_not_copied() {
        let rows: String = (0..50).map(|at| format!("{at},{}\n", at * 2)).collect();
        for text in
            ["[{\"a\":1},{\"a\":2}]\n".to_owned(), "{\"a\":{\"b\":[1]}}".to_owned(), format!("a,b\n{rows}"), rows]
        {
            let text = Arc::new(text);
            let _table = table("0.txt", &text, Part { of: TablePart::Rows, is_inside: false }).unwrap();
            assert_eq!(Arc::strong_count(&text), 2, "{text}");
        }
    }
}
