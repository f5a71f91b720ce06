//! A value as it is sorted: one total order of everything that JSON has.
//!
//! Ascending: false, true, numbers by value, texts by code points, arrays, objects; descending is the reverse. Null comes
//! after these, and what is missing comes last, in both directions. Arrays, and objects, are equal to one another.

use std::cmp::Ordering;

use crate::base::json_string::Quoted;
use crate::base::numbers::double;
use crate::base::sort_key_order;
use crate::base::work::Work;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    False,
    True,
    Number,
    Text,
    Array,
    Object,
    Null,
    Missing,
}

impl Rank {
    pub const COUNT: usize = 8;

    pub fn of(json: &str) -> Self {
        match json.as_bytes().first() {
            None => Self::Missing,
            Some(b'f') => Self::False,
            Some(b't') => Self::True,
            Some(b'"') => Self::Text,
            Some(b'[') => Self::Array,
            Some(b'{') => Self::Object,
            Some(b'n') => Self::Null,
            Some(_) => Self::Number,
        }
    }
}

/// A value with what decides most comparisons.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keyed<'t> {
    /// The nearest double of a number; of anything else a NaN that has its rank.
    number: f64,
    /// Its JSON text; empty for what is missing.
    pub json: &'t str,
}

/// A NaN that has nothing in its lower bits.
const NO_NUMBER: u64 = 0x7ff8_0000_0000_0000;

impl<'t> Keyed<'t> {
    pub fn new(json: &'t str) -> Self {
        let number = match Rank::of(json) {
            Rank::Number => double(json),
            rank => f64::from_bits(NO_NUMBER | rank as u64),
        };
        Self { number, json }
    }

    fn rank(&self) -> u8 {
        if self.number.is_nan() { self.number.to_bits() as u8 } else { Rank::Number as u8 }
    }

    /// How two values compare, in one direction. What is compared byte by byte is spent from the work; when it is over, the
    /// order does not matter.
    pub fn compare(&self, other: &Self, is_descending: bool, work: &Work) -> Ordering {
        let (rank, others) = (self.rank(), other.rank());
        let order = rank.cmp(&others).then_with(|| self.compare_alike(other, work));
        let are_last = rank.max(others) >= Rank::Null as u8;
        if is_descending && !are_last { order.reverse() } else { order }
    }

    /// How two values of one rank compare.
    fn compare_alike(&self, other: &Self, work: &Work) -> Ordering {
        let of_bytes = |compare: fn(&str, &str) -> Ordering| {
            if self.json == other.json {
                return Ordering::Equal;
            }
            match work.spend(self.json.len().min(other.json.len())).is_break() {
                true => Ordering::Equal,
                false => compare(self.json, other.json),
            }
        };
        match self.number.partial_cmp(&other.number) {
            // Rounding keeps the order, so that only equal doubles have to be looked at again.
            Some(Ordering::Equal) => of_bytes(sort_key_order::numbers),
            Some(order) => order,
            None if self.rank() == Rank::Text as u8 => of_bytes(|a, b| Quoted::new(a).compare(Quoted::new(b))),
            None => Ordering::Equal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_one_place() {
        let ascending = [
            "false",
            "true",
            "-1e400",
            "-1",
            "0",
            "0.1",
            "9007199254740992",
            "9007199254740993",
            "1e400",
            "2e400",
            "\"\"",
            "\"B\"",
            "\"\\u0061\"",
            "\"aa\"",
            "\"\u{e9}\"",
            "[2]",
            "{}",
            "null",
            "",
        ];
        let work = Work::over(0);
        let compare = |a: &str, b: &str, descending| Keyed::new(a).compare(&Keyed::new(b), descending, &work);
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(compare(a, b, false), i.cmp(&j), "{a} {b}");
                let is_last = i >= ascending.len() - 2 || j >= ascending.len() - 2;
                assert_eq!(compare(a, b, true), if is_last { i.cmp(&j) } else { j.cmp(&i) }, "{a} {b}");
            }
        }
        for (a, b) in [("1", "1.0"), ("1e0", "10e-1"), ("-0", "0"), ("[1]", "[2]"), ("\"a\"", "\"\\u0061\"")] {
            assert_eq!(compare(a, b, false), Ordering::Equal, "{a} {b}");
        }
    }
}
