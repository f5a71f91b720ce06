//! Functions that need no shaper.

use std::time::Duration;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use crate::call::{self, RequestMembers};
use crate::error::{guard, raise};
use crate::{arguments, aside};

#[doc = include_str!(concat!(env!("OUT_DIR"), "/read_result_tool"))]
#[pyfunction]
#[pyo3(text_signature = None)]
pub fn read_result_tool(py: Python<'_>) -> PyResult<Py<PyAny>> {
    ask(py, "readResultTool", &[])
}

#[doc = include_str!(concat!(env!("OUT_DIR"), "/summarize_tool"))]
#[pyfunction]
#[pyo3(text_signature = None)]
pub fn summarize_tool(py: Python<'_>, has_store: bool) -> PyResult<Py<PyAny>> {
    ask(py, "summarizeTool", &[("hasStore", Some(&has_store.into_bound_py_any(py)?))])
}

fn ask(py: Python<'_>, method: &str, members: RequestMembers<'_, '_>) -> PyResult<Py<PyAny>> {
    guard(py, || call::to_python(py, call::ask(py, method, None, members, &[])?, Duration::ZERO))
}

#[doc = include_str!(concat!(env!("OUT_DIR"), "/expand"))]
#[pyfunction]
#[pyo3(text_signature = None)]
pub fn expand(py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<String> {
    guard(py, || {
        let text = arguments::json("text", text)?;
        aside(py, text.len(), || toolshape::host::expand(&text)).map_err(|error| raise(py, &error))
    })
}

#[doc = include_str!(concat!(env!("OUT_DIR"), "/_panic"))]
#[pyfunction]
#[pyo3(text_signature = None)]
pub fn _panic(py: Python<'_>) -> PyResult<()> {
    guard(py, || panic!("on purpose"))
}
