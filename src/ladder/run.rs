//! The ladder: a result goes down only as far as it must, lossless steps before lossy ones.
//!
//! fits as it is → project → minify → columns → offload, where the policy wants that of one so large →
//! page → shorten the row, summarize or truncate; or an error, where the policy wants one. Every result
//! that leaves here was counted on its final bytes.

use std::rc::Rc;

use serde_json::{Map, Value};

use crate::base::error::{Error, ErrorCode};
use crate::base::json_string;
use crate::base::members::Members;
use crate::ladder::job::Job;
use crate::ladder::{asked_fields, refusal, series_or_grid, storing, suggest};
use crate::outcome::receipt::{Step, Weight};
use crate::outcome::shaped::{Outcome, Receipts, Shaped};
use crate::render::columnar;
use crate::render::elide::{NOTHING_OMITTED, Omitted};
use crate::render::envelope::Envelope;
use crate::render::error_result;
use crate::render::layout::Layout;
use crate::render::page_window::Window;
use crate::render::paginate::{self, Frame, ListFrame};
use crate::render::summarize;
use crate::render::truncate;
use crate::request::call::{Asked, Controls, is_callers_fault};
use crate::request::context::{Context, Fit, HowToAsk};
use crate::request::cursor::{Cursor, Unit};
use crate::request::keyset::{self, Keyset, Rows};
use crate::request::policy::{Format, Overflow, Settings};
use crate::request::stored::Stored;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::project::Projected;
use crate::value::source::{Kind, Source};
use crate::value::token_count::Measure;
use crate::value::token_estimate;

/// Shapes a tool's output; what the caller got wrong is explained in the result.
///
/// # Errors
/// What the server's author got wrong, and whatever reading the output reports.
pub(crate) fn shape(job: &Job<'_>, settings: &Settings) -> Result<Shaped, Error> {
    explained(job, settings, attempt(job, settings))
}

fn attempt(job: &Job<'_>, settings: &Settings) -> Result<Shaped, Error> {
    let controls = job.output.call.controls(settings)?;
    Run::new(job, settings, controls).shape()
}

/// Shapes rows that the author's own query fetched: pages go by the keys of the rows.
///
/// # Errors
/// As [`shape`] has, and `INVALID_CALL` for rows that [`Keyset::read`] refuses.
pub(crate) fn shape_keyset(job: &Job<'_>, keyset: &Keyset, settings: &Settings) -> Result<Shaped, Error> {
    let attempt = || Run::of_keyset(job, settings, keyset)?.shape();
    explained(job, settings, attempt())
}

/// The handle of an output, however small it is; `None` where it cannot be stored, or the call asks for a part.
///
/// # Errors
/// As [`shape`] has.
pub(crate) fn offload(job: &Job<'_>, settings: &Settings, before: Weight) -> Result<Option<Shaped>, Error> {
    let controls = job.output.call.controls(settings)?;
    let mut run = Run::new(job, settings, controls);
    run.receipts.before = before;
    storing::handle(&run, &run.context(""))
}

/// What came out, or the result that explains to the caller what was wrong with the call.
pub(crate) fn explained(job: &Job<'_>, settings: &Settings, shaped: Result<Shaped, Error>) -> Result<Shaped, Error> {
    match shaped {
        Err(error) if is_callers_fault(&error) => {
            let measure = Measure { encoding: settings.encoding };
            let before = Weight::Estimated(token_estimate::tokens(&job.output.value, measure)?);
            Ok(refusal::refuse(&Receipts::new(settings, job.output.call, before), &error, &[]))
        }
        other => other,
    }
}

/// One draft of a result on its way down the ladder.
pub(crate) struct Run<'a, 'v> {
    pub receipts: Receipts<'a>,
    pub measure: Measure,
    pub job: &'a Job<'v>,
    /// What the caller asks for, its fields included.
    pub controls: Controls,
    /// The rows that the author's own query fetched, where pages go by their keys.
    pub keyset: Option<Rc<Rows>>,
    /// Whether this only tries what a suggestion would give.
    is_trial: bool,
}

/// A value on its way from the first lossless step on.
pub(crate) struct Descent<'d, 'v> {
    pub layout: &'d Layout<'v>,
    /// What the default projection leaves out.
    pub omitted: &'d Omitted,
    /// The estimated tokens of the value as the tool returned it.
    pub weight: usize,
    pub steps: Vec<Step>,
    /// Whether the value is known to be over budget as plain JSON.
    pub is_over: bool,
}

impl<'d, 'v> Descent<'d, 'v> {
    /// A value of which nothing is left out yet.
    pub fn new(layout: &'d Layout<'v>, weight: usize, steps: Vec<Step>) -> Self {
        Self { layout, omitted: &NOTHING_OMITTED, weight, steps, is_over: false }
    }
}

impl<'a, 'v> Run<'a, 'v> {
    pub fn new(job: &'a Job<'v>, settings: &'a Settings, controls: Controls) -> Self {
        Self {
            receipts: Receipts::new(settings, job.output.call, Weight::Exact(0)),
            measure: Measure { encoding: settings.encoding },
            job,
            controls,
            keyset: None,
            is_trial: false,
        }
    }

    /// A run whose pages go by the keys of its rows.
    ///
    /// # Errors
    /// As [`Keyset::read`] has.
    pub fn of_keyset(job: &'a Job<'v>, settings: &'a Settings, keyset: &Keyset) -> Result<Self, Error> {
        let mut controls = job.output.call.controls(settings)?;
        let rows = keyset.read(&job.output.value, &controls, settings, job.output.call)?;
        rows.adopt(&mut controls);
        Ok(Self { keyset: Some(Rc::new(rows)), ..Self::new(job, settings, controls) })
    }

    /// Whether the same call with what a suggestion says gets data: it is made, so that none is told that fails.
    fn is_answered(&self, suggestion: &Map<String, Value>) -> Result<bool, Error> {
        // Of rows by their keys the next call fetches others.
        if self.keyset.is_some() {
            return Ok(true);
        }
        let settings = self.receipts.settings;
        let controls = suggest::followed(&self.controls, suggestion);
        let trial = Run { is_trial: true, ..Run::new(self.job, settings, controls) };
        explained(self.job, settings, trial.shape()).map(|shaped| !shaped.is_error)
    }

    /// Estimates what the whole output weighs, if that is not known yet.
    pub fn weigh(&mut self) -> Result<usize, Error> {
        if let Weight::Exact(_) = self.receipts.before {
            let tokens = token_estimate::tokens(&self.job.output.value, self.measure)?;
            self.receipts.before = Weight::Estimated(tokens);
        }
        Ok(self.receipts.before.tokens())
    }

    pub fn shape(mut self) -> Result<Shaped, Error> {
        let layout = &self.job.layout;
        let cx = self.context("");
        if let Some(shaped) = series_or_grid::declared(&mut self, &cx)? {
            return Ok(shaped);
        }
        let asks_all = matches!(self.controls.asked(), Asked::All);
        let mut is_over = false;
        if asks_all && !self.wants_part(layout, &cx)? && cx.has_few_rows(&layout.value) {
            if let Some(fit) = self.own_text_within()? {
                self.receipts.before = Weight::Exact(fit.tokens);
                return Ok(match self.asked_columns(fit.tokens, &cx)? {
                    Some(fit) => self.receipts.shaped(fit, vec![Step::Columns], Outcome::Envelope),
                    None => self.receipts.unchanged(fit),
                });
            }
            // A text that was given may yet fit when it is minified.
            is_over = self.job.output.given.is_none() && layout.value.kind() != Kind::String;
        }
        let weight = self.weigh()?;
        if let Some(shaped) = series_or_grid::detected(&mut self, &cx)? {
            return Ok(shaped);
        }
        if !asks_all {
            return asked_fields::shape(&self, layout, &cx);
        }
        match asked_fields::default_selection(&self)? {
            Some(selection) => {
                let projected = Projected::new(layout.value.clone(), &selection);
                let omitted = &asked_fields::omitted(&self, &projected)?;
                let layout = &Layout::new(AnySource::new(projected));
                self.descend(Descent { omitted, ..Descent::new(layout, weight, vec![Step::Project]) }, &cx)
            }
            None => self.descend(Descent { is_over, ..Descent::new(layout, weight, Vec::new()) }, &cx),
        }
    }

    /// The context of the part at `base`.
    pub fn context(&self, base: &str) -> Context<'a> {
        self.context_of(HowToAsk::Tool, base)
    }

    /// The same for a caller who asks for parts in that way.
    pub fn context_of(&self, how_to_ask: HowToAsk, base: &str) -> Context<'a> {
        let Receipts { settings, call, .. } = self.receipts;
        let controls = Controls { fields: Vec::new(), ..self.controls.clone() };
        Context::new(settings, controls, call, how_to_ask, self.keyset.clone(), base.to_owned())
    }

    /// Where the whole result is stored; `None` without a store. Rows that the author's own query fetched are no whole.
    pub fn stored(&self) -> Result<Option<Stored>, Error> {
        if self.keyset.is_some() && self.receipts.call.store_failure().is_none() {
            return Ok(None);
        }
        self.job.stored(self.receipts.settings)
    }

    /// Whether the call asks for a part of the value: of a list or an envelope by page, of anything by cursor.
    ///
    /// # Errors
    /// `INVALID_CALL` for a page of what has none.
    pub fn wants_part(&self, layout: &Layout<'_>, cx: &Context<'_>) -> Result<bool, Error> {
        let Controls { page, page_size, cursor, .. } = &cx.controls;
        if cx.keyset().is_some_and(|rows| rows.after().is_some()) {
            return Ok(true);
        }
        let later_page = page.is_some_and(|page| page > 1);
        if cursor.is_some() || !(later_page || page_size.is_some()) {
            return Ok(cursor.is_some());
        }
        let has_pages = layout.has_pages()?;
        if later_page && !has_pages {
            let message = format!("page is {}; this result is no list, so it has one page", page.unwrap_or_default());
            return Err(Error::new(ErrorCode::InvalidCall, message, "/page"));
        }
        Ok(has_pages)
    }

    /// A list that fits, as columns: only if the call asks for them, and they serve.
    fn asked_columns(&self, plain: usize, cx: &Context<'_>) -> Result<Option<Fit>, Error> {
        let value = &self.job.output.value;
        let asked = match cx.controls.format {
            Some(format @ (Format::Columns | Format::Auto)) if value.kind() == Kind::Array => format,
            _ => return Ok(None),
        };
        let Some(text) = columnar::whole(value)? else { return Ok(None) };
        let most = if asked == Format::Auto { plain - 1 } else { cx.budget };
        Ok(self.measure.fits(&text, most).map(|tokens| Fit { text, tokens }))
    }

    /// The output's own text, if it fits.
    fn own_text_within(&self) -> Result<Option<Fit>, Error> {
        let (output, room) = (&self.job.output, self.receipts.settings.room());
        let text = match (output.given, output.value.kind()) {
            (Some(text), _) => {
                return Ok(self.measure.fits(text, room).map(|tokens| Fit { text: text.to_owned(), tokens }));
            }
            (None, Kind::String) if self.measure.is_over(&output.value, room) => return Ok(None),
            (None, Kind::String) => output.own_text()?,
            (None, _) => {
                return Ok(self.measure.json_within(&output.value, room)?.map(|(text, tokens)| Fit { text, tokens }));
            }
        };
        Ok(self.measure.fits(&text, room).map(|tokens| Fit { text, tokens }))
    }

    /// From the first lossless step on: whole, as columns, as a page, shortened.
    pub fn descend(&self, mut descent: Descent<'_, '_>, cx: &Context<'_>) -> Result<Shaped, Error> {
        let value = &descent.layout.value;
        if descent.omitted.names.is_empty()
            && !self.wants_part(descent.layout, cx)?
            && cx.has_few_rows(value)
            && let Some((fit, is_columnar)) = self.whole(value, cx, descent.is_over)?
        {
            if descent.steps.is_empty() && self.job.output.given.is_some() {
                descent.steps.push(Step::Minify);
            }
            descent.steps.extend(is_columnar.then_some(Step::Columns));
            let outcome = if is_columnar { Outcome::Envelope } else { Outcome::Value };
            return Ok(self.receipts.shaped(fit, descent.steps, outcome));
        }
        if let Some(shaped) = storing::offloaded(self, value, cx)? {
            return Ok(shaped);
        }
        let stored = cx.telling(self.stored()?);
        match self.lossy(&descent, &stored)? {
            Some(shaped) => Ok(self.job.keeping(shaped)),
            None => self.lossy(&descent, cx)?.map_or_else(|| self.nothing_fits(cx), Ok),
        }
    }

    /// The steps that leave something out; `None` where there is no room for anything but what they tell.
    fn lossy(&self, descent: &Descent<'_, '_>, cx: &Context<'_>) -> Result<Option<Shaped>, Error> {
        // A cursor asks for a part in so many words, so it gets what fits of it.
        let strict = cx.settings.overflow == Overflow::Error && !cx.goes_on();
        let value = &descent.layout.value;
        let mut steps = descent.steps.clone();
        let rung = match value.kind() {
            Kind::Array => self.page(value, descent.omitted, &ListFrame { cx }, cx, strict, &mut steps)?,
            Kind::Object => self.object(descent, cx, strict, &mut steps)?,
            Kind::String => text(value, descent.weight, cx, strict, &mut steps)?,
            // A number of thousands of digits is cut as the text that it is.
            _ => {
                let digits = json_string::quoted(&value.json()?);
                text(&AnySource::new(JsonText::parse(&digits)?), descent.weight, cx, strict, &mut steps)?
            }
        };
        match rung {
            Rung::Fits(fit) => Ok(Some(self.receipts.shaped(fit, steps, Outcome::Envelope))),
            Rung::Over => {
                let candidates = if self.is_trial { Vec::new() } else { suggest::candidates(descent, cx)? };
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
        Ok(self.receipts.shaped(fit, vec![Step::Error], Outcome::Error))
    }

    /// The result where there is no room for any of the data.
    pub fn nothing_fits(&self, cx: &Context<'_>) -> Result<Shaped, Error> {
        match cx.keyset() {
            Some(_) => Err(keyset::too_long(cx.budget)),
            None => Ok(refusal::nothing_fits(&self.receipts)),
        }
    }

    /// The whole value, plain or as columns, if either fits, and whether as columns: these if they were asked for or,
    /// where the choice is free, if they count fewer tokens.
    ///
    /// Of a value that `is_over` as it stands only columns are tried.
    fn whole(&self, value: &AnySource<'_>, cx: &Context<'_>, is_over: bool) -> Result<Option<(Fit, bool)>, Error> {
        let plain = if is_over { None } else { self.measure.json_within(value, cx.budget)? };
        let plain = plain.map(|(text, tokens)| Fit { text, tokens });
        let columns = match cx.format() {
            Format::Columns | Format::Auto if value.kind() == Kind::Array => columnar::whole(value)?,
            _ => None,
        };
        let columns = columns.and_then(|text| Some(Fit { tokens: self.measure.fits(&text, cx.budget)?, text }));
        let asked = cx.format() == Format::Columns;
        Ok(match (plain, columns) {
            (Some(plain), Some(columns)) if asked || columns.tokens < plain.tokens => Some((columns, true)),
            (Some(plain), _) => Some((plain, false)),
            (None, Some(columns)) => Some((columns, true)),
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
        steps: &mut Vec<Step>,
    ) -> Result<Rung, Error> {
        let window = Window::new(list, cx)?;
        let Some(filled) = paginate::fill(list, &window, &omitted.names, frame, cx)? else {
            return Ok(Rung::FrameTooLarge);
        };
        if strict && !(filled.is_complete(&window) && frame.is_lossless()) {
            return Ok(Rung::Over);
        }
        steps.extend(filled.columns.then_some(Step::Columns));
        steps.push(Step::Paginate);
        steps.extend(filled.shortened.then_some(Step::Summarize));
        Ok(Rung::Fits(Fit { text: filled.text, tokens: filled.tokens }))
    }

    fn object(
        &self,
        descent: &Descent<'_, '_>,
        cx: &Context<'_>,
        strict: bool,
        steps: &mut Vec<Step>,
    ) -> Result<Rung, Error> {
        let Descent { layout, omitted, weight, .. } = descent;
        let named;
        let envelope = match cx.place()? {
            Some(Cursor { unit: Unit::Rows, pointer, .. }) => {
                named = Envelope::at(&layout.value, &pointer)?.ok_or_else(paginate::list_is_gone)?;
                Some(&named)
            }
            Some(_) => None,
            None => layout.envelope()?,
        };
        if let Some(envelope) = envelope
            && let Some(frame) = envelope.frame(*weight, cx)?
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
        steps.push(Step::Summarize);
        Ok(summarize::object(&layout.value, omitted, *weight, cx)?.map_or(Rung::FrameTooLarge, Rung::Fits))
    }

    /// A page of a list in a frame of its own; `None` where not even one row of it fits.
    pub fn page_in(
        &self,
        list: &AnySource<'_>,
        frame: &dyn Frame,
        cx: &Context<'_>,
        mut steps: Vec<Step>,
    ) -> Result<Option<Shaped>, Error> {
        Ok(match self.page(list, &NOTHING_OMITTED, frame, cx, false, &mut steps)? {
            Rung::Fits(fit) => Some(self.receipts.shaped(fit, steps, Outcome::Envelope)),
            Rung::Over | Rung::FrameTooLarge => None,
        })
    }
}

fn text(
    text: &AnySource<'_>,
    weight: usize,
    cx: &Context<'_>,
    strict: bool,
    steps: &mut Vec<Step>,
) -> Result<Rung, Error> {
    if strict {
        return Ok(Rung::Over);
    }
    steps.push(Step::Truncate);
    Ok(truncate::text(text, &Members::new(), weight, cx)?.map_or(Rung::FrameTooLarge, Rung::Fits))
}

/// How far a lossy step came.
enum Rung {
    Fits(Fit),
    /// It would have to leave something out that policy does not allow to.
    Over,
    /// Not even what stands around the data fits.
    FrameTooLarge,
}
