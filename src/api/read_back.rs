//! Answers the tool `read_result` from a stored result: a part by JSON Pointer, the matches of a JSONPath, lines, the
//! hits of a search, or its JSON Schema; by page, cursor and fields like any result.
//!
//! The answer fits the budget. The stored content is checked against its handle first, so content that was changed or
//! belongs to another scope is not found. A caller's mistakes are explained in a result.

mod arguments;
mod lines;
mod match_list;
mod search;
mod stored_part;
mod tool;

use crate::api::infer_schema;
use crate::api::shaper::Shaper;
use crate::base::error::{Error, ErrorCode};
use crate::ladder::run::Run;
use crate::outcome::shaped::Outcome;
use crate::outcome::shaped::Shaped;
use crate::render::elide::Omitted;
use crate::render::notes;
use crate::request::call::Call;
use crate::request::context::Context;
use crate::request::policy::{Overflow, Settings};
use crate::request::stored_id::{self, Form};
use crate::value::any_source::AnySource;
use crate::value::json_path;
use crate::value::json_text::JsonText;

use arguments::{Arguments, What};
use match_list::MatchList;

pub(crate) use stored_part::{StoredPart, unfit};
pub use tool::read_result_tool;

/// The first step of a result that is read back.
pub(crate) const STEP: &str = "read";

impl Shaper {
    /// The keys under which a store may have the result of the call's argument `handle`.
    ///
    /// # Errors
    /// `INVALID_HANDLE` unless it is 64 lower-case hexadecimal digits or the address of a stored result;
    /// [`refusal`](Self::refusal) makes the result that the model reads.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::{Call, Naming, Shaper};
    /// let call = Call::new(&json!({ "arguments": { "handle": "../x" } }), Naming::Camel)?;
    /// assert_eq!(Shaper::default().read_keys(&call).unwrap_err().code().as_str(), "INVALID_HANDLE");
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn read_keys(&self, call: &Call) -> Result<[String; 2], Error> {
        match call.own_arguments().get("handle") {
            Some(serde_json::Value::String(handle)) => stored_id::keys(handle),
            // A value that is no text is refused like any other wrong handle.
            _ => stored_id::keys(""),
        }
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
        let settings = self.settings(call)?.cloned().unwrap_or_else(Settings::unbounded);
        // The caller asks for this part explicitly, so it is shown with all fields.
        let settings = Settings { fields: Vec::new(), overflow: Overflow::Shape, ..settings };
        let run = Run::new(&settings, call);
        let reading = Reading { run, keys: self.read_keys(call) };
        Ok(reading.answer(stored))
    }
}

/// One call of `read_result`.
struct Reading<'a, 'v> {
    run: Run<'a, 'v>,
    keys: Result<[String; 2], Error>,
}

impl Reading<'_, '_> {
    fn answer(mut self, stored: Option<(&str, &str)>) -> Shaped {
        let found = self.keys.clone().and_then(|keys| find(stored, &keys, &self.run));
        let shaped = found.and_then(|(form, content)| self.read(form, content));
        // An error here is about the caller's arguments, or the content is gone.
        let mut shaped = shaped.unwrap_or_else(|error| self.run.refuse(&error, &[]));
        if !shaped.is_error {
            shaped.receipt.steps.insert(0, STEP);
        }
        shaped
    }

    fn read(&mut self, form: Form, content: &str) -> Result<Shaped, Error> {
        let Arguments { pointer, what } = Arguments::new(self.run.call)?;
        let whole = StoredPart::new(form, content)?;
        let part = match whole.at(&pointer)? {
            Ok(part) => part,
            Err((error, names)) => return Ok(self.run.refuse(&error, &names)),
        };
        let value = part.source();
        let weight = self.run.measure.estimate(&value)?;
        self.run.before = (weight, false);
        let controls = self.run.call.controls(self.run.settings)?;
        let mut cx = self.run.context(&controls, &pointer);
        cx.is_reading = true;
        match what {
            What::Value => self.value(&value, &part, weight, cx),
            What::Schema => {
                let schema = infer_schema::of(part.json("schema")?);
                let schema = AnySource::new(JsonText::parse(&schema)?);
                // The rest of a schema is asked for as with any tool's result: by fields.
                cx = self.run.context(&controls, "");
                self.value(&schema, &part, weight, cx)
            }
            What::Query(query) => {
                let found = json_path::find(&query, part.json("jsonPath")?.span());
                let list = MatchList::of_matches(&found, &pointer);
                self.found(&list, &cx)?.map_or_else(|| self.run.nothing(&cx), Ok)
            }
            What::Search { text, context } => self.search(&part, &text, context, &pointer, &cx),
            What::Lines(range) => lines::read(&self.run, &part, range, &cx),
        }
    }

    /// Shapes a value like any result, with the fields that the caller asks for.
    fn value(
        &self,
        value: &AnySource<'_>,
        part: &StoredPart<'_>,
        weight: usize,
        mut cx: Context<'_>,
    ) -> Result<Shaped, Error> {
        let fields = std::mem::take(&mut cx.controls.fields);
        if !fields.is_empty() {
            return self.run.with_asked_fields(value, &fields, cx);
        }
        if let (StoredPart::Text(text), false) = (part, self.run.wants_part(value, &cx)?)
            && let Some(tokens) = self.run.measure.fits(text, cx.budget)
        {
            return Ok(self.run.finish((*text).to_owned(), tokens, Vec::new(), Outcome::Unchanged));
        }
        self.run.descend(value, &Omitted::default(), weight, &cx, Vec::new())
    }

    /// A page of the matches; `None` if not even one row fits.
    fn found(&self, list: &MatchList<'_>, cx: &Context<'_>) -> Result<Option<Shaped>, Error> {
        self.run.page_in(&AnySource::new(list.source()), &list.frame(cx), cx, Vec::new())
    }

    /// The hits of a search, each with as much detail as fits.
    fn search(
        &self,
        part: &StoredPart<'_>,
        text: &str,
        context: usize,
        pointer: &str,
        cx: &Context<'_>,
    ) -> Result<Shaped, Error> {
        let found = search::find(part, text, pointer);
        for detail in search::details(context) {
            if let Some(shaped) = self.found(&found.list(detail), cx)? {
                return Ok(shaped);
            }
        }
        self.run.nothing(cx)
    }
}

/// The content of a handle, if the store has it under one of the handle's keys.
///
/// # Errors
/// `NOT_FOUND` if there is none, or if it was changed or belongs to another scope.
pub(crate) fn find<'s>(
    stored: Option<(&str, &'s str)>,
    keys: &[String; 2],
    run: &Run<'_, '_>,
) -> Result<(Form, &'s str), Error> {
    let (key, content) = stored.filter(|(key, _)| keys.iter().any(|known| known == key)).ok_or_else(gone)?;
    let (form, id) = Form::of_key(key).ok_or_else(gone)?;
    if !id.is_of(content, run.call.scope(), &run.settings.cursor_keys) {
        return Err(gone());
    }
    Ok((form, content))
}

fn gone() -> Error {
    Error::new(ErrorCode::NotFound, notes::read_back::GONE, "/handle")
}
