//! The WebAssembly binding: it only converts arguments and results, and makes no decisions.
//!
//! [`call`] has the methods that all faces share. The other functions take values of JavaScript, or are called too often for a
//! request in JSON.
//!
//! Every function returns its result, or a fault as a value: `{toolshapeError, message, path}`. An exception that leaves a
//! function is a trap; after it the instance must not be used again. No borrow is held while code of the host runs, so
//! a getter may call these functions.
#![forbid(unsafe_code)]

mod answer;
mod fault;
mod given;
mod outcome;
mod results;
mod tokens;
mod utf16;
mod value;

use wasm_bindgen::prelude::*;

pub use answer::call;
pub use results::*;
pub use tokens::*;
use toolshape::host::{Keyset, Links, Naming, Together, ToolOutput};

use fault::Thrown;
use given::{find, read_call, read_options};
use outcome::{ShapedObject, fault, outcome};
use value::JsSource;

/// Turns a panic into an exception with its message, not a bare `unreachable`.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| wasm_bindgen::throw_str(&panic.to_string())));
}

/// Shapes a value for a call, which is a JSON text; returns only the text if it passes uncounted.
#[wasm_bindgen]
pub fn shape(shaper: usize, value: &JsValue, call: &str) -> JsValue {
    let shaped = || {
        let (call, value, shaper) = (read_call(call)?, JsSource::new(value)?, find(shaper)?);
        if let Some(passed) = shaper.pass(&ToolOutput::value(&value, &call)) {
            return Ok(value.held().unwrap_or_else(|| passed.text().into()).into());
        }
        let shaped = shaper.shape_source(&value, &call)?;
        Ok(outcome(Ok(ShapedObject::of_value(shaped, &value))))
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
            None => shaper.run(returned).map(ShapedObject::from).map(Some),
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
        let together = Together::new(&read_options(together)?, Naming::Camel)?;
        let calls = calls.iter().map(|call| read_call(call)).collect::<Result<Vec<_>, _>>()?;
        let texts: Vec<Option<String>> = texts.iter().map(JsValue::as_string).collect();
        let read = |(at, value)| JsSource::new(value).map_err(|error| error.under(at));
        let values = values.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
        let results = values.iter().zip(&texts).zip(&calls).enumerate().map(|(at, ((value, text), call))| match text {
            Some(text) => ToolOutput::json(text, call).map_err(|error| error.under(at)),
            None => Ok(ToolOutput::value(value, call)),
        });
        let shaped = find(shaper)?.shape_together(&results.collect::<Result<Vec<_>, _>>()?, &together)?;
        Ok(shaped.into_iter().zip(&values).map(|(one, value)| ShapedObject::of_value(one, value)).collect::<Vec<_>>())
    };
    outcome(shaped())
}

/// A page of rows from the author's query, for a call; options and call are JSON texts.
#[wasm_bindgen(js_name = keysetPage)]
pub fn keyset_page(shaper: usize, rows: &JsValue, keyset: &str, call: &str) -> JsValue {
    let page = || {
        let keyset = Keyset::new(&read_options(keyset)?, Naming::Camel)?;
        find(shaper)?.keyset_page(&JsSource::new(rows)?, &keyset, &read_call(call)?)
    };
    outcome(page().map(ShapedObject::from))
}

/// Links to rows, for a call; mapping and call are JSON texts.
#[wasm_bindgen]
pub fn links(shaper: usize, rows: &JsValue, mapping: &str, call: &str) -> JsValue {
    let links = || {
        let links = Links::new(&read_options(mapping)?, Naming::Camel)?;
        find(shaper)?.links(&JsSource::new(rows)?, &links, &read_call(call)?)
    };
    outcome(links().map(ShapedObject::from))
}

/// The result for the rate limit that a thrown value reports, or null; `now` is in Unix seconds.
#[wasm_bindgen(js_name = rateLimit)]
pub fn rate_limit(shaper: usize, error: &JsValue, call: &str, now: f64) -> JsValue {
    let shaped =
        read_call(call).and_then(|call| Ok(find(shaper)?.rate_limit(Thrown(error.clone()), &call, Some(now as u64))));
    outcome(shaped.map(|shaped| shaped.map(ShapedObject::from)))
}
