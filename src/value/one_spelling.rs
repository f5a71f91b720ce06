//! The spelling that all equal values share, so that values can be distinguished by their text.

use std::borrow::Cow;

use toolshape_json::{Decimal, minify};

use crate::base::json_string::{Quoted, normalized};
use crate::base::numbers::{PLAIN_DIGITS, is_plain};

/// One spelling for all values that are equal: numbers by value, texts by their characters. Arrays and objects are equal if
/// their texts are, without white space.
pub fn one_spelling(json: &str) -> Cow<'_, str> {
    match json.as_bytes().first() {
        Some(b'"') if json.contains('\\') => Cow::Owned(format!("\"{}\"", normalized(Quoted::new(json).literal()))),
        Some(b'[' | b'{') => minify(json),
        Some(b'-' | b'0'..=b'9') if is_plain(json) => Cow::Borrowed(json),
        Some(b'-' | b'0'..=b'9') => Cow::Owned(Decimal::of(json).spelled(PLAIN_DIGITS)),
        _ => Cow::Borrowed(json),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_spelling_and_others_do_not() {
        let classes: [&[&str]; 18] = [
            &["100", "1e2", "100.0", "1E+2", "0.1e3"],
            &["0", "-0", "0.0", "0e9", "-0.00"],
            &["-1.5", "-15e-1", "-1.50"],
            &["1.5", "15e-1", "1.500"],
            &["0.001", "1e-3", "0.0010"],
            &["-0.25", "-25E-2"],
            &["0.0000000000001", "1e-13"],
            &["0.00000000000001", "1e-14"],
            &["123456789012.25", "12345678901225e-2"],
            &["1234567890123.25", "123456789012325e-2"],
            &["999999999999999", "999999999999999.0"],
            &["9007199254740993", "9007199254740993.0", "9.007199254740993e15"],
            &["9007199254740992"],
            &["1e400", "10e399"],
            &["\"100\"", "\"\\u0031\\u00300\""],
            &["\"a\\/\\n\"", "\"\\u0061/\\u000a\""],
            &["[1, 2]", "[1,2]"],
            &["null"],
        ];
        for (at, class) in classes.iter().enumerate() {
            for (other, others) in classes.iter().enumerate() {
                for (a, b) in class.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
                    assert_eq!(one_spelling(a) == one_spelling(b), at == other, "{a} {b}");
                }
            }
        }
    }
}
