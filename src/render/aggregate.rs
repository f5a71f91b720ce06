//! Aggregates over all entries of a series, before any is dropped: count, nulls, extremes, mean.
//!
//! Values are compared as doubles; of equal ones the first counts. Values are written as the entries spell them.

use std::borrow::Cow;

use crate::base::error::Error;
use crate::base::members::Members;
use crate::base::numbers;
use crate::render::sample;
use crate::value::at_pointer;
use crate::value::source::{Source, item};

/// A value with a longer text is not copied; a number is then written in its shortest form.
const MAX_TOLD_BYTES: usize = 40;

/// The aggregates of a column as a JSON object.
///
/// `at` is the field with an entry's position, if there is one.
pub(crate) fn json<S: Source>(
    list: &S,
    values: &[f64],
    value: &[String],
    at: Option<&[String]>,
) -> Result<String, Error> {
    let written = |index: usize| spelled(list, index, values[index], value);
    let extreme = |index: Option<usize>| -> Result<String, Error> {
        let Some(index) = index else { return Ok("null".to_owned()) };
        let mut out = Members::new();
        out.number("index", index);
        if let Some(at) = at
            && let Some(place) = short(list, index, at)?
        {
            out.json("at", &place);
        }
        out.json("value", &written(index)?);
        Ok(out.into_object())
    };
    let count = values.iter().filter(|value| !value.is_nan()).count();
    let (first, last) = match values.len() {
        0 => ("null".to_owned(), "null".to_owned()),
        len => (written(0)?, written(len - 1)?),
    };
    let mut out = Members::new();
    out.number("count", count);
    out.number("nulls", values.len() - count);
    out.json("min", &extreme(sample::lowest(values))?);
    out.json("max", &extreme(sample::highest(values))?);
    out.json("mean", &numbers::spell(mean(values)));
    out.json("first", &first);
    out.json("last", &last);
    Ok(out.into_object())
}

/// The mean of the numbers among `values`, by compensated summation (Neumaier 1974); NaN if there is none.
fn mean(values: &[f64]) -> f64 {
    let count = values.iter().filter(|value| !value.is_nan()).count() as f64;
    let sum = sum(values.iter().copied());
    // If the sum overflows, the mean may still be finite.
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

/// A value as its entry spells it; null if it is not a number.
fn spelled<S: Source>(list: &S, index: usize, number: f64, path: &[String]) -> Result<String, Error> {
    if number.is_nan() {
        return Ok("null".to_owned());
    }
    Ok(short(list, index, path)?.unwrap_or_else(|| numbers::spell(number)))
}

/// The scalar at `path` in an entry as JSON, if it is short.
fn short<S: Source>(list: &S, index: usize, path: &[String]) -> Result<Option<String>, Error> {
    let Some(entry) = item(list, index)? else { return Ok(None) };
    let Some(found) = at_pointer::at_pointer(&entry, path)? else { return Ok(None) };
    if found.kind().is_container() {
        return Ok(None);
    }
    Ok(found.json_up_to(MAX_TOLD_BYTES)?.map(Cow::into_owned))
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
