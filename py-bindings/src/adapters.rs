//! The core's functions for archives and adapters.

use std::time::Instant;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use toolshape::ErrorCode;
use toolshape::host::{ArchiveOptions, Content, Keeping, Lookup, Naming, Replacement, SummarizerOptions, ToolOutput};

use crate::error::{guard, raise};
use crate::from_json::from_json;
use crate::node::type_name;
use crate::shaped::Shaped;
use crate::shaped_result::{self, ShapedResult};
use crate::shaper::Shaper;
use crate::sole_text::sole_text;
use crate::value::PyValue;
use crate::{arguments, aside, text};

/// The next actions of an archive on its results, by the outcomes of its earlier actions.
#[pyfunction]
pub fn keeping(py: Python<'_>, count: usize, redacts: Option<&str>, heard: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    guard(py, || {
        let heard = arguments::read(heard, ErrorCode::InvalidCall)?;
        let action = Keeping::after(count, redacts, &heard).map_err(|error| raise(py, &error))?;
        from_json(py, &action.to_json())
    })
}

/// The text that `redact` returned for a content, if it can replace it.
#[pyfunction]
pub fn check_redacted<'py>(is_json: bool, redacted: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let py = redacted.py();
    guard(py, || {
        let given = own_text("redact", redacted)?;
        toolshape::host::check_redacted(is_json, &text::plain(&given)?).map_err(|error| raise(py, &error))?;
        Ok(given)
    })
}

/// The whole of a value, or of a JSON text, as `redact` sees it: texts, and whether they are JSON.
#[pyfunction]
#[pyo3(signature = (shaper, value, is_text, **call))]
pub fn contents(
    py: Python<'_>,
    shaper: &Bound<'_, Shaper>,
    value: &Bound<'_, PyAny>,
    is_text: bool,
    call: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<(String, bool)>> {
    guard(py, || {
        let (call, host, shaper) = (arguments::call(py, call)?, shaper.get().host(py), &shaper.get().inner);
        let contents = if is_text {
            let json = arguments::json("text", value)?;
            ToolOutput::json(&json, &call).and_then(|output| shaper.contents(&output))
        } else {
            PyValue::root(value, &host).and_then(|value| shaper.contents(&ToolOutput::value(&value, &call)))
        };
        Ok(listed(contents.map_err(|error| host.raise(&error))?))
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
) -> PyResult<Vec<(String, bool)>> {
    guard(py, || {
        let (call, host) = (arguments::call(py, call)?, shaper.get().host(py));
        let contents = PyValue::root(returned, &host)
            .and_then(|value| shaper.get().inner.result_contents(&value, &call))
            .map_err(|error| host.raise(&error))?;
        Ok(listed(contents))
    })
}

fn listed(contents: Vec<Content>) -> Vec<(String, bool)> {
    contents.into_iter().map(|Content { text, is_json }| (text, is_json)).collect()
}

/// The text that the host's function `what` returned.
#[pyfunction]
pub fn own_text<'py>(what: &str, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let no_text = |_| raise(given.py(), &toolshape::host::no_text(what, &type_name(given)));
    given.cast::<PyString>().cloned().map_err(no_text)
}

/// The options of an archive, checked and with their defaults.
#[pyfunction]
#[pyo3(signature = (**options))]
pub fn archive_options(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
    guard(py, || {
        let options = ArchiveOptions::new(&arguments::options(py, options)?, Naming::Snake);
        from_json(py, &options.map_err(|error| raise(py, &error))?.to_json())
    })
}

/// The limits of the memory store that an adapter makes by default.
#[pyfunction]
pub fn default_store_limits(py: Python<'_>) -> PyResult<Py<PyAny>> {
    guard(py, || from_json(py, &toolshape::host::default_store_limits(Naming::Snake)))
}

/// Refuses the options that no adapter has.
#[pyfunction]
#[pyo3(signature = (**options))]
pub fn check_adapter_options(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    guard(py, || {
        let checked = toolshape::host::check_adapter_options(&arguments::options(py, options)?, Naming::Snake);
        checked.map_err(|error| raise(py, &error))
    })
}

/// The options of a summarizer, checked and with their defaults.
#[pyfunction]
#[pyo3(signature = (**options))]
pub fn summarizer_options(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
    guard(py, || {
        let options = SummarizerOptions::new(&arguments::options(py, options)?, Naming::Snake);
        from_json(py, &options.map_err(|error| raise(py, &error))?.to_json())
    })
}

/// The key of the ticket, else the keys of the content, to read for what a call names; and the defaults of the call.
#[pyfunction]
#[pyo3(signature = (shaper, purpose, authorizes, **call))]
pub fn lookup(
    py: Python<'_>,
    shaper: &Bound<'_, Shaper>,
    purpose: &str,
    authorizes: bool,
    call: Option<&Bound<'_, PyDict>>,
) -> PyResult<(Option<String>, Vec<String>, Py<PyAny>)> {
    guard(py, || {
        let purpose = arguments::purpose(py, purpose)?;
        let found = shaper.get().inner.lookup(purpose, authorizes, &arguments::call(py, call)?);
        let Lookup { ticket, keys, .. } = found.map_err(|error| raise(py, &error))?;
        Ok((ticket, keys, from_json(py, &purpose.call())?))
    })
}

/// Refuses a policy with which calls cannot have a scope.
#[pyfunction]
pub fn check_scope(py: Python<'_>, shaper: &Bound<'_, Shaper>) -> PyResult<()> {
    guard(py, || shaper.get().inner.check_scope().map_err(|error| raise(py, &error)))
}

/// The content of a resource, from the store's content of a key, if there is any.
#[pyfunction]
#[pyo3(signature = (shaper, key, content, **call))]
pub fn resource(
    py: Python<'_>,
    shaper: &Bound<'_, Shaper>,
    key: Option<&str>,
    content: Option<&Bound<'_, PyString>>,
    call: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyDict>> {
    guard(py, || {
        let call = arguments::call(py, call)?;
        let content = content.map(text::plain).transpose()?;
        let (shaper, bytes) = (&shaper.get().inner, content.as_ref().map_or(0, |content| content.len()));
        let resource = aside(py, bytes, || shaper.resource(key.zip(content.as_deref()), &call));
        let resource = resource.map_err(|error| raise(py, &error))?;
        let dict = PyDict::new(py);
        dict.set_item("mimeType", resource.mime_type)?;
        dict.set_item("text", resource.text)?;
        Ok(dict.unbind())
    })
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
pub fn answer(py: Python<'_>, shaped: &Bound<'_, Shaped>) -> PyResult<Py<PyDict>> {
    guard(py, || shaped_result::answer(py, shaped.get()))
}

#[doc = include_str!(concat!(env!("OUT_DIR"), "/receipt_line"))]
#[pyfunction]
#[pyo3(text_signature = None)]
pub fn receipt_line(py: Python<'_>, receipt: &Bound<'_, PyAny>) -> PyResult<String> {
    guard(py, || Ok(toolshape::host::receipt_line(&arguments::read(receipt, ErrorCode::InvalidCall)?)))
}

/// Refuses a server's own tool with the name of one that an adapter added.
#[pyfunction]
pub fn check_tool_name(py: Python<'_>, name: &str, added: Vec<String>) -> PyResult<()> {
    let added: Vec<&str> = added.iter().map(String::as_str).collect();
    toolshape::host::check_tool_name(name, &added).map_err(|error| raise(py, &error))
}

/// The names that an argument for shaping may have, whatever the tool.
#[pyfunction]
pub fn control_arguments() -> Vec<&'static str> {
    toolshape::host::control_arguments().collect()
}

/// The plan for a tool that no list contains.
#[pyfunction]
pub fn plan_unlisted(py: Python<'_>, shaper: &Bound<'_, Shaper>, name: &str) -> PyResult<Py<PyAny>> {
    let plan = shaper.get().inner.plan_unlisted(name, Naming::Snake);
    guard(py, || from_json(py, &plan.to_json()))
}

#[doc = include_str!(concat!(env!("OUT_DIR"), "/result_template"))]
#[pyfunction]
#[pyo3(text_signature = None)]
pub fn result_template(py: Python<'_>) -> PyResult<Py<PyAny>> {
    guard(py, || from_json(py, &toolshape::host::result_template()))
}
