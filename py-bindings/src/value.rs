//! Python objects as a [`Source`]: read in place, and only as far as the core needs.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyString};
use toolshape::Error;
use toolshape::host::{Entry, FastSource, Kind, Length, MAX_DEPTH, Source, number_at, too_deep};
use toolshape_json::lengths::{member_length, member_lengths};

use crate::host::{PyHost, Unreadable};
use crate::lengths::PyNodes;
use crate::node::{PyEntry, PyNode};
use crate::text;
use crate::write::{JsonWriter, cyclic, push_index, push_key, write_key};

/// A Python object at its place in the value that is shaped; a clone is another handle to it.
#[derive(Clone)]
pub struct PyValue<'a, 'py>(Rc<PyValueInner<'a, 'py>>);

struct PyValueInner<'a, 'py> {
    object: Bound<'py, PyAny>,
    node: PyNode<'py>,
    host: &'a PyHost<'py>,
    above: Option<(PyValue<'a, 'py>, MemberStep<'py>)>,
    depth: usize,
    /// The whole text or its error, after it was written to its end.
    json: OnceCell<Result<String, Error>>,
    /// A number of bytes that its JSON text exceeds.
    exceeds: Cell<usize>,
    /// Of the root: the text within it that the store is to have.
    kept: RefCell<Option<Bound<'py, PyString>>>,
}

/// The step from a container to one of its members.
enum MemberStep<'py> {
    Index(usize),
    Key(Bound<'py, PyAny>),
}

impl<'a, 'py> PyValue<'a, 'py> {
    /// The value itself.
    pub fn root(object: &Bound<'py, PyAny>, host: &'a PyHost<'py>) -> Result<Self, Error> {
        let node = PyNode::of(object, host).map_err(|fault| host.error(fault, String::new()))?;
        Ok(Self::placed(object.clone(), node, host, None, 0))
    }

    fn placed(
        object: Bound<'py, PyAny>,
        node: PyNode<'py>,
        host: &'a PyHost<'py>,
        above: Option<(Self, MemberStep<'py>)>,
        depth: usize,
    ) -> Self {
        let (json, exceeds, kept) = (OnceCell::new(), Cell::new(0), RefCell::default());
        Self(Rc::new(PyValueInner { object, node, host, above, depth, json, exceeds, kept }))
    }

    /// The text, of the value or within it, that the store is to have; empty if the core has another.
    pub fn kept(&self) -> Bound<'py, PyString> {
        self.0.kept.take().unwrap_or_else(|| PyString::new(self.0.object.py(), ""))
    }

    /// The members of an object as a dict.
    pub fn dict(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (key, value) in self.0.node.entries() {
            dict.set_item(key, value)?;
        }
        Ok(dict)
    }

    fn child(&self, object: Bound<'py, PyAny>, step: MemberStep<'py>) -> Result<Self, Error> {
        let PyValueInner { host, depth, .. } = *self.0;
        let node = PyNode::of(&object, host).map_err(|fault| self.error(fault, &step))?;
        Ok(Self::placed(object, node, host, Some((self.clone(), step)), depth + 1))
    }

    /// The values that contain it, innermost first.
    fn ancestors(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(self.above(), |value| value.above())
    }

    fn above(&self) -> Option<&Self> {
        self.0.above.as_ref().map(|(above, _)| above)
    }

    /// JSON Pointer from the root.
    fn pointer(&self) -> String {
        let path: Vec<&Self> = std::iter::once(self).chain(self.ancestors()).collect();
        let mut pointer = String::new();
        for value in path.iter().rev() {
            if let Some((_, step)) = &value.0.above {
                step.push_to(&mut pointer, self.0.host);
            }
        }
        pointer
    }

    fn error(&self, fault: impl Into<Unreadable>, step: &MemberStep<'py>) -> Error {
        let mut pointer = self.pointer();
        step.push_to(&mut pointer, self.0.host);
        self.0.host.error(fault.into(), pointer)
    }

    /// Refuses to enter a value that is too deep, or that contains itself.
    fn enter(&self) -> Result<(), Error> {
        if !matches!(self.kind(), Kind::Array | Kind::Object) {
            return Ok(());
        }
        if self.0.depth >= MAX_DEPTH {
            return Err(too_deep());
        }
        match self.ancestors().find(|above| above.0.object.is(&self.0.object)) {
            Some(above) => Err(cyclic(&self.pointer(), &above.pointer())),
            None => Ok(()),
        }
    }

    fn write(&self, enough: usize) -> Result<String, Error> {
        // What is around it matters only to a container, which may contain itself, and to an error, which names the place.
        let is_container = matches!(self.kind(), Kind::Array | Kind::Object);
        if !is_container
            && let Ok(json) = JsonWriter::within(self.0.host, Vec::new(), String::new()).write(&self.0.object, enough)
        {
            return Ok(json);
        }
        let mut above: Vec<_> = self.ancestors().map(|value| value.0.object.clone()).collect();
        above.reverse();
        JsonWriter::within(self.0.host, above, self.pointer()).write(&self.0.object, enough)
    }
}

impl Drop for PyValueInner<'_, '_> {
    /// Drops the values above one by one, because dropping a chain of thousands by recursion would overflow the stack.
    fn drop(&mut self) {
        let mut above = self.above.take();
        while let Some((value, _)) = above {
            above = Rc::into_inner(value.0).and_then(|mut place| place.above.take());
        }
    }
}

impl<'py> MemberStep<'py> {
    fn push_to(&self, pointer: &mut String, host: &PyHost<'py>) {
        match self {
            Self::Index(index) => push_index(pointer, *index),
            Self::Key(key) => push_key(pointer, key, host),
        }
    }
}

/// The float at a path through dicts; `None` for anything else, which needs the conversion table.
fn plain_number(item: &Bound<'_, PyAny>, path: &[String]) -> Option<f64> {
    let mut found = item.clone();
    for key in path {
        found = found.cast_exact::<PyDict>().ok()?.get_item(key).ok()??;
    }
    let number = found.cast_exact::<PyFloat>().ok()?.value();
    Some(if number.is_finite() { number } else { f64::NAN })
}

impl<'py> Source for PyValue<'_, 'py> {
    fn kind(&self) -> Kind {
        self.0.node.kind()
    }

    fn len(&self) -> usize {
        self.0.node.len()
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        self.enter()?;
        let end = start.saturating_add(max).min(self.len());
        let mut items = Vec::with_capacity(end.saturating_sub(start));
        for index in start..end {
            let step = MemberStep::Index(index);
            match self.0.node.item(index) {
                Ok(Some(item)) => items.push(self.child(item, step)?),
                Ok(None) => break,
                Err(error) => return Err(self.error(error, &step)),
            }
        }
        Ok(items)
    }

    fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
        self.enter()?;
        let entry = |(at, (key, value)): (usize, PyEntry<'py>)| {
            let mut literal = String::new();
            let written = write_key(&key, self.0.host, &mut literal);
            let step = MemberStep::Key(key);
            if let Err(fault) = written {
                return Some(Err(self.error(fault, &step)));
            }
            is_wanted(at, &literal).then(|| Ok((literal, self.child(value, step)?)))
        };
        self.0.node.entries().into_iter().enumerate().filter_map(entry).collect()
    }

    fn chars(&self) -> usize {
        self.0.node.chars()
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        match &self.0.node {
            PyNode::Text(text) => {
                text::literal(text, start, max).map_err(|error| self.0.host.error(error.into(), self.pointer()))
            }
            _ => Ok(String::new()),
        }
    }

    fn text(&self) -> Result<Cow<'_, str>, Error> {
        match &self.0.node {
            PyNode::Text(text) => text::plain(text).map_err(|error| self.0.host.error(error.into(), self.pointer())),
            _ => Ok(Cow::Borrowed("")),
        }
    }

    fn min_bytes(&self, enough: usize) -> usize {
        if let PyNode::Text(_) = &self.0.node {
            return self.chars() + 2;
        }
        match self.json_up_to(enough) {
            Ok(json) => json.map_or(enough.saturating_add(1), |json| json.len()),
            Err(_) => 0,
        }
    }

    fn json_up_to(&self, most: usize) -> Result<Option<Cow<'_, str>>, Error> {
        if self.0.json.get().is_none() {
            if self.0.exceeds.get() >= most || self.chars() > most {
                return Ok(None);
            }
            match self.write(most) {
                Ok(start) if start.len() > most => {
                    self.0.exceeds.set(start.len() - 1);
                    return Ok(None);
                }
                // A short value is written once.
                end => _ = self.0.json.set(end),
            }
        }
        Ok(Some(self.json()?).filter(|json| json.len() <= most))
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        match self.0.json.get_or_init(|| self.write(usize::MAX)) {
            Ok(json) => Ok(Cow::Borrowed(json)),
            Err(error) => Err(error.clone()),
        }
    }

    fn fast(&self) -> Option<&dyn FastSource> {
        Some(self)
    }
}

impl<'py> FastSource for PyValue<'_, 'py> {
    fn whole(&self, is_text: bool, piece: &mut dyn FnMut(&str)) -> Result<bool, Error> {
        match &self.0.node {
            PyNode::Text(text) if is_text => {
                text::pieces(text, piece).map_err(|error| self.0.host.error(error.into(), self.pointer()))?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn holds_whole(&self) -> bool {
        true
    }

    fn keep_whole(&self, is_text: bool) {
        let py = self.0.object.py();
        let kept = match &self.0.node {
            PyNode::Text(text) if is_text => text::held(text, || Ok(PyString::new(py, &text::plain(text)?))).ok(),
            _ => self.json().ok().map(|json| PyString::new(py, &json)),
        };
        // It was read before, so that it cannot fail.
        if let Some(kept) = kept {
            self.ancestors().last().unwrap_or(self).0.kept.replace(Some(kept));
        }
    }

    fn column(&self, path: &[String]) -> Result<Option<Vec<f64>>, Error> {
        self.enter()?;
        let mut numbers = Vec::with_capacity(self.len());
        for index in 0..self.len() {
            let step = MemberStep::Index(index);
            let item = match self.0.node.item(index).map_err(|error| self.error(error, &step))? {
                Some(item) => item,
                None => break,
            };
            numbers.push(match plain_number(&item, path) {
                Some(number) => number,
                None => number_at(&self.child(item, step)?, path)?,
            });
        }
        Ok(Some(numbers))
    }

    fn lengths(&self, places: &[usize], room: usize) -> Result<Option<Vec<Length>>, Error> {
        // A member that cannot be read is one for the core's walk, which finds the exact error.
        Ok(member_lengths(&PyNodes(self.0.host), &self.0.node, places, room).ok())
    }

    fn member_length(&self, around: f64, left: &mut usize, levels: usize) -> Option<Length> {
        Some(member_length(&PyNodes(self.0.host), &self.0.node, around, left, levels))
    }

    fn writes_fast(&self) -> bool {
        true
    }
}
