//! The one total order of sort keys: null, then false, true, numbers by value, and text.
//!
//! Descending order is its reverse. Text is ordered by Unicode code points, as SQLite does, and PostgreSQL under the
//! collation "C". Other databases use other collations, so two texts are compared only where every collation agrees.

use std::cmp::Ordering;

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
        None | Some(Ordering::Equal) => Number::parse(a).cmp(&Number::parse(b)),
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

/// A JSON number as sign, power of ten and digits, without loss.
#[derive(PartialEq, Eq)]
pub(crate) struct Number<'a> {
    is_negative: bool,
    /// The number is 0.DIGITS times ten to this power.
    power: i64,
    /// Without zeros at either end; empty for zero.
    digits: std::borrow::Cow<'a, str>,
}

impl<'a> Number<'a> {
    pub fn parse(text: &'a str) -> Self {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        // An exponent that overflows counts as the largest.
        let huge = if exponent.starts_with('-') { i64::MIN / 4 } else { i64::MAX / 4 };
        let exponent = exponent.parse::<i64>().unwrap_or(huge).clamp(i64::MIN / 4, i64::MAX / 4);
        let digits =
            if fraction.is_empty() { whole.into() } else { std::borrow::Cow::Owned(format!("{whole}{fraction}")) };
        let zeros = digits.len() - digits.trim_start_matches('0').len();
        let power = exponent + whole.len() as i64 - zeros as i64;
        let digits: std::borrow::Cow<'a, str> = match digits {
            std::borrow::Cow::Borrowed(digits) => digits.trim_matches('0').into(),
            std::borrow::Cow::Owned(digits) => digits.trim_matches('0').to_owned().into(),
        };
        let is_zero = digits.is_empty();
        Self { is_negative: is_negative && !is_zero, power: if is_zero { i64::MIN } else { power }, digits }
    }
}

impl Number<'_> {
    /// One JSON number for all spellings of this one: without an exponent if it has at most `plain` digits and a point.
    pub fn spelled(&self, plain: usize) -> String {
        let Self { is_negative, power, digits } = self;
        let sign = if *is_negative { "-" } else { "" };
        if digits.is_empty() {
            return "0".to_owned();
        }
        let (len, plain) = (digits.len() as i64, plain as i64);
        let zeros = |count: i64| "0".repeat(count as usize);
        match *power {
            power if power >= len && power <= plain => format!("{sign}{digits}{}", zeros(power - len)),
            power if power > 0 && power < len && len < plain => {
                let (whole, fraction) = digits.split_at(power as usize);
                format!("{sign}{whole}.{fraction}")
            }
            power if power <= 0 && len - power + 2 <= plain => format!("{sign}0.{}{digits}", zeros(-power)),
            power => format!("{sign}{digits}e{}", power - len),
        }
    }
}

impl Ord for Number<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let size = || (self.power, &self.digits).cmp(&(other.power, &other.digits));
        match (self.is_negative, other.is_negative) {
            (false, false) => size(),
            (true, true) => size().reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Number<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_numbers_have_one_order() {
        let ascending = [
            "null",
            "false",
            "true",
            "-1e400",
            "-1E2",
            "-99.5",
            "-1",
            "-1e-9",
            "0",
            "1e-400",
            "0.5",
            "0.50001",
            "1",
            "9007199254740992",
            "9007199254740993",
            "9007199254740993.5",
            "1e16",
            "1e99999999999999999999",
            "\"\"",
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
