//! The methods that all faces share, and their answers as JavaScript values.

use js_sys::{Array, JSON, Object, Reflect, Uint8Array};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use toolshape::Error;
use toolshape_methods::{Answer, Part, Request};

use super::given::HOST;
use super::outcome::{Outcome, ResultOutcome, fault, outcome};

/// Calls a method of `toolshape-methods`. `members` is the JSON text of an object, which names `parts`, strings and
/// `Uint8Array`s, by number, from 1.
#[wasm_bindgen]
pub fn call(method: &str, members: &str, parts: Vec<JsValue>) -> JsValue {
    let parts: Vec<Given> = parts.iter().map(Given::from).collect();
    let parts: Vec<Part<'_>> = parts.iter().map(Given::part).collect();
    let answer =
        || -> Result<Answer, Error> { toolshape_methods::call(method, &Request::new(members, &parts, &HOST)?) };
    answer().map_or_else(fault, to_js)
}

/// A part, copied from the host.
enum Given {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&JsValue> for Given {
    fn from(value: &JsValue) -> Self {
        value.as_string().map_or_else(|| Self::Bytes(Uint8Array::new(value).to_vec()), Self::Text)
    }
}

impl Given {
    fn part(&self) -> Part<'_> {
        match self {
            Self::Text(text) => Part::Text(text),
            Self::Bytes(bytes) => Part::Bytes(bytes),
        }
    }
}

/// An answer as a JavaScript value.
pub(super) fn to_js(answer: Answer) -> JsValue {
    match answer {
        Answer::Json(json) => json_to_js(&json),
        Answer::Text(text) | Answer::Content(text) => text.into(),
        Answer::List(items) => items.into_iter().map(to_js).collect::<Array>().into(),
        Answer::Object(members) => {
            let object = Object::new();
            for (name, member) in members {
                Reflect::set(&object, &name.into(), &to_js(member)).unwrap_throw();
            }
            object.into()
        }
        Answer::Shaped(shaped) => outcome(Ok(Outcome::from(*shaped))),
        Answer::Result(shaped) => outcome(Ok(ResultOutcome::from(*shaped))),
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
