//! Answers the tool `read_result` from a stored result: in SQL, or a part by JSON Pointer, lines, the hits of a search, or the
//! outline of a text; by page, cursor and fields like any result.
//!
//! The answer fits the budget. The stored content is checked against its handle first, so content that was changed or
//! belongs to another scope is not found. A caller's mistakes are explained in a result.

mod above;
mod arguments;
mod as_shown;
mod hit_lines;
mod hit_values;
mod ignored;
mod lines;
mod listed;
mod match_list;
mod outline;
mod part;
mod prefilter;
mod read_on;
mod search;
mod sought;
mod stretch;
mod text_inside;
mod tool;
mod whole;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use crate::ladder::shape;
use crate::ladder::text_rows;
use crate::request::context::Fit;

use crate::api::mcp::OpenedImage;
use crate::api::mcp::host::Host;
use crate::api::shaper::Shaper;
use crate::api::sql::{self, FoundTable};
use crate::base::error::{Error, ErrorCode};
use crate::base::work::Work;
use crate::ladder::job::Job;
use crate::ladder::refusal;

use crate::ladder::draft::Draft;
use crate::outcome::receipt::Step;
use crate::outcome::receipt::Weight;
use crate::outcome::shaped::{Outcome, Shaped};
use crate::outcome::tool_output::ToolOutput;
use crate::render::notes;
use crate::request::call::Call;
use crate::request::content_id::Form;
use crate::request::context::Context;
use crate::request::context::HowToAsk;
use crate::request::handle::StoredName;
use crate::request::policy::{Format, Overflow, Settings};
use crate::value::json_text::JsonText;

use arguments::{ReadArguments, WhatToRead};
use as_shown::AsShown;
use ignored::Ignored;
use match_list::MatchList;
use outline::HeadingList;
use search::Hits;
use stretch::LineRange;
use text_inside::ReadPart;

pub(crate) use listed::is_asked_for as is_list_asked_for;
#[cfg(feature = "sql")]
pub(crate) use part::missing;
use part::stop_at;
pub(crate) use part::{StoredPart, unfit};
pub(crate) use read_on::{ReadTarget, name_of, named_by_handle};
pub use tool::read_result_tool;
pub(crate) use tool::read_result_within;

impl Shaper {
    /// Answers a call of `read_result` from the store: `stored` is the key under which the content was found and the
    /// content, or `None` if there is none.
    ///
    /// A caller's mistake, and content that is not that of the handle in the call's scope, is explained in a result
    /// with `is_error` set.
    ///
    /// # Errors
    /// `INVALID_CALL` as [`shape`](Self::shape) has, for a mistake of the server's author.
    pub fn read_result(&self, stored: Option<(&str, &str)>, call: &Call) -> Result<Shaped, Error> {
        if sql::tables(call).is_some() {
            // The content is that of the argument `handle`; further tables are for `read_sql`.
            let handle = named_by_handle(call).ok().flatten().map(|name| name.handle().to_string());
            let stored = stored.map(|(key, content)| (key, content.into()));
            let found = handle.as_deref().map(|handle| FoundTable { handle, stored, call });
            return self.read_sql(found.into_iter().collect(), call);
        }
        let settings = self.reading_settings(call)?;
        Host::of_call(call).fitted(|most| {
            let shaped = self.read_stored(stored, &settings, call, most);
            let budget = settings.room().min(most);
            let refused = |error| refusal::refuse(&settings, budget, call, Weight::Exact(0), &error, &[]);
            let mut shaped = shaped.unwrap_or_else(refused);
            shaped.receipt.count_as_read();
            Ok(shaped)
        })
    }

    /// The settings of a call that reads a stored result: it asks for a part explicitly, so all fields are shown.
    pub(crate) fn reading_settings(&self, call: &Call) -> Result<Settings, Error> {
        Ok(Settings {
            fields: Vec::new(),
            auto_fields: false,
            overflow: Overflow::Shape,
            ..self.settings(call)?.clone()
        })
    }

    /// The answer of [`read_result`](Self::read_result), in at most this many tokens.
    ///
    /// # Errors
    /// A mistake in the caller's arguments, and content that is gone.
    pub(crate) fn read_stored(
        &self,
        stored: Option<(&str, &str)>,
        settings: &Settings,
        call: &Call,
        most: usize,
    ) -> Result<Shaped, Error> {
        let name = match self.named(call)? {
            ReadTarget::ByCursor(continued) => return self.read_on(stored, continued, most, settings, call),
            ReadTarget::ByHandle(name) => name,
        };
        let (form, content) = find(stored, &name, settings, call)?;
        let mut shaped = read(form, content, settings, settings.room().min(most), call)?;
        if !shaped.is_error {
            shaped.receipt.steps.insert(0, Step::Read);
        }
        Ok(shaped)
    }
}

/// Reads what a call of `read_result` asks for of a content.
fn read(form: Form, content: &str, settings: &Settings, budget: usize, call: &Call) -> Result<Shaped, Error> {
    let ReadArguments { pointer, what, has_context } = ReadArguments::new(call)?;
    let work = Rc::new(Work::over(content.len()));
    stop_at("handle", work.spend(content.len()))?;
    let mut controls = call.controls(settings)?;
    let refused =
        |error: &Error, names: &[String]| refusal::refuse(settings, budget, call, Weight::Exact(0), error, names);
    let is_text = controls.format == Some(Format::Text);
    let (inside, own, mut read_as) = (OnceCell::new(), OnceCell::new(), None);
    let mut part = match text_inside::find(StoredPart::new(form, content)?, &pointer, settings.text, &work)? {
        ReadPart::Part(part) => part,
        ReadPart::Json(json, format) => {
            read_as = Some(Step::Text(format));
            StoredPart::Json(JsonText::parse(inside.get_or_init(|| json))?)
        }
        ReadPart::Nothing((error, names)) => return Ok(refused(&error, &names)),
    };
    if let (WhatToRead::Value, StoredPart::Json(value)) = (&what, &part)
        && let Some(OpenedImage { block, text, tokens }) = OpenedImage::of(value, Host::of_call(call))?
    {
        let tokens = if block.is_some() { tokens } else { settings.measure().count(&text) };
        let fit = Fit { text, tokens };
        let shaped = Shaped::new(settings, call, Weight::Exact(tokens), fit, Vec::new(), Outcome::Envelope);
        return Ok(Shaped { image: block, ..shaped.within(budget) });
    }
    if is_text && let StoredPart::Json(value) = &part {
        let text = part.text().unwrap_or(Cow::Borrowed(value.span()));
        part = StoredPart::Text(own.get_or_init(|| text));
    }
    let within = match what.lines().map(|lines| LineRange::of(lines, &part, &work)).transpose()? {
        Some(Err((error, names))) => return Ok(refused(&error, &names)),
        Some(Ok(stretch)) => Some(stretch),
        None => None,
    };
    let output = match part {
        StoredPart::Text(text) => ToolOutput::text(text, call),
        StoredPart::Json(_) => ToolOutput { form, ..ToolOutput::value(&part.source(), call) },
    };
    let job = Job::of_stored(output, settings);
    let ignored = Ignored::of(&what, part.is_text(), has_context, &controls);
    ignored.take_out_of(&mut controls);
    let whole = Draft { work: Rc::clone(&work), ..Draft::new(&job, budget, controls) };
    let mut draft = Draft { ctx: whole.ctx.at(HowToAsk::ReadResult, pointer.clone()), ..whole };
    draft.weigh()?;
    let mut reading = ReadCall { draft, part, pointer, ignored };
    let shaped = match (what, within) {
        (WhatToRead::Lines(_), Some(lines)) => lines::read(&reading.draft, &reading.part, lines, &reading.ignored),
        (WhatToRead::Value | WhatToRead::Lines(_), _) => reading.value(),
        (WhatToRead::Search { wanted, context, .. }, within) => {
            let found = search::find(&reading.part, within, &wanted, &reading.pointer, &work);
            let shown = if found.is_nothing() && within.is_none() { AsShown::of(&reading.part, &work) } else { None };
            match &shown {
                Some(shown) => {
                    let read = shown.part()?;
                    let also = search::find(&read, None, &wanted, &reading.pointer, &work);
                    let hits = if also.is_nothing() { found } else { also.noting(shown.note()) };
                    reading.hits(&hits, context)
                }
                None => reading.hits(&found, context),
            }
        }
        (WhatToRead::Outline(wanted, _), within) => {
            reading.outline(&HeadingList::read(&reading.part, within, wanted.as_deref(), &work)?)
        }
    };
    let mut shaped = shaped?;
    if !shaped.is_error {
        shaped.receipt.steps.splice(..0, read_as);
    }
    shaped.receipt.work = work.spent();
    Ok(shaped)
}

/// One call of `read_result`.
struct ReadCall<'a, 'v> {
    /// The part, as `read_result` shows it.
    draft: Draft<'a, 'v, 'v>,
    part: StoredPart<'v>,
    pointer: String,
    ignored: Ignored,
}

impl<'v> ReadCall<'_, 'v> {
    /// The part as any other result, with the fields that the caller asks for.
    fn value(&mut self) -> Result<Shaped, Error> {
        let may_have_rows = self.part.is_text() && self.draft.ctx.controls.format != Some(Format::Text);
        if may_have_rows
            && text_rows::is_asked_for(&self.draft.ctx)?
            && let Some(shaped) = text_rows::output(&mut self.draft)?
        {
            return Ok(shaped);
        }
        let (budget, measure) = (self.draft.ctx.budget, self.draft.ctx.measure);
        if self.draft.ctx.controls.fields.is_empty()
            && let StoredPart::Text(text) = self.part
            && !self.draft.wants_part()?
            && let Some(tokens) = measure.fits(text, budget)
        {
            let fit = Fit { text: text.to_owned(), tokens };
            return Ok(self.draft.shaped(fit, Vec::new(), Outcome::Unchanged));
        }
        if may_have_rows
            && (self.part.given().is_some() || measure.json_within(&self.draft.layout.value, budget)?.is_none())
            && let Some(shaped) = text_rows::output(&mut self.draft)?
        {
            return Ok(shaped);
        }
        show(self.draft.clone())
    }

    /// A page of the matches; `None` if not even one row fits.
    fn found(&self, list: &MatchList<'_>, ctx: &Context<'_>) -> Result<Option<Shaped>, Error> {
        shape::page_in(&self.draft, &list.source(), &list.frame(&self.ignored, ctx), ctx)
    }

    fn outline(&self, outline: &HeadingList) -> Result<Shaped, Error> {
        self.found(&outline.list(), &self.draft.ctx)?.map_or_else(|| shape::nothing_fits(&self.draft), Ok)
    }

    /// The hits of a search, each with as much detail as fits.
    fn hits(&self, found: &Hits<'_>, context: usize) -> Result<Shaped, Error> {
        for detail in search::details(context) {
            if let Some(shaped) = self.found(&found.list(detail), &self.draft.ctx)? {
                return Ok(shaped);
            }
        }
        shape::nothing_fits(&self.draft)
    }
}

fn show(draft: Draft<'_, '_, '_>) -> Result<Shaped, Error> {
    if draft.ctx.controls.fields.is_empty() { shape::descend(draft) } else { shape::with_asked_fields(&draft) }
}

/// The content that is named, if the store has it: its form, and the text.
///
/// # Errors
/// `FORBIDDEN` where the call says so; `NOT_FOUND` for nothing, and for a content that was changed or belongs to another
/// scope; `STORE_FAILED` where the call says why the store could not be read.
pub(crate) fn find<'s>(
    stored: Option<(&str, &'s str)>,
    name: &StoredName,
    settings: &Settings,
    call: &Call,
) -> Result<(Form, &'s str), Error> {
    if call.is_forbidden {
        return Err(forbidden("/handle"));
    }
    if let (None, Some(reason)) = (stored, call.store_failure()) {
        return Err(Error::new(ErrorCode::StoreFailed, format!("the store cannot be read: {reason}"), ""));
    }
    let (key, content) = stored.ok_or_else(gone)?;
    let (form, id) = Form::of_key(key).filter(|(_, id)| name.is_of(id)).ok_or_else(gone)?;
    if !id.is_of(content, call.owner(), &settings.cursor_keys, call.host_hash()) {
        return Err(gone());
    }
    Ok((form, content))
}

/// The error where the server does not allow a caller to read a stored result.
pub(crate) fn forbidden(path: &str) -> Error {
    Error::new(ErrorCode::Forbidden, notes::read_back::FORBIDDEN, path)
}

/// The error of a call whose cursor names what is gone: it says more than that of a handle.
fn gone_by_cursor(error: Error) -> Error {
    match error.code() {
        ErrorCode::NotFound => Error::new(ErrorCode::NotFound, notes::read_back::GONE_BY_CURSOR, "/cursor"),
        _ => error,
    }
}

fn gone() -> Error {
    Error::new(ErrorCode::NotFound, notes::read_back::GONE, "/handle")
}
