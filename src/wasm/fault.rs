//! Reads a thrown JavaScript value. Exceptions from reading it do not reach the core.

use js_sys::{Function, Reflect};
use wasm_bindgen::prelude::*;

use crate::Fault;

#[wasm_bindgen]
extern "C" {
    /// Like `js_sys::Array::is_array`, but passes on the exception of a revoked proxy.
    #[wasm_bindgen(catch, js_namespace = Array, js_name = isArray)]
    fn is_array(value: &JsValue) -> Result<bool, JsValue>;
}

impl Fault for JsValue {
    fn get(&self, name: &str) -> Option<Self> {
        entry(self, &name.into())
    }

    fn call(&self, method: &str, argument: &str) -> Option<Self> {
        let method: Function = self.get(method)?.dyn_into().ok()?;
        present(method.call1(self, &argument.into()))
    }

    fn names(&self, max: usize) -> Vec<String> {
        let Ok(keys) = Reflect::own_keys(self) else { return Vec::new() };
        keys.iter().filter_map(|key| key.as_string()).take(max).collect()
    }

    fn items(&self, max: usize) -> Vec<Self> {
        if !is_array(self).unwrap_or(false) {
            return Vec::new();
        }
        let length = self.get("length").and_then(|length| length.as_f64()).unwrap_or(0.0);
        // Holes and members that throw are omitted.
        (0..max.min(length as usize)).filter_map(|index| entry(self, &(index as u32).into())).collect()
    }

    fn text(&self) -> Option<String> {
        self.as_string()
    }

    fn number(&self) -> Option<f64> {
        self.as_f64()
    }

    fn is_true(&self) -> bool {
        self.as_bool() == Some(true)
    }
}

fn entry(value: &JsValue, key: &JsValue) -> Option<JsValue> {
    present(Reflect::get(value, key))
}

fn present(value: Result<JsValue, JsValue>) -> Option<JsValue> {
    value.ok().filter(|value| !value.is_null() && !value.is_undefined())
}
