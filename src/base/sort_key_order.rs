//! The one total order of sort keys: null, then false, true, numbers by value, and text.
//!
//! Descending order is its reverse. Text is ordered by Unicode code points, as SQLite does, and PostgreSQL under the
//! collation "C". Other databases use other collations, so two texts are compared only where every collation agrees.

use std::cmp::Ordering;

use toolshape_json::Decimal;

use crate::base::json_string::Quoted;
use crate::base::numbers::double;

/// How two sort keys compare, both JSON text of scalars; `None` for texts whose order depends on the
/// collation.
pub(crate) fn compare(a: &str, b: &str) -> Option<Ordering> {
    match rank(a).cmp(&rank(b)) {
        Ordering::Equal if is_text(a) => texts(a, b),
        Ordering::Equal if rank(a) == NUMBERS => Some(numbers(a, b)),
        unequal => Some(unequal),
    }
}

/// How two JSON numbers compare by value, exactly.
pub(crate) fn numbers(a: &str, b: &str) -> Ordering {
    // Rounding to doubles keeps the order, so that only equal doubles have to be looked at digit by digit.
    match double(a).partial_cmp(&double(b)) {
        None | Some(Ordering::Equal) if a == b => Ordering::Equal,
        None | Some(Ordering::Equal) => Decimal::of(a).cmp(&Decimal::of(b)),
        Some(order) => order,
    }
}

pub(crate) fn is_null(key: &str) -> bool {
    key == "null"
}

const NUMBERS: u8 = 3;

fn rank(key: &str) -> u8 {
    match key.as_bytes()[0] {
        b'n' => 0,
        b'f' => 1,
        b't' => 2,
        b'"' => 4,
        _ => NUMBERS,
    }
}

fn is_text(key: &str) -> bool {
    key.starts_with('"')
}

/// Compares texts that are equal, or that have equal length and first differ in a digit, such as dates and times.
fn texts(a: &str, b: &str) -> Option<Ordering> {
    let (a, b) = (Quoted::new(a).text(), Quoted::new(b).text());
    match a.bytes().zip(b.bytes()).find(|(a, b)| a != b) {
        Some((x, y)) => (x.is_ascii_digit() && y.is_ascii_digit() && a.len() == b.len()).then(|| x.cmp(&y)),
        None => (a.len() == b.len()).then_some(Ordering::Equal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_numbers_have_one_order() {
        let ascending = [
            "null", "false", "true", "-1e400", "-1E2", "-99.5", "-1", "-1e-9", "0", "1e-400", "0.5", "0.50001", "1",
            "9007199254740992", "9007199254740993", "9007199254740993.5", "1e16", "1e99999999999999999999", "\"\"",
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(compare(a, b), Some(i.cmp(&j)), "{a} {b}");
            }
        }
        for (a, b) in [("-0", "0"), ("0.0", "0e5"), ("1e2", "100"), ("1.50", "15e-1"), ("\"a\"", "\"\\u0061\"")] {
            assert_eq!(compare(a, b), Some(Ordering::Equal), "{a} {b}");
        }
    }

    #[test]
    fn texts_are_compared_where_every_collation_agrees() {
        assert_eq!(compare("\"2026-01-09\"", "\"2026-01-10\""), Some(Ordering::Less));
        for (a, b) in [("\"a\"", "\"B\""), ("\"9\"", "\"10\""), ("\"é\"", "\"f\""), ("\"a\"", "\"ab\"")] {
            assert_eq!(compare(a, b), None, "{a} {b}");
        }
    }
}
