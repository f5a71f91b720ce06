//! JSON numbers as they are spelled, whatever their size and their number of digits.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::scan::skip_string;
use crate::string::quote_into;

/// Whether a text is one JSON number and nothing else (RFC 8259, section 6).
pub fn is_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole)
        && (whole.len() == 1 || !whole.starts_with('0'))
        && are_digits(fraction)
        && are_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
}

/// JSON text with texts in place of the numbers that are not kept.
pub fn with_texts_for_numbers(json: &str, is_kept: impl Fn(&str) -> bool) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = skip_string(bytes, at),
            b'-' | b'0'..=b'9' => {
                let is_of_number = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let end = at + bytes[at..].iter().take_while(is_of_number).count();
                if !is_kept(&json[at..end]) {
                    out.push_str(&json[copied..at]);
                    quote_into(&json[at..end], &mut out);
                    copied = end;
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    if copied == 0 { Cow::Borrowed(json) } else { Cow::Owned(out + &json[copied..]) }
}

/// A JSON number as sign, power of ten and digits, without loss.
#[derive(PartialEq, Eq)]
pub struct Decimal<'a> {
    is_negative: bool,
    /// The number is 0.DIGITS times ten to this power.
    power: i64,
    /// Without zeros at either end; empty for zero.
    digits: Cow<'a, str>,
}

impl<'a> Decimal<'a> {
    /// Reads a JSON number.
    pub fn of(text: &'a str) -> Self {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        // An exponent that overflows counts as the largest.
        let huge = if exponent.starts_with('-') { i64::MIN / 4 } else { i64::MAX / 4 };
        let exponent = exponent.parse::<i64>().unwrap_or(huge).clamp(i64::MIN / 4, i64::MAX / 4);
        let digits: Cow<'a, str> = if fraction.is_empty() { whole.into() } else { format!("{whole}{fraction}").into() };
        let zeros = digits.len() - digits.trim_start_matches('0').len();
        let power = exponent + whole.len() as i64 - zeros as i64;
        let digits: Cow<'a, str> = match digits {
            Cow::Borrowed(digits) => digits.trim_matches('0').into(),
            Cow::Owned(digits) => digits.trim_matches('0').to_owned().into(),
        };
        let is_zero = digits.is_empty();
        Self { is_negative: is_negative && !is_zero, power: if is_zero { i64::MIN } else { power }, digits }
    }

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

impl Ord for Decimal<'_> {
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

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::is_number;

    #[test]
    fn numbers_are_those_of_json() {
        for spelled in ["0", "-0", "10", "0.50", "1e5", "1E+05", "-1.5e-7"] {
            assert!(is_number(spelled), "{spelled}");
        }
        let others =
            ["", "-", "01", "1.", ".5", "+1", "1e", "1e+", "--1", " 1", "1 ", "1_0", "1e5.0", "0x1", "1.2.3", "e5"];
        for spelled in others {
            assert!(!is_number(spelled), "{spelled}");
        }
    }
}
