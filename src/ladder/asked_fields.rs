//! Which fields a result is shown with: those that the caller asked for, or those of the policy, which
//! then says what it left out.

use std::collections::BTreeSet;

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_pointer;
use crate::ladder::refusal;
use crate::ladder::run::{Descent, Run};
use crate::outcome::receipt::Step;
use crate::outcome::shaped::Shaped;
use crate::render::elide::Omitted;
use crate::render::layout::Layout;
use crate::request::call::Asked;
use crate::request::context::Context;
use crate::value::any_source::AnySource;
use crate::value::lookup;
use crate::value::project::{self, Projected, Selection};
use crate::value::source::Source;
use crate::value::token_estimate;

/// The names of omitted fields may take one part in so many of the budget.
const NAME_PARTS: usize = 8;

/// Down the ladder with the fields that the caller asked for.
pub(crate) fn shape(run: &Run<'_, '_>, layout: &Layout<'_>, cx: &Context<'_>) -> Result<Shaped, Error> {
    let (value, fields) = (&layout.value, &run.controls.fields);
    let Some(unknown) = project::unknown_field(value, fields)? else {
        // One JSON Pointer alone is the value that it points to.
        if let Asked::Part(pointer) = run.controls.asked()
            && let Some(part) = lookup::at_pointer(value, pointer.segments())?
        {
            let cx = run.context_of(cx.how_to_ask, &format!("{}{}", cx.base, pointer.written()));
            let weight = token_estimate::tokens(&part, run.measure)?;
            return run.descend(Descent::new(&Layout::new(part), weight, vec![Step::Project]), &cx);
        }
        return projected(run, value, &Selection::new(fields, &[]), cx);
    };
    // In an envelope the fields may be meant as those of its list's rows.
    if let Some(envelope) = layout.envelope()?
        && project::unknown_field(&envelope.list, fields)?.is_none()
    {
        let base = json_pointer::tokens(&envelope.pointer).unwrap_or_default();
        return projected(run, value, &Selection::new(fields, &base), cx);
    }
    let (error, names) = project::unknown_field_error(value, unknown)?;
    Ok(refusal::refuse(&run.receipts, &error, &names))
}

fn projected(
    run: &Run<'_, '_>,
    value: &AnySource<'_>,
    selection: &Selection,
    cx: &Context<'_>,
) -> Result<Shaped, Error> {
    let layout = &Layout::new(AnySource::new(Projected::new(value.clone(), selection)));
    run.descend(Descent::new(layout, run.receipts.before.tokens(), vec![Step::Project]), cx)
}

/// The policy's fields, as far as the rows of the list, or else the object, have them.
pub(crate) fn default_selection(run: &Run<'_, '_>) -> Result<Option<Selection>, Error> {
    let (layout, fields) = (&run.job.layout, &run.receipts.settings.fields);
    if fields.is_empty() || !layout.value.kind().is_container() {
        return Ok(None);
    }
    let (rows, base) = match layout.envelope()? {
        Some(envelope) => (&envelope.list, json_pointer::tokens(&envelope.pointer).unwrap_or_default()),
        None => (&layout.value, Vec::new()),
    };
    let known = known(rows, fields)?;
    Ok(if known.is_empty() { None } else { Some(Selection::new(&known, &base)) })
}

/// Those of the fields that lead somewhere in the rows.
pub(crate) fn known(rows: &AnySource<'_>, fields: &[FieldPath]) -> Result<Vec<FieldPath>, Error> {
    let mut known = Vec::new();
    for field in fields {
        if project::unknown_field(rows, std::slice::from_ref(field))?.is_none() {
            known.push(field.clone());
        }
    }
    Ok(known)
}

/// What a default projection leaves out, with as many names as a result should list.
pub(crate) fn omitted(run: &Run<'_, '_>, projected: &Projected<'_, AnySource<'_>>) -> Result<Omitted, Error> {
    let mut names = BTreeSet::new();
    projected.left_out("", &mut names)?;
    let mut left = run.receipts.settings.room() / NAME_PARTS;
    let mut listed: Vec<String> = Vec::new();
    for name in names {
        let tokens = run.measure.count(&name) + 3;
        if tokens > left {
            listed.push("...".to_owned());
            break;
        }
        left -= tokens;
        listed.push(name);
    }
    Ok(Omitted { names: listed, keys: projected.original().len() - projected.len() })
}
