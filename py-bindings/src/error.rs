//! Errors of the core as `ToolshapeError`, and panics as errors.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use toolshape::{Error, ErrorCode};

/// An error of the core as the exception that Python sees.
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = match CLASS.import(py, "toolshape._error", "ToolshapeError") {
        Ok(class) => class,
        Err(error) => return error,
    };
    match class.call1((error.message(), error.code().as_str(), error.path())) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// Runs an entry point so that a panic in it is a `ToolshapeError` with the code `INTERNAL`.
///
/// The core keeps no state that a panic could leave broken, so the next call works.
pub fn guard<T>(py: Python<'_>, entry: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(entry)).unwrap_or_else(|payload| Err(raise(py, &internal(&*payload))))
}

fn internal(payload: &(dyn Any + Send)) -> Error {
    let reason = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref().copied());
    let message = format!("a fault in toolshape itself, please report it: {}", reason.unwrap_or("unknown"));
    Error::new(ErrorCode::Internal, message, "")
}
