//! The functions of the table that do more than call the core.

pub mod relay;
pub mod session;
#[cfg(feature = "sql")]
pub mod sql;

use std::borrow::Cow;

use serde_json::{Value, json};
use toolshape::host::{self, SqlQuestion, TextSummary, ToSummarize};
use toolshape::{Error, ErrorCode, Policy, Shaper};

use crate::answer::{MethodAnswer, Reply, or_null};
use crate::handles::SHAPERS;
use crate::request::Request;

pub fn create(request: &Request<'_>) -> Reply {
    let policy = Policy::new(&request.value("policy", ErrorCode::InvalidPolicy)?, request.host.naming)?;
    Ok(SHAPERS.with(|shapers| shapers.add(Shaper::new(policy))).into())
}

/// Null; an error for an unknown key of one of the results that a tool returned together.
pub fn check_returned(request: &Request<'_>) -> Reply {
    let keys = request.strings("keys")?;
    let keys: Vec<&str> = keys.iter().map(AsRef::as_ref).collect();
    host::check_returned(request.number("index")? as usize, &keys).map(|()| MethodAnswer::NULL)
}

pub fn summarize_text(shaper: &Shaper, request: &Request<'_>) -> Reply {
    let options = TextSummary::new(&request.options("summary")?, request.host.naming)?;
    shaper.summarize_text(request.text("text")?, &options, &request.call()?).map(MethodAnswer::from)
}

/// The result that explains an error of this library to the model, or null.
pub fn refusal(shaper: &Shaper, request: &Request<'_>) -> Reply {
    let error = request.options("error")?;
    let member = |name: &str| error[name].as_str().unwrap_or_default();
    let Some(code) = ErrorCode::from_name(member("code")) else { return Ok(MethodAnswer::NULL) };
    let error = Error::new(code, member("message"), member("path"));
    Ok(or_null(shaper.refusal(&error, &request.call()?)))
}

/// A question, as `askSql` takes it.
fn question(SqlQuestion { sql, result, from, rows, cell_chars }: SqlQuestion) -> Value {
    json!({ "sql": sql, "result": result, "from": from, "rows": rows, "cellChars": cell_chars })
}

/// The text that a call of `summarize` asks for, and how to summarize it; or the answer to the call.
pub fn to_summarize(shaper: &Shaper, request: &Request<'_>) -> Reply {
    let (key, content) = (request.optional_string("key")?, request.optional_text("content")?);
    Ok(match shaper.to_summarize(key.as_deref().zip(content), &request.call()?)? {
        ToSummarize::Answered(shaped) => MethodAnswer::Shaped(shaped),
        ToSummarize::Text { text, summary } => {
            MethodAnswer::Object(vec![("text", MethodAnswer::Content(text)), ("summary", summary.into())])
        }
    })
}

/// A `CallToolResult` with one text of the host, or with an image in its place.
pub fn answer(shaper: &Shaper, request: &Request<'_>) -> Reply {
    let [tool, client, image] = ["tool", "client", "image"].map(|name| request.optional_string(name));
    let (tool, client, image) = (tool?, client?, image?.map(Cow::into_owned));
    let (text, is_error) = (request.text("text")?, request.flag("isError")?);
    Ok(shaper.answer(tool.as_deref(), text, image, is_error, client.as_deref()).into())
}

/// Null; an error for a tool of the server with the name of one that an adapter added.
pub fn check_tool_name(request: &Request<'_>) -> Reply {
    let added = request.strings("added")?;
    let added: Vec<&str> = added.iter().map(AsRef::as_ref).collect();
    host::check_tool_name(&request.string("name")?, &added).map(|()| MethodAnswer::NULL)
}

/// The texts in a result of a tool of Claude Code: pairs of a JSON Pointer and a text.
pub fn hook_texts(request: &Request<'_>) -> Reply {
    let texts = toolshape_proxy::hook_texts(&request.string("tool")?, &request.options("response")?);
    let pair = |(pointer, text): (String, String)| MethodAnswer::List(vec![pointer.into(), MethodAnswer::Text(text)]);
    Ok(MethodAnswer::List(texts.into_iter().map(pair).collect()))
}

/// Why the result of a receipt looks as it does, a sentence a line.
pub fn explain(request: &Request<'_>) -> Reply {
    let receipt = request.options("receipt")?;
    if !receipt[&*request.host.naming.spell("tokensBefore")].is_number() {
        let message = "this is not a receipt; pass the receipt of a shaped result";
        return Err(Error::new(ErrorCode::InvalidCall, message, "/receipt"));
    }
    Ok(host::explain(&receipt, request.host.naming).into())
}
