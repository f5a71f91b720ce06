//! `ceil`, `floor`, `trunc`, `sqrt` and `mod`: those functions of numbers whose results are the same on every machine.

use rusqlite::Result;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};

use super::{Adder, Arguments, Output, null};

pub fn add(adder: &Adder<'_>) -> Result<()> {
    for (name, round) in
        [("ceil", f64::ceil as fn(f64) -> f64), ("ceiling", f64::ceil), ("floor", f64::floor), ("trunc", f64::trunc)]
    {
        adder.scalar(name, 1, move |arguments| match arguments.context.get_raw(0) {
            ValueRef::Integer(number) => Ok(ToSqlOutput::Owned(Value::Integer(number))),
            _ => Ok(number(arguments, 0).map_or(null(), |number| real(round(number)))),
        })?;
    }
    adder.scalar("sqrt", 1, |arguments| {
        Ok(number(arguments, 0).filter(|number| *number >= 0.0).map_or(null(), |number| real(number.sqrt())))
    })?;
    adder.scalar("mod", 2, |arguments| -> Output {
        let (Some(a), Some(b)) = (number(arguments, 0), number(arguments, 1)) else { return Ok(null()) };
        Ok(if b == 0.0 { null() } else { real(a % b) })
    })
}

fn real(number: f64) -> ToSqlOutput<'static> {
    ToSqlOutput::Owned(Value::Real(number))
}

fn number(arguments: &Arguments<'_, '_>, at: usize) -> Option<f64> {
    match arguments.context.get_raw(at) {
        ValueRef::Integer(number) => Some(number as f64),
        ValueRef::Real(number) => Some(number),
        ValueRef::Text(text) => std::str::from_utf8(text).ok()?.trim().parse().ok(),
        ValueRef::Null | ValueRef::Blob(_) => None,
    }
}
