//! Which fields a result has: those that the caller asks for, or those of the policy; then the result lists the omitted
//! ones.

use std::collections::BTreeSet;

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_pointer;
use crate::base::sorting::sort_by_key;
use crate::ladder::draft::Draft;
use crate::render::dense::weight;
use crate::render::elide::Omitted;
use crate::render::envelope::Envelope;
use crate::render::notes;
use crate::request::call::RequestedFields;
use crate::request::policy::Settings;
use crate::value::any_source::AnySource;
use crate::value::at_pointer;
use crate::value::listed_fields::unknown_field_error;
use crate::value::project::{self, Projected, Selection};
use crate::value::source::{Kind, Source};

/// What the caller's `fields` name.
pub(crate) enum Led<'v> {
    /// The value at the one JSON Pointer, and the pointer.
    Part(AnySource<'v>, String),
    Fields(Selection),
    /// One field does not exist: the error, and the fields that exist.
    Nowhere(Error, Vec<String>),
}

/// Finds the fields that the caller asks for.
///
/// # Errors
/// As [`Selection::of`], and whatever reading the value reports.
pub(crate) fn follow<'p>(draft: &Draft<'_, '_, 'p>) -> Result<Led<'p>, Error> {
    let Draft { layout, ref ctx, ref work, .. } = *draft;
    let (value, controls) = (&layout.value, &ctx.controls);
    let fields = &controls.fields;
    let Some(unknown) = project::unknown_field(value, fields, work)? else {
        return Ok(match controls.requested() {
            RequestedFields::Part(pointer) => match at_pointer::at_pointer(value, pointer.segments())? {
                Some(part) => Led::Part(part, pointer.written().to_owned()),
                None => Led::Fields(Selection::new(fields, &[]).of(value)?),
            },
            RequestedFields::All | RequestedFields::Fields => Led::Fields(Selection::new(fields, &[]).of(value)?),
        });
    };
    // In an envelope the fields may be those of its list's rows.
    if let Some(envelope) = layout.envelope()?
        && envelope.has_fields()?
        && project::unknown_field(&envelope.list, fields, work)?.is_none()
    {
        return Ok(Led::Fields(of_rows(fields, Some(envelope)).of(value)?));
    }
    let (error, names) = unknown_field_error(value, unknown, notes::error::NO_WILDCARDS, work)?;
    Ok(Led::Nowhere(error, names))
}

/// The policy's fields, as far as the rows of the list, or otherwise the object, have them; and those that no row of a
/// list has.
pub(crate) fn default_selection(draft: &Draft<'_, '_, '_>) -> Result<(Option<Selection>, Vec<String>), Error> {
    let layout = draft.layout;
    let Settings { fields, .. } = draft.ctx.settings;
    if fields.is_empty() || !layout.value.kind().is_container() {
        return Ok((None, Vec::new()));
    }
    let envelope = match layout.envelope()? {
        Some(envelope) if envelope.has_fields()? => Some(envelope),
        _ => None,
    };
    let has_rows = envelope.is_some() || layout.value.kind() == Kind::Array;
    let rows = envelope.map_or(&layout.value, |envelope| &envelope.list);
    let known = project::known_fields(rows, fields, &draft.work)?;
    let is_unmatched = |field: &&FieldPath| has_rows && known.iter().all(|one| one.written() != field.written());
    let unmatched = fields.iter().filter(is_unmatched).map(|field| field.written().to_owned()).collect();
    Ok((if known.is_empty() { None } else { Some(of_rows(&known, envelope)) }, unmatched))
}

/// The fields of the rows of a list, which is the value itself unless it is in an envelope.
fn of_rows(fields: &[FieldPath], envelope: Option<&Envelope<'_>>) -> Selection {
    let Some(envelope) = envelope else { return Selection::new(fields, &[]) };
    let base = json_pointer::tokens(&envelope.pointer).unwrap_or_default();
    if envelope.is_map { Selection::of_each(fields, &base) } else { Selection::new(fields, &base) }
}

/// What a projection omits, with as many names as `left` tokens hold, the outer fields first.
///
/// # Errors
/// Whatever reading the value reports.
pub(crate) fn omitted(projected: &Projected<'_, AnySource<'_>>, left: usize) -> Result<Omitted, Error> {
    let mut names = BTreeSet::new();
    projected.left_out("", &mut names)?;
    let keys = projected.original().len() - projected.len();
    Ok(Omitted { names: listed(names.iter().map(String::as_str).collect(), left), keys })
}

/// As many of these names as `left` tokens hold, the outer fields first.
pub(crate) fn listed(mut names: Vec<&str>, mut left: usize) -> Vec<String> {
    sort_by_key(&mut names, |name| name.matches('.').count());
    let mut listed: Vec<String> = Vec::new();
    for name in names {
        let tokens = tokens_of(name);
        if tokens > left {
            listed.push("...".to_owned());
            break;
        }
        left -= tokens;
        listed.push(name.to_owned());
    }
    listed
}

/// About the tokens of a name in a list of omitted fields.
fn tokens_of(name: &str) -> usize {
    weight(name) as usize + 3
}
