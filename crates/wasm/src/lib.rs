//! The WebAssembly binding: it only converts arguments and results, and makes no decisions.
//!
//! Every function returns its result, or a fault as a value: `{code, message, path}`. An exception that leaves a
//! function is a trap; after it the instance must not be used again. No borrow is held while code of the host runs, so
//! a getter may call these functions.
#![forbid(unsafe_code)]

mod adapters;
mod fault;
mod given;
mod http;
mod outcome;
mod relay;
mod survey;
mod tokens;
mod value;

use wasm_bindgen::prelude::*;

pub use adapters::*;
pub use http::*;
pub use relay::*;
pub use survey::*;
pub use tokens::*;
use toolshape::host::{JsonText, Keyset, Links, Naming, Source, TextSummary, Together, ToolOutput};
use toolshape::{Call, Error, ErrorCode, Policy, Shaper};

use fault::Thrown;
use given::{find, read_call, read_options};
use outcome::{Asked, Outcome, ResultOrReceipt, ResultOutcome, fault, outcome};
use value::Value;

/// Turns a panic into an exception with its message, not a bare `unreachable`.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| wasm_bindgen::throw_str(&panic.to_string())));
}

/// Checks a policy, a JSON text, and returns the handle of a shaper that follows it.
#[wasm_bindgen]
pub fn shaper(policy: &str) -> JsValue {
    outcome(
        read_options(policy, ErrorCode::InvalidPolicy)
            .and_then(|policy| Ok(given::add(Shaper::new(Policy::new(&policy, Naming::Camel)?)))),
    )
}

/// Removes all shapers; their handles must not be used again.
#[wasm_bindgen(js_name = forgetShapers)]
pub fn forget_shapers() {
    given::forget_shapers();
}

/// Shapes a value for a call, which is a JSON text; returns only the text if it passes uncounted.
#[wasm_bindgen]
pub fn shape(shaper: usize, value: &JsValue, call: &str) -> JsValue {
    let shaped = || {
        let (call, value, shaper) = (read_call(call)?, Value::new(value)?, find(shaper)?);
        if let Some(passed) = shaper.pass(&ToolOutput::value(&value, &call)) {
            return Ok(value.held().unwrap_or_else(|| passed.text().into()).into());
        }
        let shaped = shaper.shape_source(&value, &call)?;
        Ok(outcome(Ok(Outcome::of_value(shaped, &value))))
    };
    shaped().unwrap_or_else(fault)
}

/// Shapes a JSON text for a call, which is a JSON text; returns null if it passes uncounted.
#[wasm_bindgen(js_name = shapeJson)]
pub fn shape_json(shaper: usize, text: &str, call: &str) -> JsValue {
    let shaped = || {
        let (call, shaper) = (read_call(call)?, find(shaper)?);
        let returned = ToolOutput::json(text, &call)?;
        match shaper.pass(&returned) {
            Some(_) => Ok(None),
            None => shaper.run(returned).map(Outcome::from).map(Some),
        }
    };
    outcome(shaped())
}

/// The receipt of a text that passed uncounted for a call, as JSON text.
#[wasm_bindgen]
pub fn receipt(shaper: usize, text: &str, call: &str) -> JsValue {
    let receipt =
        |call| Ok(find(shaper)?.pass(&ToolOutput::text(text, &call)).map(|passed| passed.receipt().to_string()));
    outcome(read_call(call).and_then(receipt))
}

/// Shapes results that are returned together: each is a value, or a JSON text instead; all other arguments are JSON
/// texts.
#[wasm_bindgen(js_name = shapeTogether)]
pub fn shape_together(
    shaper: usize,
    values: Vec<JsValue>,
    texts: Vec<JsValue>,
    calls: Vec<String>,
    together: &str,
) -> JsValue {
    let shaped = || {
        let together = Together::new(&read_options(together, ErrorCode::InvalidCall)?, Naming::Camel)?;
        let calls = calls.iter().map(|call| read_call(call)).collect::<Result<Vec<_>, _>>()?;
        let texts: Vec<Option<String>> = texts.iter().map(JsValue::as_string).collect();
        let read = |(at, value)| Value::new(value).map_err(|error| error.under(at));
        let values = values.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
        let results = values.iter().zip(&texts).zip(&calls).enumerate().map(|(at, ((value, text), call))| match text {
            Some(text) => ToolOutput::json(text, call).map_err(|error| error.under(at)),
            None => Ok(ToolOutput::value(value, call)),
        });
        let shaped = find(shaper)?.shape_together(&results.collect::<Result<Vec<_>, _>>()?, &together)?;
        Ok(shaped.into_iter().zip(&values).map(|(one, value)| Outcome::of_value(one, value)).collect::<Vec<_>>())
    };
    outcome(shaped())
}

/// The options of a preset, as JSON text.
#[wasm_bindgen]
pub fn preset(name: &str) -> JsValue {
    outcome(toolshape::host::preset_options(name, Naming::Camel).map(|options| options.to_string()))
}

/// The handle of the stored result that can answer a call, or null.
#[wasm_bindgen]
pub fn snapshot(shaper: usize, call: &str) -> JsValue {
    outcome(read_call(call).and_then(|call| find(shaper)?.snapshot(&call)))
}

/// Shapes the stored content under a key for a call that it can answer, or returns null.
#[wasm_bindgen(js_name = shapeSnapshot)]
pub fn shape_snapshot(shaper: usize, key: &str, content: &str, call: &str) -> JsValue {
    let shaped = read_call(call).and_then(|call| find(shaper)?.shape_snapshot(key, content, &call));
    outcome(shaped.map(|shaped| shaped.map(Outcome::from)))
}

/// The keys under which a store may hold what a handle names.
#[wasm_bindgen(js_name = handleKeys)]
pub fn handle_keys(handle: &str) -> JsValue {
    outcome(toolshape::host::handle_keys(handle))
}

/// A page of rows from the author's query, for a call; options and call are JSON texts.
#[wasm_bindgen(js_name = keysetPage)]
pub fn keyset_page(shaper: usize, rows: &JsValue, keyset: &str, call: &str) -> JsValue {
    let page = || {
        let keyset = Keyset::new(&read_options(keyset, ErrorCode::InvalidCall)?, Naming::Camel)?;
        find(shaper)?.keyset_page(&Value::new(rows)?, &keyset, &read_call(call)?)
    };
    outcome(page().map(Outcome::from))
}

/// The sort keys in a cursor, each as JSON text; null for a cursor before the first row.
#[wasm_bindgen(js_name = decodeKeyset)]
pub fn decode_keyset(shaper: usize, cursor: Option<String>, call: &str) -> JsValue {
    outcome(read_call(call).and_then(|call| find(shaper)?.decode_keyset(cursor.as_deref(), &call)))
}

/// How many rows a page of a call has.
#[wasm_bindgen(js_name = pageSize)]
pub fn page_size(shaper: usize, call: &str) -> JsValue {
    outcome(read_call(call).and_then(|call| find(shaper)?.page_size(&call)))
}

/// The JSON Schema of a tool's results if the policy declares series or grids, or null.
#[wasm_bindgen(js_name = outputSchema)]
pub fn output_schema(shaper: usize, tool: Option<String>) -> JsValue {
    outcome(find(shaper).map(|shaper| shaper.output_schema(tool.as_deref())))
}

/// Links to rows, for a call; mapping and call are JSON texts.
#[wasm_bindgen]
pub fn links(shaper: usize, rows: &JsValue, mapping: &str, call: &str) -> JsValue {
    let links = || {
        let links = Links::new(&read_options(mapping, ErrorCode::InvalidCall)?, Naming::Camel)?;
        find(shaper)?.links(&Value::new(rows)?, &links, &read_call(call)?)
    };
    outcome(links().map(Outcome::from))
}

/// A summary of a text, for a call; options and call are JSON texts.
#[wasm_bindgen(js_name = summarizeText)]
pub fn summarize_text(shaper: usize, text: &str, options: &str, call: &str) -> JsValue {
    let summary = || {
        let options = TextSummary::new(&read_options(options, ErrorCode::InvalidCall)?, Naming::Camel)?;
        find(shaper)?.summarize_text(text, &options, &read_call(call)?)
    };
    outcome(summary().map(Outcome::from))
}

/// The result that explains an error to the caller of the tool, if the error concerns the caller, or null.
#[wasm_bindgen]
pub fn refusal(shaper: usize, code: &str, message: &str, path: &str, call: &str) -> JsValue {
    let refusal = || {
        let Some(code) = ErrorCode::from_name(code) else { return Ok(None) };
        Ok(find(shaper)?.refusal(&Error::new(code, message, path), &read_call(call)?))
    };
    outcome(refusal().map(|shaped| shaped.map(Outcome::from)))
}

/// The result for the rate limit that a thrown value reports, or null; `now` is in Unix seconds.
#[wasm_bindgen(js_name = rateLimit)]
pub fn rate_limit(shaper: usize, error: &JsValue, call: &str, now: f64) -> JsValue {
    let shaped =
        read_call(call).and_then(|call| Ok(find(shaper)?.rate_limit(Thrown(error.clone()), &call, Some(now as u64))));
    outcome(shaped.map(|shaped| shaped.map(Outcome::from)))
}

/// The keys under which a store may hold what a call of `read_result` names.
#[wasm_bindgen(js_name = readKeys)]
pub fn read_keys(shaper: usize, call: &str) -> JsValue {
    outcome(read_call(call).and_then(|call| find(shaper)?.read_keys(&call)))
}

/// Answers a call of `read_result` from the stored content under a key, if there is any.
#[wasm_bindgen(js_name = readResult)]
pub fn read_result(shaper: usize, key: Option<String>, content: Option<String>, call: &str) -> JsValue {
    let stored = key.as_deref().zip(content.as_deref());
    outcome(read_call(call).and_then(|call| find(shaper)?.read_result(stored, &call)).map(Outcome::from))
}

/// The tool `read_result` as a server lists it.
#[wasm_bindgen(js_name = readResultTool)]
pub fn read_result_tool() -> JsValue {
    outcome(Ok(toolshape::read_result_tool()))
}

/// The text that a call of `summarize` is about, from the stored content under a key, if there is any.
#[wasm_bindgen(js_name = toSummarize)]
pub fn to_summarize(shaper: usize, key: Option<String>, content: Option<String>, call: &str) -> JsValue {
    let stored = key.as_deref().zip(content.as_deref());
    outcome(read_call(call).and_then(|call| find(shaper)?.to_summarize(stored, &call)).map(Asked::from))
}

/// The tool `summarize` as a server lists it, with or without a store.
#[wasm_bindgen(js_name = summarizeTool)]
pub fn summarize_tool(has_store: bool) -> JsValue {
    outcome(Ok(toolshape::host::summarize_tool(has_store)))
}

/// The JSON Schema of a value, as JSON text.
#[wasm_bindgen(js_name = inferSchema)]
pub fn infer_schema(value: &JsValue) -> JsValue {
    outcome(Value::new(value).and_then(|value| toolshape::host::infer_schema(&value.json()?)))
}

/// The JSON Schema of a JSON text, as JSON text.
#[wasm_bindgen(js_name = inferSchemaJson)]
pub fn infer_schema_json(text: &str) -> JsValue {
    outcome(toolshape::host::infer_schema(text))
}

/// A CallToolResult of what a tool returned, for a call.
#[wasm_bindgen(js_name = shapeResult)]
pub fn shape_result(shaper: usize, returned: &JsValue, call: &str) -> JsValue {
    let shaped = || {
        let (call, shaper) = (read_call(call)?, find(shaper)?);
        let value = Value::new(returned)?;
        let shaped = match &value.short_json() {
            Some(json) => shaper.shape_result(&JsonText::parse(json)?, &call)?,
            None => shaper.shape_result(&value, &call)?,
        };
        Ok(ResultOutcome::of(shaped, returned, &value))
    };
    outcome(shaped())
}

/// The same for a result that is one text; only the receipt, a JSON text, if it passes.
#[wasm_bindgen(js_name = shapeTextResult)]
pub fn shape_text_result(shaper: usize, text: &str, call: &str) -> JsValue {
    let shaped = read_call(call).and_then(|call| find(shaper)?.shape_text_result(text, &call));
    outcome(shaped.map(ResultOrReceipt::from))
}

/// The handle of what decides which texts of a tool pass to a client in calls that ask for no part; nothing where more than the
/// text decides.
#[wasm_bindgen]
pub fn passing(shaper: usize, tool: Option<String>, client: Option<String>) -> Option<usize> {
    find(shaper).ok()?.passing(tool.as_deref(), client.as_deref()).map(given::add_passing)
}

/// Removes all that decides which texts pass; the handles must not be used again.
#[wasm_bindgen(js_name = forgetPassing)]
pub fn forget_passing() {
    given::forget_passing();
}

/// The tokens of the text at `shortText`, of `len` bytes, if it passes; nothing for every other text.
#[wasm_bindgen(js_name = passText)]
pub fn pass_text(passing: usize, len: usize) -> Option<usize> {
    tokens::of_short(len, |text| given::of_passing(passing, |passing| passing.tokens(text)))
}

/// The receipt of an empty text, as JSON text: those of others that pass differ in their size alone.
#[wasm_bindgen(js_name = passReceipt)]
pub fn pass_receipt(passing: usize) -> Option<String> {
    given::of_passing(passing, |passing| passing.receipt("")).map(|receipt| receipt.to_string())
}

/// The CallToolResult of the stored content under a key for a call that it can answer, or null.
#[wasm_bindgen(js_name = shapeSnapshotResult)]
pub fn shape_snapshot_result(shaper: usize, key: &str, content: &str, call: &str) -> JsValue {
    let shaped = read_call(call).and_then(|call| find(shaper)?.shape_snapshot_result(key, content, &call));
    outcome(shaped.map(|shaped| shaped.map(ResultOutcome::from)))
}

/// The CallToolResult for the rate limit that a thrown value reports, or null; `now` is in Unix seconds.
#[wasm_bindgen(js_name = rateLimitResult)]
pub fn rate_limit_result(shaper: usize, error: &JsValue, call: &str, now: f64) -> JsValue {
    let limit = |call: Call| Ok(find(shaper)?.rate_limit_result(Thrown(error.clone()), &call, Some(now as u64)));
    outcome(read_call(call).and_then(limit).map(|shaped| shaped.map(ResultOutcome::from)))
}

/// A tool of MCP's `tools/list` as clients should see it; both are JSON texts.
#[wasm_bindgen]
pub fn tool(shaper: usize, tool: &str, has_store: bool) -> JsValue {
    let shown = |tool| Ok(find(shaper)?.tool(&tool, has_store));
    let tool = read_options(tool, ErrorCode::InvalidCall).and_then(shown);
    outcome(tool.map(|tool| tool.to_json().to_string()))
}
