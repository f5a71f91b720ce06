//! A Python object, seen as JSON. JSON's own types are recognized by their exact type and read in place; everything else
//! is converted by `convert.rs`.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toolshape::host::Kind;

use crate::convert::{Conversion, convert};
use crate::host::{PyHost, Unreadable};

/// The most conversions in a row, such as from an enum member to a date.
const MAX_CONVERSIONS: usize = 16;

/// An entry of an object, as the host has it.
pub type PyEntry<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// A Python object, seen as JSON.
pub enum PyNode<'py> {
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
    Entries(Vec<PyEntry<'py>>),
}

impl<'py> PyNode<'py> {
    /// Classifies `object`; runs no code of the object if it is of one of JSON's types.
    pub fn of(object: &Bound<'py, PyAny>, host: &PyHost<'py>) -> Result<Self, Unreadable> {
        if let Some(node) = Self::of_json_type(object) {
            return Ok(node);
        }
        let mut object = object.clone();
        for _ in 0..MAX_CONVERSIONS {
            match convert(&object, host)? {
                Conversion::Is(node) => return Ok(node),
                Conversion::Becomes(next) => object = next,
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

    /// The characters of a text; 0 for everything else.
    pub fn chars(&self) -> usize {
        match self {
            Self::Text(text) => text.code_point_len().unwrap_or(0),
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
    pub fn entries(&self) -> Vec<PyEntry<'py>> {
        match self {
            Self::Dict(dict) => dict.iter().collect(),
            Self::Entries(entries) => entries.clone(),
            _ => Vec::new(),
        }
    }

    /// As [`entries`](Self::entries), without a copy.
    pub fn into_entries(self) -> Vec<PyEntry<'py>> {
        match self {
            Self::Entries(entries) => entries,
            other => other.entries(),
        }
    }
}

/// The name of an object's type for messages, for example `re.Pattern`.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    let kind = object.get_type();
    kind.fully_qualified_name().map_or_else(|_| "an object".to_owned(), |name| name.to_string_lossy().into_owned())
}
