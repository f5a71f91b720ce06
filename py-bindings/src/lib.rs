//! The Python face: converts, calls the core, converts back. The package around it is `python/toolshape`.
#![forbid(unsafe_code)]

mod error;
mod host;
mod node;
mod shaped;
mod text;
mod value;
mod write;

use std::time::Instant;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use toolshape::{Call, Encoding, Error, ErrorCode, Naming, Policy};

use error::{guard, raise};
use host::Host;
use shaped::Shaped;
use value::PyValue;
use write::Writer;

/// Shorter texts are done sooner than the interpreter lock is given up and taken again.
const LONG_BYTES: usize = 32 * 1024;

/// Shapes results under one policy.
#[pyclass(frozen, module = "toolshape")]
struct Shaper {
    inner: toolshape::Shaper,
}

#[pymethods]
impl Shaper {
    #[new]
    #[pyo3(signature = (**options))]
    fn new(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        guard(py, || {
            let policy = match options {
                None => Policy::default(),
                Some(options) => Policy::new(&named(py, options, ErrorCode::InvalidPolicy)?, Naming::Snake)
                    .map_err(|error| raise(py, &error))?,
            };
            Ok(Self { inner: toolshape::Shaper::new(policy) })
        })
    }

    #[pyo3(signature = (value, **call))]
    fn shape(&self, py: Python<'_>, value: &Bound<'_, PyAny>, call: Option<&Bound<'_, PyDict>>) -> PyResult<Shaped> {
        guard(py, || {
            let start = Instant::now();
            let call = read_call(py, call)?;
            let host = Host::new(py);
            let shaped = PyValue::root(value, &host).and_then(|value| self.inner.shape(&value, &call));
            let mut shaped = shaped.map_err(|error| host.raise(&error))?;
            // An iterator that was read is empty now: the caller's own value is no result any more.
            shaped.unchanged &= !host.has_consumed();
            let own = shaped.unchanged.then(|| value.clone().unbind());
            Ok(Shaped::new(py, shaped, own, start.elapsed()))
        })
    }

    #[pyo3(signature = (text, **call))]
    fn shape_json(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        call: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Shaped> {
        guard(py, || {
            let start = Instant::now();
            let call = read_call(py, call)?;
            let text = text::json(text)?;
            let shaped = aside(py, text.len(), || self.inner.shape_json(&text, &call));
            let shaped = shaped.map_err(|error| raise(py, &error))?;
            Ok(Shaped::new(py, shaped, None, start.elapsed()))
        })
    }
}

#[pyfunction]
#[pyo3(signature = (text, encoding = None), text_signature = "(text, encoding='o200k_base')")]
fn count_tokens(py: Python<'_>, text: &Bound<'_, PyString>, encoding: Option<&str>) -> PyResult<usize> {
    guard(py, || {
        let encoding = read_encoding(py, encoding)?;
        let text = text::plain(text)?;
        Ok(aside(py, text.len(), || toolshape::count_tokens(&text, encoding)))
    })
}

#[pyfunction]
#[pyo3(signature = (text, limit, encoding = None), text_signature = "(text, limit, encoding='o200k_base')")]
fn fits_tokens(
    py: Python<'_>,
    text: &Bound<'_, PyString>,
    limit: usize,
    encoding: Option<&str>,
) -> PyResult<Option<usize>> {
    guard(py, || {
        let encoding = read_encoding(py, encoding)?;
        let text = text::plain(text)?;
        Ok(aside(py, text.len(), || toolshape::fits_tokens(&text, limit, encoding)))
    })
}

/// Panics, so that tests see what becomes of a panic.
#[pyfunction]
fn _panic(py: Python<'_>) -> PyResult<()> {
    guard(py, || panic!("on purpose"))
}

/// Runs what touches no Python object; other threads go on meanwhile if it takes long.
fn aside<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes < LONG_BYTES { work() } else { py.detach(work) }
}

fn read_call(py: Python<'_>, call: Option<&Bound<'_, PyDict>>) -> PyResult<Call> {
    match call {
        None => Ok(Call::default()),
        Some(call) => {
            Call::new(&named(py, call, ErrorCode::InvalidCall)?, Naming::Snake).map_err(|error| raise(py, &error))
        }
    }
}

fn read_encoding(py: Python<'_>, name: Option<&str>) -> PyResult<Encoding> {
    let Some(name) = name else { return Ok(Encoding::default()) };
    Encoding::from_name(name).ok_or_else(|| {
        let message = format!("encoding is {name:?}; it takes one of {}", Encoding::NAMES.join(", "));
        raise(py, &Error::new(ErrorCode::InvalidCall, message, "/encoding"))
    })
}

/// Keyword arguments as the core reads them.
fn named(py: Python<'_>, arguments: &Bound<'_, PyDict>, code: ErrorCode) -> PyResult<serde_json::Value> {
    let host = Host::of_options(py);
    let json = Writer::new(&host, "", 0).write(arguments, usize::MAX).map_err(|error| host.raise(&error))?;
    serde_json::from_str(&json).map_err(|error| raise(py, &Error::new(code, error.to_string(), "")))
}

#[pymodule]
fn _toolshape(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Shaper>()?;
    module.add_class::<Shaped>()?;
    module.add_function(wrap_pyfunction!(count_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(fits_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(_panic, module)?)
}
