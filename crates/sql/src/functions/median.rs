//! `median(x)` and `percentile(x, p)` with `p` from 0 to 100: linear between the two nearest values, and exact in the middle.

use std::cmp::Ordering;
use std::sync::Arc;

use rusqlite::Result;
use rusqlite::functions::{Aggregate, Context};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use toolshape_json::Sum;

use super::exact::COST_OF_NUMBER;
use super::{Adder, FLAGS, failed, null};
use crate::account::Account;
use crate::number;

pub fn add(adder: &Adder<'_>) -> Result<()> {
    for (name, arguments) in [("median", 1), ("percentile", 2)] {
        let account = Arc::clone(adder.account);
        adder.connection.create_aggregate_function(name, arguments, FLAGS, Percentile { account })?;
    }
    Ok(())
}

struct Percentile {
    account: Arc<Account>,
}

/// The values so far, and the percentage.
struct Collected {
    numbers: Vec<Kept>,
    bytes: usize,
    percent: f64,
}

/// A number that was collected.
enum Kept {
    Integer(i64),
    Real(f64),
    /// The digits of one beyond 64 bits, or of one in a text.
    Digits(Box<str>),
}

impl Kept {
    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(b),
            (Self::Real(a), Self::Real(b)) => a.total_cmp(b),
            _ => number::compare(&self.spelled(), &other.spelled()),
        }
    }

    fn spelled(&self) -> String {
        match self {
            Self::Integer(number) => number.to_string(),
            Self::Real(number) => format!("{number:e}"),
            Self::Digits(digits) => digits.to_string(),
        }
    }

    fn output(&self) -> ToSqlOutput<'static> {
        ToSqlOutput::Owned(match self {
            Self::Integer(number) => Value::Integer(*number),
            Self::Real(number) => Value::Real(*number),
            Self::Digits(digits) => match number::read(digits) {
                number::Number::Integer(number) => Value::Integer(number),
                number::Number::Real(number) => Value::Real(number),
                number::Number::Beyond => Value::Text(digits.to_string()),
            },
        })
    }
}

impl Aggregate<Collected, ToSqlOutput<'static>> for Percentile {
    fn init(&self, context: &mut Context<'_>) -> Result<Collected> {
        let percent = match context.len() {
            1 => 50.0,
            _ => match context.get_raw(1) {
                ValueRef::Integer(number) => number as f64,
                ValueRef::Real(number) => number,
                _ => f64::NAN,
            },
        };
        if !(0.0..=100.0).contains(&percent) {
            return Err(failed("percentile: the second argument is from 0 to 100"));
        }
        Ok(Collected { numbers: Vec::new(), bytes: 0, percent })
    }

    fn step(&self, context: &mut Context<'_>, collected: &mut Collected) -> Result<()> {
        let value = context.get_raw(0);
        if let ValueRef::Text(text) = value
            && !self.account.read(COST_OF_NUMBER * text.len())
        {
            return Err(failed("stopped"));
        }
        let (kept, bytes) = match value {
            ValueRef::Integer(number) => (Kept::Integer(number), 0),
            ValueRef::Real(number) if number.is_finite() => (Kept::Real(number), 0),
            ValueRef::Text(text) => {
                match std::str::from_utf8(text).map(str::trim).ok().filter(|text| number::is_number(text)) {
                    Some(text) => (Kept::Digits(text.into()), text.len()),
                    None => {
                        self.account.leave_out();
                        return Ok(());
                    }
                }
            }
            ValueRef::Null => return Ok(()),
            _ => {
                self.account.leave_out();
                return Ok(());
            }
        };
        let bytes = size_of::<Kept>() + bytes;
        collected.bytes += bytes;
        if !self.account.keep(bytes) {
            return Err(failed("stopped"));
        }
        collected.numbers.push(kept);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, collected: Option<Collected>) -> Result<ToSqlOutput<'static>> {
        self.account.release(collected.as_ref().map_or(0, |collected| collected.bytes));
        let Some(Collected { mut numbers, percent, .. }) = collected.filter(|collected| !collected.numbers.is_empty())
        else {
            return Ok(null());
        };
        // Sorting compares each number about as often as their count has bits, and reads its digits.
        let times = (usize::BITS - numbers.len().leading_zeros()) as usize;
        let digits: usize =
            numbers.iter().map(|number| if let Kept::Digits(digits) = number { digits.len() } else { 0 }).sum();
        if !self.account.read(16 * numbers.len() + digits.saturating_mul(times)) {
            return Err(failed("stopped"));
        }
        numbers.sort_unstable_by(Kept::compare);
        let place = percent / 100.0 * (numbers.len() - 1) as f64;
        let (below, part) = (place.floor() as usize, place.fract());
        let Some(above) = numbers.get(below + 1).filter(|_| part > 0.0) else { return Ok(numbers[below].output()) };
        if numbers[below].compare(above) == Ordering::Equal {
            return Ok(above.output());
        }
        let (below, above) = (numbers[below].spelled(), above.spelled());
        if part == 0.5 {
            let mut sum = Sum::default();
            let added = sum.add(&below).and_then(|()| sum.add(&above));
            added.map_err(|_| failed("median: a number has too many digits"))?;
            return Ok(ToSqlOutput::Owned(mean(&sum.divided(2, 40))));
        }
        let (below, above): (f64, f64) = (below.parse().unwrap_or(f64::NAN), above.parse().unwrap_or(f64::NAN));
        Ok(ToSqlOutput::Owned(Value::Real(below + (above - below) * part)))
    }
}

/// The mean of two numbers: its digits stay if it is an integer beyond 64 bits.
fn mean(spelled: &str) -> Value {
    match number::read(spelled) {
        number::Number::Beyond if !spelled.contains(['.', 'e', 'E']) => Value::Text(spelled.to_owned()),
        _ => Value::Real(spelled.parse().unwrap_or(f64::NAN)),
    }
}
