//! Numbers as they are spelled, and as SQLite holds them.

use std::cmp::Ordering;

use toolshape_json::short_double;

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

/// Whether a text is a JSON number.
pub fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

/// Compares two texts as numbers, exactly, if both are; any number is before any other text.
pub fn compare(a: &str, b: &str) -> Ordering {
    match (Decimal::of(a), Decimal::of(b)) {
        (Some(a), Some(b)) => a.compare(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// A number as its digits without zeros at either end; the first counts ten to `power`. Zero has no digits.
struct Decimal {
    is_negative: bool,
    digits: Vec<u8>,
    power: i64,
}

impl Decimal {
    fn of(text: &str) -> Option<Self> {
        let text = text.trim_matches(' ');
        if !is_number(text) {
            return None;
        }
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let exponent = exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') { -(1 << 40) } else { 1 << 40 });
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = || whole.bytes().chain(fraction.bytes());
        let zeros = all().take_while(|&digit| digit == b'0').count();
        let mut digits: Vec<u8> = all().skip(zeros).collect();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        let power = exponent + whole.len() as i64 - 1 - zeros as i64;
        Some(Self { is_negative: text.starts_with('-') && !digits.is_empty(), digits, power })
    }

    fn compare(&self, other: &Self) -> Ordering {
        let size = || match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.power.cmp(&other.power).then_with(|| self.digits.cmp(&other.digits)),
        };
        match (self.is_negative, other.is_negative) {
            (false, false) => size(),
            (true, true) => size().reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_json() {
        for text in ["0", "-0", "12", "1.50", "1e5", "1E+2", "-3.2e-10"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", "-", "01", "+1", "1.", ".5", "1e", "0x1", "1 ", "NaN", "1e1.5", "١"] {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn texts_compare_as_numbers() {
        let sorted = [
            "-1e30",
            "-18446744073709551616",
            "-18446744073709551615",
            "-2",
            "-1.5",
            "0",
            "1e-400",
            "0.5",
            "9",
            "10",
            "9223372036854775808",
            "18446744073709551615",
            "1e400",
            "a",
            "b",
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
