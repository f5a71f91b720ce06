//! JSON numbers as doubles, and doubles as JSON numbers.

use std::borrow::Cow;

use lexical_parse_float::FromLexical;
pub(crate) use toolshape_json::is_number;
use toolshape_json::{short_double, with_texts_for_numbers};

/// The largest whole number that every JSON reader keeps exact (I-JSON, RFC 7493); up to it a double is written without an
/// exponent.
pub(crate) const MAX_INTEGER: u64 = (1 << 53) - 1;

/// JSON text in which whole numbers that not every host keeps exact, and numbers beyond all doubles, are texts, so that all hosts can
/// read it as values of their own.
pub(crate) fn held_by_hosts(json: &str) -> Cow<'_, str> {
    /// A number of fewer bytes is held.
    const SHORTEST: usize = "1e309".len();
    let is_held = |spelled: &str| match spelled.contains(['.', 'e', 'E']) {
        true => double(spelled).is_finite(),
        false => spelled.trim_start_matches('-').parse::<u64>().is_ok_and(|number| number <= MAX_INTEGER),
    };
    with_texts_for_numbers(json, |spelled| spelled.len() < SHORTEST || is_held(spelled))
}

/// Digits of which every number is spelled by its double, and by no other number's.
pub(crate) const PLAIN_DIGITS: usize = 15;

/// Whether a JSON number is spelled with few digits and without an exponent, and no shorter spelling is: as most are.
pub(crate) fn is_plain(spelled: &str) -> bool {
    spelled.len() <= PLAIN_DIGITS + usize::from(spelled.starts_with('-')) && is_shortest(spelled)
}

/// Whether every host spells the double of a JSON number as it is spelled here, so that it is the same as text and as number.
pub(crate) fn is_exact(spelled: &str) -> bool {
    /// Python spells smaller numbers with an exponent.
    const SMALL: &str = "0.0000";
    let is_small = spelled.trim_start_matches('-').starts_with(SMALL);
    !is_small && (is_plain(spelled) || is_shortest(spelled) && spell(double(spelled)) == spelled)
}

/// Whether a number has neither an exponent nor a zero that says nothing.
fn is_shortest(spelled: &str) -> bool {
    let has_idle_zero = spelled.ends_with('0') && spelled.contains('.') || spelled == "-0";
    !has_idle_zero && !spelled.contains(['e', 'E'])
}

/// The double that is nearest to a JSON number; infinite for one beyond all doubles, NaN for what is not a number.
pub(crate) fn double(spelled: &str) -> f64 {
    // The standard library's tables for this would be 10 KB of the npm package, as they do not compress.
    short_double(spelled).unwrap_or_else(|| f64::from_lexical(spelled.as_bytes()).unwrap_or(f64::NAN))
}

/// A JSON number as a double; NaN for one beyond all doubles.
pub(crate) fn finite(spelled: &str) -> f64 {
    Some(double(spelled)).filter(|number| number.is_finite()).unwrap_or(f64::NAN)
}

/// A double as JSON, in the fewest digits that read back as the same double; null for one that is not finite.
pub(crate) fn spell(number: f64) -> String {
    match number {
        n if n.fract() == 0.0 && n.abs() <= MAX_INTEGER as f64 => format!("{}", n as i64),
        n => serde_json::Value::from(n).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_nearest_double() {
        let long = format!("0.{}1", "3".repeat(900));
        // Halfway between two doubles, and a digit more that is far behind.
        let (half, over) = ("9007199254740993", format!("9007199254740993.{}1", "0".repeat(800)));
        let numbers =
            ["0", "-0", "0.1", "-12.5E+1", "1e22", "1e23", "1e-400", "5e-324", "2.5e-324", half, &over, &long];
        for spelled in
            numbers.into_iter().chain(["1e400", "-1e400", "1.7976931348623159e308", "123456789012345678901e-5"])
        {
            let nearest: f64 = spelled.parse().unwrap();
            assert_eq!(double(spelled).to_bits(), nearest.to_bits(), "{spelled}");
        }
    }

    #[test]
    fn a_number_is_exact_if_javascript_and_python_spell_it_so() {
        for spelled in ["0", "-7", "19.95", "0.1", "0.0001", "9007199254740991", "0.30000000000000004", "-1234567.125"]
        {
            assert!(is_exact(spelled), "{spelled}");
        }
        let others = [
            "-0", "1.10", "1.0", "0.00001", "1e3", "1E3", "47583311587E90005", "1e-7", "9007199254740992",
            "1733300000.000010", "12345678901234567890", "0.12345678901234567890", "10000000000000000.5",
        ];
        for spelled in others {
            assert!(!is_exact(spelled), "{spelled}");
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    proptest::proptest! {
        #[test]
        fn every_number_is_read_as_the_standard_library_reads_it(
            bits: u64, digits in "[1-9][0-9]{0,30}", places in 1..31usize, exponent in -340..320i32
        ) {
            let number = f64::from_bits(bits);
            let (whole, fraction) = digits.split_at(places.min(digits.len()));
            let spellings = [
                format!("{number}"),
                format!("{number:e}"),
                format!("-{digits}e{exponent}"),
                format!("{whole}.{fraction}0E{exponent}"),
                digits.clone(),
            ];
            // All but infinity and NaN.
            for spelled in spellings.iter().filter(|spelled| is_number(spelled)) {
                let nearest: f64 = spelled.parse().unwrap();
                assert_eq!(double(spelled).to_bits(), nearest.to_bits(), "{}", spelled);
                assert!(!is_exact(spelled) || format!("{nearest}") == **spelled, "{}", spelled);
            }
        }
    }

    #[test]
    fn numbers_that_no_double_holds_are_texts_for_hosts() {
        let json = r#"{"1e999":[1e999,-1E+400,1e308,"1e999",12,-0.5],"a\"1e999":{"n":1e-999}}"#;
        let held = r#"{"1e999":["1e999","-1E+400",1e308,"1e999",12,-0.5],"a\"1e999":{"n":1e-999}}"#;
        assert_eq!(held_by_hosts(json), held);
        let json = "[9007199254740991,9007199254740992,-9007199254740993,184467440737095516150,9007199254740993.0]";
        let held = "[9007199254740991,\"9007199254740992\",\"-9007199254740993\",\"184467440737095516150\",9007199254740993.0]";
        assert_eq!(held_by_hosts(json), held);
        assert_eq!(held_by_hosts(&format!("9{}", "0".repeat(400))), format!("\"9{}\"", "0".repeat(400)));
        assert!(matches!(held_by_hosts("[1.5e3]"), Cow::Borrowed(_)));
    }

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
