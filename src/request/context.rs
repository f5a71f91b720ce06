//! What one result, or the shown part of it, is written under: settings, controls, budget, cursors, and how to ask for more.

use std::rc::Rc;

use crate::base::error::Error;
use crate::base::members::Members;
use crate::request::call::{Call, Controls};
use crate::request::cursor::{After, Binding, Cursor, Place, Unit, refuse};
use crate::request::handle::Handle;
use crate::request::keyset::KeysetRows;
use crate::request::policy::{Format, ReadAs, Settings};
use crate::request::read_text::ReadText;
use crate::request::stored::Stored;
use crate::value::source::{Kind, Source};
use crate::value::structured_text::TextFormat;
use crate::value::token_count::Measure;

/// How often what is left of the budget is spent: each time everything is rendered again, and less is left.
const FILLS: usize = 3;
/// Less than 1/n of the budget is not worth another time.
const UNUSED: usize = 32;

/// How the caller asks for a part of the result that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HowToAsk {
    /// By the tool's argument `fields`.
    Tool,
    /// The same, and the call's cursor stays: rows that are paged by their keys have no page numbers.
    Keyset,
    /// By the argument `pointer` of `read_result`, because the result is a stored one.
    ReadResult,
}

/// How the caller gets the text itself where its rows or data are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WayToText {
    Stored(Handle),
    SameHandle,
    /// By the control `format`.
    Format,
    /// By a cursor into the text, where the call cannot have that control.
    Cursor,
}

/// The policy and the call controls for one result, or for the part of it that is shown.
#[derive(Clone)]
pub(crate) struct Context<'a> {
    pub settings: &'a Settings,
    pub controls: Rc<Controls>,
    /// How results are written, unless the call says.
    default_format: Option<Format>,
    pub measure: Measure,
    /// The most tokens that the result may have.
    pub budget: usize,
    pub tool: Option<&'a str>,
    pub call: &'a Call,
    /// JSON Pointer to the part that is shown; empty for the whole.
    pub base: String,
    /// Where the whole result is stored, if the result says so.
    pub stored: Option<Stored>,
    pub how_to_ask: HowToAsk,
    /// The text whose rows or data are shown, if that is what the value comes from.
    pub text: Option<Rc<ReadText>>,
    /// The tables of the parts of what is shown, if the result says where it is stored.
    pub parts: Rc<[PartTable]>,
    /// The rows of the author's own query that the result, or the shown part of it, comes from.
    keyset: Option<Rc<KeysetRows>>,
    binding: Binding<'a>,
}

/// What a part of a stored result is in SQL.
pub(crate) struct PartTable {
    /// What follows the handle in the name of the table.
    pub name: String,
    /// How many rows it has, and their columns; `None` for lines, and for what is one row.
    pub rows: Option<(usize, String)>,
}

impl<'a> Context<'a> {
    /// The context of the whole result of `call`, which has at most `budget` tokens.
    pub fn new(settings: &'a Settings, budget: usize, controls: Controls, call: &'a Call) -> Self {
        Self {
            settings,
            controls: Rc::new(controls),
            default_format: settings.format,
            measure: settings.measure(),
            budget,
            tool: call.tool_name(),
            call,
            binding: Binding::new(call, "", settings),
            stored: None,
            text: None,
            parts: Rc::default(),
            how_to_ask: HowToAsk::Tool,
            keyset: None,
            base: String::new(),
        }
    }

    /// The same, for rows of the author's own query.
    pub fn of_keyset(self, rows: KeysetRows) -> Self {
        Self { how_to_ask: HowToAsk::Keyset, keyset: Some(Rc::new(rows)), ..self }
    }

    /// The context of the part at `base`, a JSON Pointer, for a caller who asks for parts in the given way.
    pub fn at(&self, how_to_ask: HowToAsk, base: String) -> Self {
        let how_to_ask = match how_to_ask {
            HowToAsk::ReadResult => HowToAsk::ReadResult,
            HowToAsk::Tool | HowToAsk::Keyset if self.keyset.is_some() && base.is_empty() => HowToAsk::Keyset,
            HowToAsk::Tool | HowToAsk::Keyset => HowToAsk::Tool,
        };
        let (binding, default_format) = (Binding::new(self.call, &base, self.settings), self.settings.format);
        let (stored, text, parts) = (None, None, Rc::default());
        Self { how_to_ask, base, binding, default_format, stored, text, parts, ..self.clone() }
    }

    /// The same, for a result that says where the whole result is stored.
    pub fn telling(&self, stored: Option<Stored>) -> Self {
        Self { stored, ..self.clone() }
    }

    /// The same, for a result that names the tables of its parts.
    pub fn naming(self, parts: Rc<[PartTable]>) -> Self {
        Self { parts, ..self }
    }

    /// The same, for a call without `fields`, because the value is what they name.
    pub fn without_fields(&self) -> Self {
        let controls = Controls { fields: Vec::new(), ..(*self.controls).clone() };
        Self { controls: Rc::new(controls), ..self.clone() }
    }

    /// The same, with everything as plain JSON.
    pub fn in_json(&self) -> Self {
        Self { default_format: Some(Format::Json), ..self.clone() }
    }

    /// The same, for a result that shows the rows or the data of a text.
    pub fn of_text(&self, text: ReadText) -> Self {
        Self { text: Some(Rc::new(text)), ..self.clone() }
    }

    /// Whether rows are the lines of a text, each of which is JSON.
    pub fn is_of_lines(&self) -> bool {
        self.text.as_ref().is_some_and(|text| text.format == TextFormat::JsonLines)
    }

    /// The format of a result that fits, which passes as it is unless the call or the policy differs.
    pub fn format(&self) -> Format {
        self.format_or(Format::Json)
    }

    /// The format of a page, and of what else is put together here.
    pub fn format_of_pages(&self) -> Format {
        self.format_or(Format::Auto)
    }

    /// The format that the call or the policy names. A tool of plain texts returns what is edited as it is.
    fn format_or(&self, default: Format) -> Format {
        self.controls.format.unwrap_or(match self.default_format.unwrap_or(default) {
            Format::Auto if self.settings.text == ReadAs::Plain => Format::Json,
            format => format,
        })
    }

    /// Whether texts are shown by what they contain, as far as that is certain.
    pub fn reads_texts(&self) -> bool {
        self.settings.text == ReadAs::Auto && self.controls.format != Some(Format::Text)
    }

    /// The place that the caller's cursor names, in any unit.
    ///
    /// # Errors
    /// `INVALID_CURSOR` as [`Binding::decode`] reports, and for a cursor without a place in a result.
    pub fn place(&self) -> Result<Option<Place>, Error> {
        let Some(text) = &self.controls.cursor else { return Ok(None) };
        match self.binding.decode(text)? {
            Cursor { place: Some(place), after, .. } if after.as_ref() == self.after() => Ok(Some(place)),
            _ => Err(another_kind()),
        }
    }

    /// The place that the caller's cursor names, which must count in `unit`.
    ///
    /// # Errors
    /// As [`place`](Self::place), and `INVALID_CURSOR` for a cursor into another kind of result.
    pub fn cursor(&self, unit: Unit) -> Result<Option<Place>, Error> {
        match self.place()? {
            Some(place) if place.unit != unit => Err(another_kind()),
            place => Ok(place),
        }
    }

    /// The text of a cursor to a place; `None` if only the call of a tool that failed could use it.
    fn encode(&self, place: Place) -> Option<String> {
        let snapshot = self.stored.as_ref().and_then(Stored::snapshot);
        if self.call.has_failed() && snapshot.is_none() {
            return None;
        }
        self.binding.encode(&Cursor { place: Some(place), after: self.after().cloned(), snapshot })
    }

    /// The text of a cursor to a place before the end, of which there are `total`; `pointer` leads to what is paged.
    pub fn cursor_to(
        &self,
        unit: Unit,
        (position, end): (usize, usize),
        total: usize,
        fingerprint: u32,
        pointer: &str,
    ) -> Option<String> {
        let place = Place { unit, position, end, total, fingerprint, pointer: pointer.to_owned() };
        if position < end { self.encode(place) } else { None }
    }

    /// The text of a cursor to the rows after a row.
    pub fn encode_after(&self, after: After) -> Option<String> {
        self.binding.encode(&Cursor { place: None, after: Some(after), snapshot: None })
    }

    /// The handle of the whole result, if the result has its address, or if the call cannot be repeated with other
    /// arguments: it names the result by a cursor alone, or its tool failed.
    pub fn handle(&self, has_cursor: bool) -> Option<Handle> {
        let is_alone = self.call.bound_to.is_some() || self.call.has_failed();
        let is_named = |stored: &&Stored| is_alone || stored.tells_uri(has_cursor, self.budget);
        self.stored.as_ref().filter(is_named)?.handle()
    }

    /// The handle of the whole result, if the call takes no arguments by which the caller could ask for a part of it.
    pub fn handle_to_ask_with(&self) -> Option<Handle> {
        let cannot_ask = self.call.bound_to.is_some() || self.call.has_failed() || self.is_read_on();
        self.stored.as_ref().filter(|_| cannot_ask)?.handle()
    }

    /// Whether `read_result` goes on by the result's cursor alone: it names the stored result, and tools list no cursor.
    pub fn is_read_on(&self) -> bool {
        let is_whole = self.how_to_ask == HowToAsk::Tool && self.base.is_empty() && self.call.asks_for_rows_alone();
        let has_handle = self.stored.as_ref().is_some_and(|stored| stored.snapshot().is_some());
        is_whole && has_handle && (self.call.has_failed() || !self.settings.lists_controls(true))
    }

    /// Writes where the whole result is stored, if the result says so: see [`Stored::write`].
    pub fn write_stored(&self, has_cursor: bool, out: &mut Members) {
        if let Some(stored) = &self.stored {
            stored.write(has_cursor, self.budget, out);
        }
    }

    /// Writes which text the result shows by its structure, if it does. `has_cursor` is as for
    /// [`write_stored`](Self::write_stored).
    pub fn write_text(&self, has_cursor: bool, out: &mut Members) {
        let Some(text) = &self.text else { return };
        let cursor = if text.around.is_some() { self.text_cursor(text.chars, has_cursor) } else { None };
        text.write(cursor.as_deref(), out);
    }

    /// Writes a cursor into the text itself, which has this many characters, if the caller needs one.
    pub fn write_text_cursor(&self, chars: usize, has_cursor: bool, out: &mut Members) {
        if let Some(cursor) = self.text_cursor(chars, has_cursor) {
            out.text("textCursor", &cursor);
        }
    }

    fn text_cursor(&self, chars: usize, has_cursor: bool) -> Option<String> {
        let is_needed = self.way_to_text(self.handle(has_cursor)) == WayToText::Cursor;
        if is_needed { self.cursor_to(Unit::Chars, (0, chars), chars, 0, "") } else { None }
    }

    /// How the caller gets the text that is shown by its structure; `handle` is that of the stored result, if the result
    /// tells it.
    pub fn way_to_text(&self, handle: Option<Handle>) -> WayToText {
        match (handle, self.how_to_ask) {
            (Some(handle), _) => WayToText::Stored(handle),
            (None, HowToAsk::ReadResult) => WayToText::SameHandle,
            (None, _) if self.call.takes("format") => WayToText::Format,
            (None, _) => WayToText::Cursor,
        }
    }

    /// The row after which the rows begin, if the call continues after one.
    fn after(&self) -> Option<&After> {
        self.keyset.as_ref()?.after()
    }

    /// The rows that are paged by their keys, if they are what is shown.
    pub fn keyset(&self) -> Option<&Rc<KeysetRows>> {
        self.keyset.as_ref().filter(|_| self.base.is_empty())
    }

    /// Whether the result comes from the author's own query, whatever part of it is shown.
    pub fn is_of_keyset(&self) -> bool {
        self.keyset.is_some()
    }

    /// Whether the caller continues after an earlier page.
    pub fn goes_on(&self) -> bool {
        self.controls.cursor.is_some() || self.after().is_some()
    }

    /// The same as [`has_few_rows`], also for rows that are paged by their keys.
    pub fn has_few_rows<S: Source>(&self, value: &S) -> bool {
        match self.keyset() {
            Some(rows) => !rows.has_more(),
            None => has_few_rows(value, self.settings.paginate_after),
        }
    }

    /// Renders smaller and smaller until the text fits: `render` gets the tokens that it may spend on content, and the
    /// whole text is counted.
    ///
    /// Returns `None` if not even a render with no tokens to spend fits.
    pub fn shrink(&self, render: impl FnMut(usize) -> Result<String, Error>) -> Result<Option<Fit>, Error> {
        self.shrink_from(self.budget, 0, self.counted(render))
    }

    /// The same for content that is written from parts whose tokens are counted one by one, so that together they are fewer:
    /// what is left of the budget is spent too. `render` counts the whole text itself; what it returns besides is that of the
    /// text that is returned.
    pub fn fill<T>(&self, mut render: impl FnMut(usize) -> Result<(Fit, T), Error>) -> Result<Option<(Fit, T)>, Error> {
        let (mut spend, mut best) = (self.budget, None::<(Fit, T)>);
        for _ in 0..FILLS {
            let (from, mut about) = (spend, None);
            let fit = self.shrink_from(from, 0, |less| {
                let (fit, told) = render(less)?;
                (spend, about) = (less, Some(told));
                Ok(fit)
            })?;
            let is_better = |fit: &Fit| best.as_ref().is_none_or(|(best, _)| best.tokens < fit.tokens);
            let Some(found) = fit.filter(is_better).zip(about) else { break };
            let unused = self.budget - found.0.tokens;
            let is_last = best.is_some() && spend < from;
            best = Some(found);
            if is_last || unused < self.budget / UNUSED {
                break;
            }
            spend += unused;
        }
        Ok(best)
    }

    /// The same for content whose frame does not depend on the content: the frame is counted first, so that the content
    /// is rendered and counted only once.
    pub fn shrink_in_frame(
        &self,
        mut render: impl FnMut(usize) -> Result<String, Error>,
    ) -> Result<Option<Fit>, Error> {
        let frame = self.measure.count(&render(0)?);
        self.shrink_from(self.budget.saturating_sub(frame), 0, self.counted(render))
    }

    fn counted<'r>(
        &self,
        mut render: impl FnMut(usize) -> Result<String, Error> + 'r,
    ) -> impl FnMut(usize) -> Result<Fit, Error> + 'r {
        let measure = self.measure;
        move |spend| {
            let text = render(spend)?;
            Ok(Fit { tokens: measure.count(&text), text })
        }
    }

    /// The same from `spend` tokens down to `least`, for callers that count the text themselves.
    pub fn shrink_from(
        &self,
        mut spend: usize,
        least: usize,
        mut render: impl FnMut(usize) -> Result<Fit, Error>,
    ) -> Result<Option<Fit>, Error> {
        loop {
            let Fit { text, tokens } = render(spend)?;
            if tokens <= self.budget {
                return Ok(Some(Fit { text, tokens }));
            }
            if spend <= least {
                return Ok(None);
            }
            // Most of the excess is the frame around the content. Each step takes a little more than that, so that the
            // loop ends for any content.
            let over = tokens - self.budget;
            spend = spend.saturating_sub(over.max(spend / 64 + 1)).max(least);
        }
    }
}

/// Whether a value is not a list, or a list so short that it is not paged.
pub(crate) fn has_few_rows<S: Source>(value: &S, paginate_after: usize) -> bool {
    value.kind() != Kind::Array || value.len() <= paginate_after
}

fn another_kind() -> Error {
    refuse("it was made for another kind of result")
}

/// A text that fits.
#[derive(Debug)]
pub(crate) struct Fit {
    pub text: String,
    pub tokens: usize,
}
