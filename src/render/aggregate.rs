//! What is told of all entries of a series before any is dropped: count, nulls, extremes, mean.
//!
//! Values are compared as doubles, and of equal ones the first is told; what is told of an entry is its own
//! text.

use crate::base::error::Error;
use crate::base::numbers;
use crate::render::sample;
use crate::value::lookup;
use crate::value::source::{Kind, Source, item};

/// Values of entries are told up to this length; a number that is longer is told in the shortest form.
const MAX_TOLD_BYTES: usize = 40;

/// The aggregates of a column as a JSON object, with its entries' own text.
///
/// `at` is the field that tells where an entry stands, if there is one.
pub(crate) fn json<S: Source>(
    list: &S,
    values: &[f64],
    value: &[String],
    at: Option<&[String]>,
) -> Result<String, Error> {
    let told = |index: usize| spelled(list, index, values[index], value);
    let extreme = |index: Option<usize>| -> Result<String, Error> {
        let Some(index) = index else { return Ok("null".to_owned()) };
        let place = match at {
            Some(at) => short(list, index, at)?,
            None => None,
        };
        let place = place.map_or(String::new(), |place| format!("\"at\":{place},"));
        Ok(format!("{{\"index\":{index},{place}\"value\":{}}}", told(index)?))
    };
    let count = values.iter().filter(|value| !value.is_nan()).count();
    let (first, last) = match values.len() {
        0 => ("null".to_owned(), "null".to_owned()),
        len => (told(0)?, told(len - 1)?),
    };
    Ok(format!(
        "{{\"count\":{count},\"nulls\":{},\"min\":{},\"max\":{},\"mean\":{},\"first\":{first},\"last\":{last}}}",
        values.len() - count,
        extreme(sample::lowest(values))?,
        extreme(sample::highest(values))?,
        numbers::spell(mean(values)),
    ))
}

/// The mean of the numbers among `values`, summed up so that no digit of a small one is lost beside a large
/// one (Neumaier 1974); NaN if there is none.
fn mean(values: &[f64]) -> f64 {
    let count = values.iter().filter(|value| !value.is_nan()).count() as f64;
    let sum = sum(values.iter().copied());
    // Sums beyond all doubles may have a mean all the same.
    if sum.is_finite() { sum / count } else { self::sum(values.iter().map(|value| value / count)) }
}

fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    for value in values.filter(|value| !value.is_nan()) {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    sum + lost
}

/// A value as its entry has it; null where that is no number.
fn spelled<S: Source>(list: &S, index: usize, number: f64, path: &[String]) -> Result<String, Error> {
    if number.is_nan() {
        return Ok("null".to_owned());
    }
    Ok(short(list, index, path)?.unwrap_or_else(|| numbers::spell(number)))
}

/// The scalar at `path` in an entry as JSON, if it is short.
fn short<S: Source>(list: &S, index: usize, path: &[String]) -> Result<Option<String>, Error> {
    let Some(entry) = item(list, index)? else { return Ok(None) };
    let Some(found) = lookup::at_pointer(&entry, path)? else { return Ok(None) };
    // A lower bound first, so that no long text is written.
    if matches!(found.kind(), Kind::Array | Kind::Object) || found.min_bytes(MAX_TOLD_BYTES) > MAX_TOLD_BYTES {
        return Ok(None);
    }
    Ok(Some(found.json()?.into_owned()).filter(|json| json.len() <= MAX_TOLD_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_loses_nothing() {
        assert_eq!(mean(&[1e100, 1.0, -1e100, 3.0]), 1.0);
        assert_eq!(mean(&[f64::MAX, f64::MAX]), f64::MAX);
        assert_eq!(mean(&[0.1; 10]), 0.1);
        assert_eq!(mean(&[f64::NAN, 2.0, f64::NAN, 4.0]), 3.0);
        assert!(mean(&[]).is_nan() && mean(&[f64::NAN]).is_nan());
    }
}
