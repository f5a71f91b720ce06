//! Numbers as people read them, and on a logarithmic axis.

/// A number with a comma before every third digit.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let parts = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    parts.collect::<Vec<_>>().join(",")
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
    let [low, high, at] = [least.max(1), most.max(least + 1), number.max(1)].map(|number| (number as f64).log2());
    ((at.clamp(low, high) - low) / (high - low) * 10_000.0).round() as usize
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
    }
}
