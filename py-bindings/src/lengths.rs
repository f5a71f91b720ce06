//! How the members of Python objects are read to estimate their lengths: as what they are, without a place for each.

use pyo3::prelude::*;
use pyo3::types::PyString;
use toolshape::Error;
use toolshape::host::Kind;
use toolshape_json::lengths::{MemberReader, ValueSize, around};

use crate::host::{PyHost, Unreadable};
use crate::node::PyNode;
use crate::write::write_key;

/// Reads Python objects of one host.
pub struct PyNodes<'a, 'py>(pub &'a PyHost<'py>);

impl<'py> PyNodes<'_, 'py> {
    /// Passes on an entry with the characters around it.
    fn entry(
        &self,
        key: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
        with: &mut impl FnMut(f64, Option<&PyNode<'py>>),
    ) -> Result<(), Unreadable> {
        let around = match key.cast_exact::<PyString>() {
            Ok(key) => (key.code_point_len()? + 4) as f64,
            Err(_) => {
                let mut literal = String::new();
                write_key(key, self.0, &mut literal)?;
                around(&literal)
            }
        };
        with(around, Some(&PyNode::of(value, self.0)?));
        Ok(())
    }

    /// Notes a fault, which may be an interrupt. Whoever reads the value to show it reports its place.
    fn fault(&self, fault: impl Into<Unreadable>) -> Error {
        self.0.error(fault.into(), String::new())
    }

    fn item(&self, node: &PyNode<'py>, index: usize) -> Result<Option<PyNode<'py>>, Error> {
        let item = node.item(index).map_err(|error| self.fault(error))?;
        item.map(|item| PyNode::of(&item, self.0)).transpose().map_err(|fault| self.fault(fault))
    }
}

impl<'py> MemberReader for PyNodes<'_, 'py> {
    type Value = PyNode<'py>;
    type Error = Error;

    fn size(&self, node: &PyNode<'py>) -> ValueSize {
        match node.kind() {
            Kind::String => ValueSize::String(node.chars()),
            Kind::Array => ValueSize::Array(node.len()),
            Kind::Object => ValueSize::Object(node.len()),
            Kind::Null | Kind::Bool | Kind::Number => ValueSize::Scalar,
        }
    }

    fn each(
        &self,
        node: &PyNode<'py>,
        places: &[usize],
        mut with: impl FnMut(f64, Option<&PyNode<'py>>),
    ) -> Result<(), Error> {
        match node {
            PyNode::Dict(dict) => {
                let mut ahead = places.iter().peekable();
                for (at, (key, value)) in dict.iter().enumerate() {
                    if ahead.peek().is_none() {
                        break;
                    }
                    if ahead.next_if_eq(&&at).is_some() {
                        self.entry(&key, &value, &mut with).map_err(|fault| self.fault(fault))?;
                    }
                }
            }
            PyNode::Entries(entries) => {
                for (key, value) in places.iter().filter_map(|&place| entries.get(place)) {
                    self.entry(key, value, &mut with).map_err(|fault| self.fault(fault))?;
                }
            }
            _ => places.iter().for_each(|&place| with(around(""), self.item(node, place).ok().flatten().as_ref())),
        }
        Ok(())
    }
}
