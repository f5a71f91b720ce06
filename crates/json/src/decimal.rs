//! Sums of JSON numbers, exact whatever their size and their number of digits.

use std::fmt::Write;

/// The most digits before the point, and after it, that a number in a sum may have.
pub const MOST_DIGITS: i32 = 1_000;

/// A number has too many digits for a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooFar;

/// Digits of a limb, and what a limb counts to.
const LIMB_DIGITS: i32 = 9;
const LIMB: i64 = 1_000_000_000;

/// A sum that is being made.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    /// The sum is the mantissa times ten to the exponent, plus what is in limbs.
    mantissa: i128,
    exponent: i32,
    /// What does not fit the mantissa: limbs of nine digits, by their place above the point; they may be negative and
    /// carry into their neighbours.
    limbs: Vec<(i32, i64)>,
}

impl Sum {
    /// Adds a JSON number.
    ///
    /// # Errors
    /// [`TooFar`] for one with more than [`MOST_DIGITS`] on either side of the point.
    pub fn add(&mut self, spelled: &str) -> Result<(), TooFar> {
        match short(spelled.as_bytes()) {
            Some((0, _)) => Ok(()),
            Some((mantissa, exponent)) if self.add_short(mantissa, exponent).is_some() => Ok(()),
            _ => self.add_long(spelled),
        }
    }

    /// How many limbs it has.
    pub fn limbs(&self) -> usize {
        self.limbs.len()
    }

    fn add_short(&mut self, mantissa: i64, exponent: i32) -> Option<()> {
        let mantissa = i128::from(mantissa);
        if self.mantissa == 0 {
            (self.mantissa, self.exponent) = (mantissa, exponent);
            return Some(());
        }
        if exponent >= self.exponent {
            let scaled = mantissa.checked_mul(power_of_ten(exponent - self.exponent)?)?;
            self.mantissa = self.mantissa.checked_add(scaled)?;
        } else {
            let scaled = self.mantissa.checked_mul(power_of_ten(self.exponent - exponent)?)?;
            (self.mantissa, self.exponent) = (scaled.checked_add(mantissa)?, exponent);
        }
        Some(())
    }

    fn add_long(&mut self, spelled: &str) -> Result<(), TooFar> {
        let (unsigned, is_negative) = spelled.strip_prefix('-').map_or((spelled, false), |rest| (rest, true));
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|digit| digit - b'0').collect();
        let Some(first) = digits.iter().position(|&digit| digit > 0) else { return Ok(()) };
        let last = digits.iter().rposition(|&digit| digit > 0).unwrap_or(first);
        let exponent = exponent.parse::<i64>().map_err(|_| TooFar)?;
        // Ten to this power is what the first digit counts.
        let top = exponent.saturating_add(whole.len() as i64 - 1);
        let limit = i64::from(MOST_DIGITS);
        let (high, low) = (top.saturating_sub(first as i64), top.saturating_sub(last as i64));
        if high >= limit || low < -limit {
            return Err(TooFar);
        }
        self.put(&digits[first..=last], high as i32, is_negative);
        Ok(())
    }

    /// Adds digits to the limbs; the first counts ten to `power`.
    fn put(&mut self, digits: &[u8], mut power: i32, is_negative: bool) {
        let mut rest = digits;
        while !rest.is_empty() {
            let place = power.div_euclid(LIMB_DIGITS);
            let here = (power.rem_euclid(LIMB_DIGITS) + 1) as usize;
            let (these, after) = rest.split_at(here.min(rest.len()));
            let mut limb = these.iter().fold(0, |limb, &digit| 10 * limb + i64::from(digit));
            limb *= 10i64.pow((here - these.len()) as u32);
            let limb = if is_negative { -limb } else { limb };
            match self.limbs.binary_search_by_key(&place, |(place, _)| *place) {
                Ok(at) => self.limbs[at].1 += limb,
                Err(at) => self.limbs.insert(at, (place, limb)),
            }
            (rest, power) = (after, power - these.len() as i32);
        }
    }

    /// The sum as a JSON number.
    pub fn spelled(&self) -> String {
        self.exact().spelled()
    }

    /// The sum divided by a number above 0, as a JSON number: all digits before the point, and after it enough that there
    /// are at most `most`; the last is rounded half to even.
    pub fn divided(&self, by: u64, most: usize) -> String {
        self.exact().divided(by, most).spelled()
    }

    fn exact(&self) -> Exact {
        if self.limbs.is_empty() {
            let digits = self.mantissa.unsigned_abs().to_string().bytes().map(|digit| digit - b'0').collect();
            return Exact { is_negative: self.mantissa < 0, digits, exponent: self.exponent }.trimmed();
        }
        let mut all = self.clone();
        if self.mantissa != 0 {
            let digits: Vec<u8> = self.mantissa.unsigned_abs().to_string().bytes().map(|digit| digit - b'0').collect();
            all.put(&digits, self.exponent + digits.len() as i32 - 1, self.mantissa < 0);
        }
        all.of_limbs()
    }

    fn of_limbs(&self) -> Exact {
        let (first, last) = (self.limbs[0].0, self.limbs[self.limbs.len() - 1].0);
        // Each limb below a billion, as long as the sum is not negative: then the last carry is.
        let carried = |sign: i64| {
            // Room for what is carried above the last limb.
            let mut limbs = vec![0; (last - first) as usize + 3];
            self.limbs.iter().for_each(|&(place, limb)| limbs[(place - first) as usize] = sign * limb);
            let mut carry = 0;
            for limb in &mut limbs {
                let sum = *limb + carry;
                (carry, *limb) = (sum.div_euclid(LIMB), sum.rem_euclid(LIMB));
            }
            (limbs, carry < 0)
        };
        let (mut limbs, is_negative) = carried(1);
        if is_negative {
            limbs = carried(-1).0;
        }
        let mut digits = Vec::with_capacity(limbs.len() * LIMB_DIGITS as usize);
        for &limb in limbs.iter().rev() {
            digits.extend((0..LIMB_DIGITS as u32).rev().map(|at| (limb / 10i64.pow(at) % 10) as u8));
        }
        Exact { is_negative, digits, exponent: first * LIMB_DIGITS }.trimmed()
    }
}

/// The mantissa and the exponent of a number with few digits.
fn short(spelled: &[u8]) -> Option<(i64, i32)> {
    /// This many digits always fit the mantissa, and a larger exponent is not summed exactly.
    const DIGITS: usize = 18;
    const EXPONENT: i32 = 300;
    let (is_negative, digits) = match spelled {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if digits.len() > DIGITS + 6 {
        return None;
    }
    let (mut mantissa, mut count, mut after_point, mut exponent) = (0i64, 0, None, 0i32);
    for (at, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                count += 1;
                if count > DIGITS {
                    return None;
                }
                mantissa = 10 * mantissa + i64::from(byte - b'0');
            }
            b'.' => after_point = Some(count),
            _ => {
                exponent = std::str::from_utf8(&digits[at + 1..]).ok()?.parse().ok()?;
                break;
            }
        }
    }
    let exponent = exponent.checked_sub(after_point.map_or(0, |before| (count - before) as i32))?;
    ((-EXPONENT..=EXPONENT).contains(&exponent)).then_some((if is_negative { -mantissa } else { mantissa }, exponent))
}

/// A JSON number as a double, if one operation on exact doubles makes it: William Clinger, How to Read Floating Point
/// Numbers Accurately (1990). `None` for others, which have many digits, or a large exponent.
///
/// ```
/// use toolshape_json::short_double;
/// assert_eq!(short_double("-12.5e1"), Some(-125.0));
/// assert_eq!(short_double("0.30000000000000004"), None);
/// ```
pub fn short_double(spelled: &str) -> Option<f64> {
    const POWERS: [f64; 23] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ];
    let (mantissa, exponent) = short(spelled.as_bytes())?;
    let is_exact = mantissa.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS;
    // An integer has no negative zero.
    if !is_exact || mantissa == 0 && spelled.starts_with('-') {
        return None;
    }
    let power = POWERS.get(exponent.unsigned_abs() as usize)?;
    Some(if exponent < 0 { mantissa as f64 / power } else { mantissa as f64 * power })
}

fn power_of_ten(power: i32) -> Option<i128> {
    10i128.checked_pow(power.unsigned_abs())
}

/// A number as its digits, the first not 0, times ten to an exponent; zero has no digits.
struct Exact {
    is_negative: bool,
    digits: Vec<u8>,
    exponent: i32,
}

/// The most zeros that are written instead of an exponent.
const MOST_ZEROS: i32 = 20;
const MOST_ZEROS_AFTER_POINT: i32 = 6;

impl Exact {
    /// Without zeros at either end.
    fn trimmed(mut self) -> Self {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
            self.exponent += 1;
        }
        let zeros = self.digits.iter().take_while(|&&digit| digit == 0).count();
        self.digits.drain(..zeros);
        if self.digits.is_empty() {
            (self.exponent, self.is_negative) = (0, false);
        }
        self
    }

    fn divided(self, by: u64, most: usize) -> Self {
        let (mut digits, mut rest) = (Vec::new(), 0u64);
        // Ten to this power is what the next digit counts.
        let mut power = self.exponent + self.digits.len() as i32 - 1;
        let mut given = self.digits.iter();
        loop {
            if given.len() == 0 && rest == 0 {
                break;
            }
            rest = rest * 10 + u64::from(given.next().copied().unwrap_or(0));
            let digit = (rest / by) as u8;
            rest %= by;
            if power < 0 && digits.len() >= most {
                let is_exact = rest == 0 && given.all(|digit| *digit == 0);
                let is_odd = digits.last().is_some_and(|digit| digit % 2 == 1);
                if digit > 5 || (digit == 5 && (!is_exact || is_odd)) {
                    round_up(&mut digits);
                }
                break;
            }
            if digit > 0 || !digits.is_empty() {
                digits.push(digit);
            }
            power -= 1;
        }
        Self { is_negative: self.is_negative, exponent: power + 1, digits }.trimmed()
    }

    fn spelled(&self) -> String {
        let Self { is_negative, digits, exponent } = self;
        if digits.is_empty() {
            return "0".to_owned();
        }
        let mut out = String::with_capacity(digits.len() + 8);
        if *is_negative {
            out.push('-');
        }
        let text: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        // Digits before the point.
        let whole = digits.len() as i32 + exponent;
        if (0..=MOST_ZEROS).contains(exponent) {
            out += &text;
            out.extend(std::iter::repeat_n('0', *exponent as usize));
        } else if *exponent < 0 && whole > 0 {
            let (before, after) = text.split_at(whole as usize);
            out = out + before + "." + after;
        } else if *exponent < 0 && -whole < MOST_ZEROS_AFTER_POINT {
            out += "0.";
            out.extend(std::iter::repeat_n('0', -whole as usize));
            out += &text;
        } else {
            let (first, rest) = text.split_at(1);
            out += first;
            if !rest.is_empty() {
                out = out + "." + rest;
            }
            write!(out, "e{}", whole - 1).expect("writing to a String cannot fail");
        }
        out
    }
}

/// Adds one to the last digit.
fn round_up(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < 9 {
            *digit += 1;
            return;
        }
        *digit = 0;
    }
    digits.insert(0, 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(numbers: &[&str]) -> Sum {
        let mut sum = Sum::default();
        numbers.iter().for_each(|number| sum.add(number).unwrap());
        sum
    }

    #[test]
    fn sums_are_exact() {
        for (numbers, total) in [
            (&[][..], "0"),
            (&["0.1", "0.2"], "0.3"),
            (&["-0.1", "0.1", "-0", "0e5"], "0"),
            (&["1.50", "2.50"], "4"),
            (&["9007199254740993", "9007199254740993"], "18014398509481986"),
            (&["99999999999999999999999999999999999999", "1"], "1e38"),
            (&["170141183460469231731687303715884105727", "0.5"], "170141183460469231731687303715884105727.5"),
            (&["1e300", "-1e300", "7"], "7"),
            (&["1e25", "-1"], "9999999999999999999999999"),
            (&["-1e25", "1"], "-9999999999999999999999999"),
            (&["1e-30", "1"], "1.000000000000000000000000000001"),
            (&["1e400", "1e400"], "2e400"),
            (&["12e-10"], "1.2e-9"),
            (&["0.000001"], "0.000001"),
            (&["0.0000001"], "1e-7"),
            (&["1E+2", "-1e2", "3E-1"], "0.3"),
            (&["123456789012345678901234567890.5", "-123456789012345678901234567890"], "0.5"),
            (&["-1e30", "1e30", "-999999999", "-1"], "-1000000000"),
        ] {
            assert_eq!(sum(numbers).spelled(), total, "{numbers:?}");
        }
        let long = "9".repeat(1000);
        assert_eq!(sum(&[&long, "-1"]).spelled(), "9".repeat(999) + "8");
    }

    #[test]
    fn a_short_number_is_the_double_that_the_standard_library_reads() {
        for spelled in ["0", "7", "-12.5e1", "0.1", "-0.3", "1e22", "9007199254740992", "123456789e-5"] {
            assert_eq!(short_double(spelled), spelled.parse().ok(), "{spelled}");
        }
        for spelled in ["-0", "-0.0", "1e23", "9007199254740993", "0.30000000000000004"] {
            assert_eq!(short_double(spelled), None, "{spelled}");
        }
    }

    #[test]
    fn short_numbers_need_no_limbs() {
        assert_eq!(sum(&["1.5", "-12e3", "0.25", "9007199254740993"]).limbs(), 0);
        assert_eq!(sum(&["1e300", "1"]).limbs(), 1);
    }

    #[test]
    fn what_is_too_far_from_the_point_is_refused() {
        let mut sum = sum(&["1"]);
        let long = "9".repeat(1001);
        for number in [long.as_str(), "1e1000", "1e-1001", "1e99999999999999999999", "-1e-99999999999999999999"] {
            assert_eq!(sum.add(number), Err(TooFar), "{number}");
        }
        assert_eq!((sum.add("0e99999999999999999999"), sum.add("1e999"), sum.add("1e-1000")), (Ok(()), Ok(()), Ok(())));
        assert_eq!(sum.spelled().len(), 2001);
    }

    #[test]
    fn a_mean_keeps_whole_digits_and_rounds_the_others_half_to_even() {
        for (numbers, by, mean) in [
            (&["1", "2"][..], 2, "1.5"),
            (&["0.1", "0.2"], 2, "0.15"),
            (&["1"], 3, "0.33333333333333333"),
            (&["2"], 3, "0.66666666666666667"),
            (&["-2"], 3, "-0.66666666666666667"),
            (&["2e-300"], 3, "6.6666666666666667e-301"),
            (&["1e30"], 3, "333333333333333333333333333333"),
            (&["2e30"], 3, "666666666666666666666666666667"),
            (&["27021597764222979"], 3, "9007199254740993"),
            (&["0"], 7, "0"),
            (&["199999999999999999"], 2, "100000000000000000"),
            (&["199999999999999997"], 2, "99999999999999998"),
            (&["1000000000000000.05"], 1, "1000000000000000"),
            (&["1000000000000000.15"], 1, "1000000000000000.2"),
            (&["1000000000000000.25"], 1, "1000000000000000.2"),
            (&["1000000000000000.250000000000000000001"], 1, "1000000000000000.3"),
            (&["9999999999999999.96"], 1, "10000000000000000"),
            (&["100"], 8, "12.5"),
        ] {
            assert_eq!(sum(numbers).divided(by, 17), mean, "{numbers:?}");
        }
        assert_eq!(
            sum(&["9007199254740993.00000000000000000001", "0"]).divided(2, usize::MAX),
            "4503599627370496.500000000000000000005"
        );
    }
}
