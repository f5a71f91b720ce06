//! The text of a value of SQLite, as an answer shows it.

use std::borrow::Cow;

use rusqlite::types::ValueRef;

/// The text of a value; `None` for `NULL`. Bytes that are not UTF-8 become U+FFFD.
pub fn of(value: ValueRef<'_>) -> Option<Cow<'_, str>> {
    Some(match value {
        ValueRef::Null => return None,
        ValueRef::Integer(number) => Cow::Owned(number.to_string()),
        ValueRef::Real(number) => Cow::Owned(real(number)),
        // Nearly all are UTF-8, which is seen faster than what is not is replaced.
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
        }
    })
}

/// A real number with the digits that an answer shows of it.
fn real(number: f64) -> String {
    if number.is_finite() { format!("{number:?}") } else { number.to_string() }
}
