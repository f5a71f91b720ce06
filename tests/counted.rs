//! A source that counts what is read of it.

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

use toolshape::Error;
use toolshape::host::{Entry, JsonText, Kind, Source};

/// JSON text as a source; clones count together.
#[derive(Clone)]
pub struct Counted<'a> {
    value: JsonText<'a>,
    read: Rc<Cell<u64>>,
}

impl<'a> Counted<'a> {
    pub fn new(json: &'a str) -> Self {
        Self { value: JsonText::parse(json).unwrap(), read: Rc::default() }
    }

    /// What was read, in bytes and values.
    pub fn read(&self) -> u64 {
        self.read.get()
    }

    fn count(&self, read: usize) {
        self.read.set(self.read.get() + 16 + read as u64);
    }

    fn wrap(&self, value: JsonText<'a>) -> Self {
        Self { value, read: self.read.clone() }
    }
}

impl Source for Counted<'_> {
    fn kind(&self) -> Kind {
        self.value.kind()
    }

    fn len(&self) -> usize {
        self.value.len()
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        let items = self.value.items(start, max)?;
        self.count(16 * items.len());
        Ok(items.into_iter().map(|item| self.wrap(item)).collect())
    }

    fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
        let entries = self.value.entries_where(is_wanted)?;
        self.count(entries.iter().map(|(key, _)| 16 + key.len()).sum());
        Ok(entries.into_iter().map(|(key, value)| (key, self.wrap(value))).collect())
    }

    fn chars(&self) -> usize {
        self.value.chars()
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        let slice = self.value.slice(start, max)?;
        self.count(slice.len());
        Ok(slice)
    }

    fn min_bytes(&self, enough: usize) -> usize {
        let bytes = self.value.min_bytes(enough);
        self.count(bytes.min(enough));
        bytes
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        let json = self.value.json()?;
        self.count(json.len());
        Ok(json)
    }
}
