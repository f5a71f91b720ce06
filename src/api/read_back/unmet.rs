//! Tells which fields filters look at that no value has.

use std::collections::BTreeSet;

use crate::base::members::Members;
use crate::base::text_cuts::{KEY_CHARS, clipped};

/// Writes the fields, if there are any, each once; of many the first three, which are enough to notice a mistake.
pub(super) fn write<'q>(unmet: impl IntoIterator<Item = &'q str>, out: &mut Members) {
    let mut seen = BTreeSet::new();
    let unmet = unmet.into_iter().filter(|field| seen.insert(*field)).take(3);
    let unmet: Vec<String> = unmet.map(|field| clipped(field, KEY_CHARS).into()).collect();
    if !unmet.is_empty() {
        out.texts("unknownFields", &unmet);
    }
}
