//! The WebAssembly face: it converts, calls, converts, and decides nothing.
//!
//! Every function returns what it was asked for, or a fault as a value: `{code, message, path}`. An
//! exception that leaves one of them is a trap, after which the instance is not to be used again. No
//! borrow is held while code of the host runs, so a getter may call back in.

mod value;

use std::cell::RefCell;
use std::rc::Rc;

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use crate::{Call, Encoding, Error, ErrorCode, Naming, Policy, Shaped, Shaper};
use value::Value;

thread_local! {
    /// The shapers that were made, by their handles.
    static SHAPERS: RefCell<Vec<Rc<Shaper>>> = const { RefCell::new(Vec::new()) };
}

/// Makes a panic an exception that says what happened, not a bare `unreachable`.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| wasm_bindgen::throw_str(&panic.to_string())));
}

/// Checks a policy, a JSON text, and gives the handle of a shaper that follows it.
#[wasm_bindgen]
pub fn shaper(policy: &str) -> JsValue {
    outcome(options(policy, ErrorCode::InvalidPolicy).and_then(|policy| {
        let shaper = Rc::new(Shaper::new(Policy::new(&policy, Naming::Camel)?));
        Ok(SHAPERS.with_borrow_mut(|shapers| {
            shapers.push(shaper);
            shapers.len() - 1
        }))
    }))
}

/// Forgets all shapers; their handles are not to be used again.
#[wasm_bindgen(js_name = forgetShapers)]
pub fn forget_shapers() {
    SHAPERS.take();
}

/// Shapes a value for a call, which is a JSON text.
#[wasm_bindgen]
pub fn shape(shaper: usize, value: &JsValue, call: &str) -> JsValue {
    outcome(read_call(call).and_then(|call| find(shaper)?.shape(&Value::new(value)?, &call)).map(Result::from))
}

/// Shapes a JSON text for a call, which is a JSON text.
#[wasm_bindgen(js_name = shapeJson)]
pub fn shape_json(shaper: usize, text: &str, call: &str) -> JsValue {
    outcome(read_call(call).and_then(|call| find(shaper)?.shape_json(text, &call)).map(Result::from))
}
