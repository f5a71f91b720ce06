//! The handle of a stored result in place of the result.

use crate::base::error::Error;
use crate::ladder::run::Run;
use crate::outcome::receipt::Step;
use crate::outcome::shaped::{Outcome, Shaped};
use crate::render::offload::{Description, Offloaded};
use crate::request::call::Controls;
use crate::request::policy::{Overflow, Settings};
use crate::request::stored_id::Form;
use crate::request::view::View;
use crate::value::any_source::AnySource;

/// The handle of the result, if `overflow` is `offload` and `value`, the part of it to show, is over `offloadOver`.
pub(crate) fn offloaded(run: &Run<'_, '_>, value: &AnySource<'_>, cx: &View<'_>) -> Result<Option<Shaped>, Error> {
    let Settings { overflow, offload_over, .. } = *run.receipts.settings;
    let is_small = |most| Ok::<_, Error>(run.measure.json_within(value, most)?.is_some());
    if overflow != Overflow::Offload || !can_offload(run) || is_small(offload_over.max(cx.budget))? {
        return Ok(None);
    }
    handle(run, cx)
}

/// The handle of a result of any size; `None` if it cannot be stored, if the call asks for a part, or if not even the
/// handle fits.
pub(crate) fn handle(run: &Run<'_, '_>, cx: &View<'_>) -> Result<Option<Shaped>, Error> {
    if !can_offload(run) {
        return Ok(None);
    }
    run.stored()?;
    let fit = run.job.with_content(|content| {
        let structured = run.job.structured(run.receipts.settings)?;
        let (description, has_rows) = match structured {
            Some(text) => (&Description::of(&text.source(), Form::Json)?, true),
            None => (&Description::of(&run.job.output.value, content.form)?, false),
        };
        Ok(Offloaded { content, estimated_tokens: run.receipts.before.tokens(), description, has_rows }.fit(cx))
    })?;
    Ok(fit.flatten().map(|fit| run.job.keeping(run.receipts.shaped(fit, vec![Step::Offload], Outcome::Handle))))
}

/// Whether the whole result can be stored and the call asks for no part of it.
fn can_offload(run: &Run<'_, '_>) -> bool {
    let Controls { page, page_size, cursor, fields, .. } = &run.controls;
    let asks_whole = page.is_none_or(|page| page == 1) && page_size.is_none() && cursor.is_none() && fields.is_empty();
    let call = run.receipts.call;
    asks_whole && call.has_store() && call.store_failure().is_none() && run.keyset.is_none()
}
