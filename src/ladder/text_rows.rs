//! Text over the budget that has rows or data in it goes down the ladder as these.

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::ladder::asked_fields;
use crate::ladder::job::Job;
use crate::ladder::run::{Descent, Run};
use crate::ladder::shape;
use crate::ladder::structured_text::StructuredText;
use crate::outcome::receipt::Step;
use crate::outcome::shaped::Shaped;
use crate::render::layout::Layout;
use crate::request::call::Controls;
use crate::request::cursor::Unit;
use crate::request::policy::Format;
use crate::request::view::View;
use crate::value::any_source::AnySource;
use crate::value::lookup;
use crate::value::project::Projected;
use crate::value::source::{Kind, Source};
use crate::value::token_estimate;

/// Whether the call asks for something that only rows or data have.
pub(crate) fn is_asked_for(run: &Run<'_, '_>, cx: &View<'_>) -> Result<bool, Error> {
    let is_later = run.controls.page.is_some_and(|page| page > 1);
    let asks = is_later || !run.controls.fields.is_empty();
    Ok(asks || cx.place()?.is_some_and(|place| place.unit != Unit::Chars))
}

/// The output as rows or data, if it is a text that has them in it.
///
/// # Errors
/// As [`shape::shape`].
pub(crate) fn output(run: &mut Run<'_, '_>, cx: &View<'_>) -> Result<Option<Shaped>, Error> {
    // With fields, a cursor may be one into the part that they name.
    if run.controls.fields.is_empty() && is_in_chars(cx)? {
        return Ok(None);
    }
    run.weigh()?;
    let run = &*run;
    match run.job.structured(run.receipts.settings)? {
        Some(text) => show(run, text, cx),
        None => Ok(None),
    }
}

/// The same for a text that is a part of the output.
///
/// # Errors
/// As [`shape::shape`].
pub(crate) fn part(run: &Run<'_, '_>, part: &AnySource<'_>, cx: &View<'_>) -> Result<Option<Shaped>, Error> {
    let is_text = part.kind() == Kind::String && run.controls.format != Some(Format::Text);
    if !is_text || is_in_chars(cx)? || run.measure.json_within(part, cx.budget)?.is_some() {
        return Ok(None);
    }
    match StructuredText::recognize(part, None, run.receipts.settings)? {
        Some(text) => {
            show(&Run { controls: Controls { fields: Vec::new(), ..run.controls.clone() }, ..run.again() }, &text, cx)
        }
        None => Ok(None),
    }
}

/// The value at a pointer that leads into a text within `value`, if the text has rows or data in it.
///
/// # Errors
/// As [`shape::shape`].
pub(crate) fn inside(
    run: &Run<'_, '_>,
    value: &AnySource<'_>,
    pointer: &FieldPath,
    cx: &View<'_>,
) -> Result<Option<Shaped>, Error> {
    let (text, led) = lookup::last_on_way(value, pointer.segments())?;
    let cx = run.view_of(cx.how_to_ask, &format!("{}{}", cx.base, pointer.written()));
    within(run, &text, &pointer.segments()[led..], &cx)
}

/// The same for the value that `segments` lead to from a text. There may be a text in its data as well.
fn within(
    run: &Run<'_, '_>,
    text: &AnySource<'_>,
    segments: &[String],
    cx: &View<'_>,
) -> Result<Option<Shaped>, Error> {
    if text.kind() != Kind::String || segments.is_empty() {
        return Ok(None);
    }
    let Some(structured) = StructuredText::recognize(text, None, run.receipts.settings)? else { return Ok(None) };
    let (part, led) = lookup::last_on_way(&structured.source(), segments)?;
    if led < segments.len() {
        return within(run, &part, &segments[led..], cx);
    }
    let weight = token_estimate::tokens(&part, run.measure)?;
    let steps = vec![Step::Text(structured.format()), Step::Project];
    shape::descend(run, Descent::new(&Layout::new(part), weight, steps), cx).map(Some)
}

/// Whether the call's cursor is one into the text itself.
fn is_in_chars(cx: &View<'_>) -> Result<bool, Error> {
    Ok(cx.place()?.is_some_and(|place| place.unit == Unit::Chars))
}

fn show(run: &Run<'_, '_>, text: &StructuredText<'_>, cx: &View<'_>) -> Result<Option<Shaped>, Error> {
    let Some(view) = text.view(cx) else { return Ok(None) };
    let (layout, weight) = (Layout::new(text.source()), run.receipts.before.tokens());
    let mut shaped = if !run.controls.fields.is_empty() {
        shape::with_asked_fields(run, &layout, &view)?
    } else {
        match asked_fields::default_selection(run, &layout)? {
            Some(selection) => {
                let projected = Projected::new(layout.value.clone(), &selection);
                let omitted = &asked_fields::omitted(run, &projected)?;
                let layout = &Layout::new(AnySource::new(projected));
                shape::descend(run, Descent { omitted, ..Descent::new(layout, weight, vec![Step::Project]) }, &view)?
            }
            None => shape::descend(run, Descent::new(&layout, weight, Vec::new()), &view)?,
        }
    };
    // Not even what surrounds the rows fits: the text is cut instead.
    if shaped.receipt.steps == [Step::Truncate] && !is_asked_for(run, cx)? {
        return Ok(None);
    }
    if !shaped.is_error {
        shaped.receipt.steps.insert(0, Step::Text(text.format()));
    }
    Ok(Some(shaped))
}

/// Shapes the output as the text that it is, whatever its structure: JSON with the white space that it was given with.
///
/// # Errors
/// As [`shape::shape`].
pub(crate) fn as_text(job: &Job<'_>, shape: impl FnOnce(&Job<'_>) -> Result<Shaped, Error>) -> Result<Shaped, Error> {
    let text = job.output.own_text()?;
    let own = job.as_text(&text);
    let mut shaped = shape(&own)?;
    own.deliver(&mut shaped.keep);
    Ok(shaped)
}
