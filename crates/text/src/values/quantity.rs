//! A printed number with what is around it: its sign, its separators, a currency, a unit.

use std::borrow::Cow;

/// A longer text is no quantity.
const LONGEST: usize = 48;
/// The longest unit, such as `requests/s`.
const LONGEST_UNIT: usize = 12;
const CURRENCIES: [char; 5] = ['$', '€', '£', '¥', '₹'];

/// The ways to read the separators of a number, as bits: a column has one that suits all of its numbers.
pub mod spelling {
    /// `1234.5`
    pub const PLAIN: u8 = 1;
    /// `1,234.5`
    pub const THOUSANDS: u8 = 2;
    /// `1.234,5`
    pub const COMMA: u8 = 4;
}

/// A number as it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity<'t> {
    pub is_negative: bool,
    /// Digits with separators and an exponent, without a sign.
    pub digits: &'t str,
    /// A currency or a unit, without the white space before it.
    pub unit: &'t str,
    /// Whether it is a bound, as in `<0.1`.
    pub is_bound: bool,
    /// The spellings that it may have.
    pub spellings: u8,
}

impl<'t> Quantity<'t> {
    /// The quantity that a text is; `None` for any other text, such as `007`, `1.2.3`, `+49 151`, `8f3a` or a date.
    pub fn parse(text: &'t str) -> Option<Self> {
        let text = text.trim_ascii();
        if text.len() > LONGEST || !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let unbound = text.strip_prefix(['<', '>']).map(str::trim_ascii_start);
        let (sign, after_sign) = signed(unbound.unwrap_or(text));
        let currency = after_sign.chars().next().filter(|c| CURRENCIES.contains(c)).map_or(0, char::len_utf8);
        let (inner, unsigned) = signed(after_sign[currency..].trim_ascii_start());
        if sign && inner {
            return None;
        }
        let digits = digits_of(unsigned)?;
        let (digits, rest) = unsigned.split_at(digits);
        let behind = rest.trim_ascii_start();
        let unit = match currency {
            0 => behind,
            _ if behind.is_empty() => &after_sign[..currency],
            _ => return None,
        };
        let spellings = spellings_of(digits);
        let is_quantity = spellings > 0 && is_unit(unit);
        is_quantity.then_some(Self { is_negative: sign || inner, digits, unit, is_bound: unbound.is_some(), spellings })
    }

    /// The number as JSON spells it, read with one of its spellings.
    pub fn json(&self, spelled: u8) -> Cow<'t, str> {
        let is_json = !self.is_negative && !self.digits.starts_with('.') && !self.digits.contains(',');
        if is_json && spelled != spelling::COMMA {
            return Cow::Borrowed(self.digits);
        }
        let mut out = String::with_capacity(self.digits.len() + 2);
        out.push_str(if self.is_negative { "-" } else { "" });
        out.push_str(if self.digits.starts_with('.') { "0" } else { "" });
        out.extend(self.digits.chars().filter_map(|c| match (c, spelled) {
            (',', spelling::COMMA) => Some('.'),
            ('.', spelling::COMMA) | (',', _) => None,
            (c, _) => Some(c),
        }));
        Cow::Owned(out)
    }

    /// Its value as a double, read with one of its spellings.
    pub fn value(&self, spelled: u8) -> f64 {
        self.json(spelled).parse().unwrap_or(f64::NAN)
    }

    /// Whether it is zero, which has the same value in any unit.
    pub fn is_zero(&self) -> bool {
        self.digits.bytes().all(|byte| matches!(byte, b'0' | b'.' | b','))
    }
}

fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (true, rest),
        None => (false, text),
    }
}

/// Where the digits at the start of a text end, with separators and an exponent.
fn digits_of(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b',')).unwrap_or(bytes.len());
    if end == 0 || matches!(bytes[end - 1], b'.' | b',') {
        return None;
    }
    let Some(b'e' | b'E') = bytes.get(end) else { return Some(end) };
    let has_sign = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
    let power = end + 1 + usize::from(has_sign);
    let power_digits = bytes[power.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    // `12e45678` is an id in hexadecimal digits.
    let is_power = (1..=3).contains(&power_digits) && (has_sign || text[..end].contains('.'));
    Some(if is_power { power + power_digits } else { end })
}

/// How the separators of digits may be read.
fn spellings_of(digits: &str) -> u8 {
    let has_leading_zero = |whole: &str| whole.len() > 1 && whole.starts_with('0');
    let mantissa = digits.split(['e', 'E']).next().unwrap_or(digits);
    let grouped = |text: &str, separator: char| {
        let mut groups = text.split(separator);
        let first = groups.next().is_some_and(|first| (1..=3).contains(&first.len()) && !has_leading_zero(first));
        first && groups.all(|group| group.len() == 3)
    };
    let (commas, points) = (mantissa.matches(',').count(), mantissa.matches('.').count());
    let whole = mantissa.split(['.', ',']).next().unwrap_or_default();
    let mut all = 0;
    if commas == 0 && points <= 1 && !has_leading_zero(whole) {
        all |= spelling::PLAIN | spelling::THOUSANDS;
    }
    if commas > 0 && points <= 1 && grouped(mantissa.split('.').next().unwrap_or_default(), ',') {
        let fraction = mantissa.split_once('.').map_or("", |(_, fraction)| fraction);
        all |= if fraction.contains(',') { 0 } else { spelling::THOUSANDS };
    }
    if commas <= 1 && mantissa.len() == digits.len() {
        let (whole, fraction) = mantissa.split_once(',').unwrap_or((mantissa, ""));
        let is_whole = match whole.contains('.') {
            true => grouped(whole, '.'),
            false => !whole.is_empty() && !has_leading_zero(whole),
        };
        all |= if is_whole && !fraction.contains('.') { spelling::COMMA } else { 0 };
    }
    all
}

fn is_unit(unit: &str) -> bool {
    let Some(first) = unit.chars().next() else { return true };
    let is_part =
        |c: char| c.is_alphabetic() || matches!(c, '%' | '‰' | '°' | '/' | '²' | '³') || CURRENCIES.contains(&c);
    unit.len() <= LONGEST_UNIT && first != '/' && unit.chars().all(is_part)
}

/// Bytes of a unit of sizes: `K` and `KiB` are 1024, `KB` 1000.
pub fn bytes_of(unit: &str) -> Option<f64> {
    let (prefix, behind) = match unit.char_indices().nth(1) {
        Some((at, _)) => unit.split_at(at),
        None => (unit, ""),
    };
    if matches!(unit, "" | "B" | "b" | "byte" | "bytes") {
        return Some(1.0);
    }
    let power = match prefix {
        "k" | "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        "P" => 5,
        "E" => 6,
        _ => return None,
    };
    match behind {
        "" | "i" | "iB" | "ib" => Some(1024_f64.powi(power)),
        "B" | "b" => Some(1000_f64.powi(power)),
        _ => None,
    }
}

/// Seconds of a unit of time.
pub fn seconds_of(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" => 1e-9,
        "us" | "µs" | "μs" => 1e-6,
        "ms" | "msec" | "msecs" => 1e-3,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
        "d" | "day" | "days" => 86_400.0,
        "w" | "wk" | "week" | "weeks" => 604_800.0,
        _ => return None,
    })
}

/// How many of one unit another one is; a number without a unit is of either.
pub fn ratio(unit: &str, of: &str) -> Option<f64> {
    let both = |measure: fn(&str) -> Option<f64>| Some(measure(unit)? / measure(of)?);
    if unit == of || unit.is_empty() {
        return Some(1.0);
    }
    both(seconds_of).or_else(|| both(|unit| bytes_of(unit).filter(|_| !unit.is_empty())))
}

/// The seconds of a duration of one or more parts, from the longest unit to the shortest: `2h5m`, `1m 20s`, `350ms`.
pub fn seconds(text: &str) -> Option<f64> {
    let text = text.trim_ascii();
    let (is_negative, mut rest) = signed(text);
    if rest.len() > LONGEST || !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (mut all, mut before) = (0.0, f64::INFINITY);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (digits, behind) = rest.split_at(end);
        let behind = behind.trim_ascii_start();
        let unit_end = behind.find(|c: char| !c.is_alphabetic()).unwrap_or(behind.len());
        let unit = seconds_of(&behind[..unit_end])?;
        if unit >= before {
            return None;
        }
        // Dividing keeps the digits of `350ms`.
        let number: f64 = digits.parse().ok()?;
        all += if unit < 1.0 { number / unit.recip().round() } else { number * unit };
        (before, rest) = (unit, behind[unit_end..].trim_ascii_start());
    }
    Some(if is_negative { -all } else { all })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_what_is_around_them() {
        for (text, unit, json) in [
            ("12.5", "", "12.5"),
            ("-3", "", "-3"),
            (".5", "", "0.5"),
            ("45.2%", "%", "45.2"),
            ("12.5 ms", "ms", "12.5"),
            ("$1,234.50", "$", "1234.50"),
            ("-$5", "$", "-5"),
            ("$-5", "$", "-5"),
            ("12 €", "€", "12"),
            ("<0.1", "", "0.1"),
            ("1.5e-05", "", "1.5e-05"),
            ("3.4 GiB", "GiB", "3.4"),
            ("62K", "K", "62"),
        ] {
            let quantity = Quantity::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((quantity.unit, &*quantity.json(spelling::THOUSANDS)), (unit, json), "{text}");
        }
        assert_eq!(Quantity::parse("1.234,56").unwrap().json(spelling::COMMA), "1234.56");
    }

    #[test]
    fn other_texts_are_no_quantities() {
        for text in [
            "",
            "abc",
            "007",
            "00.5",
            "1.2.3",
            "10.0.0.1",
            "+49 151",
            "2024-03-01",
            "8f3a",
            "12e45678",
            "1,23,4.5,6",
            "5.",
            "10:00",
            "#12",
            "v3",
            "a1",
            "1 2",
            "12-B",
            "é",
        ] {
            assert_eq!(Quantity::parse(text), None, "{text}");
        }
    }

    #[test]
    fn separators_have_one_reading_or_several() {
        use spelling::{COMMA, PLAIN, THOUSANDS};
        for (text, spellings) in [
            ("12", PLAIN | THOUSANDS | COMMA),
            ("1.5", PLAIN | THOUSANDS),
            ("1.500", PLAIN | THOUSANDS | COMMA),
            ("1,5", COMMA),
            ("1,500", THOUSANDS | COMMA),
            ("1,234,567", THOUSANDS),
            ("1,234.5", THOUSANDS),
            ("1.234,5", COMMA),
        ] {
            assert_eq!(Quantity::parse(text).unwrap().spellings, spellings, "{text}");
        }
    }

    #[test]
    fn durations_have_parts() {
        for (text, wanted) in [("1.3s", 1.3), ("2h5m", 7500.0), ("1m 20s", 80.0), ("350ms", 0.35), ("3d", 259_200.0)] {
            assert_eq!(seconds(text), Some(wanted), "{text}");
        }
        for text in ["5", "m", "5m2h", "1.2.3s", "3 apples"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
