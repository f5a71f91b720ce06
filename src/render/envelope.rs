//! Paging in place: an API envelope such as `{"total":…,"items":[…]}` keeps its small keys, and its list is paged where
//! it is.

use crate::base::error::Error;
use crate::base::json_string::Quoted;
use crate::base::members::Members;
use crate::render::elide::{self, Elision, child_pointer};
use crate::render::paginate::{Frame, Page};
use crate::render::summarize::{self, Header};
use crate::request::view::View;
use crate::value::source::{Entry, Kind, Source};
use crate::value::token_estimate;

/// How deeply envelopes may nest (`data.repository.issues.nodes` is four levels).
const MAX_LEVELS: usize = 8;
/// The most keys of an envelope; an object with more is a map.
const MAX_KEYS: usize = 64;
/// What surrounds the list may take one part in so many of the budget.
const AROUND: usize = 3;

/// An object that is mostly a list.
pub(crate) struct Envelope<S> {
    pub list: S,
    /// JSON Pointer from the object to the list.
    pub pointer: String,
    levels: Vec<Level<S>>,
}

/// One object on the path to the list.
struct Level<S> {
    before: Vec<Entry<S>>,
    key: String,
    after: Vec<Entry<S>>,
    pointer: String,
}

impl<S: Source> Envelope<S> {
    /// Finds the list that makes up most of an object: at each level the child that is heavier than all others
    /// together.
    pub fn find(object: &S) -> Result<Option<Self>, Error> {
        Self::walk(object, MAX_KEYS, |entries, _| heaviest(entries))
    }

    /// Finds the largest list of an object: at each level in the heaviest array or object, even if it is not most of
    /// the object.
    pub fn largest(object: &S) -> Result<Option<Self>, Error> {
        Self::walk(object, usize::MAX, |entries, _| {
            let mut found = None;
            for (at, (_, value)) in entries.iter().enumerate() {
                if matches!(value.kind(), Kind::Array | Kind::Object) {
                    found = found.max(Some((token_estimate::chars(value)?, at)));
                }
            }
            Ok(found.map(|(_, at)| at))
        })
    }

    /// Finds the list at a pointer.
    pub fn at(object: &S, pointer: &str) -> Result<Option<Self>, Error> {
        let tokens = crate::base::json_pointer::tokens(pointer).unwrap_or_default();
        Self::walk(object, usize::MAX, |entries, level| {
            let is_next = |(key, _): &Entry<S>| tokens.get(level).is_some_and(|token| Quoted::new(key).is(token));
            Ok(entries.iter().position(is_next))
        })
        .map(|found| found.filter(|envelope| envelope.pointer == pointer))
    }

    /// Goes down to a list, through objects of at most `most` keys; of a larger one no more is read.
    fn walk(
        object: &S,
        most: usize,
        choose: impl Fn(&[Entry<S>], usize) -> Result<Option<usize>, Error>,
    ) -> Result<Option<Self>, Error> {
        let (mut levels, mut pointer) = (Vec::new(), String::new());
        let read = |object: &S| object.entries_where(&mut |at, _| at <= most);
        let mut entries = read(object)?;
        while levels.len() < MAX_LEVELS {
            if entries.len() > most {
                return Ok(None);
            }
            let Some(at) = choose(&entries, levels.len())? else { return Ok(None) };
            let after = entries.split_off(at + 1);
            let Some((key, value)) = entries.pop() else { return Ok(None) };
            let inside = child_pointer(&pointer, &key);
            levels.push(Level { before: entries, key, after, pointer });
            pointer = inside;
            match value.kind() {
                Kind::Array => return Ok(Some(Self { list: value, pointer, levels })),
                Kind::Object => entries = read(&value)?,
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Writes what surrounds the list within a share of the budget; `None` if not every key can be shown, because the
    /// others could not be reached.
    ///
    /// `estimated_tokens` is the estimated weight of the whole object.
    pub fn frame<'a>(&self, estimated_tokens: usize, cx: &'a View<'a>) -> Result<Option<EnvelopeFrame<'a>>, Error> {
        let share = cx.budget / AROUND / self.levels.len().max(1) / 2;
        let (mut around, mut elisions) = (Vec::new(), Vec::new());
        for level in &self.levels {
            let base = format!("{}{}", cx.base, level.pointer);
            let ahead = elide::entries(&level.before, share, &base, cx.measure)?;
            let behind = elide::entries(&level.after, share, &base, cx.measure)?;
            if ahead.omitted + behind.omitted > 0 {
                return Ok(None);
            }
            elisions.extend(ahead.elisions.into_iter().chain(behind.elisions));
            around.push((&level.key, ahead.entries, behind.entries));
        }
        // From the list outwards.
        let mut inside: Option<Members> = None;
        for (key, ahead, behind) in around.into_iter().rev() {
            let mut members = Members::new();
            members.entries(&ahead);
            match &inside {
                Some(inside) => members.object_under(key, inside),
                None => members.open_list_under(key),
            }
            members.entries(&behind);
            inside = Some(members);
        }
        let outermost = &self.levels[0];
        let total_keys = outermost.before.len() + 1 + outermost.after.len();
        let mut keys = outermost.before.iter().chain(&outermost.after).map(|(key, _)| key).chain([&outermost.key]);
        let nested = keys.any(|key| summarize::is_ours(key));
        Ok(Some(EnvelopeFrame {
            cx,
            pointer: self.pointer.clone(),
            members: inside.unwrap_or_default(),
            elisions,
            total_keys,
            estimated_tokens,
            nested,
        }))
    }
}

/// The child that is heavier than all others together.
///
/// Weights are estimates that are equal for all hosts.
fn heaviest<S: Source>(entries: &[Entry<S>]) -> Result<Option<usize>, Error> {
    let weights: Vec<usize> =
        entries.iter().map(|(_, value)| token_estimate::chars(value)).collect::<Result<_, _>>()?;
    let all: usize = weights.iter().sum();
    Ok(weights.iter().position(|&weight| weight > all - weight))
}

/// The frame of a list inside an object.
pub(crate) struct EnvelopeFrame<'a> {
    cx: &'a View<'a>,
    pointer: String,
    /// The object with its list open.
    members: Members,
    elisions: Vec<Elision>,
    total_keys: usize,
    estimated_tokens: usize,
    /// Whether the object has a key of the header, so that it is nested under `_value`.
    nested: bool,
}

impl Frame for EnvelopeFrame<'_> {
    fn around(&self, page: &Page<'_>) -> (String, String) {
        let shown = format!("{}{}", self.cx.base, self.pointer);
        let handle = self.cx.handle(page.next.is_some());
        let mut facts = Members::new();
        facts.text("pointer", &shown);
        page.write_facts(&mut facts);
        let elisions: Vec<Elision> = self.elisions.iter().chain(page.elisions).cloned().collect();
        let all = Page { elisions: &elisions, omitted_fields: page.omitted_fields, next: page.next.clone(), ..*page };
        let header = Header {
            total_keys: self.total_keys,
            estimated_tokens: self.estimated_tokens,
            truncated_keys: self.elisions.len() + usize::from(!page.is_whole_list()),
            page: Some(&facts),
            next_cursor: None,
            has_cursor: page.next.is_some(),
            note: &all.note(&shown, "_page.nextCursor", handle),
            elisions: &elisions,
        };
        header.wrap(&self.members, self.nested, self.cx).into_parts()
    }

    fn takes_columns(&self) -> bool {
        false
    }

    fn is_lossless(&self) -> bool {
        self.elisions.is_empty()
    }

    fn pointer(&self) -> &str {
        &self.pointer
    }
}
