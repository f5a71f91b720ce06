//! What rows or groups are sorted by.

use crate::base::field_path::FieldPath;

/// One sort key: `-name` is descending, and a name that begins so is written as a JSON Pointer.
#[derive(Clone, Debug)]
pub(crate) struct SortKey {
    pub field: FieldPath,
    pub is_descending: bool,
}

impl SortKey {
    /// Reads a key; `None` for a sign without a name.
    pub fn parse(written: &str) -> Option<Self> {
        let name = written.strip_prefix('-');
        let is_descending = name.is_some();
        let name = name.unwrap_or(written);
        (!name.is_empty()).then(|| Self { field: FieldPath::parse(name), is_descending })
    }
}
