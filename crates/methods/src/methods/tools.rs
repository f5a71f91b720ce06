//! Tools as clients see them, how an adapter handles each, and results that have nothing of what a tool returned.

use std::borrow::Cow;

use toolshape::host;
use toolshape::{Error, ErrorCode, Shaper};

use crate::answer::{MethodAnswer, Reply};
use crate::request::Request;

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
