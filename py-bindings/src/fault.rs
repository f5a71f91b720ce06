//! Reads a raised Python exception. Exceptions that reading it raises do not reach the core.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toolshape::Fault;

use crate::text;

/// An exception, or a response that a client returned without raising.
pub struct Raised<'py>(pub Bound<'py, PyAny>);

impl<'py> Raised<'py> {
    fn present(value: PyResult<Bound<'py, PyAny>>) -> Option<Self> {
        value.ok().filter(|value| !value.is_none()).map(Self)
    }
}

impl Fault for Raised<'_> {
    fn get(&self, name: &str) -> Option<Self> {
        let entry = self.0.cast::<PyDict>().ok().and_then(|dict| dict.get_item(name).ok().flatten());
        Self::present(entry.map_or_else(|| self.0.getattr(name), Ok))
    }

    fn call(&self, method: &str, argument: &str) -> Option<Self> {
        // In a plain dict, names are compared without case; a client's own header type does that itself.
        let plain = self.0.is_exact_instance_of::<PyDict>();
        (!plain).then(|| Self::present(self.0.call_method1(method, (argument,)))).flatten()
    }

    fn names(&self, max: usize) -> Vec<String> {
        let Ok(dict) = self.0.cast::<PyDict>() else { return Vec::new() };
        dict.keys().iter().filter_map(|key| Self(key).text()).take(max).collect()
    }

    fn items(&self, max: usize) -> Vec<Self> {
        if let Ok(list) = self.0.cast::<PyList>() {
            list.iter().take(max).map(Self).collect()
        } else if let Ok(tuple) = self.0.cast::<PyTuple>() {
            tuple.iter().take(max).map(Self).collect()
        } else {
            Vec::new()
        }
    }

    fn text(&self) -> Option<String> {
        // Raw headers are pairs of bytes.
        if let Ok(bytes) = self.0.cast::<PyBytes>() {
            return std::str::from_utf8(bytes.as_bytes()).ok().map(str::to_owned);
        }
        self.0.cast::<PyString>().ok().and_then(text_of)
    }

    fn number(&self) -> Option<f64> {
        let number = self.0.is_instance_of::<PyInt>() || self.0.is_instance_of::<PyFloat>();
        (number && !self.0.is_instance_of::<PyBool>()).then(|| self.0.extract().ok()).flatten()
    }

    fn is_true(&self) -> bool {
        self.0.cast::<PyBool>().is_ok_and(|flag| flag.is_true())
    }

    fn message(&self) -> Option<String> {
        let raised = self.0.is_instance_of::<pyo3::exceptions::PyBaseException>();
        let said = raised.then(|| self.0.str().ok()).flatten().and_then(|said| text_of(&said));
        said.or_else(|| self.text()).or_else(|| self.get("message")?.text())
    }
}

fn text_of(string: &Bound<'_, PyString>) -> Option<String> {
    text::plain(string).ok().map(Cow::into_owned)
}
