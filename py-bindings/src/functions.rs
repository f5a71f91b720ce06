//! Functions that need no shaper: presets, schemas, keys of a store, toolshape's own tools.

use pyo3::prelude::*;
use toolshape::{Naming, Policy, Source};

use crate::error::{guard, raise};
use crate::host::Host;
use crate::value::PyValue;
use crate::{arguments, aside, shaped, text};

/// The options of a preset, as keyword arguments.
#[pyfunction]
pub fn preset(py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    guard(py, || {
        let name = text::plain(arguments::text("preset", name)?)?;
        let options = Policy::preset(&name, Naming::Snake).map_err(|error| raise(py, &error))?;
        shaped::read_exactly(py, &options.to_string())
    })
}

/// The keys under which what a handle names may be stored.
#[pyfunction]
pub fn handle_keys(py: Python<'_>, handle: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    guard(py, || {
        let handle = text::plain(arguments::text("handle", handle)?)?;
        toolshape::handle_keys(&handle).map_err(|error| raise(py, &error))
    })
}

/// The tool `read_result` as a server lists it.
#[pyfunction]
pub fn read_result_tool(py: Python<'_>) -> PyResult<Py<PyAny>> {
    guard(py, || shaped::read_text(py, &toolshape::read_result_tool().to_string()))
}

/// The tool `summarize` as a server lists it, with or without a store.
#[pyfunction]
pub fn summarize_tool(py: Python<'_>, has_store: bool) -> PyResult<Py<PyAny>> {
    guard(py, || shaped::read_text(py, &toolshape::summarize_tool(has_store).to_string()))
}

/// The JSON Schema of a value.
#[pyfunction]
#[pyo3(signature = (value, *, default = None))]
pub fn infer_schema(
    py: Python<'_>,
    value: &Bound<'_, PyAny>,
    default: Option<Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    guard(py, || {
        let default = default.as_ref().map(arguments::function).transpose()?;
        let host = Host::converting(py, default.as_ref());
        let schema = PyValue::root(value, &host).and_then(|value| toolshape::infer_schema(&value.json()?));
        let schema = schema.map_err(|error| host.raise(&error))?;
        host.check_interrupt()?;
        shaped::read_text(py, &schema)
    })
}

/// The JSON Schema of a JSON text.
#[pyfunction]
pub fn infer_schema_json(py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    guard(py, || {
        let text = arguments::json("text", text)?;
        let schema = aside(py, text.len(), || toolshape::infer_schema(&text));
        shaped::read_text(py, &schema.map_err(|error| raise(py, &error))?)
    })
}

/// Panics, so that tests can check how a panic is reported.
#[pyfunction]
pub fn _panic(py: Python<'_>) -> PyResult<()> {
    guard(py, || panic!("on purpose"))
}
