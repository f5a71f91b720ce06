//! Tells which fields filters look at that no value has.

use std::collections::BTreeSet;

use crate::base::members::Members;
use crate::base::text_cuts::clipped;

/// Fields that are named, and their characters.
const FIELDS: usize = 3;
const CHARS: usize = 40;

/// Writes the fields, if there are any, each once.
pub(super) fn write<'q>(unmet: impl IntoIterator<Item = &'q str>, out: &mut Members) {
    let mut seen = BTreeSet::new();
    let unmet = unmet.into_iter().filter(|field| seen.insert(*field)).take(FIELDS);
    let unmet: Vec<String> = unmet.map(|field| clipped(field, CHARS).into()).collect();
    if !unmet.is_empty() {
        out.texts("unknownFields", &unmet);
    }
}
