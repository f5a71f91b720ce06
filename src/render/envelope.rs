//! Paging in place: an API envelope such as `{"total":…,"items":[…]}` keeps its small keys, and its list is paged where
//! it is. A map of alike values is such a list, in an envelope or by itself; and so is a list in a string that is JSON text.
//! The list may be inside a short one: `{"runs":[{"results":[…]}]}`, or `[rows, fields]` of a database driver.

use crate::base::error::Error;
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::base::members::Members;
use crate::render::elide::{Elision, child_pointer, text_key};
use crate::render::opening::{Opening, TextBytes};
use crate::render::page::{Frame, Page};
use crate::render::paginate::PageRows;
use crate::render::summarize::{self, Header};
use crate::request::context::Context;
use crate::value::any_source::AnySource;
use crate::value::map_rows::{MapRows, is_map};
use crate::value::own_page::{OwnLevel, OwnPage};
use crate::value::source::{Entry, Kind, RECORD_KEYS, Source};
use crate::value::token_estimate;

/// How deeply envelopes may nest (`data.repository.issues.nodes` is four levels).
const MAX_LEVELS: usize = 8;
/// The most items of a list in one of which the rows are looked for.
const FEW_ITEMS: usize = 3;
/// What surrounds the list may take 1/n of the budget, so that most of it is left for rows.
const AROUND: usize = 3;

/// An object that is mostly a list.
pub(crate) struct Envelope<'v> {
    pub list: AnySource<'v>,
    /// JSON Pointer from the object to the list; empty if the object itself is a map.
    pub pointer: String,
    levels: Vec<EnvelopeLevel<'v>>,
    /// The strings of JSON text on the path that are read as data.
    texts: Vec<Elision>,
    /// Whether the list is a map, whose entries are the rows.
    pub is_map: bool,
}

/// One object, or one short list, on the path to the list.
#[derive(Clone)]
struct EnvelopeLevel<'v> {
    before: Vec<Entry<AnySource<'v>>>,
    /// Empty in a list.
    key: String,
    after: Vec<Entry<AnySource<'v>>>,
    pointer: String,
}

impl<'v> Envelope<'v> {
    /// Finds the list that makes up most of a value: at each level the child that is heavier than all others
    /// together; the value itself, if it is a list with no longer one in it. An object that is a map of alike values is such a list itself.
    ///
    /// Where there is none, the second value says whether a string is most of the object.
    pub fn find(object: &AnySource<'v>) -> Result<(Option<Self>, bool), Error> {
        let mut is_mostly_text = false;
        let is_list = |value: &AnySource<'v>, _: &str| is_map(value);
        let found = Self::walk(object, RECORD_KEYS, None, is_list, main_item, |entries, _| {
            let at = heaviest(entries)?;
            is_mostly_text = at.is_some_and(|at| entries[at].1.kind() == Kind::String);
            Ok(at)
        })?;
        Ok((found, is_mostly_text))
    }

    /// The same for a list in a string that is JSON text, as it comes from a proxy: `{"status":200,"body":"[…]"}`.
    pub fn in_text(object: &AnySource<'v>, ctx: &Context<'_>) -> Result<Option<Self>, Error> {
        let is_list = |value: &AnySource<'v>, _: &str| is_map(value);
        let texts = TextBytes::of(ctx);
        let choose = |entries: &[Entry<AnySource<'v>>], _: &str| heaviest(entries);
        let found = Self::walk(object, RECORD_KEYS, Some(&texts), is_list, main_item, choose)?;
        Ok(found.filter(Self::is_in_text))
    }

    /// Finds the largest list of an object: at each level in the heaviest array or object, even if it is not most of
    /// the object.
    pub fn largest(object: &AnySource<'v>) -> Result<Option<Self>, Error> {
        Self::walk(
            object,
            usize::MAX,
            None,
            |_, _| Ok(false),
            |_, _| Ok(None),
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
        let tokens = json_pointer::tokens(pointer).unwrap_or_default();
        let token = |pointer: &str| tokens.get(pointer.matches('/').count());
        let item = |list: &AnySource<'v>, pointer: &str| {
            let index = token(pointer).and_then(|token| json_pointer::index(token));
            Ok(index.filter(|index| *index < list.len().min(FEW_ITEMS)))
        };
        let is_list = |_: &AnySource<'v>, pointer: &str| Ok(token(pointer).is_none());
        Self::walk(object, usize::MAX, Some(&TextBytes::of(ctx)), is_list, item, |entries, pointer| {
            let is_next =
                |(key, _): &Entry<AnySource<'v>>| token(pointer).is_some_and(|token| Quoted::new(key).is(token));
            Ok(entries.iter().position(is_next))
        })
        .map(|found| found.filter(|envelope| envelope.pointer == pointer))
    }

    /// Goes down to a list, through objects of at most `most` keys, of a larger one no more is read, and if there are
    /// `texts` through strings that are JSON text; or to an object that `is_list` takes for a list. A list is gone through
    /// where `item` chooses one of its items, unless there is no longer list behind it.
    fn walk(
        object: &AnySource<'v>,
        most: usize,
        texts: Option<&TextBytes>,
        mut is_list: impl FnMut(&AnySource<'v>, &str) -> Result<bool, Error>,
        mut item: impl FnMut(&AnySource<'v>, &str) -> Result<Option<usize>, Error>,
        mut choose: impl FnMut(&[Entry<AnySource<'v>>], &str) -> Result<Option<usize>, Error>,
    ) -> Result<Option<Self>, Error> {
        let (mut levels, mut pointer, mut value) = (Vec::new(), String::new(), object.clone());
        let (mut read, mut short) = (Vec::new(), None);
        loop {
            match value.kind() {
                Kind::Array => {
                    let at = if levels.len() < MAX_LEVELS { item(&value, &pointer)? } else { None };
                    let found = Self { list: value, pointer, levels, texts: read, is_map: false };
                    let Some(at) = at else { return Ok(found.unless_short(short)) };
                    (value, pointer, levels, read) = found.step_into(at)?;
                    short = short.or(Some(found));
                    continue;
                }
                Kind::Object if is_list(&value, &pointer)? => {
                    let list = AnySource::new(MapRows::new(value));
                    return Ok(Self { list, pointer, levels, texts: read, is_map: true }.unless_short(short));
                }
                Kind::Object if levels.len() < MAX_LEVELS => {}
                Kind::String if levels.len() < MAX_LEVELS => {
                    let Some(data) = texts.map_or(Ok(None), |texts| texts.data_in(&value))? else { return Ok(short) };
                    let (key, before, after) = (text_key(&value, None), Vec::new(), Vec::new());
                    levels.push(EnvelopeLevel { before, key, after, pointer: pointer.clone() });
                    read.push(Elision::of_text(&value, None, pointer.clone()));
                    value = data;
                    continue;
                }
                _ => return Ok(short),
            }
            let mut entries = value.entries_where(&mut |at, _| at <= most)?;
            if entries.len() > most {
                return Ok(short);
            }
            let Some(at) = choose(&entries, &pointer)? else { return Ok(short) };
            let after = entries.split_off(at + 1);
            let Some((key, next)) = entries.pop() else { return Ok(short) };
            // A pointer leads to the first of several members with one key, and so would the cursor of the next page.
            let name = Quoted::new(&key).text();
            if entries.iter().any(|(before, _)| Quoted::new(before).is(&name)) {
                return Ok(short);
            }
            let inside = child_pointer(&pointer, &key);
            levels.push(EnvelopeLevel { before: entries, key, after, pointer });
            (pointer, value) = (inside, next);
        }
    }

    /// This list, or the short one that it is in, unless it is longer than that could be.
    fn unless_short(self, short: Option<Self>) -> Option<Self> {
        Some(match short {
            Some(short) if self.list.len() <= FEW_ITEMS => short,
            _ => self,
        })
    }

    /// An item of this short list, and the path to it.
    #[allow(clippy::type_complexity)]
    fn step_into(&self, at: usize) -> Result<(AnySource<'v>, String, Vec<EnvelopeLevel<'v>>, Vec<Elision>), Error> {
        let items = self.list.items(0, FEW_ITEMS)?.into_iter().enumerate();
        let mut before: Vec<_> = items.map(|(at, value)| (format!("\"{at}\""), value)).collect();
        let after = before.split_off(at + 1);
        let (key, value) = before.remove(at);
        let mut levels = self.levels.clone();
        levels.push(EnvelopeLevel { before, key: String::new(), after, pointer: self.pointer.clone() });
        Ok((value, child_pointer(&self.pointer, &key), levels, self.texts.clone()))
    }

    /// Whether the rows may have fields: those of a map of texts or numbers have none.
    pub fn has_fields(&self) -> Result<bool, Error> {
        Ok(!self.is_map || self.list.items(0, 1)?.iter().any(|row| row.kind().is_container()))
    }

    /// Whether the list is in a string that is JSON text. The fields of its rows cannot be asked for.
    pub fn is_in_text(&self) -> bool {
        !self.texts.is_empty()
    }

    /// What is next to the list, if it says that the rows are one page of the tool's own.
    ///
    /// # Errors
    /// Whatever reading it reports.
    pub fn own_page(&self) -> Result<Option<OwnPage>, Error> {
        let levels: Vec<OwnLevel<'_, AnySource<'v>>> = self
            .levels
            .iter()
            .map(|level| OwnLevel {
                pointer: &level.pointer,
                beside: level.before.iter().chain(&level.after).collect(),
                key: &level.key,
            })
            .collect();
        let own = OwnPage::read(&levels, self.list.len())?;
        Ok(match own {
            Some(own) if own.is_of_total_alone() && self.is_sum(own.total.unwrap_or_default())? => None,
            own => own,
        })
    }

    /// Whether a number is the sum of a field of the rows.
    fn is_sum(&self, number: u64) -> Result<bool, Error> {
        /// A page of more rows is none.
        const MOST_ROWS: usize = 1000;
        if self.list.kind() != Kind::Array || self.list.len() > MOST_ROWS {
            return Ok(false);
        }
        let mut sums: Vec<(String, f64)> = Vec::new();
        for (at, row) in self.list.items(0, MOST_ROWS)?.iter().enumerate() {
            for (key, value) in
                row.entries_where(&mut |_, key| at == 0 || sums.iter().any(|(known, _)| known == key))?
            {
                let value = if value.kind() == Kind::Number { value.json()?.parse().unwrap_or(0.0) } else { 0.0 };
                match sums.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, sum)) => *sum += value,
                    None => sums.push((key, value)),
                }
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "sums are compared as doubles")]
        Ok(sums.iter().any(|(_, sum)| *sum == number as f64))
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
            if level.key.is_empty() {
                // Items have no keys.
                let value = |part: String| part.split_once(':').map_or_else(String::new, |(_, value)| value.to_owned());
                shown.parts = shown.parts.into_iter().map(value).collect();
            }
            let after = shown.parts.split_off(level.before.len());
            around.push((&level.key, shown.parts, after));
        }
        // From the list outwards.
        let mut inside: Option<Members> = None;
        for (key, ahead, behind) in around.into_iter().rev() {
            let mut members = if key.is_empty() { Members::array() } else { Members::new() };
            members.entries(&ahead);
            match &inside {
                Some(inside) => members.object_under(key, inside),
                None => members.open_under(key, self.is_map),
            }
            members.entries(&behind);
            inside = Some(members);
        }
        let (total_keys, nested) = match self.levels.first() {
            Some(outermost) => {
                let beside = outermost.before.iter().chain(&outermost.after).map(|(key, _)| key);
                // next to the members of the header there are no items.
                let nested =
                    outermost.key.is_empty() || beside.chain([&outermost.key]).any(|key| summarize::is_ours(key));
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
            own_page: self.own_page()?,
        }))
    }
}

/// The item of a short list in which the rows are, if there is a list in it: the only one, or of a few the list that is heavier
/// than all others together, as drivers return rows next to what describes them.
fn main_item(list: &AnySource<'_>, _: &str) -> Result<Option<usize>, Error> {
    let len = list.len();
    if len > FEW_ITEMS {
        return Ok(None);
    }
    let items = list.items(0, len)?;
    let entries: Vec<_> = items.into_iter().map(|item| (String::new(), item)).collect();
    let found = if len == 1 { Some(0) } else { heaviest(&entries)? };
    Ok(found.filter(|&at| match entries[at].1.kind() {
        Kind::Array => true,
        Kind::Object => len == 1,
        _ => false,
    }))
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
    /// How many keys next to the list are shortened.
    shortened_keys: usize,
    total_keys: usize,
    estimated_tokens: usize,
    /// Whether the object has a key of the header, so that it is nested under `_value`.
    nested: bool,
    is_in_text: bool,
    own_page: Option<OwnPage>,
}

impl Frame for EnvelopeFrame<'_> {
    fn around(&self, page: &Page<'_>) -> (String, String) {
        let shown = format!("{}{}", self.ctx.base, self.pointer);
        let handle = self.ctx.handle(page.next.is_some());
        let mut facts = Members::new();
        facts.text("pointer", &shown);
        let page = Page { own_page: self.own_page.as_ref().or(page.own_page), ..page.clone() };
        page.write_facts(&mut facts);
        let elisions: Vec<Elision> = self.elisions.iter().chain(page.rows.elisions).cloned().collect();
        let shortened_keys = self.shortened_keys + page.rows.shortened_keys;
        let all = Page { rows: PageRows { elisions: &elisions, shortened_keys, ..page.rows }, ..page.clone() };
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
