//! Stored results: which keys a call leads to, and answers from the stored content.

use serde_json::{Value, json};
use toolshape::host::{Opened, Purpose, SqlQuestion, ToSummarize};
use toolshape::{Error, ErrorCode, Shaper};

use crate::answer::{MethodAnswer, Reply, or_null};
use crate::request::{Request, StoredValue};

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
