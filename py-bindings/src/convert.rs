//! The one table of conversions: what each Python object is as JSON, one level deep, as docs/values.md defines it.
//! A type that is not in the table is refused by name, never written as something else.
//!
//! Types of other libraries are recognized by what they have, or by their class if its module is loaded: nothing is
//! imported for them.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyByteArray, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyMemoryView, PySet, PyString, PyTuple, PyType,
};
use pyo3::{PyTypeInfo, intern};

use crate::host::{PyHost, Unreadable};
use crate::node::{PyEntry, PyNode, type_name};
use crate::{arrays, duration, named};

/// An iterator that yields more items is refused: it may be endless.
const MAX_ITERATED: usize = 1_000_000;

/// Classes whose text is all there is to say, with their modules.
const TEXTS: [(&str, &str); 11] = [
    ("collections", "UserString"),
    ("ipaddress", "IPv4Address"),
    ("ipaddress", "IPv6Address"),
    ("ipaddress", "IPv4Network"),
    ("ipaddress", "IPv6Network"),
    ("zoneinfo", "ZoneInfo"),
    ("datetime", "timezone"),
    ("pydantic_core", "Url"),
    ("pydantic.networks", "AnyUrl"),
    ("pandas", "Interval"),
    ("pandas", "Period"),
];

/// One conversion: to a node, or to another object that replaces it.
pub enum Conversion<'py> {
    Is(PyNode<'py>),
    Becomes(Bound<'py, PyAny>),
}

/// Converts an object that is not exactly of one of JSON's types.
pub fn convert<'py>(object: &Bound<'py, PyAny>, host: &PyHost<'py>) -> Result<Conversion<'py>, Unreadable> {
    let py = object.py();
    if host.is_interrupted() {
        return Err(Unreadable::Unsupported("the reading was interrupted".to_owned()));
    }
    if is_a(object, &ENUM, "enum", "Enum")? {
        return Ok(Conversion::Becomes(object.getattr(intern!(py, "value"))?));
    }
    if let Some(node) = subclass(object)? {
        return Ok(Conversion::Is(node));
    }
    if is_a(object, &DATE, "datetime", "date")? || is_a(object, &TIME, "datetime", "time")? {
        // Only the NaT of pandas is a date that does not equal itself.
        return Ok(match object.ne(object)? {
            true => Conversion::Is(PyNode::Null),
            false => Conversion::Becomes(object.call_method0(intern!(py, "isoformat"))?),
        });
    }
    if is_a(object, &DURATION, "datetime", "timedelta")? {
        return Ok(Conversion::Becomes(PyString::new(py, &duration::iso(object)?).into_any()));
    }
    if is_a(object, &DECIMAL, "decimal", "Decimal")? {
        return Ok(Conversion::Is(decimal(object)?));
    }
    if is_a(object, &UUID, "uuid", "UUID")? {
        return Ok(Conversion::Becomes(object.str()?.into_any()));
    }
    if is_bytes(object) {
        // Of a view with steps, base64 refuses the view itself.
        let bytes = match object.is_instance_of::<PyMemoryView>() {
            true => object.call_method0(intern!(py, "tobytes"))?,
            false => object.clone(),
        };
        let encoded = py.import("base64")?.call_method1("b64encode", (bytes,))?;
        let text = encoded.call_method1("decode", ("ascii",))?;
        if !host.reads_options() {
            return Ok(Conversion::Becomes(text));
        }
        // As options spell bytes: their text would be another key.
        let options = PyDict::new(py);
        options.set_item("bytes", text)?;
        return Ok(Conversion::Becomes(options.into_any()));
    }
    if let Some(step) = record(object)? {
        return Ok(step);
    }
    if let Some(step) = arrays::convert(object)? {
        return Ok(step);
    }
    if let Some(node) = collection(object, host)? {
        return Ok(Conversion::Is(node));
    }
    if TEXTS.iter().any(|(module, class)| is_of(object, module, class)) {
        return Ok(Conversion::Becomes(object.str()?.into_any()));
    }
    if let Some(node) = sequence(object, host)? {
        return Ok(Conversion::Is(node));
    }
    if let Some(default) = host.default(py) {
        return Ok(Conversion::Becomes(default.call1((object,))?));
    }
    let has_none = || Unreadable::Unsupported(format!("{} has no JSON form", type_name(object)));
    if host.reads_options() {
        return Err(has_none());
    }
    match py.import("toolshape._values")?.call_method1("form", (object,)) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => Err(has_none()),
        form => Ok(Conversion::Becomes(form?)),
    }
}

/// Whether an object is one of Python's types of bytes.
pub fn is_bytes(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || object.is_instance_of::<PyMemoryView>()
}

/// Classifies an instance of a subclass of JSON's types, as `json.dumps` does; but a tuple with names is an object.
fn subclass<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<PyNode<'py>>> {
    Ok(Some(if let Ok(text) = object.cast::<PyString>() {
        PyNode::Text(own::<PyString>(text, "__str__")?.cast_into()?)
    } else if let Ok(int) = object.cast::<PyInt>() {
        PyNode::Int(int.clone())
    } else if let Ok(float) = object.cast::<PyFloat>() {
        PyNode::Float(PyFloat::new(object.py(), float.value()))
    } else if let Ok(list) = object.cast::<PyList>() {
        PyNode::List(list.clone())
    } else if let Ok(tuple) = object.cast::<PyTuple>() {
        match named::fields(object)? {
            Some(entries) => PyNode::Entries(entries),
            None => PyNode::Tuple(tuple.clone()),
        }
    } else {
        return Ok(None);
    }))
}

fn decimal<'py>(object: &Bound<'py, PyAny>) -> PyResult<PyNode<'py>> {
    if !object.call_method0("is_finite")?.is_truthy()? {
        return Ok(PyNode::Null);
    }
    let class = DECIMAL.import(object.py(), "decimal", "Decimal")?;
    Ok(PyNode::Digits(class.call_method1("__str__", (object,))?.extract()?))
}

/// What an object of a class of records is: a model, a dataclass, or a path.
fn record<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Conversion<'py>>> {
    let (py, class) = (object.py(), object.get_type());
    if class.hasattr(intern!(py, "model_dump"))? {
        let options = PyDict::new(py);
        options.set_item("mode", "json")?;
        options.set_item("by_alias", true)?;
        return Ok(Some(Conversion::Becomes(object.call_method(intern!(py, "model_dump"), (), Some(&options))?)));
    }
    if let Some(entries) = named::record(object, &class)? {
        return Ok(Some(Conversion::Is(PyNode::Entries(entries))));
    }
    if class.hasattr(intern!(py, "__fspath__"))? {
        return Ok(Some(Conversion::Becomes(object.call_method0(intern!(py, "__fspath__"))?)));
    }
    Ok(None)
}

fn collection<'py>(object: &Bound<'py, PyAny>, host: &PyHost<'py>) -> Result<Option<PyNode<'py>>, Unreadable> {
    Ok(Some(if is_a(object, &MAPPING, "collections.abc", "Mapping")? {
        PyNode::Entries(items(object)?)
    } else if object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>() {
        PyNode::List(sorted(object)?)
    } else if is_a(object, &ITERATOR, "collections.abc", "Iterator")? {
        PyNode::List(host.read_once(object, || read_out(object))?)
    } else if is_a(object, &SET, "collections.abc", "Set")? || is_a(object, &VALUES, "collections.abc", "ValuesView")? {
        PyNode::List(read_out(object)?)
    } else {
        return Ok(None);
    }))
}

/// A sequence, which is an object if its items have names; and any other object that `dict` would take.
fn sequence<'py>(object: &Bound<'py, PyAny>, host: &PyHost<'py>) -> Result<Option<PyNode<'py>>, Unreadable> {
    if is_a(object, &SEQUENCE, "collections.abc", "Sequence")? {
        return Ok(Some(match named::fields(object)? {
            Some(entries) => PyNode::Entries(entries),
            None => PyNode::Sequence(object.clone(), object.len()?),
        }));
    }
    let (py, class) = (object.py(), object.get_type());
    // Options are what their author writes: such an object is none.
    if host.reads_options() || !class.hasattr(intern!(py, "keys"))? || !class.hasattr(intern!(py, "__getitem__"))? {
        return Ok(None);
    }
    if class.hasattr(intern!(py, "items"))? {
        return Ok(Some(PyNode::Entries(items(object)?)));
    }
    let keys = object.call_method0(intern!(py, "keys"))?;
    let entries = keys.try_iter()?.map(|key| key.and_then(|key| Ok((key.clone(), object.get_item(key)?))));
    Ok(Some(PyNode::Entries(entries.collect::<PyResult<_>>()?)))
}

fn items<'py>(mapping: &Bound<'py, PyAny>) -> PyResult<Vec<PyEntry<'py>>> {
    let entries = mapping.call_method0(intern!(mapping.py(), "items"))?;
    entries.try_iter()?.map(|entry| entry?.extract()).collect()
}

static ENUM: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static DATE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static TIME: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static DURATION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static UUID: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static MAPPING: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static SEQUENCE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static ITERATOR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static SET: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static VALUES: PyOnceLock<Py<PyType>> = PyOnceLock::new();

fn is_a(object: &Bound<'_, PyAny>, class: &PyOnceLock<Py<PyType>>, module: &str, name: &str) -> PyResult<bool> {
    object.is_instance(class.import(object.py(), module, name)?)
}

/// Whether an object is of a class of a module that the program has loaded.
pub fn is_of(object: &Bound<'_, PyAny>, module: &str, class: &str) -> bool {
    loaded(object.py(), module).and_then(|module| object.is_instance(&module.getattr(class)?)).unwrap_or(false)
}

/// A module that the program has loaded.
pub fn loaded<'py>(py: Python<'py>, module: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("sys")?.getattr(intern!(py, "modules"))?.get_item(module)
}

/// Calls a method of the built-in type itself, even if a subclass overrides it.
pub fn own<'py, T: PyTypeInfo>(object: &Bound<'py, PyAny>, method: &str) -> PyResult<Bound<'py, PyAny>> {
    object.py().get_type::<T>().call_method1(method, (object,))
}

/// The items of a set in an order that is the same in every run, unlike the order of hashes.
fn sorted<'py>(set: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let py = set.py();
    let sorted = py.import("builtins")?.getattr("sorted")?;
    let items: Vec<Bound<'py, PyAny>> = set.try_iter()?.collect::<PyResult<_>>()?;
    let alike = items.windows(2).all(|pair| pair[0].get_type().is(pair[1].get_type()));
    // Between sets, "less" means "part of", which is not an order.
    let has_order = alike && !items.first().is_some_and(|item| item.is_instance_of::<PyFrozenSet>());
    if has_order {
        match sorted.call1((&items,)) {
            Ok(list) => return Ok(list.cast_into()?),
            Err(error) if error.is_instance_of::<PyTypeError>(py) => {}
            Err(error) => return Err(error),
        }
    }
    let options = PyDict::new(py);
    options.set_item("key", py.import("builtins")?.getattr("repr")?)?;
    Ok(sorted.call((items,), Some(&options))?.cast_into()?)
}

fn read_out<'py>(iterable: &Bound<'py, PyAny>) -> Result<Bound<'py, PyList>, Unreadable> {
    let list = PyList::empty(iterable.py());
    for item in iterable.try_iter()? {
        if list.len() == MAX_ITERATED {
            let name = type_name(iterable);
            return Err(Unreadable::Unsupported(format!("{name} yields more than {MAX_ITERATED} items; pass a list")));
        }
        list.append(item?)?;
    }
    Ok(list)
}
