//! Stored results: which keys a call leads to, and answers from the stored content.

use serde_json::{Value, json};
use toolshape::host::{self, Opened, Purpose, SqlQuestion, ToSummarize};
use toolshape::{Error, ErrorCode, Shaper};

use crate::answer::{MethodAnswer, Reply, or_null};
use crate::request::{Request, StoredValue};

pub fn handle_keys(request: &Request<'_>) -> Reply {
    host::handle_keys(&request.string("handle")?).map(MethodAnswer::from)
}

/// The key and the tools that a ticket opens to a call, or null.
pub fn open(shaper: &Shaper, request: &Request<'_>) -> Reply {
    let opened = shaper.open(purpose(request)?, &request.string("ticket")?, &request.call()?)?;
    Ok(or_null(opened.map(|Opened { key, tools, .. }| json!({ "key": key, "tools": tools }))))
}

fn purpose(request: &Request<'_>) -> Result<Purpose, Error> {
    let name = request.string("purpose")?;
    let unknown = || Error::new(ErrorCode::InvalidCall, format!("unknown purpose {name:?}"), "/purpose");
    Purpose::from_name(&name).ok_or_else(unknown)
}

/// The ticket to store for a content; `known` is the stored one.
pub fn ticket(shaper: &Shaper, request: &Request<'_>) -> Reply {
    let (key, known) = (request.string("key")?, request.optional_string("known")?);
    shaper.ticket(&key, known.as_deref(), &request.call()?).map(MethodAnswer::from)
}

/// The handle of the stored result that a cursor continues, or null.
pub fn snapshot(shaper: &Shaper, request: &Request<'_>) -> Reply {
    shaper.snapshot(&request.call()?).map(or_null)
}

/// A later page, or null.
pub fn shape_snapshot(shaper: &Shaper, request: &Request<'_>) -> Reply {
    shaper.shape_snapshot(&request.string("key")?, request.text("content")?, &request.call()?).map(or_null)
}

/// The same as a `CallToolResult`.
pub fn shape_snapshot_result(shaper: &Shaper, request: &Request<'_>) -> Reply {
    shaper.shape_snapshot_result(&request.string("key")?, request.text("content")?, &request.call()?).map(or_null)
}

pub fn read_keys(shaper: &Shaper, request: &Request<'_>) -> Reply {
    shaper.read_keys(&request.call()?).map(MethodAnswer::from)
}

pub fn read_result(shaper: &Shaper, request: &Request<'_>) -> Reply {
    shaper.read_result(StoredValue::of(request)?.pair(), &request.call()?).map(MethodAnswer::from)
}

/// A question, as `askSql` takes it.
pub(super) fn question(SqlQuestion { sql, result, from, rows, cell_chars }: SqlQuestion) -> Value {
    json!({ "sql": sql, "result": result, "from": from, "rows": rows, "cellChars": cell_chars })
}

/// The text that a call of `summarize` asks for, and how to summarize it; or the answer to the call.
pub fn to_summarize(shaper: &Shaper, request: &Request<'_>) -> Reply {
    Ok(match shaper.to_summarize(StoredValue::of(request)?.pair(), &request.call()?)? {
        ToSummarize::Answered(shaped) => MethodAnswer::Shaped(shaped),
        ToSummarize::Text { text, summary } => {
            MethodAnswer::Object(vec![("text", MethodAnswer::Content(text)), ("summary", summary.into())])
        }
    })
}

/// A stored result for MCP's `resources/read`.
pub fn resource(shaper: &Shaper, request: &Request<'_>) -> Reply {
    let resource = shaper.resource(StoredValue::of(request)?.pair(), &request.call()?)?;
    Ok(MethodAnswer::Object(vec![
        ("mimeType", resource.mime_type.into()),
        ("text", MethodAnswer::Content(resource.text)),
    ]))
}
