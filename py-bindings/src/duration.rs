//! Durations in the form of ISO 8601.

use pyo3::intern;
use pyo3::prelude::*;

const NANOS: i128 = 1_000_000_000;

/// A `timedelta`, as pydantic writes it, but in days and never in years, which have no certain length: `P1DT2H`.
pub fn iso(delta: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = delta.py();
    let part = |name| delta.getattr(name)?.extract::<i128>();
    // A Timedelta of pandas counts nanoseconds, too.
    let finer = match delta.get_type().hasattr(intern!(py, "nanoseconds"))? {
        true => part(intern!(py, "nanoseconds"))?,
        false => 0,
    };
    let seconds = part(intern!(py, "days"))? * 86_400 + part(intern!(py, "seconds"))?;
    Ok(of_nanos(seconds * NANOS + part(intern!(py, "microseconds"))? * 1000 + finer))
}

/// The same for a number of nanoseconds.
pub fn of_nanos(nanos: i128) -> String {
    let (seconds, rest) = (nanos.unsigned_abs() / NANOS as u128, nanos.unsigned_abs() % NANOS as u128);
    let unit = |number: u128, unit: &str| if number > 0 { format!("{number}{unit}") } else { String::new() };
    let days = unit(seconds / 86_400, "D");
    let fraction = format!("{}.{rest:09}", seconds % 60);
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    let mut clock = unit(seconds / 3600 % 24, "H") + &unit(seconds / 60 % 60, "M");
    if fraction != "0" || (days.is_empty() && clock.is_empty()) {
        clock += &format!("{fraction}S");
    }
    let sign = if nanos < 0 { "-" } else { "" };
    if clock.is_empty() { format!("{sign}P{days}") } else { format!("{sign}P{days}T{clock}") }
}
