//! The handle of a stored result in place of the result.

use crate::base::error::Error;
use crate::ladder::draft::Draft;
use crate::outcome::receipt::Step;
use crate::outcome::shaped::{Outcome, Shaped};
use crate::render::offload::{Description, Offloaded};
use crate::request::call::Controls;
use crate::request::content_id::Form;
use crate::request::policy::{Overflow, Settings};

/// The handle of the result, if `overflow` is `offload` and the value to show is over `offloadOver`.
pub(crate) fn offloaded(draft: &Draft<'_, '_, '_>) -> Result<Option<Shaped>, Error> {
    let ctx = &draft.ctx;
    let Settings { overflow, offload_over, .. } = *ctx.settings;
    if overflow != Overflow::Offload || !can_offload(draft) {
        return Ok(None);
    }
    let most = offload_over.max(ctx.budget);
    let small = match ctx.text {
        Some(_) => ctx.measure.json_within(&draft.job.output.value, most)?,
        None => ctx.measure.json_within(&draft.layout.value, most)?,
    };
    if small.is_some() { Ok(None) } else { handle(draft) }
}

/// The handle of a result of any size; `None` if it cannot be stored, if the call asks for a part, or if not even the
/// handle fits.
pub(crate) fn handle(draft: &Draft<'_, '_, '_>) -> Result<Option<Shaped>, Error> {
    if !can_offload(draft) {
        return Ok(None);
    }
    draft.stored()?;
    let (job, ctx) = (draft.job, &draft.ctx);
    let fit = job.with_content(|content| {
        let (description, has_rows) = match job.structured()? {
            Some(text) => (&Description::of(&text.source(), Form::Json)?, true),
            None => (&Description::of(&job.output.value, content.form)?, false),
        };
        Ok(Offloaded { content, estimated_tokens: draft.before.tokens(), description, has_rows }.fit(ctx))
    })?;
    Ok(fit.flatten().map(|fit| job.keeping(draft.shaped(fit, vec![Step::Offload], Outcome::Handle))))
}

/// Whether the whole result can be stored and the call asks for no part of it.
fn can_offload(draft: &Draft<'_, '_, '_>) -> bool {
    let Controls { page, page_size, cursor, fields, .. } = &*draft.ctx.controls;
    let asks_whole = page.is_none_or(|page| page == 1) && page_size.is_none() && cursor.is_none() && fields.is_empty();
    let call = draft.ctx.call;
    asks_whole && call.has_store() && call.store_failure().is_none() && !draft.ctx.is_of_keyset()
}
