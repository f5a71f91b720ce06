//! Shrinks a value within its schema: trailing items down to `minItems`, then optional members, then the ends of texts
//! that the schema does not constrain. A note is added only if the schema allows it, so a valid value stays valid.

use crate::api::links;
use crate::base::error::Error;
use crate::base::json_string::Quoted;
use crate::base::members::Members;
use crate::ladder::row_fields::RowFields;
use crate::ladder::{example_question, unusual_rows};
use crate::render::counted_rows::CountedRows;
use crate::render::elide::{self, Elision, child_pointer};
use crate::render::envelope::Envelope;
use crate::render::example_question::ExampleQuestion;
use crate::render::excerpt;
use crate::render::layout::ListLayout;
use crate::render::notes::{self, object::ShownRows, ways::Note};
use crate::render::page::Page;
use crate::render::page_window::{Window, row_fingerprint};
use crate::render::paginate::{PageFields, PageRows, list_is_gone};
use crate::request::context::Context;
use crate::request::cursor::{Place, Unit};
use crate::request::stored::Stored;
use crate::value::any_source::AnySource;
use crate::value::own_page::OwnPage;
use crate::value::source::{CHUNK, Kind, Source};
use crate::value::token_estimate;

use super::rules::Rules;
use crate::base::sorting::sort_by;
use crate::request::policy::SIDE_PARTS;

/// The member that says what is missing.
const NOTE: &str = "_note";

/// With less room a question about the rows takes too much of it.
const LEAST_FOR_QUESTION: usize = 1_000;

/// Values inside more others are shown whole or not at all: a schema that refers to itself describes any depth, and a host's stack
/// has an end.
const MAX_LEVELS: usize = 200;

/// A value shrunk within its schema, and the text for the content.
pub(super) struct Preserved {
    /// JSON text that is valid by the schema.
    pub json: String,
    /// The text for `content`: what was omitted and how to get it, then the value.
    pub text: String,
    pub tokens: usize,
    /// A `resource_link` to the whole result, if it is stored and the schema has no place for a note: most hosts that show
    /// only `structuredContent` also show links.
    pub link: Option<String>,
}

/// Shrinks a value until its text for the content fits; `None` if the schema does not allow it.
///
/// `weight` is the value's approximate number of tokens.
pub(super) fn fit(
    value: &AnySource<'_>,
    rules: &Rules<'_>,
    weight: usize,
    ctx: &Context<'_>,
) -> Result<Option<Preserved>, Error> {
    let list = Paged::find(value, ctx)?;
    let (mut json, mut link) = (None, None);
    let fit = ctx.shrink(|spend| {
        let mut shrinker = Shrinker { ctx, list: list.as_ref(), shown: None, elisions: Vec::new(), levels: 0 };
        json = shrinker.fit(value, rules, &ctx.base, spend)?;
        let Some(shrunk) = &mut json else { return Ok(String::new()) };
        let text = shrinker.text(value, shrunk, weight);
        link = shrinker.link();
        if value.kind() == Kind::Object && rules.allows(NOTE) {
            *shrunk = with_note(shrunk, &shrinker.missing());
            link = None;
        }
        text
    })?;
    Ok(match (fit, json) {
        (Some(fit), Some(json)) => Some(Preserved { json, text: fit.text, tokens: fit.tokens, link }),
        _ => None,
    })
}

/// The JSON of an object with a note as its first member.
fn with_note(json: &str, note: &str) -> String {
    let mut members = Members::new();
    members.text(NOTE, note);
    let rest = json.strip_prefix('{').and_then(|json| json.strip_suffix('}')).unwrap_or_default();
    if !rest.is_empty() {
        members.entry(rest);
    }
    members.into_object()
}

/// The list that makes up most of the value, and which of its rows the call asks for.
struct Paged {
    pointer: String,
    window: Window,
    /// A question about its rows, on the first page.
    example: Option<ExampleQuestion>,
    unusual: Option<Members>,
    own_page: Option<OwnPage>,
}

impl Paged {
    fn find(value: &AnySource<'_>, ctx: &Context<'_>) -> Result<Option<Self>, Error> {
        let (list, pointer, own_page) = match (value.kind(), ctx.place()?) {
            (Kind::Array, _) => (value.clone(), String::new(), None),
            (Kind::Object, Some(Place { unit: Unit::Rows, pointer, .. })) => {
                let envelope = Envelope::at(value, &pointer, ctx)?.ok_or_else(list_is_gone)?;
                let own_page = envelope.own_page()?;
                (envelope.list, pointer, own_page)
            }
            (Kind::Object, None) => match Envelope::largest(value)? {
                Some(envelope) => {
                    let own_page = envelope.own_page()?;
                    (envelope.list, envelope.pointer, own_page)
                }
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        let rows = CountedRows::new(&list, ctx);
        let window = Window::new(&rows, ctx)?;
        let is_first = window.start == 0 && !ctx.goes_on() && window.keyset.is_none();
        let may_ask = is_first && ctx.budget >= LEAST_FOR_QUESTION && is_table(value, &pointer)?;
        let example = if may_ask { example_question::of_rows(&RowFields::of(&rows), ctx)? } else { None };
        let unusual = if may_ask { unusual_rows::of_rows(&list, &pointer, ctx) } else { None };
        let unusual = unusual.and_then(|rows| rows.members(None));
        Ok(Some(Self { window, pointer, example, unusual, own_page }))
    }
}

/// Whether the list at a pointer is what SQL takes as the rows of the value.
fn is_table(value: &AnySource<'_>, pointer: &str) -> Result<bool, Error> {
    let layout = ListLayout::new(value.clone());
    let envelope = layout.envelope()?;
    Ok(envelope.map_or(value.kind() == Kind::Array && pointer.is_empty(), |envelope| envelope.pointer == pointer))
}

/// What is shown of the paged list.
struct PagedRows {
    window: Window,
    returned: usize,
    next: Option<String>,
}

struct Shrinker<'a> {
    ctx: &'a Context<'a>,
    list: Option<&'a Paged>,
    shown: Option<PagedRows>,
    elisions: Vec<Elision>,
    /// How many values are around the one that is made smaller.
    levels: usize,
}

impl Shrinker<'_> {
    /// The value in about `spend` tokens; `None` if its schema does not allow a value so small.
    fn fit(
        &mut self,
        value: &AnySource<'_>,
        rules: &Rules<'_>,
        pointer: &str,
        spend: usize,
    ) -> Result<Option<String>, Error> {
        let paged = self.list.filter(|list| value.kind() == Kind::Array && list.pointer == pointer);
        let holds_paged = self.list.is_some_and(|list| list.pointer.starts_with(pointer));
        if (!holds_paged || rules.is_rigid)
            && let Some((json, _)) = self.ctx.measure.json_within(value, spend)?
        {
            return Ok(Some(json));
        }
        if rules.is_rigid || self.levels == MAX_LEVELS {
            return Ok(None);
        }
        self.levels += 1;
        let shrunk = match value.kind() {
            Kind::Array => self.array(value, rules, pointer, spend, paged),
            Kind::Object => self.object(value, rules, pointer, spend),
            Kind::String if rules.frees_text() => {
                self.elisions.push(Elision::of(value, pointer.to_owned()));
                let start =
                    excerpt::start(value, (0, value.chars()), spend.saturating_sub(3), false, self.ctx.measure)?;
                Ok(Some(format!("\"{}…\"", start.literal)))
            }
            _ => Ok(None),
        };
        self.levels -= 1;
        shrunk
    }

    fn array(
        &mut self,
        list: &AnySource<'_>,
        rules: &Rules<'_>,
        pointer: &str,
        spend: usize,
        paged: Option<&Paged>,
    ) -> Result<Option<String>, Error> {
        let (least, total) = (rules.min_items(), list.len());
        let mut window = paged.map(|paged| paged.window.clone());
        let (start, end) = match &mut window {
            Some(window) => {
                window.start = if rules.is_tuple() { 0 } else { window.start.min(total.saturating_sub(least)) };
                window.end = window.end.max(window.start + least).min(total);
                (window.start, window.end)
            }
            None => (0, total),
        };
        let (mut items, mut left, mut last): (Vec<String>, _, _) = (Vec::new(), spend.saturating_sub(2), None);
        'rows: for from in (start..end).step_by(CHUNK) {
            for item in list.items(from, CHUNK.min(end - from))? {
                let wanted = least.saturating_sub(items.len());
                let share = left / wanted.max(1);
                let json = match self.ctx.measure.json_within(&item, share)? {
                    Some((json, _)) => json,
                    // The first row of a page is always shown, however long it is; otherwise no call could get past it.
                    None if wanted > 0 || (items.is_empty() && paged.is_some()) => {
                        let at = start + items.len();
                        let rules = rules.of_item(at, &item)?;
                        let known = self.elisions.len();
                        match self.fit(&item, &rules, &format!("{pointer}/{at}"), share)? {
                            Some(json) => json,
                            None if wanted > 0 => return Ok(None),
                            None => {
                                self.elisions.truncate(known);
                                break 'rows;
                            }
                        }
                    }
                    None => break 'rows,
                };
                left = left.saturating_sub(self.ctx.measure.count(&json) + 1);
                items.push(json);
                last = Some(item);
            }
        }
        // If fewer rows remain for the last page than the schema requires, it gets some of this page's rows.
        let lacking = match total - start - items.len() {
            0 => 0,
            left => least.saturating_sub(left),
        };
        if paged.is_some() && lacking > 0 && items.len() >= least + lacking {
            items.truncate(items.len() - lacking);
            last = list.items(start + items.len() - 1, 1)?.pop();
        }
        let returned = items.len();
        // A page of which not even the first row can be shown is none: the list is left out, and is read by its pointer.
        match window.filter(|_| returned > 0 || start == total) {
            Some(window) => {
                let position = start + returned;
                let fingerprint = last.as_ref().map_or(Ok(0), row_fingerprint)?;
                let end = if returned > 0 { total } else { 0 };
                let next = self.ctx.cursor_to(Unit::Rows, (position, end), total, fingerprint, pointer);
                self.shown = Some(PagedRows { window, returned, next });
            }
            None if returned < total => self.elisions.push(Elision::of(list, pointer.to_owned())),
            None => {}
        }
        Ok(Some(format!("[{}]", items.join(","))))
    }

    fn object(
        &mut self,
        object: &AnySource<'_>,
        rules: &Rules<'_>,
        pointer: &str,
        spend: usize,
    ) -> Result<Option<String>, Error> {
        let measure = self.ctx.measure;
        let entries = object.entries()?;
        let name = |at: usize| Quoted::new(&entries[at].0).text();
        let mut order = Vec::new();
        for (at, (key, value)) in entries.iter().enumerate() {
            let inside = child_pointer(pointer, key);
            let is_paged = self.list.is_some_and(|list| list.pointer.starts_with(&inside));
            // Required members come first, small before large; the paged list gets what remains.
            order.push((is_paged, !rules.needs(&name(at)), token_estimate::chars(value)?, at));
        }
        sort_by(&mut order, Ord::cmp);
        let mut needed = order.iter().filter(|(_, is_optional, ..)| !is_optional).count();
        let mut kept: Vec<Option<String>> = vec![None; entries.len()];
        let (mut left, mut count) = (spend.saturating_sub(2), 0);
        let must_stay = rules.min_properties();
        let holds_paged = order.iter().any(|(is_paged, ..)| *is_paged);
        let mut for_optional = if holds_paged { spend / SIDE_PARTS } else { spend };
        for (seen, &(is_paged, is_optional, _, at)) in order.iter().enumerate() {
            let (key, value) = &entries[at];
            let room = left.saturating_sub(measure.count(key) + 2);
            let is_optional = is_optional && count + (order.len() - seen - 1) >= must_stay;
            let share = match (is_optional && !is_paged, needed) {
                (true, _) => room.min(for_optional),
                (false, 0) => room,
                (false, needed) => room / needed,
            };
            let whole = if is_paged { None } else { measure.json_within(value, share)?.map(|(json, _)| json) };
            let known = self.elisions.len();
            let json = match (whole, is_optional && !is_paged) {
                (Some(json), _) => Some(json),
                (None, true) => None,
                (None, false) => {
                    let rules = rules.of_member(&name(at), value)?;
                    self.fit(value, &rules, &child_pointer(pointer, key), share)?
                }
            };
            needed -= usize::from(!is_optional && needed > 0);
            match json {
                Some(json) => {
                    let tokens = measure.count(key) + 2 + measure.count(&json);
                    left = left.saturating_sub(tokens);
                    if is_optional && !is_paged {
                        for_optional = for_optional.saturating_sub(tokens);
                    }
                    kept[at] = Some(format!("{key}:{json}"));
                    count += 1;
                }
                None if is_optional => {
                    self.elisions.truncate(known);
                    self.elisions.push(Elision::of(value, child_pointer(pointer, key)));
                }
                None => return Ok(None),
            }
        }
        let mut members = Members::new();
        kept.iter().flatten().for_each(|entry| members.entry(entry));
        Ok(Some(members.into_object()))
    }

    /// A link to the whole result that says how much is missing.
    fn link(&self) -> Option<String> {
        let handle = self.ctx.stored.as_ref()?.handle()?;
        Some(links::to_stored(handle, notes::object::LINK_NAME, &self.missing()))
    }

    /// A sentence that says how much is missing, and how to read it.
    fn missing(&self) -> String {
        let pointer = self.list.map_or(String::new(), |list| format!("{}{}", self.ctx.base, list.pointer));
        let rows = self.shown.as_ref().map(|PagedRows { window, returned, .. }| ShownRows {
            returned: *returned,
            total: window.total,
            start: window.start,
            list: &pointer,
        });
        let handle = self.ctx.stored.as_ref().and_then(Stored::handle);
        notes::object::missing(&self.ctx.settings.read_tool, handle, rows, self.elisions.len())
    }

    /// The text for the content, about the value in `json`.
    fn text(&self, value: &AnySource<'_>, json: &str, weight: usize) -> Result<String, Error> {
        let ctx = self.ctx;
        let (mut facts, mut note, mut has_cursor) = (None, Note::new(ctx, ctx.handle(false)), false);
        if let (Some(PagedRows { window, returned, next }), Some(list)) = (&self.shown, self.list) {
            let (returned, next) = (*returned, next.clone());
            has_cursor = next.is_some();
            let (example, unusual) = (list.example.as_ref(), list.unusual.as_ref());
            let page = Page {
                ctx,
                window,
                rows: PageRows { returned, ..PageRows::default() },
                fields: PageFields { example, unusual, ..PageFields::default() },
                next,
                is_map: false,
                list: &list.pointer,
                own_page: list.own_page.as_ref(),
            };
            let mut members = Members::new();
            members.text("pointer", &format!("{}{}", ctx.base, list.pointer));
            page.write_facts(&mut members);
            facts = Some(members);
            note = notes::page::note(&page, "_page.nextCursor", ctx.handle(has_cursor));
        }
        if !self.elisions.is_empty() {
            notes::object::left_out(&mut note);
        }
        let mut out = Members::prefixed("_");
        out.flag("summarized", true);
        out.number("totalKeys", value.len());
        out.number("estimatedTokens", weight);
        ctx.write_stored(has_cursor, &mut out);
        out.text("note", &note.finish());
        if let Some(facts) = &facts {
            out.object("page", facts);
        }
        elide::write_elisions(&self.elisions, elide::list_tokens(ctx.budget), ctx.measure, &mut out);
        out.json("value", json);
        Ok(out.into_object())
    }
}
