//! Results without data: for an error in the call, and for data that has no room.

use crate::base::error::Error;
use crate::base::members::Members;
use crate::ladder::draft::Draft;
use crate::outcome::receipt::{Step, Weight};
use crate::outcome::shaped::{Outcome, Shaped};
use crate::render::error_result;
use crate::render::notes;
use crate::request::call::Call;
use crate::request::context::Fit;
use crate::request::policy::Settings;

/// The result that explains to the caller the error in the call; `fields` are those that exist.
pub(crate) fn refuse(
    settings: &Settings,
    budget: usize,
    call: &Call,
    before: Weight,
    error: &Error,
    fields: &[String],
) -> Shaped {
    let measure = settings.measure();
    let fits = |text: &str| measure.fits(text, budget);
    let (text, tokens) = error_result::of_call(error, fields, call, &settings.read_tool, fits);
    Shaped::new(settings, call, before, Fit { text, tokens }, vec![Step::Error], Outcome::Error).within(budget)
}

/// The result if there is no room for any of the data.
pub(crate) fn nothing_fits(draft: &Draft<'_, '_, '_>) -> Shaped {
    let mut out = Members::new();
    out.flag("truncated", true);
    out.text("note", notes::error::NOTHING_FITS);
    let text = out.into_object();
    let tokens = draft.ctx.measure.count(&text);
    draft.shaped(Fit { text, tokens }, vec![Step::Truncate], Outcome::Envelope)
}
