//! JSON numbers as doubles, and doubles as JSON numbers.

use toolshape_json::check;

/// Whether a text is one JSON number and nothing else.
pub(crate) fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && check(text, 1, &mut |_| {}).is_ok_and(|checked| checked.value == (0..text.len()))
}

/// A JSON number as a double; NaN for one beyond all doubles.
pub(crate) fn finite(spelled: &str) -> f64 {
    spelled.parse().ok().filter(|number: &f64| number.is_finite()).unwrap_or(f64::NAN)
}

/// A double as JSON, in the fewest digits that read back as the same double; null for one that is not finite.
pub(crate) fn spell(number: f64) -> String {
    /// Below this every whole number is a double and is written without an exponent.
    const WHOLE: f64 = 9_007_199_254_740_992.0;
    match number {
        n if n.fract() == 0.0 && n.abs() < WHOLE => format!("{}", n as i64),
        n => serde_json::Value::from(n).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_spelled_shortest() {
        let spelled =
            [(0.1 + 0.2, "0.30000000000000004"), (12.0, "12"), (-0.5, "-0.5"), (1e300, "1e+300"), (-0.0, "0")];
        for (number, text) in spelled {
            assert_eq!(spell(number), text);
        }
        assert_eq!(spell(f64::NAN), "null");
    }
}
