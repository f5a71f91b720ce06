//! What a query found, and where.

use std::cell::Cell;
use std::rc::Rc;

use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::base::sorting::sort_by_key;

use super::document::MemberKey;

/// What a query found.
#[derive(Debug)]
pub(crate) struct Matches<'a> {
    pub matches: Vec<Match<'a>>,
    /// Whether the search stopped early, so that there may be more.
    pub stopped: bool,
}

/// By what a reader knows one match from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowLabel {
    /// By their order: their places differ in indices alone.
    Order,
    /// By their keys, since all are members of one object.
    Key,
    /// By their pointers.
    Pointer,
}

impl Matches<'_> {
    /// By what a reader knows the matches of a query that names no single value.
    pub fn row_label(&self) -> RowLabel {
        let Some((first, rest)) = self.matches.split_first() else { return RowLabel::Order };
        let mut starts: Vec<usize> = self.matches.iter().map(|found| found.start).collect();
        sort_by_key(&mut starts, |start| *start);
        // What is found twice has no key of its own.
        if starts.windows(2).any(|pair| pair[0] == pair[1]) {
            return RowLabel::Order;
        }
        if first.key().is_some() && rest.iter().all(|other| other.has_parent_of(first)) {
            return RowLabel::Key;
        }
        let mut pairs = self.matches.windows(2);
        if pairs.all(|pair| pair[0].differs_by_indices(&pair[1])) { RowLabel::Order } else { RowLabel::Pointer }
    }
}

/// One value that a query selects.
#[derive(Clone, Debug)]
pub(crate) struct Match<'a> {
    /// The value's text.
    pub span: &'a str,
    /// Where it begins in the searched text.
    pub start: usize,
    pub(super) place: Path<'a>,
}

/// The path from the root to a node; `None` is the root.
pub(super) type Path<'a> = Option<Rc<PathStep<'a>>>;

#[derive(Debug)]
pub(super) struct PathStep<'a> {
    pub above: Path<'a>,
    pub name: MemberKey<'a>,
    /// Whether a match is kept that it leads to.
    pub is_kept: Cell<bool>,
}

impl<'a> Match<'a> {
    /// JSON Pointer from the root of the searched text.
    pub fn pointer(&self) -> String {
        let (mut steps, mut place) = (Vec::new(), &self.place);
        while let Some(step) = place {
            steps.push(step.name);
            place = &step.above;
        }
        steps.iter().rev().fold(String::new(), |pointer, step| match step {
            MemberKey::Key(key) => pointer + "/" + &json_pointer::escape(&Quoted::new(key).text()),
            MemberKey::Index(index) => pointer + "/" + &index.to_string(),
        })
    }

    /// Its key, with quotes, if it is a member of an object.
    pub fn key(&self) -> Option<&'a str> {
        match self.place.as_ref()?.name {
            MemberKey::Key(key) => Some(key),
            MemberKey::Index(_) => None,
        }
    }

    fn has_parent_of(&self, other: &Self) -> bool {
        match (&self.place, &other.place) {
            (Some(own), Some(others)) => is_one(&own.above, &others.above),
            _ => false,
        }
    }

    /// Whether the places differ in nothing but indices.
    fn differs_by_indices(&self, other: &Self) -> bool {
        let (mut own, mut others) = (&self.place, &other.place);
        while !is_one(own, others) {
            let (Some(step), Some(other)) = (own, others) else { return false };
            let is_alike = match (step.name, other.name) {
                (MemberKey::Index(_), MemberKey::Index(_)) => true,
                (MemberKey::Key(key), MemberKey::Key(other)) => key == other,
                _ => false,
            };
            if !is_alike {
                return false;
            }
            (own, others) = (&step.above, &other.above);
        }
        true
    }
}

/// Whether two paths are one and the same: matches share the steps that lead to them.
fn is_one(own: &Path<'_>, other: &Path<'_>) -> bool {
    match (own, other) {
        (Some(own), Some(other)) => Rc::ptr_eq(own, other),
        (own, other) => own.is_none() && other.is_none(),
    }
}
