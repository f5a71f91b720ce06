//! What archives and adapters use of the core; options, calls and tools are JSON texts.

use serde_json::json;
use wasm_bindgen::prelude::*;

use super::fault::Thrown;
use super::given::{find, read_call, read_options};
use super::outcome::{ResultOutcome, outcome};
use super::value::Value;
use toolshape::host::{
    ArchiveOptions, Content, Keeping, Lookup, Naming, Opened, Plan, Purpose, Replacement, ShapedResult,
    SummarizerOptions, ToolOutput,
};
use toolshape::{Error, ErrorCode, Shaper};

/// What an archive does next with `count` results, after the answers to all earlier steps.
#[wasm_bindgen]
pub fn keeping(count: usize, redacts: Option<String>, heard: &str) -> JsValue {
    let heard = read_options(heard, ErrorCode::InvalidCall);
    outcome(heard.and_then(|heard| Ok(Keeping::after(count, redacts.as_deref(), &heard)?.to_json())))
}

/// A fault if `text` cannot replace what was redacted.
#[wasm_bindgen(js_name = checkRedacted)]
pub fn check_redacted(is_json: bool, text: &str) -> JsValue {
    outcome(toolshape::host::check_redacted(is_json, text))
}

/// The whole of a value, or of a JSON text instead, as `redact` sees it.
#[wasm_bindgen]
pub fn contents(shaper: usize, value: &JsValue, json: Option<String>, call: &str) -> JsValue {
    let contents = || {
        let (call, value) = (read_call(call)?, Value::new(value)?);
        let output = match &json {
            Some(json) => ToolOutput::json(json, &call)?,
            None => ToolOutput::value(&value, &call),
        };
        find(shaper)?.contents(&output).map(listed)
    };
    outcome(contents())
}

/// The contents of what a tool returned, as `redact` sees them.
#[wasm_bindgen(js_name = resultContents)]
pub fn result_contents(shaper: usize, returned: &JsValue, call: &str) -> JsValue {
    let contents = || find(shaper)?.result_contents(&Value::new(returned)?, &read_call(call)?).map(listed);
    outcome(contents())
}

fn listed(contents: Vec<Content>) -> Vec<serde_json::Value> {
    contents.into_iter().map(|Content { text, is_json }| json!({ "text": text, "isJson": is_json })).collect()
}

/// The fault for a host's function that returned no text.
#[wasm_bindgen(js_name = noText)]
pub fn no_text(what: &str, type_name: &str) -> JsValue {
    outcome::<()>(Err(toolshape::host::no_text(what, type_name)))
}

/// The limits of the memory store that an adapter makes by default.
#[wasm_bindgen(js_name = defaultStoreLimits)]
pub fn default_store_limits() -> JsValue {
    outcome(Ok(toolshape::host::default_store_limits(Naming::Camel)))
}

/// The options of an archive, checked and with their defaults.
#[wasm_bindgen(js_name = archiveOptions)]
pub fn archive_options(options: &str) -> JsValue {
    let options = read_options(options, ErrorCode::InvalidCall);
    outcome(options.and_then(|options| Ok(ArchiveOptions::new(&options, Naming::Camel)?.to_json())))
}

/// A fault if an adapter has no such options.
#[wasm_bindgen(js_name = checkAdapterOptions)]
pub fn check_adapter_options(options: &str) -> JsValue {
    let options = read_options(options, ErrorCode::InvalidCall);
    outcome(options.and_then(|options| toolshape::host::check_adapter_options(&options, Naming::Camel)))
}

/// The options of a summarizer, checked and with their defaults.
#[wasm_bindgen(js_name = summarizerOptions)]
pub fn summarizer_options(options: &str) -> JsValue {
    let options = read_options(options, ErrorCode::InvalidCall);
    outcome(options.and_then(|options| Ok(SummarizerOptions::new(&options, Naming::Camel)?.to_json())))
}

/// What to read for what a call names, and the default members of the call.
#[wasm_bindgen]
pub fn lookup(shaper: usize, purpose: &str, authorizes: bool, call: &str) -> JsValue {
    let found = || {
        let purpose = read_purpose(purpose)?;
        let Lookup { ticket, keys, .. } = find(shaper)?.lookup(purpose, authorizes, &read_call(call)?)?;
        Ok(json!({ "ticket": ticket, "keys": keys, "call": purpose.call() }))
    };
    outcome(found())
}

/// What a ticket opens to a call, or null.
#[wasm_bindgen]
pub fn open(shaper: usize, purpose: &str, ticket: &str, call: &str) -> JsValue {
    let opened = || find(shaper)?.open(read_purpose(purpose)?, ticket, &read_call(call)?);
    outcome(opened().map(|opened| opened.map(|Opened { key, tools, .. }| json!({ "key": key, "tools": tools }))))
}

fn read_purpose(purpose: &str) -> Result<Purpose, Error> {
    let wrong = || Error::new(ErrorCode::InvalidCall, format!("there is no purpose {purpose}"), "/purpose");
    Purpose::from_name(purpose).ok_or_else(wrong)
}

/// The ticket for the content under a key, which a call returned; `known` is what the store has.
#[wasm_bindgen]
pub fn ticket(shaper: usize, key: &str, known: Option<String>, call: &str) -> JsValue {
    outcome(read_call(call).and_then(|call| find(shaper)?.ticket(key, known.as_deref(), &call)))
}

/// The CallToolResult for a call whose controls are known to be wrong before the tool runs, or null.
#[wasm_bindgen(js_name = checkCall)]
pub fn check_call(shaper: usize, call: &str) -> JsValue {
    let checked = read_call(call).and_then(|call| find(shaper)?.check_call(&call));
    outcome(checked.map(|refused| refused.map(ResultOutcome::from)))
}

/// A fault if calls cannot have a scope.
#[wasm_bindgen(js_name = checkScope)]
pub fn check_scope(shaper: usize) -> JsValue {
    outcome(find(shaper).and_then(|shaper| shaper.check_scope()))
}

/// The content of a resource, from the stored content under a key, if there is any.
#[wasm_bindgen]
pub fn resource(shaper: usize, key: Option<String>, content: Option<String>, call: &str) -> JsValue {
    let stored = key.as_deref().zip(content.as_deref());
    let resource = read_call(call).and_then(|call| find(shaper)?.resource(stored, &call));
    outcome(resource.map(|resource| json!({ "mimeType": resource.mime_type, "text": resource.text })))
}

/// A tool as an adapter handles it, as JSON text.
#[wasm_bindgen]
pub fn plan(shaper: usize, tool: &str, has_store: bool) -> JsValue {
    let plan = |tool| Ok(find(shaper)?.plan(&tool, has_store, Naming::Camel));
    planned(read_options(tool, ErrorCode::InvalidCall).and_then(plan))
}

/// The same for a tool that no list contains.
#[wasm_bindgen(js_name = planUnlisted)]
pub fn plan_unlisted(shaper: usize, name: &str) -> JsValue {
    planned(find(shaper).map(|shaper| shaper.plan_unlisted(name, Naming::Camel)))
}

fn planned(plan: Result<Plan, Error>) -> JsValue {
    outcome(plan.map(|plan| plan.to_json().to_string()))
}

/// Whether the policy does not shape a tool's results.
#[wasm_bindgen(js_name = leavesAlone)]
pub fn leaves_alone(shaper: usize, tool: &str) -> JsValue {
    outcome(find(shaper).map(|shaper| shaper.leaves_alone(tool)))
}

/// The CallToolResult for what a tool threw, else null; `said` is its message and `now` in Unix seconds.
#[wasm_bindgen(js_name = thrownResult)]
pub fn thrown_result(shaper: usize, error: &JsValue, said: &str, call: &str, now: f64) -> JsValue {
    let thrown =
        |shaper: &Shaper| shaper.thrown_result(Thrown(error.clone()), said, &read_call(call)?, Some(now as u64));
    outcome(find(shaper).and_then(|shaper| Ok(thrown(&shaper)?.map(ResultOutcome::from))))
}

/// A CallToolResult of what a tool returned, shaped again from its contents.
#[wasm_bindgen(js_name = shapeKeptResult)]
pub fn shape_kept_result(
    shaper: usize,
    returned: &JsValue,
    contents: Vec<String>,
    is_json: bool,
    is_redacted: bool,
    call: &str,
) -> JsValue {
    let shaped = || {
        let kept = Replacement { contents: &contents, is_json, is_redacted };
        let value = Value::new(returned)?;
        let shaped = find(shaper)?.shape_kept_result(&value, &kept, &read_call(call)?)?;
        Ok(ResultOutcome::of(shaped, returned, &value))
    };
    outcome(shaped())
}

/// A CallToolResult with a text; its receipt is a value of the host.
#[wasm_bindgen]
pub fn answer(text: &str, is_error: bool) -> JsValue {
    let mut answer = ResultOutcome::from(ShapedResult::answer(text, is_error, None));
    answer.members.push(("_meta".to_owned(), "meta"));
    outcome(Ok(answer))
}

/// A receipt as one line of a log.
#[wasm_bindgen(js_name = receiptLine)]
pub fn receipt_line(receipt: &str) -> JsValue {
    outcome(read_options(receipt, ErrorCode::InvalidCall).map(|receipt| toolshape::host::receipt_line(&receipt)))
}

/// The tools that an adapter adds.
#[wasm_bindgen(js_name = addedTools)]
pub fn added_tools(shaper: usize, has_store: bool, summarizes: bool) -> JsValue {
    outcome(find(shaper).map(|shaper| shaper.added_tools(has_store, summarizes)))
}

/// A fault for a key that one of several results does not have.
#[wasm_bindgen(js_name = checkReturned)]
pub fn check_returned(index: usize, keys: Vec<String>) -> JsValue {
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    outcome(toolshape::host::check_returned(index, &keys))
}

/// A fault for a server's own tool with the name of one that an adapter added.
#[wasm_bindgen(js_name = checkToolName)]
pub fn check_tool_name(name: &str, added: Vec<String>) -> JsValue {
    let added: Vec<&str> = added.iter().map(String::as_str).collect();
    outcome(toolshape::host::check_tool_name(name, &added))
}

/// The template of the addresses of stored results.
#[wasm_bindgen(js_name = resultTemplate)]
pub fn result_template() -> JsValue {
    outcome(Ok(toolshape::host::result_template()))
}
