//! Projection: a value restricted to the wanted fields, in the original order.
//!
//! A [`Projected`] value is a [`Source`] itself: nothing is read until it is shown.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::base::error::{Error, ErrorCode};
use crate::base::field_path::{self, FieldPath};
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::base::sorting::sort_by_key;
use crate::base::text_cuts;
use crate::base::work::Work;
use crate::value::field_search::{self, NESTED_ARRAYS};
use crate::value::source::{
    CHUNK, Entry, Kind, RowSource, Source, identity, item, original_index, row_key, write_json,
};

/// The message where looking for fields is stopped.
const STOPPED: &str =
    "looking for these fields was stopped because it takes too much; ask for other fields, or for a page";

/// Wanted fields as a tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// Sorted by name.
    children: Vec<(String, Selection)>,
    /// Everything below is wanted.
    whole: bool,
    /// Siblings that are not named are wanted whole (what surrounds the list of an envelope).
    others: bool,
    /// What is wanted of the value of every entry (of a map whose entries are rows).
    each: Option<Box<Selection>>,
}

impl Selection {
    /// The fields below `base`; everything next to `base` is kept.
    pub fn new(fields: &[FieldPath], base: &[String]) -> Self {
        let mut root = Self::default();
        let mut node = &mut root;
        for segment in base {
            node.others = true;
            node = node.child(segment);
        }
        for field in fields {
            node.insert(field.segments());
        }
        root
    }

    /// The fields of the value of every entry of the map at `base`; everything next to `base` is kept.
    pub fn of_each(fields: &[FieldPath], base: &[String]) -> Self {
        let mut root = Self::default();
        let mut node = &mut root;
        for segment in base {
            node.others = true;
            node = node.child(segment);
        }
        node.each = Some(Box::new(Self::new(fields, &[])));
        root
    }

    /// The same selection, if it can be shown of `value`.
    ///
    /// # Errors
    /// `INVALID_CALL` if of one list both single rows and fields of every row are wanted: a row that is picked hides the
    /// others.
    pub fn of<S: Source>(self, value: &S) -> Result<Self, Error> {
        match Projected::new(value.clone(), &self).row_beside_field()? {
            Some((row, field)) => Err(Error::new(
                ErrorCode::InvalidCall,
                format!(
                    "fields names both the row at index {row} of a list and {:?} of every row; ask for one of both",
                    text_cuts::clipped(field, text_cuts::SHOWN_CHARS)
                ),
                "/fields",
            )),
            None => Ok(self),
        }
    }

    /// What is wanted of an entry, whose key has its quotes; `None` if it is not wanted.
    fn entry(&self, key: &str) -> Option<Selected<'_>> {
        self.entry_named(&Quoted::new(key).text())
    }

    pub(super) fn entry_named(&self, name: &str) -> Option<Selected<'_>> {
        if let Some(each) = &self.each {
            return Some(Selected::Part(each));
        }
        match self.get(name) {
            Some(child) => Some(Selected::Part(child)),
            None => self.others.then_some(Selected::Whole),
        }
    }

    /// Whether everything below is wanted.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    /// What is wanted within an entry; `None` if nothing is, or only all of it.
    pub(super) fn within(&self, name: &str) -> Option<&Self> {
        self.get(name).filter(|child| !child.children.is_empty())
    }

    fn child(&mut self, name: &str) -> &mut Self {
        let at = self.place(name).unwrap_or_else(|place| {
            self.children.insert(place, (name.to_owned(), Self::default()));
            place
        });
        &mut self.children[at].1
    }

    fn insert(&mut self, segments: &[String]) {
        let mut node = self;
        for segment in segments {
            node = node.child(segment);
        }
        node.whole = true;
    }

    fn get(&self, name: &str) -> Option<&Self> {
        Some(&self.children[self.place(name).ok()?].1)
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.children.binary_search_by(|(known, _)| known.as_str().cmp(name))
    }

    /// The items that are picked by index; `None` if the selection applies to every item.
    fn indices(&self) -> Option<Vec<(usize, &Self)>> {
        if self.others {
            return None;
        }
        let picks: Option<Vec<_>> =
            self.children.iter().map(|(name, child)| Some((json_pointer::index(name)?, child))).collect();
        picks.filter(|picks| !picks.is_empty()).map(|mut picks| {
            sort_by_key(&mut picks, |(index, _)| *index);
            picks
        })
    }
}

/// What is wanted of an entry.
pub(super) enum Selected<'s> {
    Whole,
    Part(&'s Selection),
}

/// A value restricted by a selection; without one, the value itself.
#[derive(Clone)]
pub(crate) struct Projected<'s, S> {
    value: S,
    selection: Option<&'s Selection>,
    /// How many arrays directly contain this one.
    nested: usize,
}

impl<'s, S: Source> Projected<'s, S> {
    pub fn new(value: S, selection: &'s Selection) -> Self {
        Self { value, selection: Some(selection).filter(|s| !s.whole), nested: 0 }
    }

    /// The value without the selection.
    pub fn original(&self) -> &S {
        &self.value
    }

    fn whole(value: S) -> Self {
        Self { value, selection: None, nested: 0 }
    }

    /// An item of this array, restricted by the same selection, or by that of its index if the others stay whole.
    fn item(&self, index: usize, value: S) -> Self {
        if let Some(selection) = self.selection.filter(|selection| selection.others) {
            return match selection.get(&index.to_string()) {
                Some(child) => Self::new(value, child),
                None => Self::whole(value),
            };
        }
        match value.kind() {
            Kind::Array if self.nested == NESTED_ARRAYS => Self::whole(value),
            _ => Self { value, selection: self.selection, nested: self.nested + 1 },
        }
    }

    /// The number of a row, and the name of a field of every row, that are wanted of one list.
    fn row_beside_field(&self) -> Result<Option<(usize, &'s str)>, Error> {
        let Some(selection) = self.selection else { return Ok(None) };
        let inner = match self.value.kind() {
            Kind::Array => {
                let row = selection.children.iter().find_map(|(name, _)| json_pointer::index(name));
                let field = selection.children.iter().find(|(name, _)| json_pointer::index(name).is_none());
                if let (Some(row), Some((field, _)), false) = (row, field, selection.others) {
                    return Ok(Some((row, field)));
                }
                let most = if selection.others { usize::MAX } else { 1 };
                self.items(0, most)?
            }
            Kind::Object => self.entries()?.into_iter().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        };
        for value in inner {
            let found = value.row_beside_field()?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Adds dotted paths of what the selection leaves out of this value. Of a list or a map all that its first rows lose is
    /// named; further rows are read only while nothing is found, so that there are names exactly if anything is left out.
    pub fn left_out(&self, prefix: &str, names: &mut BTreeSet<String>) -> Result<(), Error> {
        let Some(selection) = self.selection else { return Ok(()) };
        match self.value.kind() {
            Kind::Array => {
                if let Some(index) = self.first_unpicked() {
                    names.insert(join(prefix, &index.to_string()));
                }
                let mut start = 0;
                while start < self.len() && (start == 0 || names.is_empty()) {
                    let items = self.items(start, CHUNK)?;
                    start += CHUNK;
                    items.iter().try_for_each(|item| item.left_out(prefix, names))?;
                }
            }
            Kind::Object if selection.each.is_some() => {
                for (_, first) in self.entries_where(&mut |at, _| at < CHUNK)? {
                    first.left_out(prefix, names)?;
                }
                if names.is_empty() {
                    for (_, other) in self.entries_where(&mut |at, _| at >= CHUNK)? {
                        other.left_out(prefix, names)?;
                        if !names.is_empty() {
                            break;
                        }
                    }
                }
            }
            Kind::Object => {
                let mut paths = Vec::new();
                let mut path = String::new();
                let parts = self.value.entries_where(&mut |_, key| {
                    let name = Quoted::new(key).text();
                    match selection.entry_named(&name) {
                        Some(Selected::Part(child)) if !child.whole => {
                            paths.push((join(prefix, &name), child));
                            return true;
                        }
                        Some(_) => {}
                        None => {
                            write_joined(prefix, &name, &mut path);
                            // Mostly it is: the rows of a list are alike.
                            if !names.contains(&path) {
                                names.insert(path.clone());
                            }
                        }
                    }
                    false
                })?;
                for ((_, value), (path, child)) in parts.into_iter().zip(paths) {
                    Projected::new(value, child).left_out(&path, names)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The first item that is not among those that are picked by index.
    fn first_unpicked(&self) -> Option<usize> {
        let picks = self.selection.and_then(Selection::indices)?;
        (0..self.value.len()).find(|at| picks.iter().all(|(index, _)| index != at))
    }
}

impl<S: Source> Source for Projected<'_, S> {
    fn kind(&self) -> Kind {
        self.value.kind()
    }

    fn len(&self) -> usize {
        let Some(selection) = self.selection else { return self.value.len() };
        match self.kind() {
            Kind::Array => match selection.indices() {
                Some(picks) => picks.iter().filter(|(index, _)| *index < self.value.len()).count(),
                None => self.value.len(),
            },
            Kind::Object => {
                let mut count = 0;
                let counted = self.entries_where(&mut |_, _| {
                    count += 1;
                    false
                });
                counted.map_or(0, |_| count)
            }
            _ => 0,
        }
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        let Some(picks) = self.selection.and_then(Selection::indices) else {
            let items = self.value.items(start, max)?.into_iter().enumerate();
            return Ok(items.map(|(nth, value)| self.item(start + nth, value)).collect());
        };
        let mut items = Vec::new();
        for (index, selection) in picks.into_iter().skip(start).take(max) {
            items.extend(item(&self.value, index)?.map(|value| Self::new(value, selection)));
        }
        Ok(items)
    }

    fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
        let Some(selection) = self.selection else {
            let entries = self.value.entries_where(is_wanted)?;
            return Ok(entries.into_iter().map(|(key, value)| (key, Self::whole(value))).collect());
        };
        let mut kept = 0;
        let entries = self.value.entries_where(&mut |_, key| {
            let is_kept = selection.entry(key).is_some();
            kept += usize::from(is_kept);
            is_kept && is_wanted(kept - 1, key)
        })?;
        let restricted = |(key, value): Entry<S>| match selection.entry(&key) {
            Some(Selected::Part(child)) => (key, Self::new(value, child)),
            Some(Selected::Whole) | None => (key, Self::whole(value)),
        };
        Ok(entries.into_iter().map(restricted).collect())
    }

    fn chars(&self) -> usize {
        self.value.chars()
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        self.value.slice(start, max)
    }

    fn min_bytes(&self, enough: usize) -> usize {
        match self.selection {
            Some(_) => {
                self.json_up_to(enough).map_or(0, |json| json.map_or(enough.saturating_add(1), |json| json.len()))
            }
            None => self.value.min_bytes(enough),
        }
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        Ok(self.json_up_to(usize::MAX)?.unwrap_or_default())
    }

    fn json_up_to(&self, most: usize) -> Result<Option<Cow<'_, str>>, Error> {
        let is_restricted = |part: &Self| part.selection.is_some() && part.kind().is_container();
        match is_restricted(self) {
            true => Ok(write_json(self, most, is_restricted)?.map(Cow::Owned)),
            false => self.value.json_up_to(most),
        }
    }

    fn row(&self) -> Option<&dyn RowSource> {
        Some(self)
    }
}

impl<S: Source> RowSource for Projected<'_, S> {
    fn original_index(&self, index: usize) -> usize {
        let picks = self.selection.and_then(Selection::indices).unwrap_or_default();
        original_index(&self.value, picks.get(index).map_or(index, |(original, _)| *original))
    }

    fn key(&self) -> Option<&str> {
        row_key(&self.value)
    }

    fn place(&self) -> Option<String> {
        self.value.row()?.place()
    }

    fn identity(&self) -> Result<Option<Cow<'_, str>>, Error> {
        match identity(&self.value)? {
            None if self.selection.is_some() => self.value.json().map(Some),
            known => Ok(known),
        }
    }
}

/// The first of the fields that does not exist in `value`.
///
/// # Errors
/// `INVALID_CALL` where finding out takes too much work.
pub(crate) fn unknown_field<'f, S: Source>(
    value: &S,
    fields: &'f [FieldPath],
    work: &Work,
) -> Result<Option<&'f FieldPath>, Error> {
    match field_search::found(value, fields, work)? {
        ControlFlow::Continue(found) => Ok(fields.iter().zip(found).find(|(_, found)| !found).map(|(field, _)| field)),
        ControlFlow::Break(()) => Err(Error::new(ErrorCode::InvalidCall, STOPPED, "/fields")),
    }
}

/// The fields that exist in `value`, and those of which finding out takes too much work.
pub(crate) fn known_fields<S: Source>(value: &S, fields: &[FieldPath], work: &Work) -> Result<Vec<FieldPath>, Error> {
    Ok(match field_search::found(value, fields, work)? {
        ControlFlow::Continue(found) => {
            fields.iter().zip(found).filter(|(_, found)| *found).map(|(field, _)| field.clone()).collect()
        }
        ControlFlow::Break(()) => fields.to_vec(),
    })
}

/// The path extended by a name: dotted, or a JSON Pointer if the name contains dots or slashes.
pub(super) fn join(prefix: &str, name: &str) -> String {
    let mut path = String::new();
    write_joined(prefix, name, &mut path);
    path
}

/// Writes the same in place of what `path` has.
fn write_joined(prefix: &str, name: &str, path: &mut String) {
    path.clear();
    let is_plain = field_path::is_plain(name);
    let is_dotted = !prefix.is_empty() && !prefix.starts_with('/');
    if is_dotted && !is_plain {
        path.push('/');
        path.push_str(&json_pointer::escape(prefix).replace('.', "/"));
    } else {
        path.push_str(prefix);
    }
    if is_plain && !prefix.starts_with('/') {
        path.push_str(if prefix.is_empty() { "" } else { "." });
        path.push_str(name);
    } else {
        path.push('/');
        path.push_str(&json_pointer::escape(name));
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::all_members::AllMembers;
    use crate::value::json_text::JsonText;

    /// JSON with the keys a, b and c at any depth, in lists that are long enough to be read in several steps.
    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![Just("1".to_owned()), Just("\"x\"".to_owned()), Just("{}".to_owned())];
        leaf.prop_recursive(5, 64, 4, |inner| {
            let list = (prop::collection::vec(inner.clone(), 1..4), prop_oneof![Just(0), Just(40usize)]);
            prop_oneof![
                list.prop_map(|(items, ahead)| format!("[{}{}]", "{\"a\":1},".repeat(ahead), items.join(","))),
                prop::collection::btree_map("[abc]", inner, 1..4).prop_map(|entries| {
                    let entries: Vec<String> =
                        entries.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                    format!("{{{}}}", entries.join(","))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn fields_are_named_exactly_if_something_is_left_out(
            text in json(),
            fields in prop::collection::vec("[abc]([.][abc]){0,2}|/[01]/[abc]|[01]", 1..4),
            base in prop::collection::vec("[abc01]", 0..3),
            of_each: bool,
        ) {
            let fields: Vec<FieldPath> = fields.iter().map(|field| FieldPath::parse(field)).collect();
            let selection = if of_each { Selection::of_each(&fields, &base) } else { Selection::new(&fields, &base) };
            let projected = Projected::new(JsonText::parse(&text).unwrap(), &selection);
            let mut names = BTreeSet::new();
            projected.left_out("", &mut names).unwrap();
            prop_assert_eq!(names.is_empty(), projected.json().unwrap() == text, "{:?} of {}", names, text);
        }

        #[test]
        fn what_is_wanted_of_a_text_is_written_as_it_is_read(
            text in json(),
            fields in prop::collection::vec("[abc]([.][abc]){0,2}", 1..4),
            others in prop::collection::vec("[abc]([.][abc]){0,2}", 0..4),
            around in 0..NESTED_ARRAYS + 3,
        ) {
            let text = format!("{}{text}{}", "[".repeat(around), "]".repeat(around));
            let parse = |fields: &[String]| fields.iter().map(|field| FieldPath::parse(field)).collect::<Vec<_>>();
            let selection = Selection::new(&parse(&fields), &[]);
            let all = Selection::new(&[parse(&fields), parse(&others)].concat(), &[]);
            let wanted = Projected { nested: 1, ..Projected::new(JsonText::parse(&text).unwrap(), &selection) };
            let written = |selection: &Selection, text: &str| AllMembers::of(selection).add_text(text);
            prop_assert_eq!(written(&selection, &text), wanted.json().unwrap());
            prop_assert_eq!(written(&selection, &written(&all, &text)), wanted.json().unwrap());
        }

        #[test]
        fn the_members_of_rows_say_what_any_selection_leaves_out(
            text in json(),
            fields in prop::collection::vec("[abc]([.][abc]){0,2}", 1..4),
            others in prop::collection::vec("[abc]([.][abc]){0,2}", 0..4),
        ) {
            let parse = |fields: &[String]| fields.iter().map(|field| FieldPath::parse(field)).collect::<Vec<_>>();
            let list = JsonText::parse(&text).unwrap();
            let rows = list.items(0, CHUNK).unwrap();
            let all = Selection::new(&[parse(&fields), parse(&others)].concat(), &[]);
            let selection = Selection::new(&parse(&fields), &[]);
            let mut members = AllMembers::of(&all);
            rows.iter().try_for_each(|row| members.add(row)).unwrap();
            let found: BTreeSet<String> = members.left_out(&selection).into_iter().map(str::to_owned).collect();
            let mut wanted = BTreeSet::new();
            for row in rows {
                Projected { nested: 1, ..Projected::new(row, &selection) }.left_out("", &mut wanted).unwrap();
            }
            let is_long = text.contains(&"{\"a\":1},".repeat(CHUNK));
            let is_same = found == wanted || (is_long && found.is_subset(&wanted));
            prop_assert!(is_same, "{:?} and not {:?} of {}", found, wanted, text);
        }
    }
}
