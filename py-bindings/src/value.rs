//! Python objects as a [`Source`]: read in place, and no further than the core asks.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use pyo3::prelude::*;
use toolshape::{Entry, Error, Kind, MAX_DEPTH, Source, too_deep};

use crate::host::Host;
use crate::node::Node;
use crate::text;
use crate::write::{Writer, push_index, push_key, write_key};

/// A Python object at its place in the value that is shaped; a clone is another handle to it.
#[derive(Clone)]
pub struct PyValue<'a, 'py>(Rc<Place<'a, 'py>>);

struct Place<'a, 'py> {
    object: Bound<'py, PyAny>,
    node: Node<'py>,
    host: &'a Host<'py>,
    /// JSON Pointer to the object, and how many containers it stands in.
    pointer: String,
    depth: usize,
    /// The whole text or why there is none, once it was written to its end.
    json: OnceCell<Result<String, Error>>,
}

impl<'a, 'py> PyValue<'a, 'py> {
    /// The value itself.
    pub fn root(object: &Bound<'py, PyAny>, host: &'a Host<'py>) -> Result<Self, Error> {
        Self::new(object.clone(), host, String::new(), 0)
    }

    fn new(object: Bound<'py, PyAny>, host: &'a Host<'py>, pointer: String, depth: usize) -> Result<Self, Error> {
        let node = match Node::of(&object, host) {
            Ok(node) => node,
            Err(fault) => return Err(host.error(fault, pointer)),
        };
        if depth >= MAX_DEPTH && matches!(node.kind(), Kind::Array | Kind::Object) {
            return Err(too_deep());
        }
        Ok(Self(Rc::new(Place { object, node, host, pointer, depth, json: OnceCell::new() })))
    }

    fn write(&self, enough: usize) -> Result<String, Error> {
        Writer::new(self.0.host, &self.0.pointer, self.0.depth).write(&self.0.object, enough)
    }
}

impl Source for PyValue<'_, '_> {
    fn kind(&self) -> Kind {
        self.0.node.kind()
    }

    fn len(&self) -> usize {
        self.0.node.len()
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        let end = start.saturating_add(max).min(self.len());
        let mut items = Vec::with_capacity(end.saturating_sub(start));
        for index in start..end {
            let mut pointer = self.0.pointer.clone();
            push_index(&mut pointer, index);
            match self.0.node.item(index) {
                Ok(Some(item)) => items.push(Self::new(item, self.0.host, pointer, self.0.depth + 1)?),
                Ok(None) => break,
                Err(error) => return Err(self.0.host.error(error.into(), pointer)),
            }
        }
        Ok(items)
    }

    fn entries(&self) -> Result<Vec<Entry<Self>>, Error> {
        let entry = |(key, value): (Bound<'_, PyAny>, _)| {
            let mut pointer = self.0.pointer.clone();
            push_key(&mut pointer, &key);
            let mut literal = String::new();
            match write_key(&key, &mut literal) {
                Ok(()) => Ok((literal, Self::new(value, self.0.host, pointer, self.0.depth + 1)?)),
                Err(fault) => Err(self.0.host.error(fault, pointer)),
            }
        };
        self.0.node.entries().into_iter().map(entry).collect()
    }

    fn chars(&self) -> usize {
        match &self.0.node {
            Node::Text(text) => text.code_point_len().unwrap_or(0),
            _ => 0,
        }
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        match &self.0.node {
            Node::Text(text) => {
                text::literal(text, start, max).map_err(|error| self.0.host.error(error.into(), self.0.pointer.clone()))
            }
            _ => Ok(String::new()),
        }
    }

    fn min_bytes(&self, enough: usize) -> usize {
        if let Node::Text(_) = &self.0.node {
            return self.chars() + 2;
        }
        if let Some(Ok(json)) = self.0.json.get() {
            return json.len();
        }
        // What is short is written once: the text is kept for `json`.
        match self.write(enough) {
            Ok(start) if start.len() > enough => start.len(),
            end => self.0.json.get_or_init(|| end).as_ref().map_or(0, String::len),
        }
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        match self.0.json.get_or_init(|| self.write(usize::MAX)) {
            Ok(json) => Ok(Cow::Borrowed(json)),
            Err(error) => Err(error.clone()),
        }
    }
}
