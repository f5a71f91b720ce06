//! Objects whose values have names, as entries: rows of databases, named tuples, dataclasses and their like.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

use crate::node::PyEntry;

/// The entries of a sequence whose items have names: `_fields` of named tuples and of SQLAlchemy's rows, `keys()` of
/// sqlite3's. `None` if it has no names, or not one for each item.
pub fn fields<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Vec<PyEntry<'py>>>> {
    let (py, class) = (object.py(), object.get_type());
    let names = if class.hasattr(intern!(py, "_fields"))? {
        object.getattr(intern!(py, "_fields"))?
    } else if class.hasattr(intern!(py, "keys"))? {
        object.call_method0(intern!(py, "keys"))?
    } else {
        return Ok(None);
    };
    let names: Vec<_> = names.try_iter()?.collect::<PyResult<_>>()?;
    // By place, because two columns may have one name.
    let values: Vec<_> = object.try_iter()?.take(names.len() + 1).collect::<PyResult<_>>()?;
    Ok((names.len() == values.len()).then(|| names.into_iter().zip(values).collect()))
}

/// The fields of an instance of a dataclass, of an attrs class or of a msgspec struct; `None` for any other object.
pub fn record<'py>(object: &Bound<'py, PyAny>, class: &Bound<'py, PyType>) -> PyResult<Option<Vec<PyEntry<'py>>>> {
    let py = object.py();
    let name_of = |field: PyResult<Bound<'py, PyAny>>| field?.getattr(intern!(py, "name"));
    let names: Vec<Bound<'py, PyAny>> = if class.hasattr(intern!(py, "__dataclass_fields__"))? {
        let fields = py.import("dataclasses")?.call_method1("fields", (object,))?;
        fields.try_iter()?.map(name_of).collect::<PyResult<_>>()?
    } else if class.hasattr(intern!(py, "__attrs_attrs__"))? {
        class.getattr(intern!(py, "__attrs_attrs__"))?.try_iter()?.map(name_of).collect::<PyResult<_>>()?
    } else if class.hasattr(intern!(py, "__struct_fields__"))? {
        return of_struct(object, class).map(Some);
    } else {
        return Ok(None);
    };
    let entry = |name: Bound<'py, PyAny>| Ok((name.clone(), object.getattr(name.cast::<PyString>()?)?));
    names.into_iter().map(entry).collect::<PyResult<_>>().map(Some)
}

/// The fields of a msgspec struct as it writes them: its tag, its own names for JSON, and nothing for an unset field.
fn of_struct<'py>(object: &Bound<'py, PyAny>, class: &Bound<'py, PyType>) -> PyResult<Vec<PyEntry<'py>>> {
    let py = object.py();
    let config = class.getattr(intern!(py, "__struct_config__"))?;
    let tag = config.getattr(intern!(py, "tag"))?;
    let mut entries = Vec::new();
    if !tag.is_none() {
        entries.push((config.getattr(intern!(py, "tag_field"))?, tag));
    }
    let names = class.getattr(intern!(py, "__struct_fields__"))?.cast_into::<PyTuple>()?;
    let written = class.getattr(intern!(py, "__struct_encode_fields__"))?.cast_into::<PyTuple>()?;
    for (name, key) in names.iter().zip(written.iter()) {
        let value = object.getattr(name.cast::<PyString>()?)?;
        if value.get_type().name()?.to_string_lossy() != "UnsetType" {
            entries.push((key, value));
        }
    }
    Ok(entries)
}
