//! Objects over budget: a header, then the object's own keys in their order, opened as far as the budget reaches.

use std::collections::BTreeMap;

use crate::base::error::Error;
use crate::base::json_string::Quoted;
use crate::base::members::Members;
use crate::render::dense::FORM;
use crate::render::elide::{self, Elision, Omitted};
use crate::render::notes::object::ObjectNote;
use crate::render::opening::{Opening, ShownValues};
use crate::request::context::{Context, Fit};
use crate::request::cursor::Unit;
use crate::value::any_source::AnySource;
use crate::value::source::{Entry, Source};

/// The header's keys; an object with one of them is nested under `_value`, so that they cannot be confused.
const OURS: [&str; 19] = [
    "_summarized", "_text", "_cut", "_textCursor", "_before", "_after", "_totalKeys", "_estimatedTokens",
    "_truncatedKeys", "_nextCursor", "_uri", "_storeFailed", "_note", "_page", "_omittedFields", "_moreElisions",
    "_elisions", "_value", FORM,
];

/// Whether a key, with its quotes, is one of the header's.
pub(crate) fn is_ours(key: &str) -> bool {
    OURS.contains(&&*Quoted::new(key).text())
}

/// The header of an object that is not shown whole.
pub(crate) struct Header<'a> {
    pub total_keys: usize,
    pub estimated_tokens: usize,
    pub truncated_keys: usize,
    /// Facts of the page, if a list inside is paged.
    pub page: Option<&'a Members>,
    pub next_cursor: Option<&'a str>,
    /// Whether there is a cursor, here or in the facts of the page.
    pub has_cursor: bool,
    pub note: &'a str,
    /// Fields that the policy does not show, unless the page has them.
    pub omitted_fields: &'a [String],
    pub elisions: &'a [Elision],
}

impl Header<'_> {
    /// The whole object: the header, then `content`, the shown members.
    pub fn wrap(&self, content: &Members, nested: bool, ctx: &Context<'_>) -> Members {
        let mut out = Members::prefixed("_");
        out.flag("summarized", true);
        // Hosts keep the two ends of old results, so what continues the result is at the start.
        ctx.write_stored(self.has_cursor, &mut out);
        if let Some(cursor) = self.next_cursor {
            out.text("nextCursor", cursor);
        }
        if let Some(page) = self.page {
            out.object("page", page);
        }
        ctx.write_text(self.has_cursor, &mut out);
        out.number("totalKeys", self.total_keys);
        out.number("estimatedTokens", self.estimated_tokens);
        out.number("truncatedKeys", self.truncated_keys);
        out.text("note", self.note);
        elide::write_omitted_fields(self.omitted_fields, &mut out);
        elide::write_elisions(self.elisions, elide::list_tokens(ctx.budget), ctx.measure, &mut out);
        if nested {
            out.object("value", content);
        } else {
            out.extend(content);
        }
        out
    }
}

/// The places among `entries` whose key one of the first `start` entries has.
fn repeated(object: &AnySource<'_>, start: usize, entries: &[Entry<AnySource<'_>>]) -> Result<Vec<usize>, Error> {
    let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, (key, _)) in entries.iter().enumerate() {
        places.entry(Quoted::new(key).text().into_owned()).or_default().push(at);
    }
    let mut repeated = Vec::new();
    object.entries_where(&mut |at, key| {
        if at < start {
            repeated.extend(places.remove(&*Quoted::new(key).text()).unwrap_or_default());
        }
        false
    })?;
    Ok(repeated)
}

/// Fits an object into the budget, from the key of the call's cursor on.
///
/// `omitted` is what the default projection left out, `weight` the estimated tokens of the object as the tool returned
/// it. `None` if not even the header fits.
pub(crate) fn object(
    object: &AnySource<'_>,
    omitted: &Omitted,
    weight: usize,
    ctx: &Context<'_>,
) -> Result<Option<Fit>, Error> {
    let cursor = ctx.cursor(Unit::Keys)?;
    let start = cursor.as_ref().map_or(0, |cursor| cursor.position);
    // Each entry takes a token or more, so those after as many are not kept, however many there are.
    let end = start.saturating_add(ctx.budget).saturating_add(1);
    let (mut total, mut nested) = (0, false);
    let entries = object.entries_where(&mut |at, key| {
        total = at + 1;
        nested = nested || is_ours(key);
        (start..end).contains(&at)
    })?;
    let start = start.min(total);
    let shifted = cursor.is_some_and(|cursor| cursor.total != total);
    let repeated = if start > 0 { repeated(object, start, &entries)? } else { Vec::new() };
    let mut opening = Opening::of_part(entries, &ctx.base, ctx).repeating(repeated);
    let filled = ctx.fill(|spend| {
        let ShownValues { parts, elisions, shortened_keys, .. } = opening.within(spend)?;
        let omitted_after = total - start - parts.len();
        // A key that is too long to show is skipped, so that later keys are reached.
        let position = start + parts.len().max(1);
        let end = if omitted_after > 0 { total } else { 0 };
        let next = ctx.cursor_to(Unit::Keys, (position, end), total, 0, "");
        let note = ObjectNote {
            ctx,
            start,
            shown: parts.len(),
            position,
            total,
            omitted: omitted_after,
            elisions: &elisions,
            shortened_keys,
            handle: ctx.handle(next.is_some()),
            has_next: omitted_after > 0 && position < total,
            omits_fields: !omitted.names.is_empty(),
            shifted,
        }
        .text();
        let header = Header {
            total_keys: total + omitted.keys,
            estimated_tokens: weight,
            truncated_keys: elisions.len() + start + omitted_after + omitted.keys,
            page: None,
            next_cursor: next.as_deref(),
            has_cursor: next.is_some(),
            note: &note,
            omitted_fields: &omitted.names,
            elisions: &elisions,
        };
        let mut content = Members::new();
        content.entries(&parts);
        let text = header.wrap(&content, nested, ctx).into_object();
        Ok((Fit { tokens: ctx.measure.count(&text), text }, ()))
    })?;
    Ok(filled.map(|(fit, ())| fit))
}
