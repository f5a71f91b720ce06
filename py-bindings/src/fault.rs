//! Reads a raised Python exception. Exceptions that reading it raises do not reach the core; those of a signal's handler are
//! raised in the end.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toolshape::host::Fault;

use crate::host::PyHost;
use crate::text;

/// An exception, or a response that a client returned without raising.
pub struct Raised<'a, 'py>(pub Bound<'py, PyAny>, pub &'a PyHost<'py>);

impl<'py> Raised<'_, 'py> {
    fn present(&self, value: PyResult<Bound<'py, PyAny>>) -> Option<Self> {
        self.read(value).filter(|value| !value.is_none()).map(|value| Self(value, self.1))
    }

    fn read<T>(&self, value: PyResult<T>) -> Option<T> {
        value.map_err(|error| self.1.raised_by_value(error)).ok()
    }
}

impl Fault for Raised<'_, '_> {
    fn get(&self, name: &str) -> Option<Self> {
        if self.1.is_interrupted() {
            return None;
        }
        let entry = self.0.cast::<PyDict>().ok().and_then(|dict| dict.get_item(name).ok().flatten());
        self.present(entry.map_or_else(|| self.0.getattr(name), Ok))
    }

    fn call(&self, method: &str, argument: &str) -> Option<Self> {
        // In a plain dict, names are compared without case; a client's own header type does that itself.
        let plain = self.0.is_exact_instance_of::<PyDict>();
        (!plain).then(|| self.present(self.0.call_method1(method, (argument,)))).flatten()
    }

    fn names(&self, max: usize) -> Vec<String> {
        let Ok(dict) = self.0.cast::<PyDict>() else { return Vec::new() };
        dict.keys().iter().filter_map(|key| Self(key, self.1).text()).take(max).collect()
    }

    fn items(&self, max: usize) -> Vec<Self> {
        if let Ok(list) = self.0.cast::<PyList>() {
            list.iter().take(max).map(|item| Self(item, self.1)).collect()
        } else if let Ok(tuple) = self.0.cast::<PyTuple>() {
            tuple.iter().take(max).map(|item| Self(item, self.1)).collect()
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
        let said = raised.then(|| self.read(self.0.str())).flatten().and_then(|said| text_of(&said));
        said.or_else(|| self.text()).or_else(|| self.get("message")?.text())
    }
}

fn text_of(string: &Bound<'_, PyString>) -> Option<String> {
    text::plain(string).ok().map(Cow::into_owned)
}
