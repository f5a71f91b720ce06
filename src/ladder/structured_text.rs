//! Text over the budget that has rows or data in it goes down the ladder as these.

use std::borrow::Cow;
use std::rc::Rc;

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_string;
use crate::ladder::asked_fields;
use crate::ladder::job::Job;
use crate::ladder::run::{Descent, Run};
use crate::ladder::shape;
use crate::outcome::receipt::Step;
use crate::outcome::shaped::Shaped;
use crate::render::layout::Layout;
use crate::request::call::Controls;
use crate::request::cursor::Unit;
use crate::request::policy::{Format, ReadAs, Settings};
use crate::request::read_text::ReadText;
use crate::request::view::View;
use crate::value::any_source::AnySource;
use crate::value::lookup;
use crate::value::project::Projected;
use crate::value::source::{self, Kind, Source};
use crate::value::structured_text::{self, Formats, HEAD, Structure, TextFormat};
use crate::value::token_estimate;

/// What stands around rows or data takes at most one part in so many of the budget.
const AROUND: usize = 8;

/// A text, and what it has in it.
pub(crate) struct StructuredText<'v> {
    text: Cow<'v, str>,
    structure: Structure,
}

impl<'v> StructuredText<'v> {
    /// The structure of a text, if the settings allow it to be read by one; `given` is the text, where the core has it.
    ///
    /// # Errors
    /// Whatever reading the text reports.
    pub fn recognize(text: &AnySource<'v>, given: Option<&'v str>, settings: &Settings) -> Result<Option<Self>, Error> {
        let Some(formats) = formats(settings).filter(|_| text.kind() == Kind::String) else { return Ok(None) };
        let text = match given {
            Some(given) => Cow::Borrowed(given),
            None => {
                // Most texts are excluded by their start, so that they need not be copied.
                let head = json_string::unescape(&text.slice(0, HEAD)?);
                if !structured_text::may_be_structured(&head, formats, text.chars() <= HEAD) {
                    return Ok(None);
                }
                Cow::Owned(source::text(text)?)
            }
        };
        let structure = structured_text::recognize(&text, formats);
        Ok(structure.map(|structure| Self { text, structure }))
    }

    /// What the text is.
    pub fn format(&self) -> TextFormat {
        self.structure.format
    }

    /// The rows or the data.
    pub fn source(&self) -> AnySource<'_> {
        self.structure.source(&self.text)
    }

    /// The JSON text of the rows or the data.
    ///
    /// # Errors
    /// Whatever reading the rows reports.
    pub fn json(&self) -> Result<String, Error> {
        match self.structure.json_span(&self.text) {
            Some(json) => Ok(json.to_owned()),
            None => Ok(self.source().json()?.into_owned()),
        }
    }

    /// The same view, for a result that shows the rows or the data; `None` if there is no room for what stands around
    /// them.
    fn view<'a>(&self, cx: &View<'a>) -> Option<View<'a>> {
        let Structure { format, is_cut, before, after, .. } = &self.structure;
        let around = [before, after].map(|place| self.text[place.clone()].trim().to_owned());
        let tokens: usize = around.iter().map(|text| cx.measure.count(text)).sum();
        if tokens > cx.budget / AROUND {
            return None;
        }
        let Controls { page, cursor, .. } = &cx.controls;
        let is_first = cursor.is_none() && page.is_none_or(|page| page == 1);
        let [before, after] = around;
        let (chars, around) = (self.text.chars().count(), is_first.then_some((before, after)));
        let text = ReadText { format: *format, is_cut: *is_cut, chars, around };
        let mut controls = cx.controls.clone();
        if format.is_table() {
            controls.format = controls.format.or(Some(Format::Columns));
        }
        let mut view = cx.clone();
        (view.controls, view.text) = (controls, Some(Rc::new(text)));
        Some(view)
    }
}

/// The formats that the settings allow a text to be read as.
fn formats(settings: &Settings) -> Option<Formats> {
    match settings.text {
        ReadAs::Auto => Some(Formats::All),
        ReadAs::Csv => Some(Formats::Delimited),
        ReadAs::Plain | ReadAs::Markdown | ReadAs::Html | ReadAs::Log => None,
    }
}

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
    if text.kind() != Kind::String || led == pointer.segments().len() {
        return Ok(None);
    }
    let Some(structured) = StructuredText::recognize(&text, None, run.receipts.settings)? else { return Ok(None) };
    let found = lookup::at_pointer(&structured.source(), &pointer.segments()[led..])?;
    let Some(part) = found else { return Ok(None) };
    let cx = run.view_of(cx.how_to_ask, &format!("{}{}", cx.base, pointer.written()));
    let weight = token_estimate::tokens(&part, run.measure)?;
    let steps = vec![Step::Text(structured.format()), Step::Project];
    shape::descend(run, Descent::new(&Layout::new(part), weight, steps), &cx).map(Some)
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
