//! JSON that is known when the core is compiled, kept as its text: `json!` becomes code that inserts one member after the
//! other, of several times the size.

use serde_json::Value;

/// The value of a JSON text in the source; null for one that is wrong, which the tests of those that use it would see.
pub(crate) fn value_of(json: &'static str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}
