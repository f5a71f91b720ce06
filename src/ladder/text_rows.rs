//! Text over the budget that has rows or data in it goes down the ladder as these.

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::ladder::draft::Draft;
use crate::ladder::job::Job;
use crate::ladder::shape;
use crate::ladder::structured_text::StructuredText;
use crate::outcome::receipt::Step;
use crate::outcome::shaped::Shaped;
use crate::render::layout::ListLayout;
use crate::request::context::Context;
use crate::request::cursor::Unit;
use crate::request::policy::Format;
use crate::value::any_source::AnySource;
use crate::value::at_pointer;
use crate::value::source::{Kind, Source};
use crate::value::token_estimate;

/// Whether the call asks for something that only rows or data have.
pub(crate) fn is_asked_for(ctx: &Context<'_>) -> Result<bool, Error> {
    let is_later = ctx.controls.page.is_some_and(|page| page > 1);
    let asks = is_later || !ctx.controls.fields.is_empty();
    Ok(asks || ctx.place()?.is_some_and(|place| place.unit != Unit::Chars))
}

/// The output as rows or data, if it is a text that has them in it.
///
/// # Errors
/// As [`shape::shape`].
pub(crate) fn output(draft: &mut Draft<'_, '_, '_>) -> Result<Option<Shaped>, Error> {
    // With fields, a cursor may be one into the part that they name.
    if draft.ctx.controls.fields.is_empty() && is_in_chars(&draft.ctx)? {
        return Ok(None);
    }
    draft.weigh()?;
    match draft.job.structured()? {
        Some(text) => show(draft, text, &draft.ctx),
        None => Ok(None),
    }
}

/// The same for a text that is a part of the output.
///
/// # Errors
/// As [`shape::shape`].
pub(crate) fn part(
    draft: &Draft<'_, '_, '_>,
    part: &AnySource<'_>,
    ctx: &Context<'_>,
) -> Result<Option<Shaped>, Error> {
    let is_text = part.kind() == Kind::String && ctx.controls.format != Some(Format::Text);
    if !is_text || is_in_chars(ctx)? || ctx.measure.json_within(part, ctx.budget)?.is_some() {
        return Ok(None);
    }
    match StructuredText::recognize(part, None, ctx.settings.text)? {
        Some(text) => show(draft, &text, &ctx.without_fields()),
        None => Ok(None),
    }
}

/// The value at a pointer that leads into a text within the value, if the text has rows or data in it.
///
/// # Errors
/// As [`shape::shape`].
pub(crate) fn inside(draft: &Draft<'_, '_, '_>, pointer: &FieldPath) -> Result<Option<Shaped>, Error> {
    let (text, led) = at_pointer::last_on_way(&draft.layout.value, pointer.segments())?;
    let ctx = draft.ctx.at(draft.ctx.how_to_ask, format!("{}{}", draft.ctx.base, pointer.written()));
    within(draft, &text, &pointer.segments()[led..], &ctx)
}

/// The same for the value that `segments` lead to from a text. There may be a text in its data as well.
fn within(
    draft: &Draft<'_, '_, '_>,
    text: &AnySource<'_>,
    segments: &[String],
    ctx: &Context<'_>,
) -> Result<Option<Shaped>, Error> {
    if text.kind() != Kind::String || segments.is_empty() {
        return Ok(None);
    }
    let Some(structured) = StructuredText::recognize(text, None, ctx.settings.text)? else { return Ok(None) };
    let (part, led) = at_pointer::last_on_way(&structured.source(), segments)?;
    if led < segments.len() {
        return within(draft, &part, &segments[led..], ctx);
    }
    let weight = token_estimate::tokens(&part, ctx.measure)?;
    let steps = vec![Step::Text(structured.format()), Step::Project];
    shape::descend(draft.of_part(&ListLayout::new(part), weight, steps, ctx.clone())).map(Some)
}

/// Whether the call's cursor is one into the text itself.
fn is_in_chars(ctx: &Context<'_>) -> Result<bool, Error> {
    Ok(ctx.place()?.is_some_and(|place| place.unit == Unit::Chars))
}

fn show(draft: &Draft<'_, '_, '_>, text: &StructuredText<'_>, ctx: &Context<'_>) -> Result<Option<Shaped>, Error> {
    let Some(of_rows) = text.context(ctx) else { return Ok(None) };
    let layout = ListLayout::new(text.source());
    let rows = draft.of_part(&layout, draft.weight, Vec::new(), of_rows);
    let mut shaped = match ctx.controls.fields.is_empty() {
        true => shape::with_default_fields(rows)?,
        false => shape::with_asked_fields(&rows)?,
    };
    // Not even what surrounds the rows fits: the text is cut instead.
    if shaped.receipt.steps == [Step::Truncate] && !is_asked_for(ctx)? {
        return Ok(None);
    }
    if !shaped.is_error {
        shaped.receipt.steps.insert(0, Step::Text(text.format()));
    }
    Ok(Some(shaped))
}

/// Shapes the output as plain text, whatever its structure: JSON keeps its white space.
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
