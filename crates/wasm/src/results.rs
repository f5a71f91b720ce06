//! What tools returned or threw, as a `CallToolResult`, and the texts of it that `redact` sees.

use serde_json::json;
use wasm_bindgen::prelude::*;

use super::fault::Thrown;
use super::given::{add_passing, find, forget_passing as forget_all, of_passing, read_call};
use super::outcome::{ResultOrReceipt, ResultOutcome, outcome};
use super::tokens;
use super::value::JsSource;
use toolshape::host::{Content, JsonText, Replacement, ToolOutput};

/// A CallToolResult of what a tool returned, for a call.
#[wasm_bindgen(js_name = shapeResult)]
pub fn shape_result(shaper: usize, returned: &JsValue, call: &str) -> JsValue {
    let shaped = || {
        let (call, shaper) = (read_call(call)?, find(shaper)?);
        let value = JsSource::new(returned)?;
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
        let value = JsSource::new(returned)?;
        let shaped = find(shaper)?.shape_kept_result(&value, &kept, &read_call(call)?)?;
        Ok(ResultOutcome::of(shaped, returned, &value))
    };
    outcome(shaped())
}

/// The CallToolResult for what a tool threw, or null; `said` is its message and `now` in Unix seconds.
#[wasm_bindgen(js_name = thrownResult)]
pub fn thrown_result(shaper: usize, error: &JsValue, said: &str, call: &str, now: f64) -> JsValue {
    let shaped = || find(shaper)?.thrown_result(Thrown(error.clone()), said, &read_call(call)?, Some(now as u64));
    outcome(shaped().map(|shaped| shaped.map(ResultOutcome::from)))
}

/// The handle of what decides which texts of a tool pass to a client in calls that ask for no part; nothing where more than the
/// text decides.
#[wasm_bindgen]
pub fn passing(shaper: usize, tool: Option<String>, client: Option<String>) -> Option<usize> {
    find(shaper).ok()?.passing(tool.as_deref(), client.as_deref()).map(add_passing)
}

/// Removes all that decides which texts pass; the handles must not be used again.
#[wasm_bindgen(js_name = forgetPassing)]
pub fn forget_passing() {
    forget_all();
}

/// The tokens of the text at `shortText`, of `len` bytes, if it passes; nothing for every other text.
#[wasm_bindgen(js_name = passText)]
pub fn pass_text(passing: usize, len: usize) -> Option<usize> {
    tokens::of_short(len, |text| of_passing(passing, |passing| passing.tokens(text)))
}

/// The receipt of an empty text, as JSON text: those of others that pass differ in their size alone.
#[wasm_bindgen(js_name = passReceipt)]
pub fn pass_receipt(passing: usize) -> Option<String> {
    of_passing(passing, |passing| passing.receipt("")).map(|receipt| receipt.to_string())
}

/// The whole of a value, or of a JSON text instead, as `redact` sees it.
#[wasm_bindgen]
pub fn contents(shaper: usize, value: &JsValue, json: Option<String>, call: &str) -> JsValue {
    let contents = || {
        let (call, value) = (read_call(call)?, JsSource::new(value)?);
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
    let contents = || find(shaper)?.result_contents(&JsSource::new(returned)?, &read_call(call)?).map(listed);
    outcome(contents())
}

fn listed(contents: Vec<Content>) -> Vec<serde_json::Value> {
    contents.into_iter().map(|Content { text, is_json }| json!({ "text": text, "isJson": is_json })).collect()
}
