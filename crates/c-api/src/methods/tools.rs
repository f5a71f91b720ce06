//! Tools as clients see them, and what an adapter does with each.

use serde_json::{Value, json};
use toolshape::host::{Naming, check_adapter_options, check_tool_name, receipt_line, result_template, summarize_tool};
use toolshape::{Error, ErrorCode, read_result_tool};

use super::{Method, method, shaper};
use crate::answer::Answer;
use crate::request::Request;

pub const METHODS: &[Method] = &[
    method("tool", &["shaper", "tool", "hasStore"], tool),
    method("plan", &["shaper", "tool", "hasStore"], plan),
    method("planUnlisted", &["shaper", "name"], plan_unlisted),
    method("leavesAlone", &["shaper", "name"], leaves_alone),
    method("addedTools", &["shaper", "hasStore", "summarizes"], added_tools),
    method("readResultTool", &[], own_tool),
    method("summarizeTool", &["hasStore"], summarizer),
    method("resultTemplate", &[], template),
    method("checkAdapterOptions", &["options"], adapter_options),
    method("checkToolName", &["name", "added"], tool_name),
    method("receiptLine", &["receipt"], line),
];

fn tool(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let tool = request.value("tool", ErrorCode::InvalidCall)?;
    Ok(shaper(request)?.tool(&tool, request.flag("hasStore")?).to_json())
}

fn plan(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let tool = request.value("tool", ErrorCode::InvalidCall)?;
    Ok(shaper(request)?.plan(&tool, request.flag("hasStore")?, Naming::Camel).to_json())
}

fn plan_unlisted(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(shaper(request)?.plan_unlisted(&request.string("name")?, Naming::Camel).to_json())
}

fn leaves_alone(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(json!(shaper(request)?.leaves_alone(&request.string("name")?)))
}

fn added_tools(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(json!(shaper(request)?.added_tools(request.flag("hasStore")?, request.flag("summarizes")?)))
}

fn own_tool(_: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(read_result_tool())
}

fn summarizer(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(summarize_tool(request.flag("hasStore")?))
}

fn template(_: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(result_template())
}

fn adapter_options(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let options = request.value("options", ErrorCode::InvalidCall)?;
    check_adapter_options(&options, Naming::Camel).map(|()| Value::Null)
}

fn tool_name(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let added = request.value("added", ErrorCode::InvalidCall)?;
    let added: Vec<&str> = added.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    check_tool_name(&request.string("name")?, &added).map(|()| Value::Null)
}

fn line(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(json!(receipt_line(&request.value("receipt", ErrorCode::InvalidCall)?)))
}
