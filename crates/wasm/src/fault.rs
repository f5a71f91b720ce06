//! Reads a thrown JavaScript value. Exceptions from reading it do not reach the core.

use js_sys::{Function, Reflect};
use wasm_bindgen::prelude::*;

use toolshape::host::Fault;

#[wasm_bindgen]
extern "C" {
    /// Like `js_sys::Array::is_array`, but passes on the exception of a revoked proxy.
    #[wasm_bindgen(catch, js_namespace = Array, js_name = isArray)]
    fn is_array(value: &JsValue) -> Result<bool, JsValue>;
}

/// What was thrown, or a part of it.
pub struct Thrown(pub JsValue);

impl Fault for Thrown {
    fn get(&self, name: &str) -> Option<Self> {
        entry(&self.0, &name.into()).map(Self)
    }

    fn call(&self, method: &str, argument: &str) -> Option<Self> {
        let method: Function = entry(&self.0, &method.into())?.dyn_into().ok()?;
        present(method.call1(&self.0, &argument.into())).map(Self)
    }

    fn names(&self, max: usize) -> Vec<String> {
        let Ok(keys) = Reflect::own_keys(&self.0) else { return Vec::new() };
        keys.iter().filter_map(|key| key.as_string()).take(max).collect()
    }

    fn items(&self, max: usize) -> Vec<Self> {
        if !is_array(&self.0).unwrap_or(false) {
            return Vec::new();
        }
        let length = entry(&self.0, &"length".into()).and_then(|length| length.as_f64()).unwrap_or(0.0);
        // Holes and members that throw are omitted.
        let items = (0..max.min(length as usize)).filter_map(|index| entry(&self.0, &(index as u32).into()));
        items.map(Self).collect()
    }

    fn text(&self) -> Option<String> {
        self.0.as_string()
    }

    fn number(&self) -> Option<f64> {
        self.0.as_f64()
    }

    fn is_true(&self) -> bool {
        self.0.as_bool() == Some(true)
    }
}

fn entry(value: &JsValue, key: &JsValue) -> Option<JsValue> {
    present(Reflect::get(value, key))
}

fn present(value: Result<JsValue, JsValue>) -> Option<JsValue> {
    value.ok().filter(|value| !value.is_null() && !value.is_undefined())
}
