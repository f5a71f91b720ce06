//! A printed number with what is around it: its sign, its separators, a currency, a unit.

use std::borrow::Cow;

use super::moment::month_of;

/// A longer text is no quantity.
const LONGEST: usize = 48;
/// The longest unit, such as `requests/s`.
const LONGEST_UNIT: usize = 12;
const CURRENCIES: [char; 5] = ['$', '€', '£', '¥', '₹'];
/// Codes of currencies (ISO 4217) that are written before a number: those that are traded most (BIS, Triennial Survey 2022).
const CODES: [&str; 20] = [
    "USD", "EUR", "JPY", "GBP", "CNY", "AUD", "CAD", "CHF", "HKD", "SGD", "SEK", "KRW", "NOK", "NZD", "INR", "MXN",
    "TWD", "ZAR", "BRL", "DKK",
];
/// What may be between thousands in any spelling.
const GAPS: [char; 7] = [' ', '\u{a0}', '\u{2009}', '\u{202f}', '\'', '’', '_'];
/// A plus before as many digits begins a telephone number.
const DIALLED: usize = 7;

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
    /// Whether it is below zero because it is in brackets, as accountants write.
    pub is_in_brackets: bool,
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
        if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            let inner = Self::parse(inner).filter(|inner| !inner.is_negative && !inner.is_bound)?;
            return Some(Self { is_negative: true, is_in_brackets: true, ..inner });
        }
        let unbound = text.strip_prefix(['<', '>']).map(str::trim_ascii_start);
        let (sign, after_sign) = signed(unbound.unwrap_or(text));
        let currency = currency(after_sign);
        let (inner, unsigned) = signed(after_sign[currency..].trim_start());
        let digits = digits_of(unsigned)?;
        let (digits, rest) = unsigned.split_at(digits);
        // As some programs of accountants print.
        let (behind, last) = match rest {
            "-" => ("", Sign::Minus),
            rest => (rest.trim_start(), Sign::None),
        };
        let is_negative = match [sign, inner, last] {
            [Sign::None, Sign::None, Sign::None] => false,
            [Sign::Plus, Sign::None, Sign::None] | [Sign::None, Sign::Plus, Sign::None] => {
                let is_dialled = digits.len() >= DIALLED && digits.bytes().all(|byte| byte.is_ascii_digit());
                if is_dialled || digits.contains(GAPS) {
                    return None;
                }
                false
            }
            [Sign::Minus, Sign::None, Sign::None]
            | [Sign::None, Sign::Minus, Sign::None]
            | [Sign::None, Sign::None, Sign::Minus] => true,
            _ => return None,
        };
        let unit = match currency {
            0 => behind,
            _ if behind.is_empty() => after_sign[..currency].trim_end(),
            _ => return None,
        };
        let spellings = spellings_of(digits);
        let is_quantity = spellings > 0 && is_unit(unit);
        let is_bound = unbound.is_some();
        is_quantity.then_some(Self { is_negative, digits, unit, is_bound, is_in_brackets: false, spellings })
    }

    /// The number as JSON spells it, read with one of its spellings.
    pub fn json(&self, spelled: u8) -> Cow<'t, str> {
        let has_separators = self.digits.contains(',') || self.digits.contains(GAPS);
        let is_json = !self.is_negative && !self.digits.starts_with('.') && !has_separators;
        if is_json && spelled != spelling::COMMA {
            return Cow::Borrowed(self.digits);
        }
        let mut out = String::with_capacity(self.digits.len() + 2);
        out.push_str(if self.is_negative { "-" } else { "" });
        out.push_str(if self.digits.starts_with('.') { "0" } else { "" });
        out.extend(self.digits.chars().filter_map(|c| match (c, spelled) {
            (',', spelling::COMMA) => Some('.'),
            ('.', spelling::COMMA) | (',', _) => None,
            (c, _) if GAPS.contains(&c) => None,
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

    /// The digits behind the point of a number that has no other separators.
    pub fn fraction(&self) -> Option<&'t str> {
        let (whole, fraction) = self.digits.split_once('.')?;
        [whole, fraction].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit())).then_some(fraction)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    None,
    Plus,
    Minus,
}

fn signed(text: &str) -> (Sign, &str) {
    if let Some(rest) = text.strip_prefix(['-', '\u{2212}']) {
        return (Sign::Minus, rest);
    }
    text.strip_prefix('+').map_or((Sign::None, text), |rest| (Sign::Plus, rest))
}

/// The bytes of a currency before a number.
fn currency(text: &str) -> usize {
    let code = text.get(..3).filter(|code| CODES.contains(code)).map(str::len);
    code.or_else(|| text.chars().next().filter(|c| CURRENCIES.contains(c)).map(char::len_utf8)).unwrap_or(0)
}

/// Where digits with the same gap between all thousands end, with the fraction behind them.
fn digits_with_gaps(text: &str) -> Option<usize> {
    let run = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut end = run(text);
    let gap = text[end..].chars().next().filter(|c| GAPS.contains(c) && (1..=3).contains(&end))?;
    let mut groups = 0;
    while let Some(rest) = text[end..].strip_prefix(gap).filter(|rest| run(rest) == 3) {
        end = text.len() - rest.len() + 3;
        groups += 1;
    }
    let fraction = text[end..].strip_prefix(['.', ',']).map_or(0, run);
    let end = if fraction > 0 { end + 1 + fraction } else { end };
    let goes_on = text[end..].starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
    (groups > 0 && !goes_on).then_some(end)
}

/// Where the digits at the start of a text end, with separators and an exponent.
fn digits_of(text: &str) -> Option<usize> {
    if let Some(end) = digits_with_gaps(text) {
        return Some(end);
    }
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b',')).unwrap_or(bytes.len());
    if end == 0 || matches!(bytes[end - 1], b'.' | b',') {
        return None;
    }
    let Some(b'e' | b'E') = bytes.get(end) else { return Some(end) };
    let has_sign = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
    let power = end + 1 + usize::from(has_sign);
    let power_digits = bytes[power.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    // Before a power without sign and point there is one digit: `12e456` is an id in hexadecimal digits.
    let is_power = (1..=3).contains(&power_digits) && (has_sign || end == 1 || text[..end].contains('.'));
    Some(if is_power { power + power_digits } else { end })
}

/// How the separators of digits may be read.
fn spellings_of(digits: &str) -> u8 {
    let has_leading_zero = |whole: &str| whole.len() > 1 && whole.starts_with('0');
    if digits.contains(GAPS) {
        return match digits {
            _ if has_leading_zero(digits) => 0,
            digits if digits.contains(',') => spelling::COMMA,
            digits if digits.contains('.') => spelling::PLAIN | spelling::THOUSANDS,
            _ => spelling::PLAIN | spelling::THOUSANDS | spelling::COMMA,
        };
    }
    let mantissa = digits.split(['e', 'E']).next().unwrap_or(digits);
    // In India all but the last three are by two.
    let grouped = |text: &str, separator: char| {
        let groups: Vec<&str> = text.split(separator).collect();
        let ([first, between @ .., last] | [first @ last, between @ ..]) = &groups[..] else { return false };
        let is_by = |size: usize| (1..=size).contains(&first.len()) && between.iter().all(|group| group.len() == size);
        !has_leading_zero(first)
            && (groups.len() == 1 || last.len() == 3)
            && (is_by(3) || is_by(2) && !between.is_empty())
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
    // `17 Nov` is a day.
    unit.len() <= LONGEST_UNIT && first != '/' && unit.chars().all(is_part) && month_of(unit).is_none()
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
        "mo" | "month" | "months" => 2_629_800.0,
        "y" | "yr" | "yrs" | "year" | "years" => 31_557_600.0,
        _ => return None,
    })
}

/// Whether two units are one, which may be written for many: `1 item`, `2 items`.
pub fn are_same(one: &str, other: &str) -> bool {
    let singular = |unit: &'_ str| unit.len() - usize::from(unit.len() > 3 && unit.ends_with('s'));
    one[..singular(one)] == other[..singular(other)]
}

/// The units that a unit may be many or parts of, each with how many: of `kB/s` itself, and 1000 `B/s`.
pub fn bases_of(unit: &str) -> impl Iterator<Item = (&str, f64)> {
    const PREFIXES: [(&str, f64); 12] = [
        ("n", 1e-9),
        ("µ", 1e-6),
        ("μ", 1e-6),
        ("u", 1e-6),
        ("m", 1e-3),
        ("c", 1e-2),
        ("k", 1e3),
        ("K", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
    ];
    const BINARY: [(&str, f64); 4] =
        [("Ki", 1024.0), ("Mi", 1_048_576.0), ("Gi", 1_073_741_824.0), ("Ti", 1_099_511_627_776.0)];
    let of_prefix = move |&(prefix, factor): &(&str, f64)| Some((unit.strip_prefix(prefix)?, factor));
    let many = BINARY.iter().filter_map(of_prefix).chain(PREFIXES.iter().filter_map(of_prefix));
    std::iter::once((unit, 1.0)).chain(many.filter(|(base, _)| !base.is_empty()).collect::<Vec<_>>())
}

/// How many of one unit another one is; a number without a unit is of either.
pub fn ratio(unit: &str, of: &str) -> Option<f64> {
    let both = |measure: fn(&str) -> Option<f64>| Some(measure(unit)? / measure(of)?);
    if are_same(unit, of) || unit.is_empty() {
        return Some(1.0);
    }
    both(seconds_of).or_else(|| both(|unit| bytes_of(unit).filter(|_| !unit.is_empty())))
}

/// The seconds of a duration of one or more parts, from the longest unit to the shortest: `2h5m`, `1m 20s`, `350ms`, `3 days ago`; and
/// as ISO 8601 has it: `PT5M30S`.
pub fn seconds(text: &str) -> Option<f64> {
    let text = text.trim_ascii();
    let (sign, rest) = signed(text);
    let is_negative = sign == Sign::Minus;
    if let Some(parts) = rest.strip_prefix('P') {
        return seconds_of_parts(parts).map(|seconds| if is_negative { -seconds } else { seconds });
    }
    let mut rest = rest.strip_suffix(" ago").unwrap_or(rest);
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

/// The seconds of what follows the `P` of a duration of ISO 8601, in which `M` are minutes behind `T`.
fn seconds_of_parts(parts: &str) -> Option<f64> {
    let (days, clock) = parts.split_once('T').unwrap_or((parts, ""));
    let sum = |parts: &str, units: &[(char, &str)]| {
        let (mut rest, mut all, mut units) = (parts, 0.0, units.iter());
        while !rest.is_empty() {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
            let letter = rest[end..].chars().next()?;
            let (_, unit) = units.find(|(known, _)| *known == letter)?;
            all += rest[..end].parse::<f64>().ok()? * seconds_of(unit)?;
            rest = &rest[end + 1..];
        }
        Some(all)
    };
    let all = sum(days, &[('Y', "y"), ('M', "mo"), ('W', "w"), ('D', "d")])?
        + sum(clock, &[('H', "h"), ('M', "m"), ('S', "s")])?;
    (parts.bytes().any(|byte| byte.is_ascii_digit())).then_some(all)
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
            ("+5.2", "", "5.2"),
            ("123.45-", "", "-123.45"),
            ("(1,234.00)", "", "-1234.00"),
            ("($5)", "$", "-5"),
            ("1 234 567", "", "1234567"),
            ("1\u{202f}234.5 kg", "kg", "1234.5"),
            ("1'234.50", "", "1234.50"),
            ("1_000_000", "", "1000000"),
            ("12,34,567", "", "1234567"),
            ("USD 1,200.00", "USD", "1200.00"),
        ] {
            let quantity = Quantity::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((quantity.unit, &*quantity.json(spelling::THOUSANDS)), (unit, json), "{text}");
        }
        assert_eq!(Quantity::parse("1.234,56").unwrap().json(spelling::COMMA), "1234.56");
    }

    #[test]
    fn other_texts_are_no_quantities() {
        for text in [
            "", "abc", "007", "00.5", "1.2.3", "10.0.0.1", "+49 151", "+49 151 234", "+4915123456", "1 23", "1 234 56",
            "1 234'567", "(-5)", "(5", "+-5", "-5-", "12,3,456", "1,234,56", "XYZ 12", "2024-03-01", "8f3a",
            "12e45678", "1,23,4.5,6", "5.", "10:00", "#12", "v3", "a1", "12-B", "é",
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
            ("1 234,5", COMMA),
            ("1,00,000", THOUSANDS),
        ] {
            assert_eq!(Quantity::parse(text).unwrap().spellings, spellings, "{text}");
        }
    }

    #[test]
    fn durations_have_parts() {
        for (text, wanted) in [
            ("1.3s", 1.3),
            ("2h5m", 7500.0),
            ("1m 20s", 80.0),
            ("350ms", 0.35),
            ("3d", 259_200.0),
            ("2 weeks ago", 1_209_600.0),
            ("PT5M30S", 330.0),
            ("-P1DT0.5S", -86_400.5),
            ("P1M", 2_629_800.0),
        ] {
            assert_eq!(seconds(text), Some(wanted), "{text}");
        }
        for text in ["5", "m", "5m2h", "1.2.3s", "3 apples", "P", "PT", "P5", "PT5S3M", "PDF", "Page 5"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn units_have_a_base() {
        let bases = |unit| bases_of(unit).collect::<Vec<_>>();
        assert_eq!(bases("kB/s"), [("kB/s", 1.0), ("B/s", 1000.0)]);
        assert_eq!(bases("MiB"), [("MiB", 1.0), ("B", 1_048_576.0), ("iB", 1e6)]);
        assert_eq!(bases("m"), [("m", 1.0)]);
        assert!(are_same("item", "items") && !are_same("ms", "m") && !are_same("kg", "g"));
    }
}
