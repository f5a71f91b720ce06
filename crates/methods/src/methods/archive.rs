//! The options of archives and summarizers, and what an archive does step by step.

use std::borrow::Cow;

use serde_json::json;
use toolshape::Shaper;
use toolshape::host::{self, ArchiveOptions, Keeping, SummarizerOptions};

use crate::answer::{MethodAnswer, Reply};
use crate::request::Request;

/// The options of an archive, checked and with their defaults.
pub fn options(request: &Request<'_>) -> Reply {
    Ok(ArchiveOptions::new(&request.options("options")?, request.host.naming)?.to_json().into())
}

/// The options of a summarizer, checked and with their defaults.
pub fn summarizer_options(request: &Request<'_>) -> Reply {
    Ok(SummarizerOptions::new(&request.options("options")?, request.host.naming)?.to_json().into())
}

/// The next actions on results, after the answers to all earlier ones.
pub fn keeping(request: &Request<'_>) -> Reply {
    let (count, redacts) = (request.number("count")?, request.optional_string("redacts")?);
    Ok(Keeping::after(count as usize, redacts.as_deref(), &request.options("heard")?)?.to_json().into())
}

/// What `redact` returned for a content, and the readings of it that it is to receive next.
pub fn check_redacted(request: &Request<'_>) -> Reply {
    let seen: Vec<String> = request.strings("seen")?.into_iter().map(Cow::into_owned).collect();
    let text = request.text("text")?;
    let (text, readings) = host::check_redacted(request.flag("isJson")?, text, request.number("round")?, &seen)?;
    Ok(json!({ "text": text, "readings": readings }).into())
}

/// The error for a function of the host that returned no text.
pub fn no_text(request: &Request<'_>) -> Reply {
    Err(host::no_text(&request.string("what")?, &request.string("type")?))
}

/// Null; an error if calls cannot have a scope.
pub fn check_scope(shaper: &Shaper, _: &Request<'_>) -> Reply {
    shaper.check_scope().map(|()| MethodAnswer::NULL)
}
