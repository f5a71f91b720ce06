//! The members that any row of a list has: what a selection leaves out of the rows, without reading these again.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::error::Error;
use crate::base::json_string::Quoted;
use crate::value::field_search::NESTED_ARRAYS;
use crate::value::project::{Selected, Selection, join};
use crate::value::source::{CHUNK, Kind, Source};

/// The members of values, by their keys with their quotes.
#[derive(Default)]
pub(crate) struct AllMembers(BTreeMap<String, AllMembers>);

impl AllMembers {
    /// The members of some rows, on the way to any of these fields and next to it.
    ///
    /// # Errors
    /// Whatever reading the rows reports.
    pub fn of<S: Source>(rows: &[S], fields: &Selection) -> Result<Self, Error> {
        let mut all = Self::default();
        rows.iter().try_for_each(|row| all.add(row, fields, 1)).map(|()| all)
    }

    /// Adds those of a value, which is directly in this many lists.
    fn add<S: Source>(&mut self, value: &S, fields: &Selection, lists: usize) -> Result<(), Error> {
        if value.kind() == Kind::Array && lists <= NESTED_ARRAYS {
            return value.items(0, CHUNK)?.iter().try_for_each(|item| self.add(item, fields, lists + 1));
        }
        let mut inner = Vec::new();
        let entries = value.entries_where(&mut |_, key| {
            if !self.0.contains_key(key) {
                self.0.insert(key.to_owned(), Self::default());
            }
            let within = fields.within(key);
            inner.extend(within);
            within.is_some()
        })?;
        for ((key, value), fields) in entries.iter().zip(inner) {
            self.0.entry(key.clone()).or_default().add(value, fields, 0)?;
        }
        Ok(())
    }

    /// Adds the dotted paths of what a selection of these fields leaves out, as [`Projected::left_out`] does for the first items of nested lists.
    ///
    /// [`Projected::left_out`]: crate::value::project::Projected::left_out
    pub fn left_out(&self, selection: &Selection, prefix: &str, names: &mut BTreeSet<String>) {
        for (key, inner) in &self.0 {
            let name = Quoted::new(key).text();
            match selection.entry_named(&name) {
                Some(Selected::Part(part)) if !part.is_whole() => inner.left_out(part, &join(prefix, &name), names),
                Some(_) => {}
                None => {
                    names.insert(join(prefix, &name));
                }
            }
        }
    }
}
