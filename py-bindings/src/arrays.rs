//! Arrays and tables of other libraries: lists, lists of objects where their parts have names, and objects where their
//! rows do.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::convert::{Conversion, is_of, loaded};
use crate::duration;
use crate::node::{PyEntry, PyNode};

/// An array or a table; `None` for any other object.
pub fn convert<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Conversion<'py>>> {
    let (py, class) = (object.py(), object.get_type());
    if is_of(object, "pandas", "DataFrame") {
        return table(object, "of_pandas").map(Some);
    }
    if is_of(object, "polars", "DataFrame") {
        return table(object, "of_polars").map(Some);
    }
    if is_of(object, "pandas", "Series") {
        return series(object).map(Some);
    }
    if is_of(object, "polars", "Series") {
        return Ok(Some(Conversion::Becomes(object.call_method0(intern!(py, "to_list"))?)));
    }
    if loaded(py, "pandas").and_then(|pandas| pandas.getattr("NA")).is_ok_and(|nothing| object.is(&nothing)) {
        return Ok(Some(Conversion::Is(PyNode::Null)));
    }
    if !class.hasattr(intern!(py, "tolist"))? {
        return Ok(None);
    }
    if let Some(step) = of_numpy(object)? {
        return Ok(Some(step));
    }
    Ok(Some(Conversion::Becomes(object.call_method0(intern!(py, "tolist"))?)))
}

/// The rows of a table, read one by one.
fn table<'py>(object: &Bound<'py, PyAny>, reader: &str) -> PyResult<Conversion<'py>> {
    let rows = object.py().import("toolshape._tables")?.call_method1(reader, (object,))?;
    let count = rows.len()?;
    Ok(Conversion::Is(PyNode::Sequence(rows, count)))
}

/// A list, or an object if its index has names.
fn series<'py>(object: &Bound<'py, PyAny>) -> PyResult<Conversion<'py>> {
    let (names, values): (Option<Vec<Bound<'py, PyAny>>>, Bound<'py, PyAny>) =
        object.py().import("toolshape._tables")?.call_method1("of_series", (object,))?.extract()?;
    let Some(names) = names else { return Ok(Conversion::Becomes(values)) };
    let values = values.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    Ok(Conversion::Is(PyNode::Entries(names.into_iter().zip(values).collect())))
}

/// What `tolist` of numpy would lose: the names of a structured array, and the unit of times, which it gives as numbers.
fn of_numpy<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Conversion<'py>>> {
    let py = object.py();
    let Ok(Some(dtype)) = object.getattr_opt(intern!(py, "dtype")) else { return Ok(None) };
    let names = dtype.getattr_opt(intern!(py, "names"))?.and_then(|names| names.cast_into::<PyTuple>().ok());
    let kind = dtype.getattr_opt(intern!(py, "kind"))?;
    let kind = kind.and_then(|kind| kind.extract::<String>().ok()).unwrap_or_default();
    if names.is_none() && kind != "M" && kind != "m" {
        return Ok(None);
    }
    let dimensions: usize = object.getattr(intern!(py, "ndim"))?.extract()?;
    if dimensions > 0 {
        return Ok(Some(Conversion::Is(PyNode::Sequence(object.clone(), object.len()?))));
    }
    if let Some(names) = names {
        let entries = names.iter().map(|name| Ok((name.clone(), object.get_item(name)?)));
        return Ok(Some(Conversion::Is(PyNode::Entries(entries.collect::<PyResult<Vec<PyEntry<'py>>>>()?))));
    }
    // NaT does not equal itself.
    if object.ne(object)? {
        return Ok(Some(Conversion::Is(PyNode::Null)));
    }
    let item = object.call_method0(intern!(py, "item"))?;
    let is_nanos = dtype.str()?.to_string_lossy() == "timedelta64[ns]";
    Ok(Some(Conversion::Becomes(match item.extract::<i64>() {
        Ok(nanos) if is_nanos => PyString::new(py, &duration::of_nanos(nanos.into())).into_any(),
        Err(_) if kind == "m" => item,
        _ => object.str()?.into_any(),
    })))
}
