//! A shaped CallToolResult as a Python object; the parts that pass unchanged are the caller's own objects.

use std::time::Duration;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyList, PyMapping, PyString};
use pyo3::{IntoPyObjectExt, intern};
use toolshape::Receipt;
use toolshape::host::Naming;
use toolshape::host::{Block, Channel, Member};

use crate::shaped::{Keep, Shaped, read_text, receipt};
use crate::value::PyValue;

const RECEIPT: &str = "toolshape/receipt";

#[doc = include_str!(concat!(env!("OUT_DIR"), "/ShapedResult"))]
#[pyclass(frozen, module = "toolshape")]
pub struct ShapedResult {
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/ShapedResult.result"))]
    #[pyo3(get)]
    result: Py<PyAny>,
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/ShapedResult.unchanged"))]
    #[pyo3(get)]
    unchanged: bool,
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/ShapedResult.is_error"))]
    #[pyo3(get)]
    is_error: bool,
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/ShapedResult.receipt"))]
    #[pyo3(get)]
    receipt: Option<Py<PyAny>>,
    #[doc = include_str!(concat!(env!("OUT_DIR"), "/ShapedResult.keep"))]
    #[pyo3(get)]
    keep: Option<Py<Keep>>,
}

impl ShapedResult {
    /// Builds a result from the new parts and what the tool returned, as it was read.
    pub fn new<'py>(
        py: Python<'py>,
        shaped: toolshape::host::ShapedResult,
        returned: Option<(&Bound<'py, PyAny>, &PyValue<'_, 'py>)>,
        duration: Duration,
    ) -> PyResult<Self> {
        let own = returned.filter(|_| shaped.is_result).map(|(own, value)| own_form(own, value)).transpose()?;
        let receipt =
            shaped.receipt.as_ref().map(|measured| receipt(py, measured, duration, Naming::Snake)).transpose()?;
        let result = match &own {
            Some(own) if shaped.is_own => own.clone().unbind(),
            _ => assemble(py, &shaped, own.as_ref(), duration)?.into_any().unbind(),
        };
        let kept = || Ok(returned.map_or_else(|| PyString::new(py, ""), |(_, value)| value.kept()));
        let keep = shaped.keep.map(|keep| Keep::new(py, &keep, kept)).transpose()?;
        Ok(Self { result, unchanged: shaped.unchanged, is_error: shaped.is_error, receipt, keep })
    }
}

impl ShapedResult {
    /// A result that is one text, and passes.
    pub fn passed(returned: &Bound<'_, PyDict>, measured: &Receipt, duration: Duration) -> PyResult<Self> {
        let py = returned.py();
        let receipt = receipt(py, measured, duration, Naming::Snake)?;
        let result = returned.copy()?;
        if let Some(content) = returned.get_item("content")? {
            result.set_item("content", PyList::new(py, content.cast::<PyList>()?)?)?;
        }
        let result = result.into_any().unbind();
        Ok(Self { result, unchanged: true, is_error: false, receipt: Some(receipt), keep: None })
    }
}

/// What a tool returned, as a mapping of its members; for example of the SDK's own class of results, as the SDK sends it.
fn own_form<'py>(own: &Bound<'py, PyAny>, value: &PyValue<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let py = own.py();
    if own.is_instance_of::<PyMapping>() {
        return Ok(own.clone());
    }
    if own.hasattr(intern!(py, "model_dump"))? {
        let options = [
            ("mode", "json".into_py_any(py)?),
            ("by_alias", true.into_py_any(py)?),
            ("exclude_none", true.into_py_any(py)?),
        ];
        return own.call_method(intern!(py, "model_dump"), (), Some(&options.into_py_dict(py)?));
    }
    Ok(value.dict(py)?.into_any())
}

/// An answer of toolshape, in place of what a tool returned.
pub fn answer(py: Python<'_>, shaped: &Shaped, client: Option<&str>) -> PyResult<Py<PyDict>> {
    let text = shaped.text.bind(py).to_cow()?;
    let (image, receipt) = (shaped.image.clone(), Some(shaped.measured().clone()));
    let answer = toolshape::host::ShapedResult::answer(&text, image, shaped.is_error, receipt, client);
    Ok(assemble(py, &answer, None, shaped.duration)?.unbind())
}

/// The result itself, built member by member from the core's description.
fn assemble<'py>(
    py: Python<'py>,
    shaped: &toolshape::host::ShapedResult,
    own: Option<&Bound<'py, PyAny>>,
    duration: Duration,
) -> PyResult<Bound<'py, PyDict>> {
    let mut keys: Vec<String> = Vec::new();
    if let Some(own) = own {
        for key in own.cast::<PyMapping>()?.keys()? {
            keys.extend(key.extract::<String>());
        }
    }
    let get = |key: &str| own.map(|own| own.get_item(key)).transpose();
    let result = PyDict::new(py);
    for (key, member) in shaped.members(keys.iter().map(String::as_str)) {
        match member {
            Member::Own => result.set_item(&key, get(&key)?)?,
            Member::Content => {
                let content = PyList::empty(py);
                for block in &shaped.content {
                    match block {
                        Block::Own(at) => content.append(get("content")?.map(|own| own.get_item(at)).transpose()?)?,
                        Block::Json(json) => content.append(read_text(py, json)?)?,
                    }
                }
                result.set_item(&key, content)?;
            }
            Member::Structured => {
                if let Channel::Json(json) = &shaped.structured {
                    result.set_item(&key, read_text(py, json)?)?;
                }
            }
            Member::IsError => result.set_item(&key, true)?,
            // An SDK's result has `None` where it has no `_meta`.
            Member::OwnMeta if get(&key)?.is_some_and(|own| own.is_none()) => result.set_item(&key, py.None())?,
            Member::Meta | Member::OwnMeta => {
                let meta = PyDict::new(py);
                if let Some(own) = keys.contains(&key).then(|| get(&key)).transpose()?.flatten()
                    && !own.is_none()
                {
                    meta.update(own.cast::<PyMapping>()?)?;
                }
                match shaped.receipt.as_ref().filter(|_| member == Member::Meta) {
                    Some(measured) => meta.set_item(RECEIPT, receipt(py, measured, duration, Naming::Camel)?)?,
                    None if meta.contains(RECEIPT)? => meta.del_item(RECEIPT)?,
                    None => {}
                }
                result.set_item(&key, meta)?;
            }
        }
    }
    Ok(result)
}

#[pymethods]
impl ShapedResult {
    fn __repr__(&self) -> String {
        let how = if self.unchanged { "unchanged" } else { "changed" };
        format!("<toolshape.ShapedResult: {how}{}>", if self.is_error { ", an error" } else { "" })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.result)
    }
}
