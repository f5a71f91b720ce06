//! The class `Shaper`: converts what its methods are given, calls the core, and converts what it returns.

use std::time::Instant;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyBaseException;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::call::{self, RequestMembers};
use crate::error::{guard, raise};
use crate::fault::Raised;
use crate::host::PyHost;
use crate::shaped::Shaped;
use crate::shaped_result::ShapedResult;
use crate::value::PyValue;
use crate::{arguments, aside, error, shaped, shaper_copy, text, together};
use toolshape::host::ToolOutput;

#[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper"))]
#[pyclass(frozen, module = "toolshape")]
pub struct Shaper {
    pub inner: toolshape::Shaper,
    /// The options as they were given, for copies.
    options: serde_json::Value,
    default: Option<Py<PyAny>>,
}

impl Shaper {
    /// The reading of a value that is to be shaped.
    pub fn host<'py>(&self, py: Python<'py>) -> PyHost<'py> {
        PyHost::converting(py, self.default.as_ref())
    }

    /// Calls a method that all faces share.
    fn ask(
        &self,
        py: Python<'_>,
        method: &str,
        members: RequestMembers<'_, '_>,
        texts: RequestMembers<'_, '_>,
    ) -> PyResult<Py<PyAny>> {
        guard(py, || {
            let start = Instant::now();
            let answer = call::ask(py, method, Some(&self.inner), members, texts)?;
            call::to_python(py, answer, start.elapsed())
        })
    }
}

/// The shaper of a server of that name.
#[pyfunction]
pub fn for_server(py: Python<'_>, shaper: &Bound<'_, Shaper>, server: &str) -> Shaper {
    let Shaper { inner, options, default } = shaper.get();
    let default = default.as_ref().map(|default| default.clone_ref(py));
    Shaper { inner: inner.for_server(server), options: options.clone(), default }
}

#[pymethods]
impl Shaper {
    #[new]
    #[pyo3(signature = (*, default = None, **options), text_signature = None)]
    fn new(py: Python<'_>, default: Option<Bound<'_, PyAny>>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        guard(py, || {
            let default = default.as_ref().map(arguments::function).transpose()?;
            let (policy, options) = arguments::policy(py, options)?;
            Ok(Self { inner: toolshape::Shaper::new(policy), options, default })
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        guard(py, || shaper_copy::repr(py, &self.options, self.default.as_ref()))
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        guard(py, || Ok((PyTuple::empty(py), shaper_copy::options(py, &self.options, self.default.as_ref())?)))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.default)
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.shape"))]
    #[pyo3(signature = (value, **call), text_signature = None)]
    fn shape(&self, py: Python<'_>, value: &Bound<'_, PyAny>, call: Option<&Bound<'_, PyDict>>) -> PyResult<Shaped> {
        guard(py, || {
            let start = Instant::now();
            let call = arguments::call(py, call)?;
            let host = self.host(py);
            let read = PyValue::root(value, &host).map_err(|error| host.raise(&error))?;
            if let Some(passed) = self.inner.pass(&ToolOutput::value(&read, &call)) {
                host.check_interrupt()?;
                let own = (!host.has_consumed()).then(|| value.clone().unbind());
                return Ok(Shaped::passed(py, passed, own, start.elapsed()));
            }
            let mut shaped = self.inner.shape_source(&read, &call).map_err(|error| host.raise(&error))?;
            host.check_interrupt()?;
            // An iterator that was read is empty now, so the caller's own value cannot be returned.
            shaped.unchanged &= !host.has_consumed();
            let own = shaped.unchanged.then(|| value.clone().unbind());
            Shaped::holding(py, shaped, || Ok(read.kept()), own, start.elapsed())
        })
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.shape_json"))]
    #[pyo3(signature = (text, **call), text_signature = None)]
    fn shape_json(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        call: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Shaped> {
        guard(py, || {
            let start = Instant::now();
            let call = arguments::call(py, call)?;
            let json = arguments::json("text", text)?;
            let shaped = aside(py, json.len(), || self.inner.shape_json(&json, &call));
            let shaped = shaped.map_err(|error| raise(py, &error))?;
            let own = || Ok(PyString::new(py, &json));
            let held = || text.cast::<PyString>().map_or_else(|_| own(), |text| text::held(text, own));
            Shaped::holding(py, shaped, held, None, start.elapsed())
        })
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.shape_together"))]
    #[pyo3(signature = (results, combined_tokens = None, *, _read_out = None), text_signature = None)]
    fn shape_together(
        &self,
        py: Python<'_>,
        results: &Bound<'_, PyAny>,
        combined_tokens: Option<&Bound<'_, PyAny>>,
        _read_out: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Shaped>> {
        guard(py, || together::shape(self, results, combined_tokens, _read_out))
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.keyset_page"))]
    #[pyo3(signature = (rows, *, keys, limit = None, **call), text_signature = None)]
    fn keyset_page(
        &self,
        py: Python<'_>,
        rows: &Bound<'_, PyAny>,
        keys: &Bound<'_, PyAny>,
        limit: Option<&Bound<'_, PyAny>>,
        call: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Shaped> {
        guard(py, || {
            let start = Instant::now();
            let (keyset, call) = (arguments::keyset(keys, limit)?, arguments::call(py, call)?);
            let host = self.host(py);
            let shaped = PyValue::root(rows, &host).and_then(|rows| self.inner.keyset_page(&rows, &keyset, &call));
            let mut shaped = shaped.map_err(|error| host.raise(&error))?;
            host.check_interrupt()?;
            shaped.unchanged &= !host.has_consumed();
            let own = shaped.unchanged.then(|| rows.clone().unbind());
            Shaped::new(py, shaped, own, start.elapsed())
        })
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.decode_keyset"))]
    #[pyo3(signature = (cursor, /, **call), text_signature = None)]
    fn decode_keyset(
        &self,
        py: Python<'_>,
        cursor: Option<&Bound<'_, PyAny>>,
        call: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<Py<PyAny>>> {
        let members = [("cursor", cursor), ("call", call.map(|call| call.as_any()))];
        let keys: Option<Vec<String>> = self.ask(py, "decodeKeyset", &members, &[])?.extract(py)?;
        keys.map(|keys| shaped::read_exactly(py, &format!("[{}]", keys.join(",")))).transpose()
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.page_size"))]
    #[pyo3(signature = (**call), text_signature = None)]
    fn page_size(&self, py: Python<'_>, call: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        self.ask(py, "pageSize", &[("call", call.map(|call| call.as_any()))], &[])
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.output_schema"))]
    #[pyo3(signature = (tool = None), text_signature = None)]
    fn output_schema(&self, py: Python<'_>, tool: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        self.ask(py, "outputSchema", &[("tool", tool)], &[])
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.links"))]
    #[pyo3(signature = (rows, mapping, **call), text_signature = None)]
    fn links(
        &self,
        py: Python<'_>,
        rows: &Bound<'_, PyAny>,
        mapping: &Bound<'_, PyAny>,
        call: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Shaped> {
        guard(py, || {
            let start = Instant::now();
            let (links, call) = (arguments::links(mapping)?, arguments::call(py, call)?);
            let host = self.host(py);
            let shaped = PyValue::root(rows, &host).and_then(|rows| self.inner.links(&rows, &links, &call));
            let shaped = shaped.map_err(|error| host.raise(&error))?;
            host.check_interrupt()?;
            Shaped::new(py, shaped, None, start.elapsed())
        })
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.check_call"))]
    #[pyo3(signature = (**call), text_signature = None)]
    fn check_call(&self, py: Python<'_>, call: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        self.ask(py, "checkCall", &[("call", call.map(|call| call.as_any()))], &[])
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.summarize_text"))]
    #[pyo3(signature = (text, *, kind = None, uri = None, pointer = None, **call), text_signature = None)]
    fn summarize_text(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        kind: Option<&Bound<'_, PyAny>>,
        uri: Option<&Bound<'_, PyAny>>,
        pointer: Option<&Bound<'_, PyAny>>,
        call: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let of_text = [("kind", kind), ("uri", uri), ("pointer", pointer)];
        let options = PyDict::new(py);
        for (name, value) in of_text {
            options.set_item(name, value)?;
        }
        let members = [("summary", Some(options.as_any())), ("call", call.map(|call| call.as_any()))];
        self.ask(py, "summarizeText", &members, &[("text", Some(text))])
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.to_summarize"))]
    #[pyo3(signature = (key, content, **call), text_signature = None)]
    fn to_summarize(
        &self,
        py: Python<'_>,
        key: Option<&Bound<'_, PyAny>>,
        content: Option<&Bound<'_, PyAny>>,
        call: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let members = [("key", key), ("call", call.map(|call| call.as_any()))];
        self.ask(py, "toSummarize", &members, &[("content", content)])
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.refusal"))]
    #[pyo3(signature = (error, **call), text_signature = None)]
    fn refusal(
        &self,
        py: Python<'_>,
        error: &Bound<'_, PyAny>,
        call: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<Shaped>> {
        guard(py, || {
            let start = Instant::now();
            let call = arguments::call(py, call)?;
            let Some(error) = error::read(error)? else { return Ok(None) };
            let shaped = self.inner.refusal(&error, &call);
            shaped.map(|shaped| Shaped::new(py, shaped, None, start.elapsed())).transpose()
        })
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.shape_result"))]
    #[pyo3(signature = (returned, **call), text_signature = None)]
    fn shape_result(
        &self,
        py: Python<'_>,
        returned: &Bound<'_, PyAny>,
        call: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<ShapedResult> {
        guard(py, || {
            let start = Instant::now();
            let call = arguments::call(py, call)?;
            let host = self.host(py);
            let value = PyValue::root(returned, &host).map_err(|error| host.raise(&error))?;
            let shaped = self.inner.shape_result(&value, &call).map_err(|error| host.raise(&error))?;
            host.check_interrupt()?;
            ShapedResult::new(py, shaped, Some((returned, &value)), start.elapsed())
        })
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.thrown_result"))]
    #[pyo3(signature = (error, *, said = None, **call), text_signature = None)]
    fn thrown_result(
        &self,
        py: Python<'_>,
        error: &Bound<'_, PyAny>,
        said: Option<&Bound<'_, PyAny>>,
        call: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<ShapedResult>> {
        guard(py, || {
            let start = Instant::now();
            if error.is_instance_of::<PyBaseException>()
                && py.import("toolshape._control_flow")?.call_method1("is_control_flow", (error,))?.is_truthy()?
            {
                return Ok(None);
            }
            let call = arguments::call(py, call)?;
            let said = said.map_or_else(|| error.str(), |said| arguments::text("said", said).cloned())?;
            let (host, said) = (PyHost::new(py), text::plain(&said)?);
            let shaped = self.inner.thrown_result(Raised(error.clone(), &host), &said, &call, arguments::now());
            let shaped = shaped.map_err(|error| raise(py, &error))?;
            host.check_interrupt()?;
            shaped.map(|shaped| ShapedResult::new(py, shaped, None, start.elapsed())).transpose()
        })
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.plan"))]
    #[pyo3(signature = (tool, *, has_store = false), text_signature = None)]
    fn plan(&self, py: Python<'_>, tool: &Bound<'_, PyAny>, has_store: bool) -> PyResult<Py<PyAny>> {
        let has_store = has_store.into_bound_py_any(py)?;
        self.ask(py, "plan", &[("tool", Some(tool)), ("hasStore", Some(&has_store))], &[])
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.added_tools"))]
    #[pyo3(text_signature = None)]
    fn added_tools(&self, py: Python<'_>, has_store: bool, summarizes: bool) -> PyResult<Py<PyAny>> {
        let [has_store, summarizes] = [has_store.into_bound_py_any(py)?, summarizes.into_bound_py_any(py)?];
        self.ask(py, "addedTools", &[("hasStore", Some(&has_store)), ("summarizes", Some(&summarizes))], &[])
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.tool"))]
    #[pyo3(signature = (tool, *, has_store = false), text_signature = None)]
    fn tool(&self, py: Python<'_>, tool: &Bound<'_, PyAny>, has_store: bool) -> PyResult<Py<PyAny>> {
        let has_store = has_store.into_bound_py_any(py)?;
        self.ask(py, "tool", &[("tool", Some(tool)), ("hasStore", Some(&has_store))], &[])
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaper.rate_limit"))]
    #[pyo3(signature = (error, *, now = None, **call), text_signature = None)]
    fn rate_limit(
        &self,
        py: Python<'_>,
        error: &Bound<'_, PyAny>,
        now: Option<f64>,
        call: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<Shaped>> {
        guard(py, || {
            let start = Instant::now();
            let call = arguments::call(py, call)?;
            let now = now.map(|now| now as u64).or_else(arguments::now);
            let host = PyHost::new(py);
            let shaped = self.inner.rate_limit(Raised(error.clone(), &host), &call, now);
            host.check_interrupt()?;
            shaped.map(|shaped| Shaped::new(py, shaped, None, start.elapsed())).transpose()
        })
    }
}
