//! Paging in place: an API envelope such as `{"total":…,"items":[…]}` keeps its small keys, and its list is paged where
//! it is. A map of alike values is such a list, in an envelope or by itself; and so is a list in a string that is JSON text.

use crate::base::error::Error;
use crate::base::json_string::Quoted;
use crate::base::members::Members;
use crate::render::elide::{Elision, child_pointer, json_text_key};
use crate::render::opening::{Opening, TextBytes};
use crate::render::page::{Frame, Page};
use crate::render::summarize::{self, Header};
use crate::request::context::Context;
use crate::value::any_source::AnySource;
use crate::value::map_rows::{MapRows, is_map};
use crate::value::source::{Entry, Kind, RECORD_KEYS, Source};
use crate::value::token_estimate;

/// How deeply envelopes may nest (`data.repository.issues.nodes` is four levels).
const MAX_LEVELS: usize = 8;
/// What surrounds the list may take 1/n of the budget, so that most of it is left for rows.
const AROUND: usize = 3;

/// An object that is mostly a list.
pub(crate) struct Envelope<'v> {
    pub list: AnySource<'v>,
    /// JSON Pointer from the object to the list; empty if the object itself is a map.
    pub pointer: String,
    levels: Vec<EnvelopeLevel<'v>>,
    /// The strings on the path that are read as the data that they are the JSON text of.
    texts: Vec<Elision>,
    /// Whether the list is a map, whose entries are the rows.
    pub is_map: bool,
}

/// One object on the path to the list.
struct EnvelopeLevel<'v> {
    before: Vec<Entry<AnySource<'v>>>,
    key: String,
    after: Vec<Entry<AnySource<'v>>>,
    pointer: String,
}

impl<'v> Envelope<'v> {
    /// Finds the list that makes up most of an object: at each level the child that is heavier than all others
    /// together. An object that is a map of alike values is such a list itself.
    ///
    /// Where there is none, the second value says whether a string is most of the object.
    pub fn find(object: &AnySource<'v>) -> Result<(Option<Self>, bool), Error> {
        let mut is_mostly_text = false;
        let found = Self::walk(object, RECORD_KEYS, None, is_map, |entries, _| {
            let at = heaviest(entries)?;
            is_mostly_text = at.is_some_and(|at| entries[at].1.kind() == Kind::String);
            Ok(at)
        })?;
        Ok((found, is_mostly_text))
    }

    /// The same for a list in a string that is JSON text, as it comes from a proxy: `{"status":200,"body":"[…]"}`.
    pub fn in_text(object: &AnySource<'v>, ctx: &Context<'_>) -> Result<Option<Self>, Error> {
        let found = Self::walk(object, RECORD_KEYS, Some(&TextBytes::of(ctx)), is_map, |entries, _| heaviest(entries))?;
        Ok(found.filter(Self::is_in_text))
    }

    /// Finds the largest list of an object: at each level in the heaviest array or object, even if it is not most of
    /// the object.
    pub fn largest(object: &AnySource<'v>) -> Result<Option<Self>, Error> {
        Self::walk(
            object,
            usize::MAX,
            None,
            |_| Ok(false),
            |entries, _| {
                let mut found = None;
                for (at, (_, value)) in entries.iter().enumerate() {
                    if value.kind().is_container() {
                        found = found.max(Some((token_estimate::chars(value)?, at)));
                    }
                }
                Ok(found.map(|(_, at)| at))
            },
        )
    }

    /// Finds the list or the map at a pointer, which may lead into strings that are JSON text.
    pub fn at(object: &AnySource<'v>, pointer: &str, ctx: &Context<'_>) -> Result<Option<Self>, Error> {
        let tokens = crate::base::json_pointer::tokens(pointer).unwrap_or_default();
        let mut left = tokens.len() + 1;
        let is_list = |_: &AnySource<'v>| {
            left -= 1;
            Ok(left == 0)
        };
        Self::walk(object, usize::MAX, Some(&TextBytes::of(ctx)), is_list, |entries, pointer| {
            let level = pointer.matches('/').count();
            let is_next =
                |(key, _): &Entry<AnySource<'v>>| tokens.get(level).is_some_and(|token| Quoted::new(key).is(token));
            Ok(entries.iter().position(is_next))
        })
        .map(|found| found.filter(|envelope| envelope.pointer == pointer))
    }

    /// Goes down to a list, through objects of at most `most` keys, of a larger one no more is read, and if there are
    /// `texts` through strings that are JSON text; or to an object that `is_list` takes for a list.
    fn walk(
        object: &AnySource<'v>,
        most: usize,
        texts: Option<&TextBytes>,
        mut is_list: impl FnMut(&AnySource<'v>) -> Result<bool, Error>,
        mut choose: impl FnMut(&[Entry<AnySource<'v>>], &str) -> Result<Option<usize>, Error>,
    ) -> Result<Option<Self>, Error> {
        let (mut levels, mut pointer, mut value) = (Vec::new(), String::new(), object.clone());
        let mut read = Vec::new();
        loop {
            match value.kind() {
                Kind::Array => return Ok(Some(Self { list: value, pointer, levels, texts: read, is_map: false })),
                Kind::Object if is_list(&value)? => {
                    let list = AnySource::new(MapRows::new(value));
                    return Ok(Some(Self { list, pointer, levels, texts: read, is_map: true }));
                }
                Kind::Object if levels.len() < MAX_LEVELS => {}
                Kind::String if levels.len() < MAX_LEVELS => {
                    let Some(data) = texts.map_or(Ok(None), |texts| texts.data_in(&value))? else { return Ok(None) };
                    let (key, before, after) = (json_text_key(&value), Vec::new(), Vec::new());
                    levels.push(EnvelopeLevel { before, key, after, pointer: pointer.clone() });
                    read.push(Elision::of_json_text(&value, pointer.clone()));
                    value = data;
                    continue;
                }
                _ => return Ok(None),
            }
            let mut entries = value.entries_where(&mut |at, _| at <= most)?;
            if entries.len() > most {
                return Ok(None);
            }
            let Some(at) = choose(&entries, &pointer)? else { return Ok(None) };
            let after = entries.split_off(at + 1);
            let Some((key, next)) = entries.pop() else { return Ok(None) };
            let inside = child_pointer(&pointer, &key);
            levels.push(EnvelopeLevel { before: entries, key, after, pointer });
            (pointer, value) = (inside, next);
        }
    }

    /// Whether the rows may have fields: those of a map of texts or numbers have none.
    pub fn has_fields(&self) -> Result<bool, Error> {
        Ok(!self.is_map || self.list.items(0, 1)?.iter().any(|row| row.kind().is_container()))
    }

    /// Whether the list is in a string that is JSON text. The fields of its rows cannot be asked for.
    pub fn is_in_text(&self) -> bool {
        !self.texts.is_empty()
    }

    /// Whether the object itself is the list.
    pub fn is_list_itself(&self) -> bool {
        self.levels.is_empty()
    }

    /// Writes what surrounds the list within a share of the budget; `None` if not every key can be shown, because the
    /// others could not be reached.
    ///
    /// `estimated_tokens` is the estimated weight of the whole object.
    pub fn frame<'a>(&self, estimated_tokens: usize, ctx: &'a Context<'a>) -> Result<Option<EnvelopeFrame<'a>>, Error> {
        let share = ctx.budget / AROUND / self.levels.len().max(1);
        let in_result = |text: &Elision| Elision { pointer: format!("{}{}", ctx.base, text.pointer), ..text.clone() };
        let (mut around, mut elisions) = (Vec::new(), self.texts.iter().map(in_result).collect::<Vec<_>>());
        let mut shortened_keys = 0;
        for level in &self.levels {
            let base = format!("{}{}", ctx.base, level.pointer);
            let beside: Vec<_> = level.before.iter().chain(&level.after).cloned().collect();
            let mut shown = Opening::of_entries(beside, &base, ctx).within(share)?;
            if shown.omitted > 0 {
                return Ok(None);
            }
            elisions.append(&mut shown.elisions);
            shortened_keys += shown.shortened_keys;
            let after = shown.parts.split_off(level.before.len());
            around.push((&level.key, shown.parts, after));
        }
        // From the list outwards.
        let mut inside: Option<Members> = None;
        for (key, ahead, behind) in around.into_iter().rev() {
            let mut members = Members::new();
            members.entries(&ahead);
            match &inside {
                Some(inside) => members.object_under(key, inside),
                None if self.is_map => members.open_object_under(key),
                None => members.open_list_under(key),
            }
            members.entries(&behind);
            inside = Some(members);
        }
        let (total_keys, nested) = match self.levels.first() {
            Some(outermost) => {
                let beside = outermost.before.iter().chain(&outermost.after).map(|(key, _)| key);
                let nested = beside.chain([&outermost.key]).any(|key| summarize::is_ours(key));
                (outermost.before.len() + 1 + outermost.after.len(), nested)
            }
            None => (self.list.len(), false),
        };
        Ok(Some(EnvelopeFrame {
            ctx,
            pointer: self.pointer.clone(),
            members: inside.unwrap_or_default(),
            elisions,
            shortened_keys,
            total_keys,
            estimated_tokens,
            nested,
            is_in_text: self.is_in_text(),
        }))
    }
}

/// The child that is heavier than all others together.
///
/// Weights are estimates that are equal for all hosts.
fn heaviest(entries: &[Entry<AnySource<'_>>]) -> Result<Option<usize>, Error> {
    let weights: Vec<usize> =
        entries.iter().map(|(_, value)| token_estimate::chars(value)).collect::<Result<_, _>>()?;
    let all: usize = weights.iter().sum();
    Ok(weights.iter().position(|&weight| weight > all - weight))
}

/// The frame of a list inside an object.
pub(crate) struct EnvelopeFrame<'a> {
    ctx: &'a Context<'a>,
    pointer: String,
    /// The object with its list open.
    members: Members,
    elisions: Vec<Elision>,
    /// How many keys beside the list are shortened.
    shortened_keys: usize,
    total_keys: usize,
    estimated_tokens: usize,
    /// Whether the object has a key of the header, so that it is nested under `_value`.
    nested: bool,
    is_in_text: bool,
}

impl Frame for EnvelopeFrame<'_> {
    fn around(&self, page: &Page<'_>) -> (String, String) {
        let shown = format!("{}{}", self.ctx.base, self.pointer);
        let handle = self.ctx.handle(page.next.is_some());
        let mut facts = Members::new();
        facts.text("pointer", &shown);
        page.write_facts(&mut facts);
        let elisions: Vec<Elision> = self.elisions.iter().chain(page.elisions).cloned().collect();
        let shortened_keys = self.shortened_keys + page.shortened_keys;
        let all = Page { elisions: &elisions, shortened_keys, next: page.next.clone(), ..*page };
        let header = Header {
            total_keys: self.total_keys,
            estimated_tokens: self.estimated_tokens,
            truncated_keys: self.elisions.len() + usize::from(!page.is_whole_list()),
            page: Some(&facts),
            next_cursor: None,
            has_cursor: page.next.is_some(),
            note: &all.note("_page.nextCursor", handle),
            omitted_fields: &[],
            elisions: &elisions,
        };
        header.wrap(&self.members, self.nested, self.ctx).into_parts()
    }

    fn takes_columns(&self) -> bool {
        false
    }

    fn takes_fields(&self) -> bool {
        !self.is_in_text
    }

    fn is_lossless(&self) -> bool {
        self.elisions.is_empty() && self.shortened_keys == 0
    }

    fn pointer(&self) -> &str {
        &self.pointer
    }
}
