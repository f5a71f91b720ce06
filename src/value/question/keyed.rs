//! A value as it is sorted: one total order of everything that JSON has.
//!
//! Ascending: false, true, numbers by value, texts by code points, arrays, objects; descending is the reverse. Null comes
//! after these, and what is missing comes last, in both directions. Arrays, and objects, are equal to one another.

use std::cell::Cell;
use std::cmp::Ordering;

use crate::base::json_string::{self, Quoted};
use crate::base::numbers::double;
use crate::base::sort_key_order;

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
    /// The bits of the nearest double of a number; of anything else those of a NaN that has its rank, and of a text the first
    /// bytes and whether it is spelled with escapes.
    bits: u64,
    /// Its JSON text; empty for what is missing.
    pub json: &'t str,
}

/// A NaN that has nothing in its lower bits.
const NO_NUMBER: u64 = 0x7ff8_0000_0000_0000;
/// Where its rank is, and the first bytes of a text.
const RANK_BITS: u32 = 48;
const FIRST_BITS: u32 = 8;
const FIRST_BYTES: usize = 5;
/// What is set for a text with escapes.
const ESCAPED: u64 = 1;

impl<'t> Keyed<'t> {
    pub fn new(json: &'t str) -> Self {
        let bits = match Rank::of(json) {
            Rank::Number => double(json).to_bits(),
            rank => NO_NUMBER | (rank as u64) << RANK_BITS | if rank == Rank::Text { beginning(json) } else { 0 },
        };
        Self { bits, json }
    }

    /// Whether it is a text that is spelled with escapes.
    pub fn has_escapes(&self) -> bool {
        self.rank() == Rank::Text as u8 && self.bits & ESCAPED != 0
    }

    /// The same text without escapes, in quotes.
    pub fn spelled<'p>(&self, plain: &'p str) -> Keyed<'p> {
        Keyed { bits: self.bits & !ESCAPED, json: plain }
    }

    fn number(&self) -> f64 {
        f64::from_bits(self.bits)
    }

    fn rank(&self) -> u8 {
        let rank = (self.bits >> RANK_BITS) as u8 % Rank::COUNT as u8;
        if self.number().is_nan() { rank } else { Rank::Number as u8 }
    }

    /// How two values compare, in one direction, as far as their ends may be looked at.
    pub fn compare(&self, other: &Self, is_descending: bool, reach: &Reach) -> Ordering {
        let (rank, others) = (self.rank(), other.rank());
        let order = rank.cmp(&others).then_with(|| self.compare_alike(other, reach));
        let are_last = rank.max(others) >= Rank::Null as u8;
        if is_descending && !are_last { order.reverse() } else { order }
    }

    /// How two values of one rank compare.
    fn compare_alike(&self, other: &Self, reach: &Reach) -> Ordering {
        match self.number().partial_cmp(&other.number()) {
            // Rounding keeps the order, so that only equal doubles have to be looked at again.
            Some(Ordering::Equal) if self.json != other.json => reach.numbers(self.json, other.json),
            Some(order) => order,
            None => match (self.bits >> FIRST_BITS).cmp(&(other.bits >> FIRST_BITS)) {
                Ordering::Equal if self.rank() == Rank::Text as u8 && self.json != other.json => {
                    let have_escapes = (self.bits | other.bits) & ESCAPED != 0;
                    reach.texts(Quoted::new(self.json), Quoted::new(other.json), have_escapes)
                }
                order => order,
            },
        }
    }
}

/// How far values are looked at that do not differ before. What is longer compares as equal, so that there is one order
/// whatever is found; but then it is not that of the values.
pub(crate) struct Reach {
    bytes: usize,
    is_exceeded: Cell<bool>,
    /// The bytes that were looked at.
    spent: Cell<usize>,
}

impl Reach {
    /// Values are looked at so far, or a little farther.
    pub fn new(bytes: usize) -> Self {
        Self { bytes: bytes.max(FIRST_BYTES), is_exceeded: Cell::new(false), spent: Cell::new(0) }
    }

    /// Whether two values differ later than may be looked at, if they do.
    pub fn is_exceeded(&self) -> bool {
        self.is_exceeded.get()
    }

    /// The bytes that all comparisons took.
    pub fn spent(&self) -> usize {
        self.spent.get()
    }

    fn spend(&self, bytes: usize) {
        self.spent.set(self.spent.get().saturating_add(bytes));
    }

    /// Two numbers, of which the nearest doubles are equal. Those that are too long come last.
    fn numbers(&self, a: &str, b: &str) -> Ordering {
        self.spend(a.len().min(b.len()).min(self.bytes));
        match (a.len() > self.bytes, b.len() > self.bytes) {
            (false, false) => sort_key_order::numbers(a, b),
            (a, b) => {
                self.is_exceeded.set(true);
                a.cmp(&b)
            }
        }
    }

    /// Two texts, by their first bytes: UTF-8 keeps the order of code points.
    fn texts(&self, a: Quoted<'_>, b: Quoted<'_>, have_escapes: bool) -> Ordering {
        /// The most bytes that spell one of a text.
        const SPELLING: usize = 6;
        let (a, b) = (a.literal(), b.literal());
        let order = if have_escapes {
            self.spend(a.len().min(b.len()).min(self.bytes.saturating_mul(SPELLING)));
            first_bytes(a, self.bytes).cmp(first_bytes(b, self.bytes))
        } else {
            self.spend(a.len().min(b.len()).min(self.bytes));
            let first = |text: &'_ str| text.len().min(self.bytes);
            a.as_bytes()[..first(a)].cmp(&b.as_bytes()[..first(b)])
        };
        if order == Ordering::Equal && a.len().max(b.len()) > self.bytes {
            self.is_exceeded.set(true);
        }
        order
    }
}

/// The first bytes of a text, zeros where it has fewer, and whether it has escapes.
fn beginning(json: &str) -> u64 {
    let literal = Quoted::new(json).literal();
    let has_escapes = literal.contains('\\');
    let mut first = 0;
    let mut take = |bytes: &mut dyn Iterator<Item = u8>| {
        (0..FIRST_BYTES).for_each(|_| first = first << 8 | u64::from(bytes.next().unwrap_or(0)));
    };
    match has_escapes {
        true => take(&mut first_bytes(literal, FIRST_BYTES)),
        false => take(&mut literal.bytes().take(FIRST_BYTES)),
    }
    first << FIRST_BITS | if has_escapes { ESCAPED } else { 0 }
}

/// The first bytes of a literal's text.
fn first_bytes(literal: &str, bytes: usize) -> impl Iterator<Item = u8> + '_ {
    let encoded = |character: char| {
        let mut encoded = [0; 4];
        let bytes = character.encode_utf8(&mut encoded).len();
        encoded.into_iter().take(bytes)
    };
    json_string::characters(literal).flat_map(encoded).take(bytes)
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
        let reach = Reach::new(100);
        let compare = |a: &str, b: &str, descending| Keyed::new(a).compare(&Keyed::new(b), descending, &reach);
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
        assert!(!reach.is_exceeded());
    }

    #[test]
    fn what_is_beyond_reach_is_equal_and_said() {
        let texts = [
            "\"aaa\"",
            "\"aaaaaa\"",
            "\"aaaaaab\"",
            "\"aaaaaac\"",
            "\"\\u0061aaaaab\"",
            "\"aaaaaaac\"",
            "\"aab\"",
            "\"éaaaaaaa\"",
            "\"\\u00e9aaaaaa\\u00e9\"",
        ];
        let numbers = ["1.25000", "1.250000", "125e-2", "1.25000000", "1.5"];
        for bytes in [FIRST_BYTES, 7, 8, 100] {
            let first = |text: &str| text[1..].trim_end_matches('"').replace("\\u0061", "a").replace("\\u00e9", "é");
            for a in texts {
                for b in texts {
                    let reach = Reach::new(bytes);
                    let order = Keyed::new(a).compare(&Keyed::new(b), false, &reach);
                    let (x, y) = (first(a), first(b));
                    let (x, y) = (x.as_bytes(), y.as_bytes());
                    assert_eq!(order, x[..x.len().min(bytes)].cmp(&y[..y.len().min(bytes)]), "{a} {b} {bytes}");
                    assert!(order == x.cmp(y) || reach.is_exceeded(), "{a} {b} {bytes}");
                }
            }
            let count = numbers.len();
            for (a, b, c) in (0..count.pow(3))
                .map(|at| (numbers[at % count], numbers[at / count % count], numbers[at / count / count]))
            {
                let reach = Reach::new(bytes);
                let compare = |a: &str, b: &str| Keyed::new(a).compare(&Keyed::new(b), false, &reach);
                if compare(a, b).is_le() && compare(b, c).is_le() {
                    assert!(compare(a, c).is_le(), "{a} {b} {c} {bytes}");
                }
            }
        }
    }
}
