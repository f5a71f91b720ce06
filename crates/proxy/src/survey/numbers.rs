//! Numbers as people read them, and on a logarithmic axis; in whole numbers, so that every face writes the same bytes.

/// The digits behind the point of a binary logarithm.
const LOG_BITS: u32 = 16;

/// A number with a comma before every third digit.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of things, of one or of several.
pub(super) fn counted(number: usize, one: &str, several: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { several })
}

/// A share of a whole as a percentage: with a digit behind the point below ten.
pub(super) fn percent(part: usize, whole: usize) -> String {
    let tenths = (part as u128 * 1000 + whole as u128 / 2) / whole.max(1) as u128;
    match tenths {
        0 if part > 0 => "< 0.1 %".to_owned(),
        0..100 => format!("{}.{} %", tenths / 10, tenths % 10),
        _ => format!("{} %", (tenths + 5) / 10),
    }
}

/// Where a number is between two others on a logarithmic axis, in hundredths of a percent from 0 to 10,000.
pub(super) fn log_place(number: usize, least: usize, most: usize) -> usize {
    let (low, high) = (log2(least), log2(most.max(least + 1)));
    let at = log2(number).clamp(low, high);
    ((at - low) * 10_000 / (high - low).max(1)) as usize
}

/// The binary logarithm of a number, times 2 to the power of [`LOG_BITS`]: each square says the next bit.
fn log2(number: usize) -> u64 {
    let number = (number as u64).max(1);
    let whole = number.ilog2();
    // The mantissa, from 1 to 2, with 31 bits behind the point.
    let mut mantissa = if whole > 31 { number >> (whole - 31) } else { number << (31 - whole) };
    let mut out = u64::from(whole);
    for _ in 0..LOG_BITS {
        mantissa = (mantissa * mantissa) >> 31;
        let is_over = mantissa >> 32;
        mantissa >>= is_over;
        out = out * 2 + is_over;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let written: Vec<String> = [0, 12, 999, 1000, 186_440, 1_000_000].map(grouped).into();
        assert_eq!(written, ["0", "12", "999", "1,000", "186,440", "1,000,000"]);
    }

    #[test]
    fn percentages_have_two_digits_that_count() {
        for (part, whole, wanted) in [
            (0, 100, "0.0 %"),
            (1, 100_000, "< 0.1 %"),
            (5, 1000, "0.5 %"),
            (999, 10_000, "10 %"),
            (1, 3, "33 %"),
            (3, 2, "150 %"),
            (1, 0, "100 %"),
        ] {
            assert_eq!(percent(part, whole), wanted, "{part} of {whole}");
        }
    }

    #[test]
    fn an_axis_is_logarithmic() {
        assert_eq!([10, 100, 1000, 5, 100_000].map(|number| log_place(number, 10, 1000)), [0, 5000, 10_000, 0, 10_000]);
        for number in [1usize, 2, 3, 10, 8192, 186_440, 4_000_000_000, usize::MAX] {
            let exact = (number as f64).log2() * 65_536.0;
            assert!((log2(number) as f64 - exact).abs() < 2.0, "{number}: {} {exact}", log2(number));
        }
    }
}
