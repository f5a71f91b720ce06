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
