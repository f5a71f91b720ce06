//! Shapers, and shaping without a value of the host.

use toolshape::host::{self, TextSummary};
use toolshape::{Error, ErrorCode, Policy, Shaper};

use crate::answer::{MethodAnswer, Reply, or_null};
use crate::handles::SHAPERS;
use crate::request::Request;

pub fn create(request: &Request<'_>) -> Reply {
    let policy = Policy::new(&request.value("policy", ErrorCode::InvalidPolicy)?, request.host.naming)?;
    Ok(SHAPERS.with(|shapers| shapers.add(Shaper::new(policy))).into())
}

/// Whether there was one.
pub fn forget(request: &Request<'_>) -> Reply {
    let number = request.number("shaper")?;
    Ok(SHAPERS.with(|shapers| shapers.remove(number)).into())
}

pub fn preset(request: &Request<'_>) -> Reply {
    host::preset_options(&request.string("name")?, request.host.naming).map(MethodAnswer::Json)
}

/// The minified original of a JSON text in the dense form.
pub fn expand(request: &Request<'_>) -> Reply {
    host::expand(request.text("text")?).map(MethodAnswer::Text)
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

/// The sort keys in a cursor, each as the JSON text of its value, or null.
pub fn decode_keyset(shaper: &Shaper, request: &Request<'_>) -> Reply {
    let cursor = request.optional_string("cursor")?;
    shaper.decode_keyset(cursor.as_deref(), &request.call()?).map(or_null)
}

pub fn page_size(shaper: &Shaper, request: &Request<'_>) -> Reply {
    shaper.page_size(&request.call()?).map(MethodAnswer::from)
}

/// The schema, or null.
pub fn output_schema(shaper: &Shaper, request: &Request<'_>) -> Reply {
    Ok(or_null(shaper.output_schema(request.optional_string("tool")?.as_deref())))
}

/// The result that explains an error of this library to the model, or null.
pub fn refusal(shaper: &Shaper, request: &Request<'_>) -> Reply {
    let error = request.options("error")?;
    let member = |name: &str| error[name].as_str().unwrap_or_default();
    let Some(code) = ErrorCode::from_name(member("code")) else { return Ok(MethodAnswer::NULL) };
    let error = Error::new(code, member("message"), member("path"));
    Ok(or_null(shaper.refusal(&error, &request.call()?)))
}
