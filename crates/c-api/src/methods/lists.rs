//! Rows of an author's own query, links to rows, declared shapes, and results about errors.

use serde_json::{Value, json};
use toolshape::host::{Keyset, Links, Naming};
use toolshape::{Error, ErrorCode};

use super::{Method, json, method, shaper};
use crate::answer::Answer;
use crate::request::Request;

pub const METHODS: &[Method] = &[
    method("keysetPage", &["shaper", "rows", "keyset", "call", "now"], keyset_page),
    method("decodeKeyset", &["shaper", "cursor", "call", "now"], decode_keyset),
    method("pageSize", &["shaper", "call", "now"], page_size),
    method("links", &["shaper", "rows", "links", "call", "now"], links),
    method("outputSchema", &["shaper", "tool"], output_schema),
    method("refusal", &["shaper", "error", "call", "now"], refusal),
    method("rateLimit", &["shaper", "error", "call", "now"], rate_limit),
];

fn keyset_page(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let keyset = Keyset::new(&request.value("keyset", ErrorCode::InvalidCall)?, Naming::Camel)?;
    let rows = json(request, "rows")?;
    let shaped = shaper(request)?.keyset_page(&rows, &keyset, &request.call()?)?;
    Ok(answer.shaped(shaped, Some(request.text("rows")?)))
}

/// The sort keys in a cursor, in their order.
fn decode_keyset(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let cursor = request.optional_string("cursor")?;
    let keys = shaper(request)?.decode_keyset(cursor.as_deref(), &request.call()?)?;
    let number = |key: String| serde_json::from_str(&key).unwrap_or(Value::String(key));
    Ok(keys.map_or(Value::Null, |keys| keys.into_iter().map(number).collect()))
}

fn page_size(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(json!(shaper(request)?.page_size(&request.call()?)?))
}

fn links(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let links = Links::new(&request.value("links", ErrorCode::InvalidCall)?, Naming::Camel)?;
    let rows = json(request, "rows")?;
    let shaped = shaper(request)?.links(&rows, &links, &request.call()?)?;
    Ok(answer.shaped(shaped, Some(request.text("rows")?)))
}

fn output_schema(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let tool = request.optional_string("tool")?;
    Ok(shaper(request)?.output_schema(tool.as_deref()).unwrap_or_default())
}

/// The result that explains an error of this module to the caller of a tool, or null.
fn refusal(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let error = request.value("error", ErrorCode::InvalidCall)?;
    let member = |name: &str| error[name].as_str().unwrap_or_default();
    let Some(code) = ErrorCode::from_name(member("code")) else { return Ok(Value::Null) };
    let error = Error::new(code, member("message"), member("path"));
    let shaped = shaper(request)?.refusal(&error, &request.call()?);
    Ok(shaped.map_or(Value::Null, |shaped| answer.shaped(shaped, None)))
}

/// The result for a rate limit that an error reports, or null.
fn rate_limit(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (error, now) = (request.value("error", ErrorCode::InvalidCall)?, request.optional_number("now")?);
    let shaped = shaper(request)?.rate_limit(&error, &request.call()?, now);
    Ok(shaped.map_or(Value::Null, |shaped| answer.shaped(shaped, None)))
}
