//! The result that Python sees.

use std::sync::OnceLock;
use std::time::Duration;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use toolshape::Receipt;
use toolshape::host::Naming;
use toolshape::host::Passed;

use crate::error::{guard, raise};
use crate::from_json::from_json;

#[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaped"))]
#[pyclass(frozen, module = "toolshape")]
pub struct Shaped {
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaped.text"))]
    #[pyo3(get)]
    pub text: Py<PyString>,
    /// The caller's own value, if it is the result.
    own: Option<Py<PyAny>>,
    /// Else the parsed text, from the first access on.
    parsed: PyOnceLock<Py<PyAny>>,
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaped.unchanged"))]
    #[pyo3(get)]
    unchanged: bool,
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaped.is_error"))]
    #[pyo3(get)]
    pub is_error: bool,
    measured: OnceLock<Receipt>,
    /// A result that passed unchanged, which is measured at the first access to its receipt.
    passed: Option<Passed>,
    pub duration: Duration,
    receipt: PyOnceLock<Py<PyAny>>,
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaped.keep"))]
    #[pyo3(get)]
    keep: Option<Py<Keep>>,
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaped.image"))]
    #[pyo3(get)]
    pub image: Option<String>,
}

#[doc = include_str!(concat!(env!("OUT_DIR"), "/Keep"))]
#[pyclass(frozen, get_all, module = "toolshape")]
pub struct Keep {
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Keep.id"))]
    id: Py<PyString>,
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Keep.key"))]
    key: Py<PyString>,
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Keep.ticket"))]
    ticket: Py<PyString>,
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Keep.owner"))]
    owner: Option<Py<PyString>>,
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Keep.content"))]
    content: Py<PyString>,
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Keep.about"))]
    about: Py<PyString>,
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Keep.images"))]
    images: Option<Py<Keep>>,
}

impl Keep {
    /// What the core wants stored; `held` is the text that Python has itself, if the content is that.
    pub fn new<'py>(
        py: Python<'py>,
        keep: &toolshape::Keep,
        held: impl FnOnce() -> PyResult<Bound<'py, PyString>>,
    ) -> PyResult<Py<Self>> {
        match &keep.content {
            Some(content) => Self::with(py, keep, PyString::new(py, content).unbind()),
            None => Self::with(py, keep, held()?.unbind()),
        }
    }

    /// The same with this content.
    fn with(py: Python<'_>, keep: &toolshape::Keep, content: Py<PyString>) -> PyResult<Py<Self>> {
        let text = |text: &str| PyString::new(py, text).unbind();
        let [id, key, ticket, about] = [&keep.id, &keep.key, &keep.ticket, &keep.about].map(|part| text(part));
        let owner = keep.owner.as_deref().map(text);
        let of_images =
            |images: &toolshape::Keep| Self::with(py, images, text(images.content.as_deref().unwrap_or("")));
        let images = keep.images.as_deref().map(of_images).transpose()?;
        Py::new(py, Self { id, key, ticket, owner, content, about, images })
    }
}

#[pymethods]
impl Keep {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let Self { key, content, .. } = self;
        Ok(format!("<toolshape.Keep: {}, {} characters>", key.bind(py), content.bind(py).len()?))
    }
}

impl Shaped {
    /// Takes over the core's result; `own` is the caller's value, if it passed unchanged.
    pub fn new(
        py: Python<'_>,
        shaped: toolshape::Shaped,
        own: Option<Py<PyAny>>,
        duration: Duration,
    ) -> PyResult<Self> {
        Self::holding(py, shaped, || Ok(PyString::new(py, "")), own, duration)
    }

    /// The same where Python may hold the text to store.
    pub fn holding<'py>(
        py: Python<'py>,
        shaped: toolshape::Shaped,
        held: impl FnOnce() -> PyResult<Bound<'py, PyString>>,
        own: Option<Py<PyAny>>,
        duration: Duration,
    ) -> PyResult<Self> {
        Ok(Self {
            text: PyString::new(py, &shaped.text).unbind(),
            own,
            parsed: PyOnceLock::new(),
            unchanged: shaped.unchanged,
            is_error: shaped.is_error,
            measured: OnceLock::from(shaped.receipt),
            passed: None,
            duration,
            receipt: PyOnceLock::new(),
            keep: shaped.keep.map(|keep| Keep::new(py, &keep, held)).transpose()?,
            image: shaped.image,
        })
    }

    /// A result that passed unchanged; `own` is the caller's value, if reading has not consumed it.
    pub fn passed(py: Python<'_>, passed: Passed, own: Option<Py<PyAny>>, duration: Duration) -> Self {
        Self {
            text: PyString::new(py, passed.text()).unbind(),
            unchanged: own.is_some(),
            own,
            parsed: PyOnceLock::new(),
            is_error: false,
            measured: OnceLock::new(),
            passed: Some(passed),
            duration,
            receipt: PyOnceLock::new(),
            keep: None,
            image: None,
        }
    }

    pub fn measured(&self) -> &Receipt {
        self.measured.get_or_init(|| self.passed.as_ref().expect("what was not measured passed").receipt())
    }
}

#[pymethods]
impl Shaped {
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaped.value"))]
    #[getter]
    fn value(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        guard(py, || {
            let value = match &self.own {
                Some(own) => own,
                None => self.parsed.get_or_try_init(py, || read_plain(py, self.text.bind(py)))?,
            };
            Ok(value.clone_ref(py))
        })
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaped.tokens"))]
    #[getter]
    fn tokens(&self) -> usize {
        self.measured().tokens_after
    }

    #[doc = include_str!(concat!(env!("OUT_DIR"), "/Shaped.receipt"))]
    #[getter]
    pub fn receipt(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        guard(py, || {
            let read = || receipt(py, self.measured(), self.duration, Naming::Snake);
            Ok(self.receipt.get_or_try_init(py, read)?.clone_ref(py))
        })
    }

    fn __repr__(&self) -> String {
        let Receipt { steps, tokens_after, budget, .. } = self.measured();
        let steps = if steps.is_empty() {
            "as it was".to_owned()
        } else {
            steps.iter().map(|step| step.name()).collect::<Vec<_>>().join(", ")
        };
        let of = budget.map_or(String::new(), |budget| format!(" of {budget}"));
        format!("<toolshape.Shaped: {tokens_after}{of} tokens, {steps}>")
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // No `__clear__`: a cycle through a frozen object is broken where it leaves it.
        visit.call(&self.own)
    }
}

/// A receipt as a dict, with names in this form.
pub fn receipt(py: Python<'_>, measured: &Receipt, duration: Duration, naming: Naming) -> PyResult<Py<PyAny>> {
    let mut receipt = measured.named(naming);
    // A finer resolution than microseconds is not useful.
    receipt[&*naming.spell("durationMs")] = (duration.as_micros() as f64 / 1000.0).into();
    from_json(py, &receipt)
}

/// Parses JSON text to Python objects.
pub fn read_text(py: Python<'_>, text: &str) -> PyResult<Py<PyAny>> {
    read_back(py, &PyString::new(py, text))
}

/// The same for what a model reads, out of the dense form if it has that.
fn read_plain(py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Py<PyAny>> {
    match text.to_str() {
        Ok(dense) if dense.contains("\"_form\":") => {
            read_text(py, &toolshape::host::expand(dense).map_err(|error| raise(py, &error))?)
        }
        _ => read_back(py, text),
    }
}

/// The same for a Python string.
pub fn read_back(py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Py<PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    Ok(LOADS.import(py, "toolshape._json", "loads")?.call1((text,))?.unbind())
}

/// Parses JSON text to Python objects, with every digit of its numbers.
pub fn read_exactly(py: Python<'_>, text: &str) -> PyResult<Py<PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    Ok(LOADS.import(py, "toolshape._json", "loads_exactly")?.call1((text,))?.unbind())
}
