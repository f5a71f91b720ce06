//! The ladder: a result goes down only as far as needed, lossless steps before lossy ones.
//!
//! It fits as it is → project → minify → columns → offload, if the policy asks for that at this size → page → shorten
//! the row, summarize or truncate; or an error, if the policy asks for one. Every result is counted on its final bytes.

use serde_json::{Map, Value};

use crate::base::error::Error;
use crate::base::json_string;
use crate::base::members::Members;
use crate::base::work::Work;
use crate::ladder::asked_fields::Led;
use crate::ladder::job::Job;
use crate::ladder::run::{Descent, Run};
use crate::ladder::{
    asked_fields, example_question, prose, refusal, series_or_grid, small_fields, storing, suggest, text_rows,
};
use crate::outcome::receipt::{Step, Weight};
use crate::outcome::shaped::{Outcome, Receipts, Shaped};
use crate::render::columnar;
use crate::render::counted_rows::CountedRows;
use crate::render::elide::{NOTHING_OMITTED, Omitted};
use crate::render::envelope::Envelope;
use crate::render::error_result;
use crate::render::layout::Layout;
use crate::render::page::{Frame, ListFrame};
use crate::render::page_window::{Window, named_size};
use crate::render::paginate::{self, Fields};
use crate::render::summarize;
use crate::render::text_data;
use crate::render::truncate::{self, About};
use crate::request::call::{Asked, is_callers_fault};
use crate::request::cursor::{Place, Unit};
use crate::request::keyset::{self, Keyset};
use crate::request::policy::{Format, Overflow, Settings};
use crate::request::stored_id::Form;
use crate::request::view::{Fit, View};
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::plain_text::PlainText;
use crate::value::project::Projected;
use crate::value::source::{Kind, Source};
use crate::value::token_count::Measure;
use crate::value::token_estimate;

/// Few texts have more characters for a token.
const LONG_TOKEN: usize = 8;

/// Shapes a tool's output. The result explains the caller's errors.
///
/// # Errors
/// The errors of the server's author, and errors from reading the output.
pub(crate) fn shape(job: &Job<'_>, settings: &Settings) -> Result<Shaped, Error> {
    explained(job, settings, attempt(job, settings))
}

fn attempt(job: &Job<'_>, settings: &Settings) -> Result<Shaped, Error> {
    let controls = job.output.call.controls(settings)?;
    match controls.format {
        Some(Format::Text) if job.output.form == Form::Json && controls.fields.is_empty() => {
            text_rows::as_text(job, |text| shape_run(Run::new(text, settings, controls)))
        }
        _ => shape_run(Run::new(job, settings, controls)),
    }
}

/// Shapes rows that the author's own query fetched: pages go by the keys of the rows.
///
/// # Errors
/// As [`shape`], and `INVALID_CALL` for rows that [`Keyset::read`] refuses.
pub(crate) fn shape_keyset(job: &Job<'_>, keyset: &Keyset, settings: &Settings) -> Result<Shaped, Error> {
    let attempt = || shape_run(Run::of_keyset(job, settings, keyset)?);
    explained(job, settings, attempt())
}

/// The handle of an output of any size; `None` if it cannot be stored, or the call asks for a part.
///
/// # Errors
/// As [`shape`].
pub(crate) fn offload(job: &Job<'_>, settings: &Settings, before: Weight) -> Result<Option<Shaped>, Error> {
    let controls = job.output.call.controls(settings)?;
    let mut run = Run::new(job, settings, controls);
    run.receipts.before = before;
    storing::handle(&run, &run.view(""))
}

/// The shaped result, or the result that explains to the caller the error in the call.
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

/// Whether the same call with a suggestion gets data. The call is tried, so that no result suggests a call that fails.
fn is_answered(run: &Run<'_, '_>, suggestion: &Map<String, Value>) -> Result<bool, Error> {
    // With sort keys the next call fetches other rows.
    if run.keyset.is_some() {
        return Ok(true);
    }
    let settings = run.receipts.settings;
    let controls = suggest::followed(&run.controls, suggestion);
    let trial = Run { is_trial: true, work: run.work.clone(), ..Run::new(run.job, settings, controls) };
    explained(run.job, settings, shape_run(trial)).map(|shaped| !shaped.is_error)
}

fn shape_run(mut run: Run<'_, '_>) -> Result<Shaped, Error> {
    let layout = &run.job.layout;
    let cx = run.view("");
    if let Some(shown) = series_or_grid::declared(&mut run, &cx)? {
        return overview(&run, shown, &cx);
    }
    let is_text = layout.value.kind() == Kind::String && run.controls.format != Some(Format::Text);
    if is_text
        && text_rows::is_asked_for(&run, &cx)?
        && let Some(shaped) = text_rows::output(&mut run, &cx)?
    {
        return Ok(shaped);
    }
    let asks_all = matches!(run.controls.asked(), Asked::All);
    let mut is_over = false;
    if asks_all && !run.wants_part(layout, &cx)? && might_fit(&layout.value, &cx)? {
        if let Some(fit) = own_text_within(&run)?
            && is_best_whole(&layout.value, fit.tokens, &cx)?
        {
            run.receipts.before = Weight::Exact(fit.tokens);
            return Ok(match asked_columns(&run, fit.tokens, &cx)? {
                Some(fit) => run.receipts.shaped(fit, vec![Step::Columns], Outcome::Envelope),
                None => run.receipts.unchanged(fit),
            });
        }
        // A given text may still fit when it is minified.
        is_over = run.job.output.given.is_none() && layout.value.kind() != Kind::String;
    }
    let weight = run.weigh()?;
    if is_text && let Some(shaped) = text_rows::output(&mut run, &cx)? {
        return Ok(shaped);
    }
    let without_space = if asks_all { fits_without_space(&run, layout, &cx)? } else { None };
    is_over |= without_space == Some(false);
    if without_space != Some(true)
        && let Some(shown) = series_or_grid::detected(&mut run, &cx)?
    {
        return overview(&run, shown, &cx);
    }
    if !asks_all {
        return with_asked_fields(&run, layout, &cx);
    }
    match asked_fields::default_selection(&run, layout)? {
        Some(selection) => {
            let projected = Projected::new(layout.value.clone(), &selection);
            let omitted = &asked_fields::omitted(&run, &projected)?;
            let layout = &Layout::new(AnySource::new(projected));
            descend(&run, Descent { omitted, ..Descent::new(layout, weight, vec![Step::Project]) }, &cx)
        }
        None => descend(&run, Descent { is_over, ..Descent::new(layout, weight, Vec::new()) }, &cx),
    }
}

/// Whether a value is worth being tried whole. A list that is paged for its number of rows is mostly far over the budget.
fn might_fit(value: &AnySource<'_>, cx: &View<'_>) -> Result<bool, Error> {
    Ok(cx.has_few_rows(value) || (cx.keyset().is_none() && token_estimate::chars(value)? / LONG_TOKEN <= cx.budget))
}

/// Whether a given JSON text is shown whole without its white space; `None` if it was not tried.
fn fits_without_space(run: &Run<'_, '_>, layout: &Layout<'_>, cx: &View<'_>) -> Result<Option<bool>, Error> {
    let value = &layout.value;
    if run.job.output.given.is_none() || run.wants_part(layout, cx)? || !might_fit(value, cx)? {
        return Ok(None);
    }
    let tokens = run.measure.json_within(value, cx.budget)?.map(|(_, tokens)| tokens);
    tokens.map_or(Ok(false), |tokens| is_best_whole(value, tokens, cx)).map(Some)
}

/// Whether a value that fits in so many tokens is shown whole: a list that is long enough to be paged only if a page is no
/// shorter.
fn is_best_whole(value: &AnySource<'_>, tokens: usize, cx: &View<'_>) -> Result<bool, Error> {
    if cx.has_few_rows(value) || cx.keyset().is_some() {
        return Ok(cx.has_few_rows(value));
    }
    Ok(match page(value, &NOTHING_OMITTED, &ListFrame { cx, pointer: "" }, cx, false, &mut Vec::new())? {
        Rung::Fits(page) => page.tokens >= tokens,
        Rung::Over | Rung::FrameTooLarge => true,
    })
}

/// The result for a series or a grid.
fn overview(run: &Run<'_, '_>, shown: series_or_grid::Shown, cx: &View<'_>) -> Result<Shaped, Error> {
    match shown {
        series_or_grid::Shown::As(shaped) => Ok(*shaped),
        series_or_grid::Shown::Over(candidates) => over_budget(run, &run.job.layout.value, candidates, cx),
    }
}

/// Goes down the ladder with a value that was made for the caller.
pub(crate) fn of_value(run: &Run<'_, '_>, layout: &Layout<'_>, cx: &View<'_>) -> Result<Shaped, Error> {
    descend(run, Descent::new(layout, run.receipts.before.tokens(), Vec::new()), cx)
}

/// Goes down the ladder with the fields that the caller asks for.
pub(crate) fn with_asked_fields(run: &Run<'_, '_>, layout: &Layout<'_>, cx: &View<'_>) -> Result<Shaped, Error> {
    match asked_fields::follow(run, layout, cx)? {
        Led::Part(part, pointer) => {
            let cx = run.view_of(cx.how_to_ask, &format!("{}{pointer}", cx.base));
            if let Some(shaped) = text_rows::part(run, &part, &cx)? {
                return Ok(shaped);
            }
            let weight = token_estimate::tokens(&part, run.measure)?;
            let is_asked_as_text = run.controls.format == Some(Format::Text) && part.kind().is_container();
            if is_asked_as_text && run.measure.json_within(&part, cx.budget)?.is_none() {
                let json = part.json()?;
                let text = &Layout::new(AnySource::new(PlainText::new(&json)));
                return descend(run, Descent::new(text, weight, vec![Step::Project]), &cx);
            }
            descend(run, Descent::new(&Layout::new(part), weight, vec![Step::Project]), &cx)
        }
        Led::Fields(selection) => {
            let layout = &Layout::new(AnySource::new(Projected::new(layout.value.clone(), &selection)));
            let weight = token_estimate::tokens(&layout.value, run.measure)?;
            descend(run, Descent::new(layout, weight, vec![Step::Project]), cx)
        }
        Led::Nowhere(error, names) => {
            if let Asked::Part(pointer) = run.controls.asked()
                && let Some(shaped) = text_rows::inside(run, &layout.value, pointer, cx)?
            {
                return Ok(shaped);
            }
            Ok(refusal::refuse(&run.receipts, &error, &names))
        }
    }
}

/// A list that fits, as columns; only if the call asks for them and they are possible.
fn asked_columns(run: &Run<'_, '_>, plain: usize, cx: &View<'_>) -> Result<Option<Fit>, Error> {
    let value = &run.job.output.value;
    let asked = match cx.controls.format {
        Some(format @ (Format::Columns | Format::Auto)) if value.kind() == Kind::Array => format,
        _ => return Ok(None),
    };
    let Some(text) = columnar::whole(value)? else { return Ok(None) };
    let most = if asked == Format::Auto { plain - 1 } else { cx.budget };
    Ok(run.measure.fits(&text, most).map(|tokens| Fit { text, tokens }))
}

/// The output's own text, if it fits.
fn own_text_within(run: &Run<'_, '_>) -> Result<Option<Fit>, Error> {
    let (output, room) = (&run.job.output, run.receipts.settings.room());
    let text = match (output.given, output.value.kind()) {
        (Some(text), _) => {
            return Ok(run.measure.fits(text, room).map(|tokens| Fit { text: text.to_owned(), tokens }));
        }
        (None, Kind::String) if run.measure.is_over(&output.value, room) => return Ok(None),
        (None, Kind::String) => output.own_text()?,
        (None, _) => {
            return Ok(run.measure.json_within(&output.value, room)?.map(|(text, tokens)| Fit { text, tokens }));
        }
    };
    Ok(run.measure.fits(&text, room).map(|tokens| Fit { text, tokens }))
}

/// From the first lossless step on: whole, as columns, as a page, shortened.
pub(crate) fn descend(run: &Run<'_, '_>, mut descent: Descent<'_, '_>, cx: &View<'_>) -> Result<Shaped, Error> {
    let (value, output) = (&descent.layout.value, &run.job.output);
    // A text that does not fit as it is stays one, also where its JSON literal takes fewer tokens.
    let is_own_text = value.kind() == Kind::String && output.form == Form::Text && cx.base.is_empty();
    if cx.text.is_none()
        && !is_own_text
        && descent.omitted.names.is_empty()
        && !run.wants_part(descent.layout, cx)?
        && might_fit(value, cx)?
        && let Some((fit, is_columnar)) = whole(run, value, cx, descent.is_over)?
        && is_best_whole(value, fit.tokens, cx)?
    {
        if descent.steps.is_empty() && output.given.is_some() {
            descent.steps.push(Step::Minify);
        }
        descent.steps.extend(is_columnar.then_some(Step::Columns));
        let outcome = if is_columnar { Outcome::Envelope } else { Outcome::Value };
        return Ok(run.receipts.shaped(fit, descent.steps, outcome));
    }
    let offloaded = match cx.text {
        Some(_) => storing::offloaded(run, &output.value, cx)?,
        None => storing::offloaded(run, value, cx)?,
    };
    if let Some(shaped) = offloaded {
        return Ok(shaped);
    }
    let stored = cx.telling(run.stored()?);
    match lossy(run, &descent, &stored)? {
        Some(shaped) => Ok(run.job.keeping(shaped)),
        None => lossy(run, &descent, cx)?.map_or_else(|| nothing_fits(run, cx), Ok),
    }
}

/// The steps that omit something; `None` if there is room only for their own members.
fn lossy(run: &Run<'_, '_>, descent: &Descent<'_, '_>, cx: &View<'_>) -> Result<Option<Shaped>, Error> {
    // A cursor explicitly asks for a part, so it gets as much of it as fits.
    let strict = cx.settings.overflow == Overflow::Error && !cx.goes_on();
    let value = &descent.layout.value;
    let mut steps = descent.steps.clone();
    if cx.text.is_some()
        && descent.omitted.names.is_empty()
        && !run.wants_part(descent.layout, cx)?
        && might_fit(value, cx)?
        && let Some(fit) = text_data::whole(value, cx)?
        && is_best_whole(value, fit.tokens, cx)?
    {
        return Ok(Some(run.receipts.shaped(fit, steps, Outcome::Envelope)));
    }
    let output = &run.job.output;
    let is_whole = output.form == Form::Text && cx.base.is_empty() && cx.text.is_none();
    let given = output.given.filter(|_| is_whole);
    let rung = match value.kind() {
        Kind::Array => page(value, descent.omitted, &ListFrame { cx, pointer: "" }, cx, strict, &mut steps)?,
        Kind::Object => object(descent, cx, strict, &mut steps)?,
        Kind::String => text(value, given, descent.weight, &run.work, cx, strict, &mut steps)?,
        // A number with thousands of digits is cut like a text.
        _ => {
            let digits = json_string::quoted(&value.json()?);
            text(&AnySource::new(JsonText::parse(&digits)?), None, descent.weight, &run.work, cx, strict, &mut steps)?
        }
    };
    match rung {
        Rung::Fits(fit) => Ok(Some(run.receipts.shaped(fit, steps, Outcome::Envelope))),
        Rung::Over => {
            let candidates = if run.is_trial { Vec::new() } else { suggest::candidates(descent, cx)? };
            match cx.text {
                Some(_) => over_budget(run, &run.job.output.value, candidates, cx),
                None => over_budget(run, value, candidates, cx),
            }
            .map(Some)
        }
        Rung::FrameTooLarge => Ok(None),
    }
}

/// The error for a result that is over the budget, with the first candidate that there is room for and that gets data.
pub(crate) fn over_budget(
    run: &Run<'_, '_>,
    value: &AnySource<'_>,
    candidates: Vec<Map<String, Value>>,
    cx: &View<'_>,
) -> Result<Shaped, Error> {
    let exact = run.measure.count(&value.json()?);
    let mut told = error_result::over_budget(exact, &Map::new(), cx);
    for candidate in candidates {
        // A trial does not try suggestions of its own.
        if !run.is_trial
            && let Some(fit) = error_result::over_budget(exact, &candidate, cx)
            && is_answered(run, &candidate)?
        {
            told = Some(fit);
            break;
        }
    }
    let fit = told.unwrap_or(Fit { text: String::new(), tokens: 0 });
    Ok(run.receipts.shaped(fit, vec![Step::Error], Outcome::Error))
}

/// The result if there is no room for any of the data.
pub(crate) fn nothing_fits(run: &Run<'_, '_>, cx: &View<'_>) -> Result<Shaped, Error> {
    match cx.keyset() {
        Some(_) => Err(keyset::too_long(cx.budget)),
        None => Ok(refusal::nothing_fits(&run.receipts)),
    }
}

/// The whole value, plain or as columns, if either fits, and whether it is columns. Columns are preferred if they were
/// asked for or, if the choice is free, if they have fewer tokens.
///
/// If the plain value `is_over`, only columns are tried.
fn whole(run: &Run<'_, '_>, value: &AnySource<'_>, cx: &View<'_>, is_over: bool) -> Result<Option<(Fit, bool)>, Error> {
    let plain = if is_over { None } else { run.measure.json_within(value, cx.budget)? };
    let plain = plain.map(|(text, tokens)| Fit { text, tokens });
    let columns = match cx.format() {
        Format::Columns | Format::Auto if value.kind() == Kind::Array => columnar::whole(value)?,
        _ => None,
    };
    let columns = columns.and_then(|text| Some(Fit { tokens: run.measure.fits(&text, cx.budget)?, text }));
    let asked = cx.format() == Format::Columns;
    Ok(match (plain, columns) {
        (Some(plain), Some(columns)) if asked || columns.tokens < plain.tokens => Some((columns, true)),
        (Some(plain), _) => Some((plain, false)),
        (None, Some(columns)) => Some((columns, true)),
        (None, None) => None,
    })
}

fn page(
    list: &AnySource<'_>,
    omitted: &Omitted,
    frame: &dyn Frame,
    cx: &View<'_>,
    strict: bool,
    steps: &mut Vec<Step>,
) -> Result<Rung, Error> {
    let rows = CountedRows::new(list, cx);
    let window = match frame.fills_pages() && named_size(cx).is_none() {
        true => Window::of_size(list, paginate::rows_of_first_page(&rows, frame, cx)?, cx)?,
        false => Window::new(&rows, cx)?,
    };
    // What a reader can ask is said once: whoever asks for a later page has read the first.
    let is_first = frame.takes_fields() && !cx.goes_on() && window.keyset.is_none() && window.start == 0;
    let is_all = is_first && !steps.contains(&Step::Project);
    let small = if is_all { small_fields::of_rows(&rows, cx)? } else { None };
    let example = if is_first { example_question::of_rows(&rows, cx)? } else { None };
    let fields = Fields { omitted: &omitted.names, small: small.as_ref(), example: example.as_ref() };
    let Some(filled) = paginate::fill(&rows, &window, fields, frame, cx)? else {
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

fn object(descent: &Descent<'_, '_>, cx: &View<'_>, strict: bool, steps: &mut Vec<Step>) -> Result<Rung, Error> {
    let Descent { layout, omitted, weight, .. } = descent;
    let named;
    let envelope = match cx.place()? {
        Some(Place { unit: Unit::Rows, pointer, .. }) => {
            named = Envelope::at(&layout.value, &pointer, cx)?.ok_or_else(paginate::list_is_gone)?;
            Some(&named)
        }
        Some(_) => None,
        None => layout.paged(cx)?,
    };
    if let Some(Envelope { list, pointer, .. }) = envelope {
        let around =
            if pointer.is_empty() { None } else { envelope.map(|list| list.frame(*weight, cx)).transpose()? };
        if let Some(frame) = around.flatten() {
            match page(list, omitted, &frame, cx, strict, steps)? {
                Rung::FrameTooLarge => {}
                rung => return Ok(rung),
            }
        }
        // What surrounds the list leaves no room for it: a later page goes without, and otherwise the object is summarized.
        if pointer.is_empty() || cx.goes_on() || cx.controls.page.is_some_and(|page| page > 1) {
            return page(list, omitted, &ListFrame { cx, pointer }, cx, strict, steps);
        }
    }
    if strict {
        return Ok(Rung::Over);
    }
    steps.push(Step::Summarize);
    Ok(summarize::object(&layout.value, omitted, *weight, cx)?.map_or(Rung::FrameTooLarge, Rung::Fits))
}

/// A page of a list in its own frame; `None` if not even one row fits.
pub(crate) fn page_in(
    run: &Run<'_, '_>,
    list: &AnySource<'_>,
    frame: &dyn Frame,
    cx: &View<'_>,
    mut steps: Vec<Step>,
) -> Result<Option<Shaped>, Error> {
    Ok(match page(list, &NOTHING_OMITTED, frame, cx, false, &mut steps)? {
        Rung::Fits(fit) => Some(run.receipts.shaped(fit, steps, Outcome::Envelope)),
        Rung::Over | Rung::FrameTooLarge => None,
    })
}

fn text(
    text: &AnySource<'_>,
    given: Option<&str>,
    weight: usize,
    work: &Work,
    cx: &View<'_>,
    strict: bool,
    steps: &mut Vec<Step>,
) -> Result<Rung, Error> {
    if strict {
        return Ok(Rung::Over);
    }
    if let Some((format, fit)) = prose::show(text, given, weight, work, cx)? {
        steps.extend([Step::Text(format), Step::Truncate]);
        return Ok(Rung::Fits(fit));
    }
    steps.push(Step::Truncate);
    let lead = Members::new();
    Ok(truncate::text(text, &About::plain(&lead, weight), cx)?.map_or(Rung::FrameTooLarge, Rung::Fits))
}

/// The result of a lossy step.
enum Rung {
    Fits(Fit),
    /// The step would omit something, which the policy does not allow.
    Over,
    /// Not even what surrounds the data fits.
    FrameTooLarge,
}
