//! Tools as clients see them, how an adapter handles each, and results that have nothing of what a tool returned.

use std::borrow::Cow;

use serde_json::Value;
use toolshape::host;
use toolshape::{Error, ErrorCode, Shaper};

use crate::answer::{MethodAnswer, Reply, or_null};
use crate::request::Request;

/// A tool of `tools/list` as clients see it.
pub fn tool(shaper: &Shaper, request: &Request<'_>) -> Reply {
    Ok(shaper.tool(&request.options("tool")?, request.flag("hasStore")?).to_json().into())
}

/// How an adapter handles a tool.
pub fn plan(shaper: &Shaper, request: &Request<'_>) -> Reply {
    Ok(shaper.plan(&request.options("tool")?, request.flag("hasStore")?, request.host.naming).to_json().into())
}

/// The same for a tool that is in no list.
pub fn plan_unlisted(shaper: &Shaper, request: &Request<'_>) -> Reply {
    Ok(shaper.plan_unlisted(&request.string("name")?, request.host.naming).to_json().into())
}

/// Whether the policy does not shape the results of a tool.
pub fn leaves_alone(shaper: &Shaper, request: &Request<'_>) -> Reply {
    Ok(shaper.leaves_alone(&request.string("name")?).into())
}

/// The tools that an adapter adds.
pub fn added_tools(shaper: &Shaper, request: &Request<'_>) -> Reply {
    Ok(shaper.added_tools(request.flag("hasStore")?, request.flag("summarizes")?).into())
}

/// The `CallToolResult` for a call whose controls are wrong whatever the tool returns, or null.
pub fn check_call(shaper: &Shaper, request: &Request<'_>) -> Reply {
    shaper.check_call(&request.call()?).map(or_null)
}

/// A `CallToolResult` with one text of the host, or with an image in its place.
pub fn answer(shaper: &Shaper, request: &Request<'_>) -> Reply {
    let [tool, client, image] = ["tool", "client", "image"].map(|name| request.optional_string(name));
    let (tool, client, image) = (tool?, client?, image?.map(Cow::into_owned));
    let (text, is_error) = (request.text("text")?, request.flag("isError")?);
    Ok(shaper.answer(tool.as_deref(), text, image, is_error, client.as_deref()).into())
}

/// What a `CallToolResult` does not meet of what a test expects of it, a sentence each.
pub fn unmet(request: &Request<'_>) -> Reply {
    let expected = host::Expected::new(&request.options("expected")?, request.host.naming)?;
    Ok(expected.unmet(&request.options("result")?).into())
}

/// The name of the tool that reads a server's stored results.
pub fn read_tool_of(request: &Request<'_>) -> Reply {
    Ok(Value::from(host::read_tool_of(&request.string("server")?)).into())
}

pub fn read_result_tool(_: &Request<'_>) -> Reply {
    Ok(toolshape::read_result_tool().into())
}

pub fn summarize_tool(request: &Request<'_>) -> Reply {
    Ok(host::summarize_tool(request.flag("hasStore")?).into())
}

pub fn result_template(_: &Request<'_>) -> Reply {
    Ok(host::result_template().into())
}

/// Null; an error about the options of an adapter.
pub fn check_adapter_options(request: &Request<'_>) -> Reply {
    host::check_adapter_options(&request.options("options")?, request.host.naming).map(|()| MethodAnswer::NULL)
}

/// Null, or an error about the options of a harness.
pub fn check_harness_options(request: &Request<'_>) -> Reply {
    host::check_harness_options(&request.options("options")?, request.host.naming).map(|()| MethodAnswer::NULL)
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

/// What the hook answers with other texts at these pointers.
pub fn hook_output(request: &Request<'_>) -> Reply {
    let (pointers, parts) = (request.strings("pointers")?, request.strings("parts")?);
    Ok(toolshape_proxy::hook_output(request.options("response")?, &pointers, &parts).into())
}

/// The names that an argument for shaping can have.
pub fn control_arguments(_: &Request<'_>) -> Reply {
    Ok(Value::from_iter(host::control_arguments()).into())
}

/// A receipt as one line of a log.
pub fn receipt_line(request: &Request<'_>) -> Reply {
    Ok(host::receipt_line(&request.options("receipt")?, request.host.naming).into())
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
