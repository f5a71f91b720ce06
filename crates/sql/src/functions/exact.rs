//! `sum`, `avg` and `total`, exact: of a double counts the shortest decimal that is it, of a text its digits.

use std::fmt::Write;
use std::sync::Arc;

use rusqlite::Result;
use rusqlite::functions::{Aggregate, Context, WindowAggregate};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use toolshape_json::Sum;

use super::{Adder, FLAGS, failed, null};
use crate::account::Account;
use crate::number;

/// Digits of a mean: enough for the nearest double to be the right one.
const MEAN_DIGITS: usize = 40;
/// Bytes that take as long to read as writing a sum, and each of its limbs.
const COST_OF_RESULT: usize = 200;
/// How many times as long as reading a text reading it as a number takes.
pub(super) const COST_OF_NUMBER: usize = 4;

pub fn add(adder: &Adder<'_>) -> Result<()> {
    for (name, kind) in [("sum", Kind::Sum), ("avg", Kind::Mean), ("total", Kind::Total)] {
        let account = Arc::clone(adder.account);
        adder.connection.create_window_function(name, 1, FLAGS, Exact { kind, account })?;
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sum,
    Mean,
    Total,
}

struct Exact {
    kind: Kind,
    account: Arc<Account>,
}

/// The numbers that were added.
#[derive(Default)]
struct Added {
    integers: i128,
    others: Sum,
    count: u64,
    /// How many of them were not integers of 64 bits.
    reals: u64,
    spelled: String,
}

impl Added {
    /// Adds a number, or takes it away; `None` if the value is none.
    fn add(&mut self, value: ValueRef<'_>, is_taken: bool) -> Result<Option<()>> {
        self.spelled.clear();
        let is_real = match value {
            ValueRef::Integer(number) => {
                self.integers += if is_taken { -i128::from(number) } else { i128::from(number) };
                self.counted(is_taken, false);
                return Ok(Some(()));
            }
            ValueRef::Real(number) if number.is_finite() => {
                write!(self.spelled, "{number:e}").expect("writing to a String cannot fail");
                true
            }
            ValueRef::Real(_) => return Err(failed("sum: a number is infinite")),
            ValueRef::Text(text) => {
                let text = std::str::from_utf8(text).unwrap_or_default().trim();
                if !number::is_number(text) {
                    return Ok(None);
                }
                self.spelled.push_str(text);
                text.contains(['.', 'e', 'E'])
            }
            ValueRef::Null | ValueRef::Blob(_) => return Ok(None),
        };
        if is_taken {
            match self.spelled.starts_with('-') {
                true => drop(self.spelled.remove(0)),
                false => self.spelled.insert(0, '-'),
            }
        }
        self.others.add(&self.spelled).map_err(|_| failed("sum: a number has too many digits"))?;
        self.counted(is_taken, is_real);
        Ok(Some(()))
    }

    fn counted(&mut self, is_taken: bool, is_real: bool) {
        let by = u64::from(is_real);
        if is_taken {
            (self.count, self.reals) = (self.count - 1, self.reals - by);
        } else {
            (self.count, self.reals) = (self.count + 1, self.reals + by);
        }
    }

    fn result(&self, kind: Kind) -> Result<ToSqlOutput<'static>> {
        if self.count == 0 {
            return Ok(if kind == Kind::Total { real("0") } else { null() });
        }
        let mut sum = self.others.clone();
        sum.add(&self.integers.to_string()).map_err(|_| failed("sum: too many digits"))?;
        Ok(match kind {
            Kind::Mean => real(&sum.divided(self.count, MEAN_DIGITS)),
            Kind::Total => real(&sum.spelled()),
            Kind::Sum if self.reals > 0 => real(&sum.spelled()),
            // Digits beyond 64 bits stay, as text.
            Kind::Sum => {
                let spelled = whole(&sum);
                ToSqlOutput::Owned(spelled.parse().map_or(Value::Text(spelled), Value::Integer))
            }
        })
    }
}

/// A sum of integers without an exponent.
fn whole(sum: &Sum) -> String {
    let spelled = sum.spelled();
    let Some((mantissa, exponent)) = spelled.split_once('e') else { return spelled };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let zeros = exponent.parse::<usize>().unwrap_or(0).saturating_sub(fraction.len());
    format!("{whole}{fraction}{}", "0".repeat(zeros))
}

fn real(spelled: &str) -> ToSqlOutput<'static> {
    ToSqlOutput::Owned(Value::Real(spelled.parse().unwrap_or(f64::NAN)))
}

impl Aggregate<Added, ToSqlOutput<'static>> for Exact {
    fn init(&self, _: &mut Context<'_>) -> Result<Added> {
        Ok(Added::default())
    }

    fn step(&self, context: &mut Context<'_>, added: &mut Added) -> Result<()> {
        if let ValueRef::Text(text) = context.get_raw(0)
            && !self.account.read(COST_OF_NUMBER * text.len())
        {
            return Err(failed("stopped"));
        }
        // NULL is never part of a sum in SQL.
        let value = context.get_raw(0);
        if added.add(value, false)?.is_none() && value != ValueRef::Null {
            self.account.leave_out();
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, added: Option<Added>) -> Result<ToSqlOutput<'static>> {
        added.unwrap_or_default().result(self.kind)
    }
}

impl WindowAggregate<Added, ToSqlOutput<'static>> for Exact {
    fn value(&self, added: Option<&mut Added>) -> Result<ToSqlOutput<'static>> {
        // Writing a sum takes as long as reading some hundred bytes, and longer the more digits it has.
        if !self.account.read(COST_OF_RESULT * (1 + added.as_ref().map_or(0, |added| added.others.limbs()))) {
            return Err(failed("stopped"));
        }
        added.map_or_else(|| Added::default().result(self.kind), |added| added.result(self.kind))
    }

    fn inverse(&self, context: &mut Context<'_>, added: &mut Added) -> Result<()> {
        added.add(context.get_raw(0), true).map(drop)
    }
}
