//! The ladder: a result goes down only as far as needed, lossless steps before lossy ones.
//!
//! `docs/shapes.md` numbers the steps; the functions below are in that order. Every result is counted on its final bytes.

use serde_json::{Map, Value};

use crate::base::error::Error;
use crate::base::json_string;
use crate::base::members::Members;
use crate::ladder::asked_fields::Led;
use crate::ladder::draft::Draft;
use crate::ladder::job::Job;
use crate::ladder::rows_page::page;
use crate::ladder::{
    asked_fields, part_tables, prose, refusal, series_or_grid, shown_before, storing, suggest, text_rows,
};
use crate::outcome::receipt::{Rows, Step, Weight};
use crate::outcome::shaped::{Outcome, Shaped};
use crate::render::dense;
use crate::render::elide::NOTHING_OMITTED;
use crate::render::envelope::Envelope;
use crate::render::error_result;
use crate::render::layout::ListLayout;
use crate::render::page::{Frame, ListFrame};
use crate::render::paginate::{self};
use crate::render::subject::ELISION_PARTS;
use crate::render::summarize;
use crate::render::text_data;
use crate::render::truncate::{self, About};
use crate::request::call::{RequestedFields, is_callers_fault};
use crate::request::content_id::Form;
use crate::request::context::{Context, Fit};
use crate::request::cursor::{Place, Unit};
use crate::request::keyset::{self, Keyset};
use crate::request::policy::{Format, Overflow};
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::plain_text::PlainText;
use crate::value::project::{Projected, Selection};
use crate::value::source::{Kind, Source};
use crate::value::token_count::LIKELY_BYTES;
use crate::value::token_estimate;

/// What is estimated to have more than this many times the budget is not tried whole, nor in the dense form.
const FAR_OVER: usize = 8;

/// Shapes a tool's output in at most `budget` tokens. The result explains the caller's errors.
///
/// # Errors
/// The errors of the server's author, and errors from reading the output.
pub(crate) fn shape(job: &Job<'_>, budget: usize) -> Result<Shaped, Error> {
    explained(job, budget, attempt(job, budget))
}

fn attempt(job: &Job<'_>, budget: usize) -> Result<Shaped, Error> {
    let controls = job.controls()?;
    match controls.format {
        Some(Format::Text) if job.output.form == Form::Json && controls.fields.is_empty() => {
            text_rows::as_text(job, |text| whole_output(Draft::new(text, budget, controls)))
        }
        _ => whole_output(Draft::new(job, budget, controls)),
    }
}

/// Shapes rows that the author's own query fetched: pages go by the keys of the rows.
///
/// # Errors
/// As [`shape`], and `INVALID_CALL` for rows that [`Keyset::read`] refuses.
pub(crate) fn shape_keyset(job: &Job<'_>, keyset: &Keyset) -> Result<Shaped, Error> {
    let attempt = || whole_output(Draft::of_keyset(job, keyset)?);
    explained(job, job.settings.room(), attempt())
}

/// The handle of an output of any size; `None` if it cannot be stored, or the call asks for a part.
///
/// # Errors
/// As [`shape`].
pub(crate) fn offload(job: &Job<'_>, budget: usize, before: Weight) -> Result<Option<Shaped>, Error> {
    let controls = job.controls()?;
    storing::handle(&Draft { before, ..Draft::new(job, budget, controls) })
}

/// An output that is shaped already, without its values; `None` if it is not.
///
/// # Errors
/// As [`shape`].
pub(crate) fn without_values(job: &Job<'_>, budget: usize, before: Weight) -> Result<Option<Shaped>, Error> {
    let controls = job.controls()?;
    shown_before::without_values(&Draft { before, ..Draft::new(job, budget, controls) })
}

/// The shaped result, or the result that explains to the caller the error in the call.
pub(crate) fn explained(job: &Job<'_>, budget: usize, shaped: Result<Shaped, Error>) -> Result<Shaped, Error> {
    let Job { output, settings, .. } = job;
    match shaped {
        Err(error) if is_callers_fault(&error) => {
            let before = Weight::Estimated(token_estimate::tokens(&output.value, settings.measure())?);
            Ok(refusal::refuse(settings, budget, output.call, before, &error, &[]))
        }
        other => other,
    }
}

/// The output from the top of the ladder: it passes if it fits and nothing else is asked for.
fn whole_output(mut draft: Draft<'_, '_, '_>) -> Result<Shaped, Error> {
    let layout = draft.layout;
    if let Some(shown) = series_or_grid::declared(&mut draft)? {
        return Ok(shown);
    }
    let is_text = layout.value.kind() == Kind::String && draft.ctx.controls.format != Some(Format::Text);
    if is_text
        && text_rows::is_asked_for(&draft.ctx)?
        && let Some(shaped) = text_rows::output(&mut draft)?
    {
        return Ok(shaped);
    }
    let asks_all = matches!(draft.ctx.controls.requested(), RequestedFields::All);
    let (mut is_over, mut counted) = (false, None);
    let has_more_rows = draft.ctx.keyset().is_some_and(|rows| rows.has_more());
    if asks_all && !has_more_rows && !draft.wants_part()? {
        let own = own_text_within(&mut draft)?;
        counted = own.as_ref().map(|fit| Weight::Exact(fit.tokens));
        if let Some(fit) = own.filter(|_| draft.ctx.has_few_rows(&layout.value)) {
            draft.before = Weight::Exact(fit.tokens);
            return Ok(match asked_columns(&draft)? {
                Some(fit) => draft.shaped(fit, vec![Step::Columns], Outcome::Envelope),
                None => draft.shaped(fit, Vec::new(), Outcome::Unchanged),
            });
        }
        // A given text may still fit when it is minified.
        is_over = draft.job.output.given.is_none() && layout.value.kind() != Kind::String;
    }
    draft.weigh()?;
    draft.before = counted.unwrap_or(draft.before);
    if asks_all
        && !draft.wants_part()?
        && let Some(shaped) = shown_before::shorter_page(&draft)?
    {
        return Ok(shaped);
    }
    if is_text && let Some(shaped) = text_rows::output(&mut draft)? {
        return Ok(shaped);
    }
    let without_space = if asks_all { fits_without_space(&draft)? } else { None };
    draft.is_over = is_over || without_space == Some(false);
    if asks_all { with_default_fields(draft) } else { with_asked_fields(&draft) }
}

/// The output's own text, if it fits.
fn own_text_within(draft: &mut Draft<'_, '_, '_>) -> Result<Option<Fit>, Error> {
    let (output, measure, room) = (&draft.job.output, draft.ctx.measure, draft.ctx.budget);
    let text = match (output.given, output.value.kind()) {
        // Readers of JSON refuse a byte order mark.
        (Some(text), _) if output.form == Form::Json && text.starts_with('\u{feff}') => return Ok(None),
        (Some(text), _) => {
            return Ok(measure.fits(text, room).map(|tokens| Fit { text: text.to_owned(), tokens }));
        }
        (None, Kind::String) if measure.is_over(&output.value, room) => return Ok(None),
        (None, Kind::String) => output.own_text()?,
        (None, _) => {
            let is_long = output.value.json_up_to(room.saturating_mul(LIKELY_BYTES))?.is_none();
            if is_long && is_far_over(draft.weigh()?, room) {
                return Ok(None);
            }
            let own = measure.json_within(&output.value, room)?;
            return Ok(own.map(|(text, tokens)| Fit { text, tokens }));
        }
    };
    Ok(measure.fits(&text, room).map(|tokens| Fit { text, tokens }))
}

/// A value that fits, in the dense form; only if the call or the policy asks for it.
fn asked_columns(draft: &Draft<'_, '_, '_>) -> Result<Option<Fit>, Error> {
    let (value, ctx) = (&draft.job.output.value, &draft.ctx);
    if !value.kind().is_container() || ctx.format() == Format::Json {
        return Ok(None);
    }
    let json = value.json()?;
    Ok(in_form(&json, ctx).filter(|fit| fit.tokens <= ctx.budget))
}

/// A minified text in the dense form, if the format says so.
fn in_form(json: &str, ctx: &Context<'_>) -> Option<Fit> {
    if ctx.format() == Format::Text {
        return None;
    }
    let plain = ctx.measure.count(json);
    dense::smallest(json, ctx.measure).filter(|fit| dense::is_worth(ctx.format(), fit.tokens, plain))
}

/// Whether a given JSON text is shown whole without its white space; `None` if it was not tried.
fn fits_without_space(draft: &Draft<'_, '_, '_>) -> Result<Option<bool>, Error> {
    let (value, ctx) = (&draft.layout.value, &draft.ctx);
    if draft.job.output.given.is_none() || draft.wants_part()? {
        return Ok(None);
    }
    let may_fit = ctx.has_few_rows(value) && !is_far_over(draft.weight, ctx.budget);
    Ok(Some(may_fit && ctx.measure.json_within(value, ctx.budget)?.is_some()))
}

/// Goes down the ladder with the fields of the policy, or with all of them.
pub(crate) fn with_default_fields(draft: Draft<'_, '_, '_>) -> Result<Shaped, Error> {
    let (selection, unmatched) = asked_fields::default_selection(&draft)?;
    let mut shaped = match selection {
        Some(selection) => {
            let projected = Projected::new(draft.layout.value.clone(), &selection);
            let omitted = &asked_fields::omitted(&projected, draft.ctx.budget / ELISION_PARTS)?;
            let layout = &ListLayout::new(AnySource::new(projected));
            descend(Draft { omitted, ..draft.of(layout, draft.weight, vec![Step::Project]) })?
        }
        None => descend(draft)?,
    };
    shaped.receipt.unmatched_fields = unmatched;
    Ok(shaped)
}

/// Goes down the ladder with the fields that the caller asks for.
pub(crate) fn with_asked_fields(draft: &Draft<'_, '_, '_>) -> Result<Shaped, Error> {
    match asked_fields::follow(draft)? {
        Led::Part(part, pointer) => with_part(draft, part, &pointer),
        Led::Fields(selection) => with_fields(draft, &selection),
        Led::Nowhere(error, names) => {
            if let RequestedFields::Part(pointer) = draft.ctx.controls.requested()
                && let Some(shaped) = text_rows::inside(draft, pointer)?
            {
                return Ok(shaped);
            }
            Ok(draft.refuse(&error, &names))
        }
    }
}

/// Goes down the ladder with the value at a pointer.
fn with_part(draft: &Draft<'_, '_, '_>, part: AnySource<'_>, pointer: &str) -> Result<Shaped, Error> {
    let ctx = draft.ctx.at(draft.ctx.how_to_ask, format!("{}{pointer}", draft.ctx.base));
    if let Some(shaped) = text_rows::part(draft, &part, &ctx)? {
        return Ok(shaped);
    }
    let weight = token_estimate::tokens(&part, ctx.measure)?;
    let is_asked_as_text = ctx.controls.format == Some(Format::Text) && part.kind().is_container();
    if is_asked_as_text && ctx.measure.json_within(&part, ctx.budget)?.is_none() {
        let json = part.json()?;
        let text = &ListLayout::new(AnySource::new(PlainText::new(&json)));
        return descend(draft.of_part(text, weight, vec![Step::Project], ctx));
    }
    descend(draft.of_part(&ListLayout::new(part), weight, vec![Step::Project], ctx))
}

/// Goes down the ladder with some fields.
fn with_fields(draft: &Draft<'_, '_, '_>, selection: &Selection) -> Result<Shaped, Error> {
    let layout = &ListLayout::new(AnySource::new(Projected::new(draft.layout.value.clone(), selection)));
    let weight = token_estimate::tokens(&layout.value, draft.ctx.measure)?;
    descend(draft.of(layout, weight, vec![Step::Project]))
}

/// From the first lossless step on: whole, as columns, as a page, shortened.
pub(crate) fn descend(mut draft: Draft<'_, '_, '_>) -> Result<Shaped, Error> {
    let (value, output) = (&draft.layout.value, &draft.job.output);
    // A text that does not fit as it is stays one, also where its JSON literal takes fewer tokens.
    let is_own_text = value.kind() == Kind::String && output.form == Form::Text && draft.ctx.base.is_empty();
    if draft.ctx.text.is_none()
        && !is_own_text
        && may_be_whole(&draft)?
        && let Some((fit, is_columnar)) = whole(&draft)?
    {
        let is_minified = draft.steps.is_empty() && output.given.is_some();
        let outcome = if is_columnar { Outcome::Envelope } else { Outcome::Value };
        draft.steps.extend(is_minified.then_some(Step::Minify));
        draft.steps.extend(is_columnar.then_some(Step::Columns));
        return Ok(draft.shaped(fit, draft.steps.clone(), outcome));
    }
    if let Some(shaped) = storing::offloaded(&draft)? {
        return Ok(shaped);
    }
    // The result says where the whole is stored, if there is room for that.
    let ctx = draft.ctx.telling(draft.stored()?);
    let parts = part_tables::of(draft.job, &ctx)?;
    let with_address = Draft { ctx: ctx.naming(parts), ..draft.clone() };
    match lossy(&with_address)? {
        Some(shaped) => Ok(draft.job.keeping(shaped)),
        None => lossy(&draft)?.map_or_else(|| nothing_fits(&draft), Ok),
    }
}

/// Whether the value may be shown whole: nothing is omitted, the call asks for no part, and the policy for no page.
fn may_be_whole(draft: &Draft<'_, '_, '_>) -> Result<bool, Error> {
    let is_asked_whole = draft.omitted.names.is_empty() && draft.ctx.has_few_rows(&draft.layout.value);
    Ok(is_asked_whole && !is_far_over(draft.weight, draft.ctx.budget) && !draft.wants_part()?)
}

/// Whether a value of these estimated tokens certainly does not fit.
fn is_far_over(weight: usize, budget: usize) -> bool {
    weight / FAR_OVER > budget
}

/// The whole value, plain or in the dense form, if either fits, and whether it is dense.
fn whole(draft: &Draft<'_, '_, '_>) -> Result<Option<(Fit, bool)>, Error> {
    let (value, ctx) = (&draft.layout.value, &draft.ctx);
    let plain = if draft.is_over { None } else { ctx.measure.json_within(value, ctx.budget)? };
    if ctx.format() != Format::Json && value.kind().is_container() {
        let dense = in_form(&value.json()?, ctx).filter(|fit| fit.tokens <= ctx.budget);
        if dense.is_some() {
            return Ok(dense.map(|fit| (fit, true)));
        }
    }
    Ok(plain.map(|(text, tokens)| (Fit { text, tokens }, false)))
}

/// The result of a lossy step.
enum Rung {
    /// What fits, the steps that were taken for it, and the rows of a page.
    Fits(Fit, Vec<Step>, Option<Rows>),
    /// The step would omit something, which the policy does not allow.
    Over,
    /// Not even what surrounds the data fits.
    FrameTooLarge,
}

/// The steps that omit something; `None` if there is room only for their own members.
fn lossy(draft: &Draft<'_, '_, '_>) -> Result<Option<Shaped>, Error> {
    let (value, ctx, output) = (&draft.layout.value, &draft.ctx, &draft.job.output);
    if ctx.text.is_some()
        && may_be_whole(draft)?
        && let Some(fit) = text_data::whole(value, ctx)?
    {
        return Ok(Some(draft.shaped(fit, draft.steps.clone(), Outcome::Envelope)));
    }
    let is_whole = output.form == Form::Text && ctx.base.is_empty() && ctx.text.is_none();
    let given = output.given.filter(|_| is_whole);
    let rung = match value.kind() {
        Kind::Array if !has_list_inside(draft)? => page_of(draft, value, &ListFrame { ctx, pointer: "" })?,
        Kind::Array | Kind::Object => object(draft)?,
        Kind::String => text(draft, value, given)?,
        // A number with thousands of digits is cut like a text.
        _ => {
            let digits = json_string::quoted(&value.json()?);
            text(draft, &AnySource::new(JsonText::parse(&digits)?), None)?
        }
    };
    match rung {
        Rung::Fits(fit, steps, rows) => Ok(Some(draft.shaped_page((fit, rows), [&draft.steps[..], &steps].concat()))),
        Rung::Over => {
            let candidates = if draft.is_trial { Vec::new() } else { suggest::candidates(draft)? };
            over_budget(draft, candidates).map(Some)
        }
        Rung::FrameTooLarge => Ok(None),
    }
}

/// Whether nothing may be omitted. A cursor explicitly asks for a part, so it gets as much of it as fits.
pub(crate) fn is_strict(ctx: &Context<'_>) -> bool {
    ctx.settings.overflow == Overflow::Error && !ctx.goes_on()
}

/// A page of a list in the value.
fn page_of(draft: &Draft<'_, '_, '_>, list: &AnySource<'_>, frame: &dyn Frame) -> Result<Rung, Error> {
    let is_asked = draft.steps.contains(&Step::Project) || is_strict(&draft.ctx);
    let may_project = draft.ctx.settings.auto_fields && !is_asked;
    Ok(match page(list, draft.omitted, may_project, frame, &draft.ctx)? {
        None => Rung::FrameTooLarge,
        Some(page) if is_strict(&draft.ctx) && !page.is_lossless => Rung::Over,
        Some(page) => Rung::Fits(page.fit, page.steps, Some(page.rows)),
    })
}

/// A page of a list in its own frame; `None` if not even one row fits.
pub(crate) fn page_in(
    draft: &Draft<'_, '_, '_>,
    list: &AnySource<'_>,
    frame: &dyn Frame,
    ctx: &Context<'_>,
) -> Result<Option<Shaped>, Error> {
    let page = page(list, &NOTHING_OMITTED, false, frame, ctx)?;
    Ok(page.map(|page| draft.shaped_page((page.fit, Some(page.rows)), page.steps)))
}

/// Whether the rows of a short list are in one of its items.
fn has_list_inside(draft: &Draft<'_, '_, '_>) -> Result<bool, Error> {
    match draft.ctx.place()? {
        Some(Place { unit: Unit::Rows, pointer, .. }) => Ok(!pointer.is_empty()),
        Some(_) => Ok(false),
        None => Ok(draft.ctx.keyset().is_none() && draft.layout.paged(&draft.ctx)?.is_some()),
    }
}

/// An object, or a short list with rows inside: a page of the list that it mostly is, or a summary.
fn object(draft: &Draft<'_, '_, '_>) -> Result<Rung, Error> {
    let Draft { layout, omitted, weight, ref ctx, .. } = *draft;
    let named;
    let envelope = match ctx.place()? {
        Some(Place { unit: Unit::Rows, pointer, .. }) => {
            named = Envelope::at(&layout.value, &pointer, ctx)?.ok_or_else(paginate::list_is_gone)?;
            Some(&named)
        }
        Some(_) => None,
        None => layout.paged(ctx)?,
    };
    if let Some(Envelope { list, pointer, .. }) = envelope {
        let around =
            if pointer.is_empty() { None } else { envelope.map(|list| list.frame(weight, ctx)).transpose()? };
        if let Some(frame) = around.flatten() {
            match page_of(draft, list, &frame)? {
                Rung::FrameTooLarge => {}
                rung => return Ok(rung),
            }
        }
        // What surrounds the list leaves no room for it: a later page goes without, and otherwise the object is summarized.
        if pointer.is_empty() || ctx.goes_on() || ctx.controls.page.is_some_and(|page| page > 1) {
            return page_of(draft, list, &ListFrame { ctx, pointer });
        }
    }
    if layout.value.kind() == Kind::Array {
        return page_of(draft, &layout.value, &ListFrame { ctx, pointer: "" });
    }
    if is_strict(ctx) {
        return Ok(Rung::Over);
    }
    let summary = summarize::object(&layout.value, omitted, weight, ctx)?;
    Ok(summary.map_or(Rung::FrameTooLarge, |fit| Rung::Fits(fit, vec![Step::Summarize], None)))
}

/// A text: shown as what it is, if that is certain, otherwise truncated.
fn text(draft: &Draft<'_, '_, '_>, text: &AnySource<'_>, given: Option<&str>) -> Result<Rung, Error> {
    let Draft { weight, ref work, ref ctx, .. } = *draft;
    if is_strict(ctx) {
        return Ok(Rung::Over);
    }
    if let Some((format, fit)) = prose::show(text, given, weight, work, ctx)? {
        let steps = format.map(Step::Text).into_iter().chain([Step::Truncate]).collect();
        return Ok(Rung::Fits(fit, steps, None));
    }
    let lead = Members::new();
    let about = About { preview: prose::unread_part(text, ctx), ..About::plain(&lead, weight) };
    let cut = truncate::text(text, &about, ctx)?;
    Ok(cut.map_or(Rung::FrameTooLarge, |fit| Rung::Fits(fit, vec![Step::Truncate], None)))
}

/// The error for a result that is over the budget, with the first candidate that there is room for and that gets data.
pub(crate) fn over_budget(draft: &Draft<'_, '_, '_>, candidates: Vec<Map<String, Value>>) -> Result<Shaped, Error> {
    let ctx = &draft.ctx;
    let exact = match ctx.text {
        Some(_) => ctx.measure.count(&draft.job.output.value.json()?),
        None => ctx.measure.count(&draft.layout.value.json()?),
    };
    let mut error = error_result::over_budget(exact, &Map::new(), ctx);
    for candidate in candidates {
        // A trial does not try suggestions of its own.
        if !draft.is_trial
            && let Some(fit) = error_result::over_budget(exact, &candidate, ctx)
            && is_answered(draft, &candidate)?
        {
            error = Some(fit);
            break;
        }
    }
    let fit = error.unwrap_or(Fit { text: String::new(), tokens: 0 });
    Ok(draft.shaped(fit, vec![Step::Error], Outcome::Error))
}

/// Whether the same call with a suggestion gets data. The call is tried, so that no result suggests a call that fails.
fn is_answered(draft: &Draft<'_, '_, '_>, suggestion: &Map<String, Value>) -> Result<bool, Error> {
    // With sort keys the next call fetches other rows.
    if draft.ctx.is_of_keyset() {
        return Ok(true);
    }
    let (job, budget) = (draft.job, draft.ctx.budget);
    let controls = suggest::followed(&draft.ctx.controls, suggestion);
    let trial = Draft { is_trial: true, work: draft.work.clone(), ..Draft::new(job, budget, controls) };
    explained(job, budget, whole_output(trial)).map(|shaped| !shaped.is_error)
}

/// The result if there is no room for any of the data.
pub(crate) fn nothing_fits(draft: &Draft<'_, '_, '_>) -> Result<Shaped, Error> {
    match draft.ctx.keyset() {
        Some(_) => Err(keyset::too_long(draft.ctx.budget)),
        None => Ok(refusal::nothing_fits(draft)),
    }
}
