//! Answers the tool `read_result` from a stored result: a part by JSON Pointer, the matches of a JSONPath, lines, the
//! hits of a search, the outline of a text, or its JSON Schema; by page, cursor and fields like any result.
//!
//! The answer fits the budget. The stored content is checked against its handle first, so content that was changed or
//! belongs to another scope is not found. A caller's mistakes are explained in a result.

mod above;
mod answer;
mod arguments;
mod hit_lines;
mod hit_values;
mod ignored;
mod lines;
mod match_list;
mod outline;
mod prefilter;
mod question;
mod read_on;
mod row_places;
mod search;
mod sought;
mod stopped;
mod stored_part;
mod stretch;
mod text_inside;
mod tool;
mod unmet;
mod whole;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use crate::ladder::run::Descent;
use crate::ladder::shape;
use crate::ladder::text_rows;
use crate::request::view::Fit;

use crate::api::infer_schema;
use crate::api::mcp::host::Host;
use crate::api::shaper::Shaper;
use crate::base::error::{Error, ErrorCode};
use crate::base::members::Members;
use crate::base::work::Work;
use crate::ladder::job::Job;
use crate::ladder::refusal;

use crate::ladder::run::Run;
use crate::outcome::receipt::Step;
use crate::outcome::receipt::Weight;
use crate::outcome::shaped::Receipts;
use crate::outcome::shaped::Shaped;
use crate::outcome::tool_output::ToolOutput;
use crate::render::layout::Layout;
use crate::render::notes;
use crate::request::call::Call;
use crate::request::handle::Name;
use crate::request::policy::{Format, Overflow, Settings};
use crate::request::stored_id::Form;
use crate::request::view::HowToAsk;
use crate::request::view::View;
use crate::value::any_source::AnySource;
use crate::value::json_path::{self, Query};
use crate::value::json_text::JsonText;

use answer::Asked;
use arguments::{Arguments, What};
use ignored::Ignored;
use match_list::MatchList;
use outline::Outline;
use question::Question;
use search::Hits;
use stopped::stopped;
use stretch::Stretch;
use text_inside::Found;

pub(crate) use read_on::{Named, name_of, named_by_handle};
pub(crate) use stored_part::{StoredPart, unfit};
pub use tool::READ_RESULT;
pub use tool::read_result_tool;
pub(crate) use tool::read_result_within;

impl Shaper {
    /// The keys under which a store may have what the call's argument `handle`, or the cursor of a tool's result, names: see
    /// [`handle_keys`](crate::handle_keys).
    ///
    /// # Errors
    /// `INVALID_HANDLE` unless it is a handle, an id, the name of its file, or the address of a stored result;
    /// `INVALID_CURSOR` for a cursor alone that names no stored result; [`refusal`](Self::refusal) makes the result that the
    /// model reads.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::host::Naming;
    /// use toolshape::{Call, Shaper};
    /// let call = Call::new(&json!({ "arguments": { "handle": "../x" } }), Naming::Camel)?;
    /// assert_eq!(Shaper::default().read_keys(&call).unwrap_err().code().as_str(), "INVALID_HANDLE");
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn read_keys(&self, call: &Call) -> Result<Vec<String>, Error> {
        self.named(call).map(|named| named.name().keys())
    }

    /// Answers a call of `read_result` from the store: `stored` is the key under which the content was found and the
    /// content, or `None` if there is none.
    ///
    /// A caller's mistake, and content that is not that of the handle in the call's scope, is explained in a result
    /// with `is_error` set.
    ///
    /// # Errors
    /// `INVALID_CALL` as [`shape`](Self::shape) has, for a mistake of the server's author.
    pub fn read_result(&self, stored: Option<(&str, &str)>, call: &Call) -> Result<Shaped, Error> {
        let settings = self.reading_settings(call)?;
        Host::of(call.client()).fitted(|most| {
            let settings = match most {
                Some(tokens) => &settings.within(tokens.min(settings.room())),
                None => &settings,
            };
            let receipts = Receipts::new(settings, call, Weight::Exact(0));
            let shaped = self.read_stored(stored, &receipts, most);
            Ok(shaped.unwrap_or_else(|error| refusal::refuse(&receipts, &error, &[])))
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

    /// The answer of [`read_result`](Self::read_result), in at most so many tokens if the host limits them.
    ///
    /// # Errors
    /// A mistake in the caller's arguments, and content that is gone.
    pub(crate) fn read_stored(
        &self,
        stored: Option<(&str, &str)>,
        receipts: &Receipts<'_>,
        most: Option<usize>,
    ) -> Result<Shaped, Error> {
        let name = match self.named(receipts.call)? {
            Named::ByCursor(continued) => return self.read_on(stored, continued, most, receipts),
            Named::ByHandle(name) => name,
        };
        let (form, content) = find(stored, &name, receipts)?;
        let mut shaped = read(form, content, name.seed(), receipts)?;
        if !shaped.is_error {
            shaped.receipt.steps.insert(0, Step::Read);
        }
        Ok(shaped)
    }
}

/// Reads what a call of `read_result` asks for of a content, whose hash is `seed`.
fn read(form: Form, content: &str, seed: u64, receipts: &Receipts<'_>) -> Result<Shaped, Error> {
    let Receipts { settings, call, .. } = *receipts;
    let Arguments { pointer, what, question, has_context } = Arguments::new(call)?;
    let work = Rc::new(Work::over(content.len()));
    if work.spend(content.len()).is_break() {
        return Err(stopped("handle"));
    }
    let controls = call.controls(settings)?;
    let is_text = controls.format == Some(Format::Text);
    let argument = question.as_ref().map(Question::argument).or(what.of_json());
    if let Some(argument) = argument.filter(|_| is_text) {
        let message = notes::read_back::either(notes::read_back::FORMAT_TEXT, argument);
        return Err(Error::new(ErrorCode::InvalidCall, message, "/format"));
    }
    let (inside, own, mut read_as) = (OnceCell::new(), OnceCell::new(), None);
    let mut part = match text_inside::find(StoredPart::new(form, content)?, &pointer, argument, settings, &work)? {
        Found::Part(part) => part,
        Found::Json(json, format) => {
            read_as = Some(Step::Text(format));
            StoredPart::Json(JsonText::parse(inside.get_or_init(|| json))?)
        }
        Found::Nothing((error, names)) => return Ok(refusal::refuse(receipts, &error, &names)),
    };
    if is_text && let StoredPart::Json(value) = &part {
        let text = part.text().unwrap_or(Cow::Borrowed(value.span()));
        part = StoredPart::Text(own.get_or_init(|| text));
    }
    let within = match what.lines().map(|lines| Stretch::of(lines, &part, &work)).transpose()? {
        Some(Err((error, names))) => return Ok(refusal::refuse(receipts, &error, &names)),
        Some(Ok(stretch)) => Some(stretch),
        None => None,
    };
    let output = match part {
        StoredPart::Text(text) => ToolOutput::text(text, call),
        StoredPart::Json(_) => ToolOutput { form, ..ToolOutput::value(&part.source(), call) },
    };
    let job = Job::of_stored(output);
    let mut run = Run::new(&job, settings, controls);
    run.work = Rc::clone(&work);
    run.weigh()?;
    let ignored = Ignored::of(&what, question.as_ref(), part.is_text(), has_context, &run.controls);
    ignored.take_out_of(&mut run.controls);
    let mut reading = Reading { run, part, pointer, ignored };
    let question = question.or_else(|| {
        // Matches with some of their fields are rows like those of any question.
        let selects = matches!(what, What::Query(_)) && !reading.run.controls.fields.is_empty();
        selects.then(Question::default)
    });
    let shaped = match (&question, what, within) {
        (Some(question), What::Value, _) => {
            reading.answer(&Asked { question, query: None, argument: question.argument(), seed }, &work)
        }
        (Some(question), What::Query(query), _) => {
            let argument = argument.unwrap_or("jsonPath");
            reading.answer(&Asked { question, query: Some(&query), argument, seed }, &work)
        }
        (_, What::Lines(_), Some(lines)) => {
            lines::read(&reading.run, &reading.part, lines, &reading.ignored, &reading.view())
        }
        (_, What::Value | What::Lines(_), _) => reading.value(),
        (_, What::Schema, _) => reading.schema(&work),
        (_, What::Query(query), _) => reading.matches(&query, &work),
        (_, What::Search { wanted, context, counts, .. }, within) => {
            let found = search::find(&reading.part, within, &wanted, &reading.pointer, &work)?;
            if counts { reading.count(&found) } else { reading.hits(&found, context) }
        }
        (_, What::Outline(wanted, _), within) => {
            reading.outline(&Outline::read(&reading.part, within, wanted.as_ref(), &work)?)
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
struct Reading<'a, 'v> {
    run: Run<'a, 'v>,
    part: StoredPart<'v>,
    pointer: String,
    ignored: Ignored,
}

impl Reading<'_, '_> {
    fn view(&self) -> View<'_> {
        self.run.view_of(HowToAsk::ReadResult, &self.pointer)
    }

    /// The part as any other result, with the fields that the caller asks for.
    fn value(&mut self) -> Result<Shaped, Error> {
        let cx = self.run.view_of(HowToAsk::ReadResult, &self.pointer);
        let may_have_rows = self.part.is_text() && self.run.controls.format != Some(Format::Text);
        if may_have_rows
            && text_rows::is_asked_for(&self.run, &cx)?
            && let Some(shaped) = text_rows::output(&mut self.run, &cx)?
        {
            return Ok(shaped);
        }
        let layout = &self.run.job.layout;
        if self.run.controls.fields.is_empty()
            && let StoredPart::Text(text) = self.part
            && !self.run.wants_part(layout, &cx)?
            && let Some(tokens) = self.run.measure.fits(text, cx.budget)
        {
            return Ok(self.run.receipts.unchanged(Fit { text: text.to_owned(), tokens }));
        }
        if may_have_rows
            && (self.part.given().is_some() || self.run.measure.json_within(&layout.value, cx.budget)?.is_none())
            && let Some(shaped) = text_rows::output(&mut self.run, &cx)?
        {
            return Ok(shaped);
        }
        self.show(layout, &cx)
    }

    /// The JSON Schema of the part. The rest of a schema is asked for as with any tool's result: by fields.
    fn schema(&self, work: &Work) -> Result<Shaped, Error> {
        let part = self.part.json("schema")?;
        if work.spend(part.span().len()).is_break() {
            return Err(stopped("schema"));
        }
        let schema = infer_schema::of(part);
        let layout = Layout::new(AnySource::new(JsonText::parse(&schema)?));
        self.show(&layout, &self.run.view_of(HowToAsk::Tool, ""))
    }

    fn show(&self, layout: &Layout<'_>, cx: &View<'_>) -> Result<Shaped, Error> {
        if !self.run.controls.fields.is_empty() {
            return shape::with_asked_fields(&self.run, layout, cx);
        }
        shape::descend(&self.run, Descent::new(layout, self.run.receipts.before.tokens(), Vec::new()), cx)
    }

    fn matches(&self, query: &Query, work: &Work) -> Result<Shaped, Error> {
        let part = self.part.json("jsonPath")?;
        let (found, mut doubts) = (json_path::find(query, part, work), Members::new());
        unmet::write(json_path::unmet(query, part, work), &mut doubts);
        let list = MatchList::of_matches(&found, &self.pointer).with_lead(doubts);
        let cx = self.view();
        self.found(&list, &cx)?.map_or_else(|| shape::nothing_fits(&self.run, &cx), Ok)
    }

    /// A page of the matches; `None` if not even one row fits.
    fn found(&self, list: &MatchList<'_>, cx: &View<'_>) -> Result<Option<Shaped>, Error> {
        shape::page_in(&self.run, &AnySource::new(list.source()), &list.frame(&self.ignored, cx), cx, Vec::new())
    }

    /// The outline, as columns if nothing else is asked for.
    fn outline(&self, outline: &Outline) -> Result<Shaped, Error> {
        let mut cx = self.view();
        cx.controls.format = cx.controls.format.or(Some(Format::Columns));
        let list = outline.list();
        self.found(&list, &cx)?.map_or_else(|| shape::nothing_fits(&self.run, &cx), Ok)
    }

    /// The hits of a search, each with as much detail as fits.
    fn hits(&self, found: &Hits<'_>, context: usize) -> Result<Shaped, Error> {
        let cx = self.view();
        for detail in search::details(context) {
            if let Some(shaped) = self.found(&found.list(detail), &cx)? {
                return Ok(shaped);
            }
        }
        shape::nothing_fits(&self.run, &cx)
    }

    /// How many hits a search has, and nothing of them.
    fn count(&self, found: &Hits<'_>) -> Result<Shaped, Error> {
        let mut out = found.number();
        self.ignored.write(&mut out);
        let json = out.into_object();
        let layout = Layout::new(AnySource::new(JsonText::parse(&json)?));
        shape::of_value(&self.run, &layout, &self.run.view_of(HowToAsk::Tool, ""))
    }
}

/// The content that is named, if the store has it: its form, and the text.
///
/// # Errors
/// `FORBIDDEN` where the call says so; `NOT_FOUND` for nothing, and for a content that was changed or belongs to another
/// scope; `STORE_FAILED` where the call says why the store could not be read.
pub(crate) fn find<'s>(
    stored: Option<(&str, &'s str)>,
    name: &Name,
    receipts: &Receipts<'_>,
) -> Result<(Form, &'s str), Error> {
    if receipts.call.is_forbidden() {
        return Err(forbidden("/handle"));
    }
    if let (None, Some(reason)) = (stored, receipts.call.store_failure()) {
        return Err(Error::new(ErrorCode::StoreFailed, format!("the store cannot be read: {reason}"), ""));
    }
    let (key, content) = stored.ok_or_else(gone)?;
    let (form, id) = Form::of_key(key).filter(|(_, id)| name.is_of(id)).ok_or_else(gone)?;
    let Receipts { call, settings, .. } = receipts;
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
