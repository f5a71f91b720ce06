//! The members that any row of a list has: what a selection leaves out of the rows, without reading these again.

use std::collections::{BTreeSet, HashMap};

use crate::base::error::Error;
use crate::base::json_string::Quoted;
use crate::value::field_search::NESTED_ARRAYS;
use crate::value::project::{Selected, Selection, join};
use crate::value::source::{CHUNK, Kind, Source};

/// The members of values, on the way to any of some fields and next to it.
pub(crate) struct AllMembers<'s> {
    fields: &'s Selection,
    members: Vec<AnyMember<'s>>,
    /// The places of the members by their keys with their quotes.
    places: HashMap<String, usize>,
}

struct AnyMember<'s> {
    key: String,
    name: String,
    /// Those within it, if any of the fields are.
    inside: Option<AllMembers<'s>>,
}

impl<'s> AllMembers<'s> {
    pub fn of(fields: &'s Selection) -> Self {
        Self { fields, members: Vec::new(), places: HashMap::new() }
    }

    /// Adds the members of a row.
    ///
    /// # Errors
    /// Whatever reading the row reports.
    pub fn add<S: Source>(&mut self, row: &S) -> Result<(), Error> {
        self.add_value(row, 1)
    }

    /// Adds those of a value, which is directly in this many lists.
    fn add_value<S: Source>(&mut self, value: &S, lists: usize) -> Result<(), Error> {
        if value.kind() == Kind::Array && lists <= NESTED_ARRAYS {
            return value.items(0, CHUNK)?.iter().try_for_each(|item| self.add_value(item, lists + 1));
        }
        let (mut next, mut entered) = (0, Vec::new());
        let entries = value.entries_where(&mut |_, key| {
            let at = self.place(key, next);
            next = at + 1;
            let is_entered = self.members[at].inside.is_some();
            entered.extend(is_entered.then_some(at));
            is_entered
        })?;
        for ((_, value), at) in entries.iter().zip(entered) {
            self.members[at].inside.as_mut().map_or(Ok(()), |inside| inside.add_value(value, 0))?;
        }
        Ok(())
    }

    /// The place of a member, which is mostly the next one: rows have the same members in the same order.
    fn place(&mut self, key: &str, next: usize) -> usize {
        if self.members.get(next).is_some_and(|member| member.key == key) {
            return next;
        }
        if let Some(&known) = self.places.get(key) {
            return known;
        }
        let name = Quoted::new(key).text().into_owned();
        let inside = self.fields.within(&name).map(Self::of);
        self.places.insert(key.to_owned(), self.members.len());
        self.members.push(AnyMember { key: key.to_owned(), name, inside });
        self.members.len() - 1
    }

    /// Adds the dotted paths of what a selection of these fields leaves out, as [`Projected::left_out`] does for the first items of nested lists.
    ///
    /// [`Projected::left_out`]: crate::value::project::Projected::left_out
    pub fn left_out(&self, selection: &Selection, prefix: &str, names: &mut BTreeSet<String>) {
        for AnyMember { name, inside, .. } in &self.members {
            match (selection.entry_named(name), inside) {
                (Some(Selected::Part(part)), Some(inside)) if !part.is_whole() => {
                    inside.left_out(part, &join(prefix, name), names);
                }
                (Some(_), _) => {}
                (None, _) => {
                    names.insert(join(prefix, name));
                }
            }
        }
    }
}
