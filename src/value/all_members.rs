//! The members that rows of a list have, on the way to some fields and next to these: with them the fields of rows are written,
//! and what a selection of the fields leaves out is named without reading the rows again.

use std::collections::{BTreeSet, HashMap};

use toolshape_json::{next_member, skip_string, skip_value};

use crate::base::error::Error;
use crate::base::json_string::Quoted;
use crate::value::field_search::NESTED_ARRAYS;
use crate::value::project::{Selected, Selection, join};
use crate::value::source::{CHUNK, Kind, Source};

/// The members of values, on the way to any of some fields and next to it. The fields have names alone: they pick no items.
pub(crate) struct AllMembers<'s> {
    fields: &'s Selection,
    /// The dotted path of what they are in.
    prefix: String,
    members: Vec<AnyMember<'s>>,
    /// The places of the members by their keys with their quotes.
    places: HashMap<String, usize>,
}

struct AnyMember<'s> {
    key: String,
    name: String,
    path: String,
    wanted: Wanted,
    /// Those within it, if any of the fields are.
    inside: Option<AllMembers<'s>>,
}

/// What the fields are of a member.
#[derive(Clone, Copy)]
enum Wanted {
    Nothing,
    Part,
    Whole,
}

impl<'s> AllMembers<'s> {
    pub fn of(fields: &'s Selection) -> Self {
        Self::within(fields, String::new())
    }

    fn within(fields: &'s Selection, prefix: String) -> Self {
        Self { fields, prefix, members: Vec::new(), places: HashMap::new() }
    }

    /// Adds the members of a row.
    ///
    /// # Errors
    /// Whatever reading the row reports.
    pub fn add<S: Source>(&mut self, row: &S) -> Result<(), Error> {
        self.add_value(row, 1)
    }

    /// The fields of a row in checked JSON without white space, written as [`Projected`] does; adds the members of the row.
    ///
    /// [`Projected`]: crate::value::project::Projected
    pub fn add_text(&mut self, json: &str) -> String {
        let mut out = String::new();
        self.add_text_value(json, 0, 1, &mut out);
        out
    }

    /// The same for the value at a place, which is directly in this many lists; returns its end.
    fn add_text_value(&mut self, json: &str, start: usize, lists: usize, out: &mut String) -> usize {
        let bytes = json.as_bytes();
        let is_list = bytes[start] == b'[';
        if !(bytes[start] == b'{' || (is_list && lists <= NESTED_ARRAYS)) {
            let end = skip_value(bytes, start);
            out.push_str(&json[start..end]);
            return end;
        }
        out.push(char::from(bytes[start]));
        let (first, mut at, mut next) = (out.len(), start + 1, 0);
        while !matches!(bytes[at], b']' | b'}') {
            let comma = if out.len() > first { "," } else { "" };
            let end = if is_list {
                out.push_str(comma);
                self.add_text_value(json, at, lists + 1, out)
            } else {
                let value = skip_string(bytes, at) + 1;
                let place = self.place(&json[at..value - 1], next);
                next = place + 1;
                let AnyMember { wanted, inside, .. } = &mut self.members[place];
                if !matches!(wanted, Wanted::Nothing) {
                    out.push_str(comma);
                    out.push_str(&json[at..value]);
                }
                match (wanted, inside) {
                    (Wanted::Part, Some(inside)) => inside.add_text_value(json, value, 0, out),
                    (Wanted::Nothing, _) => skip_value(bytes, value),
                    (_, inside) => {
                        let end = skip_value(bytes, value);
                        out.push_str(&json[value..end]);
                        // It is a field itself in some rows, and has fields in others.
                        if let Some(inside) = inside {
                            inside.add_text_value(&json[value..end], 0, 0, &mut String::new());
                        }
                        end
                    }
                }
            };
            at = next_member(bytes, end);
        }
        out.push(char::from(bytes[at]));
        at + 1
    }

    /// Adds the members of a value, which is directly in this many lists.
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
        let wanted = match self.fields.entry_named(&name) {
            None => Wanted::Nothing,
            Some(Selected::Part(part)) if !part.is_whole() => Wanted::Part,
            Some(_) => Wanted::Whole,
        };
        let path = join(&self.prefix, &name);
        let inside = self.fields.within(&name).map(|fields| Self::within(fields, path.clone()));
        self.places.insert(key.to_owned(), self.members.len());
        self.members.push(AnyMember { key: key.to_owned(), name, path, wanted, inside });
        self.members.len() - 1
    }

    /// The dotted paths of what a selection of these fields leaves out, as [`Projected::left_out`] names it for the first rows.
    ///
    /// [`Projected::left_out`]: crate::value::project::Projected::left_out
    pub fn left_out(&self, selection: &Selection) -> BTreeSet<&str> {
        let mut paths = BTreeSet::new();
        self.add_left_out(selection, &mut paths);
        paths
    }

    fn add_left_out<'m>(&'m self, selection: &Selection, paths: &mut BTreeSet<&'m str>) {
        for AnyMember { name, path, inside, .. } in &self.members {
            match (selection.entry_named(name), inside) {
                (Some(Selected::Part(part)), Some(inside)) if !part.is_whole() => inside.add_left_out(part, paths),
                (Some(_), _) => {}
                (None, _) => {
                    paths.insert(path);
                }
            }
        }
    }
}
