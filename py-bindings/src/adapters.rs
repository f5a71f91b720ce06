//! What archives and adapters use for values of Python.

use std::time::Instant;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use toolshape::host::{Content, Replacement, ToolOutput};

use crate::error::{guard, raise};
use crate::host::PyHost;
use crate::node::type_name;
use crate::shaped::Shaped;
use crate::shaped_result::{self, ShapedResult};
use crate::shaper::Shaper;
use crate::sole_text::sole_text;
use crate::value::PyValue;
use crate::{arguments, text};

/// Texts, and whether they are JSON; and whether reading them has consumed a part of the value.
type Listed = (Vec<(String, bool)>, bool);

/// The whole of a value, or of a JSON text, as `redact` sees it.
#[pyfunction]
#[pyo3(signature = (shaper, value, is_text, **call))]
pub fn contents(
    py: Python<'_>,
    shaper: &Bound<'_, Shaper>,
    value: &Bound<'_, PyAny>,
    is_text: bool,
    call: Option<&Bound<'_, PyDict>>,
) -> PyResult<Listed> {
    guard(py, || {
        let (call, host, shaper) = (arguments::call(py, call)?, shaper.get().host(py), &shaper.get().inner);
        let contents = if is_text {
            let json = arguments::json("text", value)?;
            ToolOutput::json(&json, &call).and_then(|output| shaper.contents(&output))
        } else {
            PyValue::root(value, &host).and_then(|value| shaper.contents(&ToolOutput::value(&value, &call)))
        };
        Ok(listed(contents.map_err(|error| host.raise(&error))?, &host))
    })
}

/// The contents of what a tool returned, as `redact` sees them.
#[pyfunction]
#[pyo3(signature = (shaper, returned, **call))]
pub fn result_contents(
    py: Python<'_>,
    shaper: &Bound<'_, Shaper>,
    returned: &Bound<'_, PyAny>,
    call: Option<&Bound<'_, PyDict>>,
) -> PyResult<Listed> {
    guard(py, || {
        let (call, host) = (arguments::call(py, call)?, shaper.get().host(py));
        let contents = PyValue::root(returned, &host)
            .and_then(|value| shaper.get().inner.result_contents(&value, &call))
            .map_err(|error| host.raise(&error))?;
        Ok(listed(contents, &host))
    })
}

fn listed(contents: Vec<Content>, host: &PyHost<'_>) -> Listed {
    (contents.into_iter().map(|Content { text, is_json }| (text, is_json)).collect(), host.has_consumed())
}

/// The text that the host's function `what` returned.
#[pyfunction]
pub fn own_text<'py>(what: &str, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let no_text = |_| raise(given.py(), &toolshape::host::no_text(what, &type_name(given)));
    given.cast::<PyString>().cloned().map_err(no_text)
}

/// A CallToolResult of what a tool returned, shaped again from its contents.
#[pyfunction]
#[pyo3(signature = (shaper, returned, contents, is_json, is_redacted, **call))]
pub fn shape_kept_result(
    py: Python<'_>,
    shaper: &Bound<'_, Shaper>,
    returned: &Bound<'_, PyAny>,
    contents: Vec<Bound<'_, PyString>>,
    is_json: bool,
    is_redacted: bool,
    call: Option<&Bound<'_, PyDict>>,
) -> PyResult<ShapedResult> {
    guard(py, || {
        let start = Instant::now();
        let (call, host) = (arguments::call(py, call)?, shaper.get().host(py));
        let contents = contents.iter().map(|text| Ok(text::plain(text)?.into_owned())).collect::<PyResult<Vec<_>>>()?;
        let kept = Replacement { contents: &contents, is_json, is_redacted };
        let value = PyValue::root(returned, &host).map_err(|error| host.raise(&error))?;
        let shaped = shaper.get().inner.shape_kept_result(&value, &kept, &call).map_err(|error| host.raise(&error))?;
        host.check_interrupt()?;
        ShapedResult::new(py, shaped, Some((returned, &value)), start.elapsed())
    })
}

/// The result of a tool that is one text, if it passes for every call of the tool by the client that asks for no part; `None` for every
/// other result.
#[pyfunction]
pub fn pass_result(
    py: Python<'_>,
    shaper: &Bound<'_, Shaper>,
    returned: &Bound<'_, PyAny>,
    tool: Option<&Bound<'_, PyString>>,
    client: Option<&Bound<'_, PyString>>,
) -> PyResult<Option<ShapedResult>> {
    guard(py, || {
        let start = Instant::now();
        let Some(text) = sole_text(returned) else { return Ok(None) };
        // Lone surrogates are read as they are in any other result and call.
        let texts = (
            text.to_str(),
            tool.map(|tool| tool.to_str()).transpose(),
            client.map(|client| client.to_str()).transpose(),
        );
        let (Ok(text), Ok(tool), Ok(client)) = texts else { return Ok(None) };
        let receipt = shaper.get().inner.passing(tool, client).and_then(|passing| passing.receipt(text));
        receipt.map(|receipt| ShapedResult::passed(returned.cast()?, &receipt, start.elapsed())).transpose()
    })
}

/// An answer of toolshape as a CallToolResult.
#[pyfunction]
pub fn answer(py: Python<'_>, shaped: &Bound<'_, Shaped>, client: Option<&str>) -> PyResult<Py<PyDict>> {
    guard(py, || shaped_result::answer(py, shaped.get(), client))
}
