//! The methods that all faces share, and their answers as JavaScript values.

use js_sys::{Array, JSON, Object, Reflect, Uint8Array};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use toolshape::Error;
use toolshape_methods::{MethodAnswer, Request, RequestPart};

use super::given::HOST;
use super::outcome::{ResultOutcome, ShapedObject, fault, outcome};

/// Calls a method of `toolshape-methods`. `members` is the JSON text of an object, which names `parts`, strings and
/// `Uint8Array`s, by number, from 1.
#[wasm_bindgen]
pub fn call(method: &str, members: &str, parts: Vec<JsValue>) -> JsValue {
    let parts: Vec<CopiedPart> = parts.iter().map(CopiedPart::from).collect();
    let parts: Vec<RequestPart<'_>> = parts.iter().map(CopiedPart::part).collect();
    let answer =
        || -> Result<MethodAnswer, Error> { toolshape_methods::call(method, &Request::new(members, &parts, &HOST)?) };
    answer().map_or_else(fault, to_js)
}

/// A part, copied from the host.
enum CopiedPart {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&JsValue> for CopiedPart {
    fn from(value: &JsValue) -> Self {
        value.as_string().map_or_else(|| Self::Bytes(Uint8Array::new(value).to_vec()), Self::Text)
    }
}

impl CopiedPart {
    fn part(&self) -> RequestPart<'_> {
        match self {
            Self::Text(text) => RequestPart::Text(text),
            Self::Bytes(bytes) => RequestPart::Bytes(bytes),
        }
    }
}

/// An answer as a JavaScript value.
pub(super) fn to_js(answer: MethodAnswer) -> JsValue {
    match answer {
        MethodAnswer::Json(json) => json_to_js(&json),
        MethodAnswer::Text(text) | MethodAnswer::Content(text) => text.into(),
        MethodAnswer::List(items) => items.into_iter().map(to_js).collect::<Array>().into(),
        MethodAnswer::Object(members) => {
            let object = Object::new();
            for (name, member) in members {
                Reflect::set(&object, &name.into(), &to_js(member)).unwrap_throw();
            }
            object.into()
        }
        MethodAnswer::Shaped(shaped) => outcome(Ok(ShapedObject::from(*shaped))),
        MethodAnswer::Result(shaped) => outcome(Ok(ResultOutcome::from(*shaped))),
    }
}

/// The value that `JSON.parse` returns.
fn json_to_js(json: &Value) -> JsValue {
    match json {
        Value::Null => JsValue::NULL,
        Value::Bool(flag) => (*flag).into(),
        Value::String(text) => text.into(),
        _ => JSON::parse(&json.to_string()).unwrap_throw(),
    }
}
