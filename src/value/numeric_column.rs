//! The numbers of a list: its items, or one field of each, read without the rest.
//!
//! A number that fits a finite double counts, and a string that contains only such a number, as prices often do.
//! Anything else, and a missing field, is NaN.

use crate::base::error::Error;
use crate::base::numbers;
use crate::value::at_pointer;
use crate::value::source::{CHUNK, Kind, Source};

/// A longer string is not a number.
const NUMBER_CHARS: usize = 64;

/// The numbers at `path` in each item of a list, NaN where there is none.
///
/// # Errors
/// Whatever reading the value reports.
pub fn numbers<S: Source>(list: &S, path: &[String]) -> Result<Vec<f64>, Error> {
    if let Some(numbers) = list.fast().map_or(Ok(None), |fast| fast.column(path))? {
        return Ok(numbers);
    }
    let len = list.len();
    let mut numbers = Vec::with_capacity(len);
    for start in (0..len).step_by(CHUNK) {
        for item in list.items(start, CHUNK)? {
            numbers.push(number_at(&item, path)?);
        }
    }
    Ok(numbers)
}

/// The number at `path` in a value, NaN if there is none.
///
/// # Errors
/// Whatever reading the value reports.
pub fn number_at<S: Source>(value: &S, path: &[String]) -> Result<f64, Error> {
    match path {
        [] => number(value),
        path => at_pointer::at_pointer(value, path)?.map_or(Ok(f64::NAN), |found| number(&found)),
    }
}

fn number<S: Source>(value: &S) -> Result<f64, Error> {
    match value.kind() {
        Kind::Number => Ok(numbers::finite(&value.json()?)),
        Kind::String if value.chars() <= NUMBER_CHARS => {
            let text = value.slice(0, NUMBER_CHARS)?;
            Ok(if numbers::is_number(&text) { numbers::finite(&text) } else { f64::NAN })
        }
        _ => Ok(f64::NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json_text::JsonText;

    #[test]
    fn numbers_are_read_from_numbers_and_from_their_spelling() {
        let list =
            r#"[1, 2.5e1, "-3.25", "1e2", null, "1,5", " 1", "", "0x1", true, [1], {"v":1}, 1e400, "1e400", -0]"#;
        let numbers = numbers(&JsonText::parse(list).unwrap(), &[]).unwrap();
        assert_eq!(numbers[..4], [1.0, 25.0, -3.25, 100.0]);
        assert!(numbers[4..14].iter().all(|number| number.is_nan()), "{numbers:?}");
        assert_eq!(numbers[14], 0.0);
    }
}
