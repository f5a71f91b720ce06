//! Errors of the core as `ToolshapeError`, and panics as errors.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use toolshape::{Error, ErrorCode};

fn class<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "toolshape._error", "ToolshapeError")
}

/// Converts an error of the core to a Python exception.
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let class = match class(py) {
        Ok(class) => class,
        Err(error) => return error,
    };
    // The core spells the one option that it names as JavaScript does.
    let message = error.message().replace("cursorKey", "cursor_key");
    match class.call1((message, error.code().as_str(), error.path())) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// The core's error behind an exception; `None` if there is none.
pub fn read(exception: &Bound<'_, PyAny>) -> PyResult<Option<Error>> {
    if !exception.is_instance(class(exception.py())?)? {
        return Ok(None);
    }
    let (message, code, path): (String, String, String) = exception.getattr("args")?.extract()?;
    Ok(ErrorCode::from_name(&code).map(|code| Error::new(code, message, path)))
}

/// Runs an entry point and converts a panic in it to a `ToolshapeError` with the code `INTERNAL`.
///
/// The core keeps no state that a panic could break, so the next call works.
pub fn guard<T>(py: Python<'_>, entry: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(entry)).unwrap_or_else(|payload| Err(raise(py, &internal(&*payload))))
}

fn internal(payload: &(dyn Any + Send)) -> Error {
    let reason = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref().copied());
    let message = format!("a fault in toolshape itself, please report it: {}", reason.unwrap_or("unknown"));
    Error::new(ErrorCode::Internal, message, "")
}
