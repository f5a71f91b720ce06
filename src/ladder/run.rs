//! The ladder: a result goes down only as far as it must, lossless steps before lossy ones.
//!
//! fits as it is → project → minify → columns → offload, where the policy wants that of one so large →
//! page → shorten the row, summarize or truncate; or an error, where the policy wants one. Every result
//! that leaves here was counted on its final bytes.

use crate::outcome::shaped::Outcome;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use serde_json::{Map, Value};

use crate::base::error::{Error, ErrorCode};
use crate::base::json_string;
use crate::base::members::Members;
use crate::ladder::suggest;
use crate::outcome::receipt::Receipt;
use crate::outcome::shaped::Shaped;
use crate::outcome::stored_content::Whole;
use crate::render::columnar;
use crate::render::elide::Omitted;
use crate::render::envelope::Envelope;
use crate::render::error_result;
use crate::render::layout::Layout;
use crate::render::notes;
use crate::render::page_window::Window;
use crate::render::paginate::{self, Frame, ListFrame};
use crate::render::summarize;
use crate::render::truncate;
use crate::request::call::{Call, Controls, is_callers_fault};
use crate::request::context::{Context, Fit};
use crate::request::cursor::{Cursor, Unit};
use crate::request::keyset::{self, Keyset, Rows};
use crate::request::policy::{Format, Overflow, Settings};
use crate::request::stored::Stored;
use crate::request::stored_id::Id;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::project::Projected;
use crate::value::source::{self, Kind, Source};
use crate::value::token_count::Measure;

/// A value's own text: what was given, a string's characters, or its JSON.
pub(crate) fn own_text(value: &AnySource<'_>, given: Option<&str>) -> Result<String, Error> {
    match (given, value.kind()) {
        (Some(text), _) => Ok(text.to_owned()),
        (None, Kind::String) => source::text(value),
        (None, _) => Ok(value.json()?.into_owned()),
    }
}

/// One result on its way down the ladder.
pub(crate) struct Run<'a, 'v> {
    pub settings: &'a Settings,
    pub call: &'a Call,
    pub measure: Measure,
    /// Tokens of the whole result, and whether they were counted to the end.
    pub before: (usize, bool),
    /// Whether the value is a plain text, and no JSON.
    pub is_text: bool,
    /// The stored result that answers the call, if it is not the tool that does.
    pub snapshot: Option<Id>,
    pub keyset: Option<Rc<Rows>>,
    /// What the tool returned, and what the caller asked of it.
    pub asked: Option<(AnySource<'v>, Controls)>,
    /// Where the whole result is stored, once that was needed.
    pub stored: OnceCell<Option<Stored>>,
    /// The whole, read for the store, until a result takes it.
    pub whole: RefCell<Option<Whole>>,
    /// The text that the value was handed in as.
    pub given: Option<&'v str>,
    /// Whether whoever handed the value in has its text at hand, so that it need not be copied for the store.
    pub is_lent: bool,
    /// Whether what the tool returned was found to be over budget as it stands, as JSON.
    pub is_over: bool,
    /// Whether this only tries what a suggestion would give.
    pub is_trial: bool,
}

impl<'a, 'v> Run<'a, 'v> {
    pub fn new(settings: &'a Settings, call: &'a Call) -> Self {
        let measure = Measure { encoding: settings.encoding };
        Self {
            settings,
            call,
            measure,
            before: (0, false),
            is_text: false,
            snapshot: None,
            keyset: None,
            asked: None,
            stored: OnceCell::new(),
            whole: RefCell::new(None),
            given: None,
            is_lent: false,
            is_over: false,
            is_trial: false,
        }
    }

    /// Has pages go by the keys of `rows`, which the author's own query gave.
    pub fn page_by(&mut self, keyset: &Keyset, rows: &AnySource<'_>, controls: &mut Controls) -> Result<(), Error> {
        let rows = keyset.read(rows, controls, self.settings, self.call)?;
        rows.adopt(controls);
        self.keyset = Some(Rc::new(rows));
        Ok(())
    }

    /// Whether the same call with what a suggestion says gets data: it is made, so that none is told that fails.
    fn is_answered(&self, suggestion: &Map<String, Value>) -> Result<bool, Error> {
        // Of rows by their keys the next call fetches others.
        let (Some((value, controls)), None) = (&self.asked, &self.keyset) else { return Ok(true) };
        let stored = self.stored.clone();
        let mut trial = Run { is_text: self.is_text, stored, is_trial: true, ..Run::new(self.settings, self.call) };
        let shaped = trial.shape_with(suggest::followed(controls, suggestion), value, None);
        trial.explained(shaped, value).map(|shaped| !shaped.is_error)
    }

    /// What came out, or the result that explains to the caller what was wrong with the call.
    pub fn explained(&mut self, shaped: Result<Shaped, Error>, value: &AnySource<'_>) -> Result<Shaped, Error> {
        match shaped {
            Err(error) if is_callers_fault(&error) => {
                self.before = (self.measure.estimate(value)?, false);
                Ok(self.refuse(&error, &[]))
            }
            other => other,
        }
    }

    pub fn shape(&mut self, value: &AnySource<'v>, given: Option<&'v str>) -> Result<Shaped, Error> {
        let controls = self.call.controls(self.settings)?;
        self.shape_with(controls, value, given)
    }

    /// The whole result as its handle, however small it is; `None` where it cannot be stored, or asks for a part.
    pub fn offload(&mut self, value: &AnySource<'v>, given: Option<&'v str>) -> Result<Option<Shaped>, Error> {
        let controls = self.call.controls(self.settings)?;
        (self.asked, self.given) = (Some((value.clone(), controls.clone())), given);
        self.as_handle(&self.context(&controls, ""))
    }

    pub fn shape_with(
        &mut self,
        mut controls: Controls,
        value: &AnySource<'v>,
        given: Option<&'v str>,
    ) -> Result<Shaped, Error> {
        (self.asked, self.given) = (Some((value.clone(), controls.clone())), given);
        let asked = std::mem::take(&mut controls.fields);
        let cx = self.context(&controls, "");
        if let Some(shaped) = self.declared(value, &asked, &cx)? {
            return Ok(shaped);
        }
        if asked.is_empty() && !self.wants_part(value, &cx)? && cx.has_few_rows(value) {
            if let Some((text, tokens)) = self.own_text_within(value, given)? {
                self.before = (tokens, true);
                return Ok(match self.asked_columns(value, tokens, &cx)? {
                    Some((text, tokens)) => self.finish(text, tokens, vec!["columns"], Outcome::Changed),
                    None => self.finish(text, tokens, Vec::new(), Outcome::Unchanged),
                });
            }
            // A text that was given may yet fit when it is minified.
            self.is_over = given.is_none() && value.kind() != Kind::String;
        }
        self.before = (self.measure.estimate(value)?, false);
        if let Some(shaped) = self.detected(value, &asked, &cx)? {
            return Ok(shaped);
        }
        if !asked.is_empty() {
            return self.with_asked_fields(value, &asked, cx);
        }
        match self.default_selection(value)? {
            Some(selection) => {
                let projected = Projected::new(value.clone(), &selection);
                let omitted = self.tell_omitted(&projected)?;
                self.descend(&AnySource::new(projected), &omitted, self.before.0, &cx, vec!["project"])
            }
            None => {
                let steps = if given.is_some() { vec!["minify"] } else { Vec::new() };
                self.descend(value, &Omitted::default(), self.before.0, &cx, steps)
            }
        }
    }

    pub fn context(&self, controls: &Controls, base: &str) -> Context<'a> {
        Context::new(self.settings, controls.clone(), self.call, self.keyset.clone(), base.to_owned())
    }

    /// Whether the call asks for a part of the value: of a list or an envelope by page, of anything by cursor.
    ///
    /// # Errors
    /// `INVALID_CALL` for a page of what has none.
    pub fn wants_part(&self, value: &AnySource<'_>, cx: &Context<'_>) -> Result<bool, Error> {
        let Controls { page, page_size, cursor, .. } = &cx.controls;
        if cx.keyset().is_some_and(|rows| rows.after().is_some()) {
            return Ok(true);
        }
        let later_page = page.is_some_and(|page| page > 1);
        if cursor.is_some() || !(later_page || page_size.is_some()) {
            return Ok(cursor.is_some());
        }
        let has_pages = Layout::of(value)?.list().is_some();
        if later_page && !has_pages {
            let message = format!("page is {}; this result is no list, so it has one page", page.unwrap_or_default());
            return Err(Error::new(ErrorCode::InvalidCall, message, "/page"));
        }
        Ok(has_pages)
    }

    /// A list that fits, as columns: only if the call asks for them, and they serve.
    fn asked_columns(
        &self,
        value: &AnySource<'_>,
        plain: usize,
        cx: &Context<'_>,
    ) -> Result<Option<(String, usize)>, Error> {
        let asked = match cx.controls.format {
            Some(format @ (Format::Columns | Format::Auto)) if value.kind() == Kind::Array => format,
            _ => return Ok(None),
        };
        let Some(text) = columnar::whole(value)? else { return Ok(None) };
        let most = if asked == Format::Auto { plain - 1 } else { cx.budget };
        Ok(self.measure.fits(&text, most).map(|tokens| (text, tokens)))
    }

    /// The value's own text and its tokens, if they fit.
    fn own_text_within(&self, value: &AnySource<'_>, given: Option<&str>) -> Result<Option<(String, usize)>, Error> {
        let budget = self.settings.budget();
        match (given, value.kind()) {
            (Some(text), _) => Ok(self.measure.fits(text, budget).map(|tokens| (text.to_owned(), tokens))),
            (None, Kind::String) => {
                if self.measure.is_over(value, budget) {
                    return Ok(None);
                }
                let text = own_text(value, None)?;
                Ok(self.measure.fits(&text, budget).map(|tokens| (text, tokens)))
            }
            (None, _) => self.measure.json_within(value, budget),
        }
    }

    /// From the first lossless step on: whole, as columns, as a page, shortened.
    ///
    /// `weight` is about how many tokens the value has as the tool returned it.
    pub fn descend(
        &self,
        value: &AnySource<'_>,
        omitted: &Omitted,
        weight: usize,
        cx: &Context<'_>,
        mut steps: Vec<&'static str>,
    ) -> Result<Shaped, Error> {
        if omitted.names.is_empty()
            && !self.wants_part(value, cx)?
            && cx.has_few_rows(value)
            && let Some((text, tokens, columns)) = self.whole(value, cx, self.is_over && steps.is_empty())?
        {
            if columns {
                steps.push("columns");
            }
            return Ok(self.finish(text, tokens, steps, Outcome::Changed));
        }
        steps.retain(|step| *step != "minify");
        if let Some(shaped) = self.offloaded(value, cx)? {
            return Ok(shaped);
        }
        let stored = cx.telling(self.stored()?);
        match self.lossy(value, omitted, weight, &stored, steps.clone())? {
            Some(shaped) => Ok(self.keeping(shaped)),
            None => self.lossy(value, omitted, weight, cx, steps.clone())?.map_or_else(|| self.nothing(cx), Ok),
        }
    }

    /// The steps that leave something out; `None` where there is no room for anything but what they tell.
    fn lossy(
        &self,
        value: &AnySource<'_>,
        omitted: &Omitted,
        weight: usize,
        cx: &Context<'_>,
        mut steps: Vec<&'static str>,
    ) -> Result<Option<Shaped>, Error> {
        // A cursor asks for a part in so many words, so it gets what fits of it.
        let strict = cx.settings.overflow == Overflow::Error && !cx.goes_on();
        let fit = match value.kind() {
            Kind::Array => self.page(value, omitted, &ListFrame { cx }, cx, strict, &mut steps)?,
            Kind::Object => self.object(value, omitted, weight, cx, strict, &mut steps)?,
            Kind::String => self.text(value, weight, cx, strict, &mut steps)?,
            // A number of thousands of digits is cut as the text that it is.
            _ => {
                let digits = json_string::quoted(&value.json()?);
                self.text(&AnySource::new(JsonText::parse(&digits)?), weight, cx, strict, &mut steps)?
            }
        };
        match fit {
            Rung::Fits(fit) => Ok(Some(self.finish(fit.text, fit.tokens, steps, Outcome::Changed))),
            Rung::Over => {
                let candidates =
                    if self.is_trial { Vec::new() } else { suggest::candidates(value, omitted, weight, cx)? };
                self.over_budget(value, candidates, cx).map(Some)
            }
            Rung::FrameTooLarge => Ok(None),
        }
    }

    /// The refusal of a result that is over the budget, with the first of the candidates that gets data.
    pub fn over_budget(
        &self,
        value: &AnySource<'_>,
        candidates: Vec<Map<String, Value>>,
        cx: &Context<'_>,
    ) -> Result<Shaped, Error> {
        let exact = self.measure.count(&value.json()?);
        let mut suggestion = Map::new();
        for candidate in candidates {
            // What a suggestion gives is not asked for suggestions of its own.
            if !self.is_trial && self.is_answered(&candidate)? {
                suggestion = candidate;
                break;
            }
        }
        let fit = error_result::over_budget(exact, &suggestion, cx);
        Ok(self.finish(fit.text, fit.tokens, vec!["error"], Outcome::Error))
    }

    /// The result where there is no room for any of the data.
    pub fn nothing(&self, cx: &Context<'_>) -> Result<Shaped, Error> {
        if cx.keyset().is_some() {
            return Err(keyset::too_long(cx.budget));
        }
        let mut out = Members::new();
        out.flag("truncated", true);
        out.text("note", notes::error::NOTHING_FITS);
        let text = out.into_object();
        let tokens = self.measure.count(&text);
        Ok(self.finish(text, tokens, vec!["truncate"], Outcome::Changed))
    }

    /// The whole value, plain or as columns, if either fits: the columns if they were asked for or, where
    /// the choice is free, if they count fewer tokens.
    ///
    /// Of a value that `is_over` as it stands only columns are tried.
    fn whole(
        &self,
        value: &AnySource<'_>,
        cx: &Context<'_>,
        is_over: bool,
    ) -> Result<Option<(String, usize, bool)>, Error> {
        let plain = if is_over { None } else { self.measure.json_within(value, cx.budget)? };
        let columns = match cx.format() {
            Format::Columns | Format::Auto if value.kind() == Kind::Array => columnar::whole(value)?,
            _ => None,
        };
        let columns = columns.and_then(|text| Some((self.measure.fits(&text, cx.budget)?, text)));
        let asked = cx.format() == Format::Columns;
        Ok(match (plain, columns) {
            (Some((_, plain)), Some((tokens, text))) if asked || tokens < plain => Some((text, tokens, true)),
            (Some((text, tokens)), _) => Some((text, tokens, false)),
            (None, Some((tokens, text))) => Some((text, tokens, true)),
            (None, None) => None,
        })
    }

    fn page(
        &self,
        list: &AnySource<'_>,
        omitted: &Omitted,
        frame: &dyn Frame,
        cx: &Context<'_>,
        strict: bool,
        steps: &mut Vec<&'static str>,
    ) -> Result<Rung, Error> {
        let window = Window::new(list, cx)?;
        let Some(filled) = paginate::fill(list, &window, &omitted.names, frame, cx)? else {
            return Ok(Rung::FrameTooLarge);
        };
        if strict && !(filled.is_complete(&window) && frame.is_lossless()) {
            return Ok(Rung::Over);
        }
        steps.extend(filled.columns.then_some("columns"));
        steps.push("paginate");
        steps.extend(filled.shortened.then_some("summarize"));
        Ok(Rung::Fits(Fit { text: filled.text, tokens: filled.tokens }))
    }

    fn object(
        &self,
        object: &AnySource<'_>,
        omitted: &Omitted,
        weight: usize,
        cx: &Context<'_>,
        strict: bool,
        steps: &mut Vec<&'static str>,
    ) -> Result<Rung, Error> {
        let envelope = match cx.place()? {
            Some(Cursor { unit: Unit::Rows, pointer, .. }) => {
                Some(Envelope::at(object, &pointer)?.ok_or_else(paginate::list_is_gone)?)
            }
            Some(_) => None,
            None => Envelope::find(object)?,
        };
        if let Some(envelope) = envelope
            && let Some(frame) = envelope.frame(weight, cx)?
        {
            match self.page(&envelope.list, omitted, &frame, cx, strict, steps)? {
                // What stands around the list leaves no room for it: the object is summed up instead.
                Rung::FrameTooLarge => {}
                rung => return Ok(rung),
            }
        }
        if strict {
            return Ok(Rung::Over);
        }
        steps.push("summarize");
        Ok(summarize::object(object, omitted, weight, cx)?.map_or(Rung::FrameTooLarge, Rung::Fits))
    }

    fn text(
        &self,
        text: &AnySource<'_>,
        weight: usize,
        cx: &Context<'_>,
        strict: bool,
        steps: &mut Vec<&'static str>,
    ) -> Result<Rung, Error> {
        if strict {
            return Ok(Rung::Over);
        }
        steps.push("truncate");
        Ok(truncate::text(text, &Members::new(), weight, cx)?.map_or(Rung::FrameTooLarge, Rung::Fits))
    }

    /// A page of a list in a frame of its own; `None` where not even one row of it fits.
    pub fn page_in(
        &self,
        list: &AnySource<'_>,
        frame: &dyn Frame,
        cx: &Context<'_>,
        mut steps: Vec<&'static str>,
    ) -> Result<Option<Shaped>, Error> {
        Ok(match self.page(list, &Omitted::default(), frame, cx, false, &mut steps)? {
            Rung::Fits(fit) => Some(self.changed(fit, steps)),
            Rung::Over | Rung::FrameTooLarge => None,
        })
    }

    /// A result that fits and is not what the tool returned.
    pub fn changed(&self, fit: Fit, steps: Vec<&'static str>) -> Shaped {
        self.finish(fit.text, fit.tokens, steps, Outcome::Changed)
    }

    /// The result that tells the caller what was wrong with the call.
    pub fn refuse(&self, error: &Error, fields: &[String]) -> Shaped {
        let (text, tokens) =
            error_result::of_call(error, fields, self.call, |text| self.measure.fits(text, self.settings.budget()));
        self.finish(text, tokens, vec!["error"], Outcome::Error)
    }

    pub fn finish(&self, text: String, tokens: usize, steps: Vec<&'static str>, outcome: Outcome) -> Shaped {
        let (tokens_before, tokens_before_exact) = self.before;
        let receipt = Receipt {
            tool: self.call.tool().map(str::to_owned),
            steps,
            tokens_before,
            tokens_before_exact,
            tokens_after: tokens,
            budget: Some(self.settings.budget()),
            encoding: self.settings.encoding,
            bytes: text.len(),
        };
        let (unchanged, is_error) = (outcome == Outcome::Unchanged, outcome == Outcome::Error);
        Shaped { text, unchanged, is_error, receipt, keep: None }
    }
}

/// How far a lossy step came.
enum Rung {
    Fits(Fit),
    /// It would have to leave something out that policy does not allow to.
    Over,
    /// Not even what stands around the data fits.
    FrameTooLarge,
}
