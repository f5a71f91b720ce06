//! A shaped CallToolResult as Python sees it: what passes is the caller's own objects.

use std::time::Duration;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString};
use toolshape::{Block, Channel};

use crate::shaped::{Keep, read_back, receipt};

/// A result in MCP's form, shaped.
#[pyclass(frozen, module = "toolshape")]
pub struct ShapedResult {
    #[pyo3(get)]
    result: Py<PyAny>,
    #[pyo3(get)]
    unchanged: bool,
    #[pyo3(get)]
    is_error: bool,
    #[pyo3(get)]
    receipt: Option<Py<PyAny>>,
    #[pyo3(get)]
    keep: Option<Py<Keep>>,
}

impl ShapedResult {
    /// Puts a result together from what the tool returned and what is new.
    pub fn new(
        py: Python<'_>,
        shaped: toolshape::ShapedResult,
        returned: Option<&Bound<'_, PyAny>>,
        duration: Duration,
    ) -> PyResult<Self> {
        let own = returned.filter(|_| shaped.is_result);
        let receipt = shaped.receipt.as_ref().map(|measured| receipt(py, measured, duration)).transpose()?;
        let result = match (own, &receipt) {
            (Some(own), None) => own.clone().unbind(),
            _ => assemble(py, &shaped, own, receipt.as_ref())?.into_any().unbind(),
        };
        let keep = shaped.keep.map(|keep| Keep::new(py, &keep, "")).transpose()?;
        Ok(Self { result, unchanged: shaped.unchanged, is_error: shaped.is_error, receipt, keep })
    }
}

fn assemble<'py>(
    py: Python<'py>,
    shaped: &toolshape::ShapedResult,
    own: Option<&Bound<'py, PyAny>>,
    receipt: Option<&Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    if let Some(own) = own {
        result.update(own.cast::<PyMapping>()?)?;
    }
    let blocks = result.get_item("content")?;
    let content = PyList::empty(py);
    for block in &shaped.content {
        match (block, &blocks) {
            (Block::Own(at), Some(blocks)) => content.append(blocks.get_item(at)?)?,
            (Block::Own(_), None) => {}
            (Block::Json(json), _) => content.append(read_back(py, &PyString::new(py, json))?)?,
        }
    }
    if !content.is_empty() || blocks.is_some() || own.is_none() {
        result.set_item("content", content)?;
    }
    match &shaped.structured {
        Channel::Own => {}
        Channel::Absent if result.contains("structuredContent")? => result.del_item("structuredContent")?,
        Channel::Absent => {}
        Channel::Json(json) => result.set_item("structuredContent", read_back(py, &PyString::new(py, json))?)?,
    }
    if shaped.is_error {
        result.set_item("isError", true)?;
    }
    if let Some(receipt) = receipt {
        let meta = PyDict::new(py);
        if let Some(own) = result.get_item("_meta")?.filter(|own| !own.is_none()) {
            meta.update(own.cast::<PyMapping>()?)?;
        }
        meta.set_item("toolshape/receipt", receipt)?;
        result.set_item("_meta", meta)?;
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
