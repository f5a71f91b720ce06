//! Which of some fields a value has, found in one pass for all of them.
//!
//! A field of a list is one that any row has. A few rows are looked at first; where they do not have all fields, every
//! row is, because a rare field may be in any of them.

use std::ops::ControlFlow;

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::base::work::{Going, Work};
use crate::value::sampling::evenly;
use crate::value::source::{CHUNK, Kind, Source, item, items_at};

/// Rows that are looked at before all rows are.
pub(crate) const SAMPLE: usize = CHUNK;
/// A field applies to items through at most this many arrays that directly contain each other.
pub(crate) const NESTED_ARRAYS: usize = 8;
/// The work of reading a value from its host, in bytes that are looked at.
const READING: usize = 192;

/// For each field, whether the value has it. `Break` where finding out takes too much work.
///
/// # Errors
/// Whatever reading the value reports.
pub(crate) fn found<S: Source>(value: &S, fields: &[FieldPath], work: &Work) -> Result<Going<Vec<bool>>, Error> {
    let mut search = FieldSearch { wanted: FieldTree::new(fields), work, waiting: Vec::new() };
    search.waiting.push(SearchPlace::Value(value.clone(), ROOT, 0));
    while let Some(next) = search.waiting.pop() {
        if search.visit(next)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(search.wanted.found))
}

/// A place where fields are still looked for: the tree of what is looked for there, and how many arrays directly contain
/// the place.
enum SearchPlace<S> {
    /// In this value.
    Value(S, BranchId, usize),
    /// In the items of this array from an index on.
    Items(S, BranchId, usize, usize),
}

struct FieldSearch<'f, 'w, S> {
    wanted: FieldTree<'f>,
    work: &'w Work,
    /// A stack of its own, because a path may have any length.
    waiting: Vec<SearchPlace<S>>,
}

impl<S: Source> FieldSearch<'_, '_, S> {
    fn visit(&mut self, next: SearchPlace<S>) -> Result<Going, Error> {
        let (value, id, nested) = match next {
            SearchPlace::Value(value, id, nested) => (value, id, nested),
            SearchPlace::Items(_, id, ..) if self.wanted.tree[id].named == 0 => return Ok(ControlFlow::Continue(())),
            SearchPlace::Items(array, id, nested, start) => {
                let items = array.items(start, CHUNK)?;
                if self.work.spend(READING * (1 + items.len())).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                if items.len() == CHUNK {
                    self.waiting.push(SearchPlace::Items(array, id, nested, start + CHUNK));
                }
                self.waiting.extend(items.into_iter().map(|item| SearchPlace::Value(item, id, nested + 1)));
                return Ok(ControlFlow::Continue(()));
            }
        };
        if nested == 0 {
            self.wanted.find(id);
        }
        let branch = &self.wanted.tree[id];
        // What is looked for by index is looked for in the array itself, not in its items.
        let is_done = if nested == 0 { branch.missing == 0 } else { branch.named == 0 };
        match value.kind() {
            _ if is_done => Ok(ControlFlow::Continue(())),
            Kind::Object => self.object(&value, id, nested),
            Kind::Array if nested <= NESTED_ARRAYS => self.array(value, id, nested),
            _ => Ok(ControlFlow::Continue(())),
        }
    }

    fn object(&mut self, object: &S, id: BranchId, nested: usize) -> Result<Going, Error> {
        let (wanted, work) = (&self.wanted, self.work);
        let (mut places, mut going) = (Vec::new(), ControlFlow::Continue(()));
        let entries = object.entries_where(&mut |_, key| {
            if going.is_continue() {
                going = work.step(key.len());
            }
            let place = wanted.below(id, &Quoted::new(key).text()).filter(|&place| {
                let Branch { missing, is_index, .. } = wanted.tree[place];
                missing > 0 && (nested == 0 || !is_index)
            });
            places.extend(place);
            place.is_some()
        })?;
        let found = entries.into_iter().zip(places);
        self.waiting.extend(found.map(|((_, value), place)| SearchPlace::Value(value, place, 0)));
        Ok(going)
    }

    fn array(&mut self, array: S, id: BranchId, nested: usize) -> Result<Going, Error> {
        if nested == 0 {
            for &(name, place) in &self.wanted.tree[id].below {
                if self.wanted.tree[place].missing == 0 {
                    continue;
                }
                if self.work.step(READING).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                if let Some(index) = json_pointer::index(name) {
                    self.waiting.extend(item(&array, index)?.map(|found| SearchPlace::Value(found, place, 0)));
                }
            }
        }
        if self.wanted.tree[id].named == 0 {
            return Ok(ControlFlow::Continue(()));
        }
        let len = array.len();
        if len > SAMPLE {
            self.waiting.push(SearchPlace::Items(array.clone(), id, nested, 0));
        }
        let picks = evenly(len, SAMPLE);
        let going = self.work.spend(READING * picks.len());
        if going.is_continue() {
            let items = items_at(&array, &picks)?;
            self.waiting.extend(items.into_iter().map(|item| SearchPlace::Value(item, id, nested + 1)));
        }
        Ok(going)
    }
}

/// The number of a branch.
type BranchId = usize;
const ROOT: BranchId = 0;

/// The fields as a tree, and which of them were found.
struct FieldTree<'f> {
    tree: Vec<Branch<'f>>,
    found: Vec<bool>,
}

#[derive(Default)]
struct Branch<'f> {
    above: BranchId,
    /// Whether its own name is that of an index.
    is_index: bool,
    /// The branches below, sorted by name.
    below: Vec<(&'f str, BranchId)>,
    /// The fields that end here.
    fields: Vec<usize>,
    /// How many fields that end here or below are not found yet, and in how many branches with names some are missing.
    missing: usize,
    named: usize,
}

impl<'f> FieldTree<'f> {
    fn new(fields: &'f [FieldPath]) -> Self {
        let mut wanted = Self { tree: vec![Branch::default()], found: vec![false; fields.len()] };
        for (number, field) in fields.iter().enumerate() {
            let mut id = ROOT;
            wanted.tree[id].missing += 1;
            for name in field.segments() {
                id = wanted.branch(id, name);
                wanted.tree[id].missing += 1;
            }
            wanted.tree[id].fields.push(number);
        }
        wanted
    }

    /// The branch of a name, which is made if it is not there.
    fn branch(&mut self, above: BranchId, name: &'f str) -> BranchId {
        let place = match self.tree[above].below.binary_search_by(|(known, _)| (*known).cmp(name)) {
            Ok(at) => return self.tree[above].below[at].1,
            Err(place) => place,
        };
        let (id, is_index) = (self.tree.len(), json_pointer::index(name).is_some());
        self.tree.push(Branch { above, is_index, ..Branch::default() });
        self.tree[above].below.insert(place, (name, id));
        self.tree[above].named += usize::from(!is_index);
        id
    }

    fn below(&self, id: BranchId, name: &str) -> Option<BranchId> {
        let below = &self.tree[id].below;
        Some(below[below.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?].1)
    }

    /// Notes that the fields that end here are found.
    fn find(&mut self, id: BranchId) {
        let fields = std::mem::take(&mut self.tree[id].fields);
        for field in &fields {
            self.found[*field] = true;
        }
        let (mut id, count) = (id, fields.len());
        if count == 0 {
            return;
        }
        loop {
            let Branch { above, is_index, ref mut missing, .. } = self.tree[id];
            *missing -= count;
            if id == ROOT {
                break;
            }
            if self.tree[id].missing == 0 && !is_index {
                self.tree[above].named -= 1;
            }
            id = above;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json_text::JsonText;

    fn has(json: &str, fields: &[&str]) -> Vec<bool> {
        let fields: Vec<FieldPath> = fields.iter().map(|field| FieldPath::parse(field)).collect();
        match found(&JsonText::parse(json).unwrap(), &fields, &Work::over(json.len())).unwrap() {
            ControlFlow::Continue(found) => found,
            ControlFlow::Break(()) => panic!("no work is left"),
        }
    }

    #[test]
    fn fields_are_found_at_any_place() {
        let json = r#"{"a":{"b":1,"0":2},"rows":[{"x":1},{"y":[{"z":0}]},[{"deep":3}]],"a.b":4}"#;
        let fields = ["a", "a.b", "/a.b", "a.c", "a.0", "rows.0.x", "rows.1.x", "rows.x", "rows.y.z", "rows.deep", "b"];
        let wanted = [true, true, true, false, true, true, false, true, true, true, false];
        assert_eq!(has(json, &fields), wanted);
        assert_eq!(has(r#"{"a":[]}"#, &["/", "/a", "a.0", "a", "a"]), [false, true, false, true, true]);
    }

    #[test]
    fn a_rare_field_is_found_in_any_row() {
        let rows = |last: &str| format!("[{}{last}]", r#"{"a":1},"#.repeat(1000));
        assert_eq!(has(&rows(r#"{"b":{"c":1}}"#), &["a", "b.c", "b.d"]), [true, true, false]);
    }
}
