//! The JSON form of each Python object: the one table of conversions.
//!
//! JSON's own types are recognized by their exact type and read in place. Everything else is converted here, one level
//! deep, as the table in the package's README defines. A type that is not in the table is refused by name, never
//! written as something else.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyMemoryView, PySet, PyString, PyTuple,
    PyType,
};
use pyo3::{PyTypeInfo, intern};
use toolshape::Kind;

use crate::host::{Host, Unreadable};

/// An iterator that yields more items is refused: it may be endless.
const MAX_ITERATED: usize = 1_000_000;

/// The most conversions in a row, such as from an enum member to a date.
const MAX_CONVERSIONS: usize = 16;

/// An entry of an object, as the host has it.
pub type Pair<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// A Python object, seen as JSON.
pub enum Node<'py> {
    Null,
    Bool(bool),
    Int(Bound<'py, PyInt>),
    /// Exactly a `float`.
    Float(Bound<'py, PyFloat>),
    /// A number by its spelling.
    Digits(String),
    /// Exactly a `str`.
    Text(Bound<'py, PyString>),
    List(Bound<'py, PyList>),
    Tuple(Bound<'py, PyTuple>),
    /// Another sequence, with its length.
    Sequence(Bound<'py, PyAny>, usize),
    Dict(Bound<'py, PyDict>),
    /// The entries of another kind of object.
    Entries(Vec<Pair<'py>>),
}

impl<'py> Node<'py> {
    /// Classifies `object`; runs no code of the object if it is of one of JSON's types.
    pub fn of(object: &Bound<'py, PyAny>, host: &Host<'py>) -> Result<Self, Unreadable> {
        if let Some(node) = Self::of_json_type(object) {
            return Ok(node);
        }
        let mut object = object.clone();
        for _ in 0..MAX_CONVERSIONS {
            match convert(&object, host)? {
                Step::Is(node) => return Ok(node),
                Step::Becomes(next) => object = next,
            }
            if let Some(node) = Self::of_json_type(&object) {
                return Ok(node);
            }
        }
        Err(Unreadable::Unsupported(format!("{} is converted to itself again and again", type_name(&object))))
    }

    fn of_json_type(object: &Bound<'py, PyAny>) -> Option<Self> {
        Some(if let Ok(text) = object.cast_exact::<PyString>() {
            Self::Text(text.clone())
        } else if let Ok(int) = object.cast_exact::<PyInt>() {
            Self::Int(int.clone())
        } else if object.is_none() {
            Self::Null
        } else if let Ok(truth) = object.cast_exact::<PyBool>() {
            Self::Bool(truth.is_true())
        } else if let Ok(float) = object.cast_exact::<PyFloat>() {
            Self::Float(float.clone())
        } else if let Ok(dict) = object.cast_exact::<PyDict>() {
            Self::Dict(dict.clone())
        } else if let Ok(list) = object.cast_exact::<PyList>() {
            Self::List(list.clone())
        } else if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            Self::Tuple(tuple.clone())
        } else {
            return None;
        })
    }

    pub fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Bool(_) => Kind::Bool,
            Self::Float(float) if !float.value().is_finite() => Kind::Null,
            Self::Int(_) | Self::Float(_) | Self::Digits(_) => Kind::Number,
            Self::Text(_) => Kind::String,
            Self::List(_) | Self::Tuple(_) | Self::Sequence(..) => Kind::Array,
            Self::Dict(_) | Self::Entries(_) => Kind::Object,
        }
    }

    /// The number of items or entries; 0 for what holds none.
    pub fn len(&self) -> usize {
        match self {
            Self::List(list) => list.len(),
            Self::Tuple(tuple) => tuple.len(),
            Self::Sequence(_, len) => *len,
            Self::Dict(dict) => dict.len(),
            Self::Entries(entries) => entries.len(),
            _ => 0,
        }
    }

    /// An item of an array; `None` past its end, also if it has been shortened since.
    pub fn item(&self, index: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self {
            Self::List(list) if index < list.len() => list.get_item(index).map(Some),
            Self::Tuple(tuple) if index < tuple.len() => tuple.get_item(index).map(Some),
            Self::Sequence(sequence, len) if index < *len => sequence.get_item(index).map(Some),
            _ => Ok(None),
        }
    }

    /// The entries of an object, in its order.
    pub fn entries(&self) -> Vec<Pair<'py>> {
        match self {
            Self::Dict(dict) => dict.iter().collect(),
            Self::Entries(entries) => entries.clone(),
            _ => Vec::new(),
        }
    }

    /// As [`entries`](Self::entries), without a copy.
    pub fn into_entries(self) -> Vec<Pair<'py>> {
        match self {
            Self::Entries(entries) => entries,
            other => other.entries(),
        }
    }
}

/// One conversion: to a node, or to another object that replaces it.
enum Step<'py> {
    Is(Node<'py>),
    Becomes(Bound<'py, PyAny>),
}

fn convert<'py>(object: &Bound<'py, PyAny>, host: &Host<'py>) -> Result<Step<'py>, Unreadable> {
    let py = object.py();
    if is_a(object, &ENUM, "enum", "Enum")? {
        return Ok(Step::Becomes(object.getattr(intern!(py, "value"))?));
    }
    if let Some(node) = subclass(object)? {
        return Ok(Step::Is(node));
    }
    if is_a(object, &DATE, "datetime", "date")? || is_a(object, &TIME, "datetime", "time")? {
        return Ok(Step::Becomes(object.call_method0(intern!(py, "isoformat"))?));
    }
    if is_a(object, &DECIMAL, "decimal", "Decimal")? {
        return Ok(Step::Is(decimal(object)?));
    }
    if is_a(object, &UUID, "uuid", "UUID")? {
        return Ok(Step::Becomes(object.str()?.into_any()));
    }
    if object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || object.is_instance_of::<PyMemoryView>()
    {
        let encoded = py.import("base64")?.call_method1("b64encode", (object,))?;
        let text = encoded.call_method1("decode", ("ascii",))?;
        if !host.reads_options() {
            return Ok(Step::Becomes(text));
        }
        // No option takes bytes: a key of bytes would be another key than their text.
        let options = PyDict::new(py);
        options.set_item("bytes", text)?;
        return Ok(Step::Becomes(options.into_any()));
    }
    let class = object.get_type();
    if class.hasattr(intern!(py, "model_dump"))? {
        let options = PyDict::new(py);
        options.set_item("mode", "json")?;
        options.set_item("by_alias", true)?;
        return Ok(Step::Becomes(object.call_method(intern!(py, "model_dump"), (), Some(&options))?));
    }
    if class.hasattr(intern!(py, "__dataclass_fields__"))? {
        return Ok(Step::Is(Node::Entries(fields(object)?)));
    }
    if class.hasattr(intern!(py, "tolist"))? {
        return Ok(Step::Becomes(object.call_method0(intern!(py, "tolist"))?));
    }
    collection(object, host).map(Step::Is)
}

/// Classifies an instance of a subclass of JSON's types, as `json.dumps` does.
fn subclass<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Node<'py>>> {
    Ok(Some(if let Ok(text) = object.cast::<PyString>() {
        Node::Text(own::<PyString>(text, "__str__")?.cast_into()?)
    } else if let Ok(int) = object.cast::<PyInt>() {
        Node::Int(int.clone())
    } else if let Ok(float) = object.cast::<PyFloat>() {
        Node::Float(PyFloat::new(object.py(), float.value()))
    } else if let Ok(list) = object.cast::<PyList>() {
        Node::List(list.clone())
    } else if let Ok(tuple) = object.cast::<PyTuple>() {
        Node::Tuple(tuple.clone())
    } else {
        return Ok(None);
    }))
}

fn decimal<'py>(object: &Bound<'py, PyAny>) -> PyResult<Node<'py>> {
    if !object.call_method0("is_finite")?.is_truthy()? {
        return Ok(Node::Null);
    }
    let class = DECIMAL.import(object.py(), "decimal", "Decimal")?;
    Ok(Node::Digits(class.call_method1("__str__", (object,))?.extract()?))
}

/// The fields of a dataclass instance, one level deep.
fn fields<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Pair<'py>>> {
    let py = object.py();
    let fields = py.import("dataclasses")?.call_method1("fields", (object,))?;
    let entry = |field: PyResult<Bound<'py, PyAny>>| {
        let name = field?.getattr(intern!(py, "name"))?;
        let value = object.getattr(name.cast::<PyString>()?)?;
        Ok((name, value))
    };
    fields.try_iter()?.map(entry).collect()
}

fn collection<'py>(object: &Bound<'py, PyAny>, host: &Host<'py>) -> Result<Node<'py>, Unreadable> {
    if is_a(object, &MAPPING, "collections.abc", "Mapping")? {
        let entries = object.call_method0(intern!(object.py(), "items"))?;
        let entries = entries.try_iter()?.map(|entry| entry?.extract());
        return Ok(Node::Entries(entries.collect::<PyResult<_>>()?));
    }
    if object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>() {
        return Ok(Node::List(sorted(object)?));
    }
    if is_a(object, &SEQUENCE, "collections.abc", "Sequence")? {
        return Ok(Node::Sequence(object.clone(), object.len()?));
    }
    if is_a(object, &ITERATOR, "collections.abc", "Iterator")? {
        return Ok(Node::List(host.read_once(object, || read_out(object))?));
    }
    if is_a(object, &SET, "collections.abc", "Set")? || is_a(object, &VALUES, "collections.abc", "ValuesView")? {
        return Ok(Node::List(read_out(object)?));
    }
    Err(Unreadable::Unsupported(format!("{} has no JSON form", type_name(object))))
}

static ENUM: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static DATE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static TIME: PyOnceLock<Py<PyType>> = PyOnceLock::new();
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
    // Between sets, "less" means "part of", which is no order.
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

/// The name of an object's type for messages, for example `re.Pattern`.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    let kind = object.get_type();
    kind.fully_qualified_name().map_or_else(|_| "an object".to_owned(), |name| name.to_string_lossy().into_owned())
}
