//! What an archive of the host does, step by step, and the options that it has.

use serde_json::{Value, json};
use toolshape::host::{
    ArchiveOptions, Content, Keeping, Naming, SummarizerOptions, ToolOutput, check_redacted, default_store_limits,
};
use toolshape::{Error, ErrorCode};

use super::{Method, json, method, shaper};
use crate::answer::Answer;
use crate::request::Request;

pub const METHODS: &[Method] = &[
    method("archiveOptions", &["options"], options),
    method("defaultStoreLimits", &[], store_limits),
    method("summarizerOptions", &["options"], summarizer),
    method("checkScope", &["shaper"], check_scope),
    method("keeping", &["count", "redacts", "heard"], keeping),
    method("contents", &["shaper", "text", "isJson", "call", "now"], contents),
    method("resultContents", &["shaper", "returned", "call", "now"], result_contents),
    method("checkRedacted", &["text", "isJson"], redacted),
];

fn options(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(ArchiveOptions::new(&request.value("options", ErrorCode::InvalidCall)?, Naming::Camel)?.to_json())
}

fn store_limits(_: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(default_store_limits(Naming::Camel))
}

fn summarizer(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(SummarizerOptions::new(&request.value("options", ErrorCode::InvalidCall)?, Naming::Camel)?.to_json())
}

fn check_scope(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    shaper(request)?.check_scope().map(|()| Value::Null)
}

/// What comes next for results, after the answers to all steps before.
fn keeping(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let (count, redacts) = (request.number("count")?, request.optional_string("redacts")?);
    let heard = request.value("heard", ErrorCode::InvalidCall)?;
    Ok(Keeping::after(count as usize, redacts.as_deref(), &heard)?.to_json())
}

fn contents(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (text, call) = (request.text("text")?, request.call()?);
    let output = match request.flag("isJson")? {
        true => ToolOutput::json(text, &call)?,
        false => ToolOutput::text(text, &call),
    };
    Ok(listed(shaper(request)?.contents(&output)?, answer))
}

fn result_contents(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let contents = shaper(request)?.result_contents(&json(request, "returned")?, &request.call()?)?;
    Ok(listed(contents, answer))
}

fn listed(contents: Vec<Content>, answer: &mut Answer) -> Value {
    let content = |Content { text, is_json }| json!({ "text": answer.part(text), "isJson": is_json });
    contents.into_iter().map(content).collect()
}

fn redacted(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    check_redacted(request.flag("isJson")?, request.text("text")?).map(|()| Value::Null)
}
