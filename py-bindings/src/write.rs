//! Writes Python objects as minified JSON text, as far as it is needed.
//!
//! Writes what `json.dumps(value, ensure_ascii=False, separators=(",", ":"))` writes, extended by the conversions of
//! [`PyNode`]. Keeps its own stack, so that deep nesting cannot overflow the machine's stack, and reads no more of the
//! value than it writes.

use std::collections::HashMap;
use std::fmt::Write;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyString};
use toolshape::host::{MAX_DEPTH, escape_token, too_deep};
use toolshape::{Error, ErrorCode};

use crate::convert::own;
use crate::host::{PyHost, Unreadable};
use crate::node::{PyEntry, PyNode, type_name};
use crate::text;

/// Writes one value, which may be a part of a larger one.
pub struct JsonWriter<'a, 'py> {
    host: &'a PyHost<'py>,
    /// The containers around the value, outermost first, and the JSON Pointer to it.
    above: Vec<Bound<'py, PyAny>>,
    pointer: String,
    open: Vec<UnwrittenContainer<'py>>,
    out: String,
}

/// A container that is being written.
struct UnwrittenContainer<'py> {
    /// The original object; holding it keeps its address in use.
    object: Bound<'py, PyAny>,
    members: UnwrittenMembers<'py>,
}

enum UnwrittenMembers<'py> {
    Items { array: PyNode<'py>, next: usize },
    Entries { rest: std::vec::IntoIter<PyEntry<'py>>, key: Option<Bound<'py, PyAny>> },
}

impl<'a, 'py> JsonWriter<'a, 'py> {
    /// A writer for a value without containers around it.
    pub fn new(host: &'a PyHost<'py>) -> Self {
        Self::within(host, Vec::new(), String::new())
    }

    /// A writer for the value at `pointer`, below the containers `above`, outermost first.
    pub fn within(host: &'a PyHost<'py>, above: Vec<Bound<'py, PyAny>>, pointer: String) -> Self {
        Self { host, above, pointer, open: Vec::new(), out: String::new() }
    }

    /// The JSON text of `object`; stops soon after it is longer than `enough` bytes.
    pub fn write(mut self, object: &Bound<'py, PyAny>, enough: usize) -> Result<String, Error> {
        self.value(object, enough)?;
        while self.out.len() <= enough && self.member(enough)? {}
        Ok(self.out)
    }

    /// Writes the next member of the innermost open container, or closes it; `false` if none is open.
    fn member(&mut self, enough: usize) -> Result<bool, Error> {
        let Some(top) = self.open.last_mut() else { return Ok(false) };
        let (next, close) = match &mut top.members {
            UnwrittenMembers::Items { array, next } => {
                *next += 1;
                (array.item(*next - 1).map(|item| item.map(|item| (None, item))), ']')
            }
            UnwrittenMembers::Entries { rest, key } => {
                let next = rest.next();
                *key = next.as_ref().map(|(key, _)| key.clone());
                (Ok(next.map(|(key, value)| (Some(key), value))), '}')
            }
        };
        let Some((key, value)) = next.map_err(|error| self.error(error.into()))? else {
            self.out.push(close);
            self.open.pop();
            return Ok(true);
        };
        if !self.out.ends_with(['[', '{']) {
            self.out.push(',');
        }
        if let Some(key) = key {
            write_key(&key, self.host, &mut self.out).map_err(|fault| self.error(fault))?;
            self.out.push(':');
        }
        self.value(&value, enough)?;
        Ok(true)
    }

    /// Writes a scalar, or opens a container.
    fn value(&mut self, object: &Bound<'py, PyAny>, enough: usize) -> Result<(), Error> {
        let node = PyNode::of(object, self.host).map_err(|fault| self.error(fault))?;
        let members = match node {
            PyNode::List(_) | PyNode::Tuple(_) | PyNode::Sequence(..) => {
                UnwrittenMembers::Items { array: node, next: 0 }
            }
            PyNode::Dict(_) | PyNode::Entries(_) => {
                UnwrittenMembers::Entries { rest: node.into_entries().into_iter(), key: None }
            }
            scalar => return write_scalar(&scalar, self.host, &mut self.out, enough).map_err(|f| self.error(f)),
        };
        if self.is_cyclic(object) {
            return Err(self.cycle(object));
        }
        if self.above.len() + self.open.len() >= MAX_DEPTH {
            return Err(too_deep());
        }
        self.out.push(if matches!(members, UnwrittenMembers::Items { .. }) { '[' } else { '{' });
        self.open.push(UnwrittenContainer { object: object.clone(), members });
        Ok(())
    }

    /// Whether an object that is about to be opened is known to contain itself.
    ///
    /// Compares with one container around it: the outermost, then the one at each power of two (Brent's
    /// way to find cycles). Every cycle is found before it has been written three times.
    fn is_cyclic(&self, object: &Bound<'py, PyAny>) -> bool {
        match (self.above.len() + self.open.len()).checked_ilog2() {
            Some(power) => {
                let at = (1 << power) - 1;
                self.above.get(at).unwrap_or_else(|| &self.open[at - self.above.len()].object).is(object)
            }
            None => false,
        }
    }

    /// The error for a cycle, at the first place where it closes.
    fn cycle(&self, object: &Bound<'py, PyAny>) -> Error {
        let mut seen = HashMap::new();
        let chain = self.above.iter().chain(self.open.iter().map(|open| &open.object)).chain([object]);
        let pointer = self.place();
        for (at, object) in chain.enumerate() {
            if let Some(first) = seen.insert(object.as_ptr(), at) {
                return cyclic(ancestor(&pointer, at), ancestor(&pointer, first));
            }
        }
        cyclic(&pointer, "")
    }

    fn error(&self, fault: Unreadable) -> Error {
        self.host.error(fault, self.place())
    }

    /// JSON Pointer to what is being written.
    fn place(&self) -> String {
        let mut pointer = self.pointer.clone();
        for open in &self.open {
            match &open.members {
                UnwrittenMembers::Items { next, .. } => push_index(&mut pointer, next - 1),
                UnwrittenMembers::Entries { key: Some(key), .. } => push_key(&mut pointer, key, self.host),
                UnwrittenMembers::Entries { key: None, .. } => {}
            }
        }
        pointer
    }
}

/// The error for a value that contains itself: at `inner`, inside `outer`.
pub fn cyclic(inner: &str, outer: &str) -> Error {
    let outer = if outer.is_empty() { "the root" } else { outer };
    let message = format!("a cycle: the value at {inner} is the same object as {outer}");
    Error::new(ErrorCode::UnsupportedValue, message, inner)
}

/// The first `depth` tokens of a JSON Pointer.
fn ancestor(pointer: &str, depth: usize) -> &str {
    pointer.match_indices('/').nth(depth).map_or(pointer, |(end, _)| &pointer[..end])
}

/// Extends a JSON Pointer by an index.
pub fn push_index(pointer: &mut String, index: usize) {
    write!(pointer, "/{index}").expect("writing to a String cannot fail");
}

/// Extends a JSON Pointer by a key.
pub fn push_key<'py>(pointer: &mut String, key: &Bound<'py, PyAny>, host: &PyHost<'py>) {
    let name = match key.cast::<PyString>() {
        Ok(key) => text::plain(key).map_or_else(|_| "?".into(), |key| key.into_owned()),
        Err(_) => {
            let mut literal = String::new();
            match write_key(key, host, &mut literal) {
                Ok(()) => literal.trim_matches('"').to_owned(),
                Err(_) => type_name(key),
            }
        }
    };
    pointer.push('/');
    pointer.push_str(&escape_token(&name));
}

/// Appends a key as a JSON string literal with its quotes, as `json.dumps` spells it. A key of another type is spelled as
/// the value that it would be, unless that is a list or an object.
pub fn write_key<'py>(key: &Bound<'py, PyAny>, host: &PyHost<'py>, out: &mut String) -> Result<(), Unreadable> {
    let node = PyNode::of(key, host)?;
    match &node {
        PyNode::Text(text) => return Ok(text::write_quoted(text, out, usize::MAX)?),
        PyNode::Float(float) if float.value().is_nan() => out.push_str("\"NaN\""),
        PyNode::Float(float) if float.value() == f64::INFINITY => out.push_str("\"Infinity\""),
        PyNode::Float(float) if float.value() == f64::NEG_INFINITY => out.push_str("\"-Infinity\""),
        PyNode::Null | PyNode::Bool(_) | PyNode::Int(_) | PyNode::Digits(_) | PyNode::Float(_) => {
            out.push('"');
            write_scalar(&node, host, out, usize::MAX)?;
            out.push('"');
        }
        _ => {
            let message =
                format!("a key is {}; keys are what is written as a text, a number or a word", type_name(key));
            return Err(Unreadable::Unsupported(message));
        }
    }
    Ok(())
}

fn write_scalar(node: &PyNode<'_>, host: &PyHost<'_>, out: &mut String, enough: usize) -> Result<(), Unreadable> {
    let start = out.len();
    match node {
        PyNode::Text(value) => text::write_quoted(value, out, enough)?,
        PyNode::Int(int) => write_int(int, out)?,
        PyNode::Float(float) if float.value().is_finite() || host.reads_options() => write_float(float, out)?,
        PyNode::Digits(digits) => out.push_str(digits),
        PyNode::Bool(true) => out.push_str("true"),
        PyNode::Bool(false) => out.push_str("false"),
        _ => out.push_str("null"),
    }
    if host.reads_options() && is_beyond_numbers(node, out.len() - start) {
        out.insert(start, '"');
        out.push('"');
    }
    Ok(())
}

/// Whether a number is not finite, or is not finite as a float.
fn is_beyond_numbers(node: &PyNode<'_>, digits: usize) -> bool {
    match node {
        PyNode::Float(float) => !float.value().is_finite(),
        PyNode::Int(_) | PyNode::Digits(_) => digits > f64::MAX_10_EXP as usize,
        _ => false,
    }
}

fn write_int(int: &Bound<'_, PyInt>, out: &mut String) -> PyResult<()> {
    if let Ok(small) = int.extract::<i64>() {
        write!(out, "{small}").expect("writing to a String cannot fail");
        return Ok(());
    }
    let py = int.py();
    let digits = match own::<PyInt>(int, "__repr__") {
        // Python refuses integers with more digits than sys.get_int_max_str_digits().
        Err(error) if error.is_instance_of::<PyValueError>(py) => {
            py.import("toolshape._json")?.call_method1("digits", (int,))?
        }
        digits => digits?,
    };
    out.push_str(digits.cast::<PyString>()?.to_str()?);
    Ok(())
}

fn write_float(float: &Bound<'_, PyFloat>, out: &mut String) -> PyResult<()> {
    out.push_str(float.repr()?.to_str()?);
    Ok(())
}
