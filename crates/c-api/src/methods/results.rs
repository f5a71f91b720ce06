//! CallToolResults, whole: in as a tool returned them, out as the client gets them.

use serde_json::{Value, json};
use toolshape::host::{JsonText, KeptResult, ShapedResult};
use toolshape::{Error, ErrorCode};

use super::{Method, json, method, shaper};
use crate::answer::Answer;
use crate::request::Request;

pub const METHODS: &[Method] = &[
    method("shapeResult", &["shaper", "returned", "call", "now"], shape),
    method("shapeKeptResult", &["shaper", "returned", "contents", "isJson", "isRedacted", "call", "now"], shape_kept),
    method("shapeSnapshotResult", &["shaper", "key", "content", "call", "now"], shape_snapshot),
    method("checkCall", &["shaper", "call", "now"], check_call),
    method("rateLimitResult", &["shaper", "error", "call", "now"], rate_limit),
    method("thrownResult", &["shaper", "error", "said", "call", "now"], thrown),
    method("answer", &["text", "isError"], own_answer),
];

fn shape(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let returned = json(request, "returned")?;
    let shaped = shaper(request)?.shape_result(&returned, &request.call()?)?;
    result(shaped, Some(&returned), request.text("returned")?, answer)
}

fn shape_kept(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (returned, contents) = (json(request, "returned")?, request.texts("contents")?);
    let (is_json, is_redacted) = (request.flag("isJson")?, request.flag("isRedacted")?);
    let kept = KeptResult { contents: &contents, is_json, is_redacted };
    let shaped = shaper(request)?.shape_kept_result(&returned, &kept, &request.call()?)?;
    result(shaped, Some(&returned), request.text("returned")?, answer)
}

fn shape_snapshot(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (key, content) = (request.string("key")?, request.text("content")?);
    let shaped = shaper(request)?.shape_snapshot_result(&key, content, &request.call()?)?;
    shaped.map_or(Ok(Value::Null), |shaped| result(shaped, None, content, answer))
}

fn check_call(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    new_result(shaper(request)?.check_call(&request.call()?)?, answer)
}

fn rate_limit(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (error, now) = (request.value("error", ErrorCode::InvalidCall)?, request.optional_number("now")?);
    new_result(shaper(request)?.rate_limit_result(&error, &request.call()?, now), answer)
}

fn thrown(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (error, now) = (request.value("error", ErrorCode::InvalidCall)?, request.optional_number("now")?);
    let said = request.text("said")?;
    new_result(shaper(request)?.thrown_result(&error, said, &request.call()?, now)?, answer)
}

/// A result of one text that is the host's.
fn own_answer(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    new_result(Some(ShapedResult::answer(request.text("text")?, request.flag("isError")?, None)), answer)
}

/// A result that has nothing of what a tool returned, or null.
fn new_result(shaped: Option<ShapedResult>, answer: &mut Answer) -> Result<Value, Error> {
    shaped.map_or(Ok(Value::Null), |shaped| result(shaped, None, "", answer))
}

/// A shaped result; `given` is the text that the host holds.
fn result(
    shaped: ShapedResult,
    returned: Option<&JsonText<'_>>,
    given: &str,
    answer: &mut Answer,
) -> Result<Value, Error> {
    let result = match returned {
        Some(_) if shaped.is_own => Value::Null,
        Some(returned) => answer.part(shaped.to_json(returned)?),
        None => answer.part(shaped.to_json(&JsonText::parse("null")?)?),
    };
    let receipt = shaped.receipt.as_ref().map(|receipt| receipt.to_json());
    Ok(json!({
        "result": result, "unchanged": shaped.unchanged, "isError": shaped.is_error, "receipt": receipt,
        "keep": answer.keep(shaped.keep, Some(given)),
    }))
}
