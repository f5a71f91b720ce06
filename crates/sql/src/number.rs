//! Numbers as they are spelled, and as SQLite holds them.

use std::cmp::Ordering;

pub use toolshape_json::is_number;
use toolshape_json::{Decimal, short_double};

/// What SQLite can hold of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Integer(i64),
    Real(f64),
    /// An integer beyond 64 bits, or a number beyond a double or with more digits than one holds: its digits stay text.
    Beyond,
}

/// Reads a JSON number.
pub fn read(spelled: &str) -> Number {
    if !spelled.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        return spelled.parse().map_or(Number::Beyond, Number::Integer);
    }
    match short_double(spelled).or_else(|| spelled.parse().ok()) {
        Some(number) if number.is_finite() && !is_rounded(spelled, number) => Number::Real(number),
        _ => Number::Beyond,
    }
}

/// Whether a double holds fewer digits than are spelled.
fn is_rounded(spelled: &str, number: f64) -> bool {
    spelled.len() > 16 && compare(spelled, &format!("{number:e}")) != Ordering::Equal
}

/// Compares two texts as numbers, exactly, if both are; any number is before any other text.
pub fn compare(a: &str, b: &str) -> Ordering {
    match (decimal(a), decimal(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

fn decimal(text: &str) -> Option<Decimal<'_>> {
    Some(text.trim_matches(' ')).filter(|text| is_number(text)).map(Decimal::of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_compare_as_numbers() {
        let sorted = [
            "-1e30", "-18446744073709551616", "-18446744073709551615", "-2", "-1.5", "0", "1e-400", "0.5", "9", "10",
            "9223372036854775808", "18446744073709551615", "1e400", "a", "b",
        ];
        for (at, a) in sorted.iter().enumerate() {
            for (other, b) in sorted.iter().enumerate() {
                assert_eq!(compare(a, b), at.cmp(&other), "{a} {b}");
            }
        }
        for (a, b) in [("1.50", "1.5"), ("-0", "0.0"), ("100", "1e2"), ("0.01", "1e-2")] {
            assert_eq!(compare(a, b), Ordering::Equal, "{a} {b}");
        }
    }

    #[test]
    fn what_sqlite_cannot_hold_stays_text() {
        assert_eq!(read("9223372036854775807"), Number::Integer(i64::MAX));
        assert_eq!(read("9223372036854775808"), Number::Beyond);
        assert_eq!(read("1e400"), Number::Beyond);
        assert_eq!(read("1.50"), Number::Real(1.5));
        assert_eq!(read("0.30000000000000004"), Number::Real(0.1 + 0.2));
        assert_eq!(read("9007199254740993.0"), Number::Beyond);
    }
}
