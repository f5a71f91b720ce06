//! What a call asks in SQL: the statements, and which rows of their answers.

use serde_json::Value;

use crate::api::read_back;
use crate::base::error::{Error, ErrorCode};
use crate::base::json_pointer;
use crate::render::notes::sql as notes;
use crate::request::call::Call;
use crate::request::context::Context;
use crate::request::cursor::Unit;
use crate::request::lenient;
use crate::request::policy::Settings;

/// The letters of a handle.
const HANDLE_LETTERS: usize = 16;
/// The most tables of a question.
const MOST_TABLES: usize = 20;
/// Characters per token of the budget up to which a text is read: few texts have more.
const CHARS_PER_TOKEN: usize = 8;

/// A question in SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlQuestion {
    /// One statement or several.
    pub sql: String,
    /// The handle of the table that is also called `result`: the call's argument `handle`; behind it its argument `pointer`, if
    /// the table is that of a part.
    pub result: Option<String>,
    /// The index of the first row of each answer, and the most rows.
    pub from: usize,
    pub rows: usize,
    /// The most characters of a text that are returned.
    pub cell_chars: usize,
}

/// The handles that may be tables, if the call asks in SQL: those that it names there, and its argument `handle`.
pub(crate) fn tables(call: &Call) -> Option<Vec<String>> {
    let sql = call.own_arguments().remove("sql").filter(|sql| !sql.is_null())?;
    // A value that is not a text is refused where the question is read.
    let mut tables = handles_in(sql.as_str().unwrap_or_default());
    if let Ok(Some(name)) = read_back::named_by_handle(call)
        && let handle = name.handle().to_string()
        && !tables.contains(&handle)
    {
        tables.push(handle);
    }
    Some(tables)
}

/// The words of a text of SQL that may be handles, each once.
fn handles_in(sql: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in sql.split(|character: char| !character.is_ascii_alphanumeric() && character != '_') {
        // Behind a handle stands what of it is meant: `_doc`, or the number of a part.
        let is_part = |part: &str| ["doc", "rows"].contains(&part) || part.bytes().all(|byte| byte.is_ascii_digit());
        let name =
            word.split_once('_').filter(|(_, parts)| parts.split('_').all(is_part)).map_or(word, |(name, _)| name);
        let is_handle = name.len() == HANDLE_LETTERS && name.bytes().all(|byte| byte.is_ascii_alphabetic());
        let name = name.to_ascii_lowercase();
        if is_handle && !found.contains(&name) && found.len() < MOST_TABLES {
            found.push(name);
        }
    }
    found
}

/// The question of a call.
///
/// # Errors
/// `INVALID_CALL` with the argument's name, `INVALID_CURSOR`.
pub(super) fn of(settings: &Settings, call: &Call) -> Result<SqlQuestion, Error> {
    let invalid = |name: &str, message: String| Error::new(ErrorCode::InvalidCall, message, format!("/{name}"));
    let mut result = read_back::named_by_handle(call)?.map(|name| name.handle().to_string());
    let mut own = call.own_arguments();
    let sql = match own.remove("sql") {
        Some(Value::String(sql)) => sql,
        other => return Err(invalid("sql", format!("sql is {}; it takes a text", other.unwrap_or(Value::Null)))),
    };
    let table = result.clone().map_or_else(
        || handles_in(&sql).into_iter().next().unwrap_or_else(|| "HANDLE".to_owned()),
        |_| "result".to_owned(),
    );
    // With a pointer the table of the only handle is that of the part.
    let named = handles_in(&sql);
    let of_part = result.clone().or_else(|| named.first().filter(|_| named.len() == 1).cloned());
    if let Some(handle) = of_part
        && let Some(Value::String(pointer)) = own.get("pointer").filter(|pointer| !lenient::is_empty(pointer))
        && json_pointer::tokens(pointer).is_some()
    {
        result = Some(format!("{handle}{pointer}"));
        own.remove("pointer");
    }
    if let Some((name, given)) = own.iter().find(|(name, given)| *name != "handle" && !lenient::is_empty(given)) {
        return Err(invalid(name, notes::beside(name, given, &table)));
    }
    let controls = call.controls(settings)?;
    if !controls.fields.is_empty() {
        return Err(invalid("fields", notes::beside("fields", &Value::Null, &table)));
    }
    let (page, page_size) = (controls.page.unwrap_or(1), controls.page_size);
    let from = match (page_size, page) {
        (_, 1) => 0,
        (Some(rows), page) => usize::try_from(page - 1).unwrap_or(usize::MAX).saturating_mul(rows),
        (None, _) if controls.cursor.is_some() => 0,
        (None, _) => return Err(invalid("page", notes::NEEDS_PAGE_SIZE.to_owned())),
    };
    let ctx = Context::new(settings, settings.room(), controls, call);
    let from = ctx.cursor(Unit::Rows)?.map_or(from, |place| place.position);
    // A row takes two tokens at least.
    let rows = page_size.unwrap_or_else(|| (settings.room() / 2).max(1));
    Ok(SqlQuestion { sql, result, from, rows, cell_chars: settings.room().saturating_mul(CHARS_PER_TOKEN) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Shaper;
    use crate::host::{Naming, Purpose};

    #[test]
    fn handles_are_words_of_sixteen_letters() {
        let sql = "SELECT a.x FROM satytrfebjvszehh a JOIN \"QWERTYUIOPASDFGH\" b, zzzzzzzzzzzzzzzz_doc, zzzzzzzzzzzzzzzz_0_rows \
                   WHERE x = 'abcdefghijklmno' AND abcdefghijklmnopq AND abcdefghijklmn_p";
        assert_eq!(handles_in(sql), ["satytrfebjvszehh", "qwertyuiopasdfgh", "zzzzzzzzzzzzzzzz"]);
    }

    #[test]
    fn what_a_model_leaves_empty_asks_nothing() {
        let empty = json!({
            "handle": "", "cursor": "", "sql": "", "pointer": "", "fields": [], "page": 0, "pageSize": 0, "format": "json",
            "search": "", "context": 0, "lines": "", "outline": false,
        });
        let found = |arguments: Value| {
            let call = Call::new(&json!({ "arguments": arguments }), Naming::Camel).unwrap();
            Shaper::default().lookup(Purpose::Read, false, &call).unwrap()
        };
        let stored = Shaper::default();
        let call = Call::new(&json!({ "tool": "list", "store": true }), Naming::Camel).unwrap();
        let page = stored.shape_json(&json!((0..9000).collect::<Vec<_>>()).to_string(), &call).unwrap();
        let cursor = serde_json::from_str::<Value>(&page.text).unwrap()["nextCursor"].clone();
        for asked in [json!({ "handle": "satytrfebjvszehh" }), json!({ "cursor": cursor })] {
            let mut strict = empty.clone();
            strict.as_object_mut().unwrap().extend(asked.as_object().unwrap().clone());
            let (found, expected) = (found(strict), found(asked));
            assert!(expected.ticket.is_some() || !expected.keys.is_empty());
            assert_eq!(found, expected);
        }
    }
}
