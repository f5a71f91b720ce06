//! The state of reading one Python value: the errors that occurred, and the items of iterators, which can be read only
//! once.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use pyo3::CastIntoError;
use pyo3::exceptions::{PyException, PyRecursionError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use toolshape::{Error, ErrorCode};

use crate::error::raise;

/// Why an object cannot be read.
pub enum Unreadable {
    /// It has no JSON form; the sentence explains why.
    Unsupported(String),
    /// Its own code raised.
    Raised(PyErr),
}

impl From<PyErr> for Unreadable {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

impl From<CastIntoError<'_>> for Unreadable {
    fn from(error: CastIntoError<'_>) -> Self {
        Self::Raised(error.into())
    }
}

/// An iterator and its items.
type ReadOut<'py> = (Bound<'py, PyAny>, Bound<'py, PyList>);

/// The state of reading one value.
pub struct PyHost<'py> {
    py: Python<'py>,
    /// Whether options are read: then numbers that JSON cannot represent are passed on, so that the core refuses them.
    options: bool,
    /// The caller's conversion of what has no JSON form, as that of `json.dumps`.
    default: Option<Py<PyAny>>,
    /// The iterators that were read, by address; holding them keeps the address in use.
    iterators: RefCell<HashMap<usize, ReadOut<'py>>>,
    /// The exception behind the last error.
    cause: Cell<Option<PyErr>>,
    /// What interrupted the reading, if anything did.
    interrupt: Cell<Option<PyErr>>,
}

impl<'py> PyHost<'py> {
    pub fn new(py: Python<'py>) -> Self {
        let (iterators, cause, interrupt) = (RefCell::default(), Cell::new(None), Cell::new(None));
        Self { py, options: false, default: None, iterators, cause, interrupt }
    }

    /// The reading of a value whose author converts what has no JSON form.
    pub fn converting(py: Python<'py>, default: Option<&Py<PyAny>>) -> Self {
        Self { default: default.map(|default| default.clone_ref(py)), ..Self::new(py) }
    }

    /// The reading of options instead of a value.
    pub fn of_options(py: Python<'py>) -> Self {
        Self { options: true, ..Self::new(py) }
    }

    pub fn reads_options(&self) -> bool {
        self.options
    }

    pub fn default(&self, py: Python<'py>) -> Option<&Bound<'py, PyAny>> {
        self.default.as_ref().map(|default| default.bind(py))
    }

    /// The items of an iterator, read completely at the first visit.
    pub fn read_once(
        &self,
        iterator: &Bound<'py, PyAny>,
        read: impl FnOnce() -> Result<Bound<'py, PyList>, Unreadable>,
    ) -> Result<Bound<'py, PyList>, Unreadable> {
        let address = iterator.as_ptr() as usize;
        if let Some((_, items)) = self.iterators.borrow().get(&address) {
            return Ok(items.clone());
        }
        let items = read()?;
        self.iterators.borrow_mut().insert(address, (iterator.clone(), items.clone()));
        Ok(items)
    }

    /// Takes over the items that an earlier pass over the same values read, by iterator.
    pub fn remember(&self, known: &Bound<'py, PyDict>) -> PyResult<()> {
        for (address, pair) in known.iter() {
            let pair: ReadOut<'py> = pair.extract()?;
            self.iterators.borrow_mut().insert(address.extract()?, pair);
        }
        Ok(())
    }

    /// Adds the items that were read to `known`.
    pub fn tell(&self, known: &Bound<'py, PyDict>) -> PyResult<()> {
        self.iterators.borrow().iter().try_for_each(|(address, pair)| known.set_item(address, pair))
    }

    /// Whether reading has consumed a part of the value, so that the caller cannot read it again.
    pub fn has_consumed(&self) -> bool {
        !self.iterators.borrow().is_empty()
    }

    /// A fault as the core's error about the value at `pointer`.
    pub fn error(&self, fault: Unreadable, pointer: String) -> Error {
        let (code, message) = match fault {
            Unreadable::Unsupported(message) => (ErrorCode::UnsupportedValue, message),
            Unreadable::Raised(error) => {
                let recursion = error.is_instance_of::<PyRecursionError>(self.py);
                let code = if recursion { ErrorCode::TooDeep } else { ErrorCode::UnsupportedValue };
                let message = format!("reading the value raised {error}");
                self.cause.set(self.noted(error));
                (code, message)
            }
        };
        let place = if pointer.is_empty() { String::new() } else { format!(" (at {pointer})") };
        Error::new(code, message + &place, pointer)
    }

    /// The exception, unless it interrupts the reading: then it is raised in the end, whatever the core makes of it.
    fn noted(&self, error: PyErr) -> Option<PyErr> {
        match error.is_instance_of::<PyException>(self.py) {
            true => self.raised_by_value(error),
            false => self.interrupted_by(error),
        }
    }

    /// The same where all that a value's own code raises counts as the value's, even `SystemExit`.
    pub fn raised_by_value(&self, error: PyErr) -> Option<PyErr> {
        if is_of_handler(self.py, &error) { self.interrupted_by(error) } else { Some(error) }
    }

    fn interrupted_by(&self, error: PyErr) -> Option<PyErr> {
        let first = self.interrupt.take().unwrap_or(error);
        self.interrupt.set(Some(first));
        None
    }

    /// Whether something interrupted the reading: then no more of the value is asked.
    pub fn is_interrupted(&self) -> bool {
        let interrupt = self.interrupt.take();
        let is_interrupted = interrupt.is_some();
        self.interrupt.set(interrupt);
        is_interrupted
    }

    /// Raises what interrupted the reading, such as KeyboardInterrupt, even if the core recovered from it.
    pub fn check_interrupt(&self) -> PyResult<()> {
        self.interrupt.take().map_or(Ok(()), Err)
    }

    /// The exception for an error of the core: with its cause, or the interrupt itself.
    pub fn raise(&self, error: &Error) -> PyErr {
        // An interrupt is not an error of the value.
        self.interrupt.take().unwrap_or_else(|| {
            let error = raise(self.py, error);
            error.set_cause(self.py, self.cause.take());
            error
        })
    }
}

/// Whether an exception is not the value's own: the handler of a signal raised it.
fn is_of_handler(py: Python<'_>, error: &PyErr) -> bool {
    // Most errors, such as those for a missing attribute, come from no Python code.
    let Some(trace) = error.traceback(py) else { return false };
    let asked = || -> PyResult<bool> {
        py.import("toolshape._signals")?.call_method1("raised_by_handler", (trace,))?.extract()
    };
    asked().unwrap_or(false)
}
