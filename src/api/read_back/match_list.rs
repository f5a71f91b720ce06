//! Matches as a list that is paged like any other: rows are made when they are shown.

use std::rc::Rc;

use crate::base::error::Error;
use crate::base::members::Members;
use crate::render::elide;
use crate::render::notes::stored;
use crate::render::page::{Frame, Page};
use crate::request::context::Context;
use crate::value::any_source::{self, AnySource};
use crate::value::json_in_text::SharedJson;

use super::ignored::Ignored;

/// The matches of a search or a query.
pub(super) struct MatchList<'a> {
    len: usize,
    row: Rc<dyn Fn(usize) -> Members + 'a>,
    /// Whether the search stopped early, so that there may be more.
    stopped: bool,
    /// The text before the facts of the page, and instead of rows if there are none.
    lead: Members,
    nothing: &'static str,
    also: &'static str,
}

impl<'a> MatchList<'a> {
    /// A list of small rows, made by `row`.
    pub fn of_rows(len: usize, stopped: bool, row: impl Fn(usize) -> Members + 'a) -> Self {
        let (lead, nothing) = (Members::new(), stored::NO_MATCH);
        Self { len, row: Rc::new(row), stopped, lead, nothing, also: "" }
    }

    /// The same list, with members before the facts of its pages.
    pub fn with_lead(self, lead: Members) -> Self {
        Self { lead, ..self }
    }

    /// The same list, which says something else where it has no rows.
    pub fn or_say(self, nothing: &'static str) -> Self {
        Self { nothing, ..self }
    }

    /// The same list, which says something more.
    pub fn and_say(self, also: &'static str) -> Self {
        Self { also, ..self }
    }

    pub fn frame<'c>(&'c self, ignored: &'c Ignored, ctx: &'c Context<'c>) -> FoundFrame<'c> {
        let nothing = (self.len == 0).then_some(self.nothing);
        let Self { stopped, ref lead, also, .. } = *self;
        FoundFrame { ctx, ignored, nothing, stopped, lead, also }
    }

    pub fn source(&self) -> AnySource<'a> {
        AnySource::new(MatchRows { len: self.len, row: Rc::clone(&self.row) })
    }
}

/// The frame of a page of matches.
pub(super) struct FoundFrame<'a> {
    ctx: &'a Context<'a>,
    ignored: &'a Ignored,
    /// The text if there are no rows.
    nothing: Option<&'static str>,
    stopped: bool,
    lead: &'a Members,
    also: &'static str,
}

impl Frame for FoundFrame<'_> {
    fn around(&self, page: &Page<'_>) -> (String, String) {
        let mut note = self.nothing.map_or_else(|| page.note("nextCursor", None), str::to_owned);
        note += self.also;
        if self.stopped {
            note += stored::STOPPED;
        }
        let mut out = Members::new();
        out.flag("paginated", true);
        out.extend(self.lead);
        page.write_facts(&mut out);
        if self.stopped {
            out.flag("stopped", true);
        }
        self.ignored.write(&mut out);
        out.text("note", &note);
        elide::write_elisions(page.rows.elisions, elide::list_tokens(self.ctx.budget), self.ctx.measure, &mut out);
        out.open("items", page.is_map);
        out.into_parts()
    }

    fn shortens_rows(&self) -> bool {
        false
    }

    fn takes_fields(&self) -> bool {
        false
    }

    fn fills_pages(&self) -> bool {
        true
    }
}

/// The rows as a list.
struct MatchRows<'a> {
    len: usize,
    row: Rc<dyn Fn(usize) -> Members + 'a>,
}

impl<'a> any_source::Erased<'a> for MatchRows<'a> {
    fn len(&self) -> usize {
        self.len
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<AnySource<'a>>, Error> {
        let end = start.saturating_add(max).min(self.len);
        let row = |at| SharedJson::of((self.row)(at).into_object()).map(AnySource::new);
        Ok((start..end).filter_map(row).collect())
    }

    fn min_bytes(&self, _: usize) -> usize {
        // Each row has its braces and a separator.
        2 + 3 * self.len
    }
}
