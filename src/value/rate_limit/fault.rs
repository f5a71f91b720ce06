//! How the core reads a thrown value that it does not own.

use serde_json::Value;

/// An error as its host has it: an object of a class, a plain object, a string.
///
/// No method can fail: a property that throws when read, has another type or is null is absent. Types are checked, and
/// values are never compared or converted, because that may run foreign code.
pub trait Fault: Sized {
    /// The property, attribute or mapping entry of that name.
    fn get(&self, name: &str) -> Option<Self>;

    /// The result of the value's own method for one string, as in `headers.get("retry-after")`.
    fn call(&self, method: &str, argument: &str) -> Option<Self>;

    /// The names of at most `max` own entries of a plain object or mapping.
    fn names(&self, max: usize) -> Vec<String>;

    /// At most `max` items of a list; none for everything else.
    fn items(&self, max: usize) -> Vec<Self>;

    /// The text, if the value is a string.
    fn text(&self) -> Option<String>;

    /// The number, if the value is one; a boolean is not.
    fn number(&self) -> Option<f64>;

    /// Whether the value is the boolean true.
    fn is_true(&self) -> bool;

    /// The error's own message.
    fn message(&self) -> Option<String> {
        self.text().or_else(|| self.get("message")?.text())
    }
}

/// An error that is JSON, such as the body of a response.
impl Fault for &Value {
    fn get(&self, name: &str) -> Option<Self> {
        Value::get(self, name).filter(|value| !value.is_null())
    }

    fn call(&self, _method: &str, _argument: &str) -> Option<Self> {
        None
    }

    fn names(&self, max: usize) -> Vec<String> {
        self.as_object().map_or_else(Vec::new, |map| map.keys().take(max).cloned().collect())
    }

    fn items(&self, max: usize) -> Vec<Self> {
        self.as_array().map_or_else(Vec::new, |items| items.iter().take(max).collect())
    }

    fn text(&self) -> Option<String> {
        self.as_str().map(str::to_owned)
    }

    fn number(&self) -> Option<f64> {
        self.as_f64()
    }

    fn is_true(&self) -> bool {
        **self == Value::Bool(true)
    }
}
