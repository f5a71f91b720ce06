//! The ids of requests, compared as clients do. The SDKs in TypeScript and Python read the id of an answer as a number where it
//! is the text of one, and an object in JavaScript has one member for `2` and `"2"`.

use std::borrow::Cow;

use toolshape::host::{Quoted, one_spelling};

/// What is equal for ids of which a client may take one for the other, and for no others: the number of `2`, `2.0`, `"2"` and
/// `"0x2"`, or else the id in one spelling.
pub fn id_key(id: &str) -> Cow<'_, str> {
    // Most ids are counted.
    let counted = || if id.bytes().all(|byte| byte.is_ascii_digit()) { id.parse::<u32>().ok() } else { None };
    match counted().map(f64::from).or_else(|| number(id)) {
        // `-0` is `0`. To write a double takes 20 KB of the module.
        Some(number) => Cow::Owned((number + 0.0).to_bits().to_string()),
        None => one_spelling(id),
    }
}

/// Whether a client may take one id for the other.
pub(crate) fn is_same_id(left: &str, right: &str) -> bool {
    left == right || id_key(left) == id_key(right)
}

/// The number that JavaScript's `Number` or Python's `int` reads.
fn number(id: &str) -> Option<f64> {
    let text = match Quoted::of(id) {
        Some(quoted) => quoted.text().trim().replace('_', ""),
        None => id.to_owned(),
    };
    let of_base = |prefix: &str, base: u32| {
        let digits = text.get(..2).filter(|start| start.eq_ignore_ascii_case(prefix)).map(|_| &text[2..])?;
        u64::from_str_radix(digits, base).ok().map(|number| number as f64)
    };
    let based = || of_base("0x", 16).or_else(|| of_base("0o", 8)).or_else(|| of_base("0b", 2));
    if text.is_empty() { Some(0.0) } else { decimal(&text).or_else(based) }
}

/// The finite number of decimal digits, also as JSON does not spell it: `+2`, `02`, `2.`, `.5`.
fn decimal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = if text.starts_with('-') { "-" } else { "" };
    if !unsigned.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let digits = unsigned.trim_start_matches('0').strip_suffix('.').unwrap_or(unsigned.trim_start_matches('0'));
    let zero = if digits.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
    serde_json::from_str(&format!("{sign}{zero}{digits}")).ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_compared_as_clients_do() {
        let of_two = [
            "2", "2.0", "2e0", "0.2E1", "\"2\"", "\" 2\\n\"", "\"\\u0032\"", "\"02\"", "\"+2.\"", "\"0X2\"", "\"0b10\"",
        ];
        assert!(of_two.iter().all(|id| is_same_id(id, "2")));
        assert!(is_same_id("\"\"", "0") && is_same_id("-0", "0") && is_same_id("\"1_0\"", "10"));
        // What doubles cannot tell apart, neither can clients.
        assert!(is_same_id("9007199254740993", "9007199254740992"));
        assert!(is_same_id("\"a\\u0062\"", "\"ab\"") && !is_same_id("\"a\"", "\"b\""));
        for id in ["true", "null", "[2]", "{}", "\"2 3\"", "\"nan\"", "\"Infinity\"", "\"1e999\"", "\"0x\"", "\"é2\""]
        {
            assert!(!of_two.iter().any(|two| is_same_id(two, id)) && !is_same_id(id, "0"), "{id}");
        }
    }
}
