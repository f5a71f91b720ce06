//! What a store holds: where a call's stored result is looked for, and what is made of it.

use serde_json::{Value, json};
use toolshape::host::{Lookup, Opened, Purpose, ToSummarize, handle_keys};
use toolshape::{Error, ErrorCode};

use super::{Method, method, shaper, stored};
use crate::answer::Answer;
use crate::request::Request;

pub const METHODS: &[Method] = &[
    method("handleKeys", &["handle"], keys),
    method("lookup", &["shaper", "purpose", "authorizes", "call", "now"], lookup),
    method("open", &["shaper", "purpose", "ticket", "call", "now"], open),
    method("ticket", &["shaper", "key", "known", "call", "now"], ticket),
    method("snapshot", &["shaper", "call", "now"], snapshot),
    method("shapeSnapshot", &["shaper", "key", "content", "call", "now"], shape_snapshot),
    method("readKeys", &["shaper", "call", "now"], read_keys),
    method("readResult", &["shaper", "key", "content", "call", "now"], read_result),
    method("toSummarize", &["shaper", "key", "content", "call", "now"], to_summarize),
    method("resource", &["shaper", "key", "content", "call", "now"], resource),
];

fn keys(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(json!(handle_keys(&request.string("handle")?)?))
}

fn lookup(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let purpose = purpose(request)?;
    let Lookup { ticket, keys, .. } =
        shaper(request)?.lookup(purpose, request.flag("authorizes")?, &request.call()?)?;
    Ok(json!({ "ticket": ticket, "keys": keys, "call": purpose.call() }))
}

fn open(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let opened = shaper(request)?.open(purpose(request)?, &request.string("ticket")?, &request.call()?)?;
    Ok(opened.map_or(Value::Null, |Opened { key, tools, .. }| json!({ "key": key, "tools": tools })))
}

fn purpose(request: &Request<'_>) -> Result<Purpose, Error> {
    let name = request.string("purpose")?;
    let wrong = || Error::new(ErrorCode::InvalidCall, format!("there is no purpose {name}"), "/purpose");
    Purpose::from_name(&name).ok_or_else(wrong)
}

fn ticket(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let (key, known) = (request.string("key")?, request.optional_string("known")?);
    Ok(json!(shaper(request)?.ticket(&key, known.as_deref(), &request.call()?)?))
}

fn snapshot(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(json!(shaper(request)?.snapshot(&request.call()?)?))
}

fn shape_snapshot(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (key, content) = (request.string("key")?, request.text("content")?);
    let shaped = shaper(request)?.shape_snapshot(&key, content, &request.call()?)?;
    Ok(shaped.map_or(Value::Null, |shaped| answer.shaped(shaped, Some(content))))
}

fn read_keys(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(json!(shaper(request)?.read_keys(&request.call()?)?))
}

fn read_result(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (key, content) = (request.optional_string("key")?, request.optional_text("content")?);
    let shaped = shaper(request)?.read_result(stored(&key, content), &request.call()?)?;
    Ok(answer.shaped(shaped, content))
}

/// The text that a call of `summarize` is about with the options of its summary, or the answer to the call.
fn to_summarize(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (key, content) = (request.optional_string("key")?, request.optional_text("content")?);
    Ok(match shaper(request)?.to_summarize(stored(&key, content), &request.call()?)? {
        ToSummarize::Answered(shaped) => answer.shaped(*shaped, content),
        ToSummarize::Text { text, summary, max_tokens } => {
            json!({ "text": answer.text(text, content), "summary": summary, "maxTokens": max_tokens })
        }
    })
}

fn resource(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (key, content) = (request.optional_string("key")?, request.optional_text("content")?);
    let resource = shaper(request)?.resource(stored(&key, content), &request.call()?)?;
    Ok(json!({ "mimeType": resource.mime_type, "text": answer.text(resource.text, content) }))
}
