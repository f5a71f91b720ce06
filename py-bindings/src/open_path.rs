//! The containers around the value that was entered last, so that one look finds whether a value contains itself.
//!
//! Values are mostly read in the order of their text, so the path changes little from one to the next, however deep it
//! is.

use std::collections::HashSet;

use pyo3::ffi::PyObject;
use pyo3::prelude::*;

/// A container on a path: the number of its place, which no other place has, and the object, which is only compared.
type Around = (u64, *mut PyObject);

/// The path to the value that was entered last.
#[derive(Default)]
pub struct OpenPath {
    /// Outermost first. Those that are still at their places are alive.
    around: Vec<Around>,
    objects: HashSet<*mut PyObject>,
}

impl OpenPath {
    /// Whether an object is among the `depth` containers around it, which are given innermost first.
    pub fn contains(&mut self, object: &Bound<'_, PyAny>, depth: usize, above: impl Iterator<Item = Around>) -> bool {
        let (mut entered, mut known) = (Vec::new(), depth);
        for around in above {
            if self.around.get(known - 1).is_some_and(|(number, _)| *number == around.0) {
                break;
            }
            entered.push(around);
            known -= 1;
        }
        for (_, left) in self.around.drain(known.min(self.around.len())..) {
            self.objects.remove(&left);
        }
        for around in entered.into_iter().rev() {
            self.around.push(around);
            self.objects.insert(around.1);
        }
        self.objects.contains(&object.as_ptr())
    }
}
