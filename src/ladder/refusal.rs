//! Results without data: for an error in the call, and for data that has no room.

use crate::base::error::Error;
use crate::base::members::Members;
use crate::outcome::receipt::Step;
use crate::outcome::shaped::{Outcome, Receipts, Shaped};
use crate::render::error_result;
use crate::render::notes;
use crate::request::view::Fit;
use crate::value::token_count::Measure;

/// The result that explains to the caller the error in the call; `fields` are those that exist.
pub(crate) fn refuse(receipts: &Receipts<'_>, error: &Error, fields: &[String]) -> Shaped {
    let (settings, measure) = (receipts.settings, Measure { encoding: receipts.settings.encoding });
    let (text, tokens) =
        error_result::of_call(error, fields, receipts.call, |text| measure.fits(text, settings.room()));
    receipts.shaped(Fit { text, tokens }, vec![Step::Error], Outcome::Error)
}

/// The result if there is no room for any of the data.
pub(crate) fn nothing_fits(receipts: &Receipts<'_>) -> Shaped {
    let measure = Measure { encoding: receipts.settings.encoding };
    let mut out = Members::new();
    out.flag("truncated", true);
    out.text("note", notes::error::NOTHING_FITS);
    let text = out.into_object();
    let tokens = measure.count(&text);
    receipts.shaped(Fit { text, tokens }, vec![Step::Truncate], Outcome::Envelope)
}
