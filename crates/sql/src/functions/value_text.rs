//! The text of a value of SQLite when it is joined to another.

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

/// A real number with 15 digits, as SQLite writes it.
fn real(number: f64) -> String {
    let scientific = format!("{number:.14e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return number.to_string() };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-5..15).contains(&exponent) {
        let fixed = format!("{number:.*}", usize::try_from(14 - exponent).unwrap_or(0));
        let trimmed = if fixed.contains('.') { fixed.trim_end_matches('0') } else { &fixed };
        return if trimmed.ends_with('.') { format!("{trimmed}0") } else { with_point(trimmed) };
    }
    let mantissa = mantissa.trim_end_matches('0');
    let mantissa = if mantissa.ends_with('.') { format!("{mantissa}0") } else { mantissa.to_owned() };
    format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn with_point(text: &str) -> String {
    if text.contains('.') { text.to_owned() } else { format!("{text}.0") }
}
