//! How surprising single rows of a column are, in bits.
//!
//! If k of n rows have a value as rare as a row has, or a rarer one, it has log2(n / k) bits. Where each row has another value none
//! is surprising, and where all but one have the same, that one is. So neither names of columns nor lists of states decide. A number
//! counts by how far it is beyond the others, by the range of these.

use crate::hash::ByHash;

/// Rows of a column, and of each end of its numbers: a second one counts half as much as the first, a third a quarter.
pub const KEPT: usize = 3;
/// Values are rare that at most 1/n of the rows have together.
const RARE: usize = 8;
/// A number is far away that is this many times the range of the others from the nearest of them.
const FAR: f64 = 3.0;
/// The bits of a rare value beyond the mean of its column, at least: it is a quarter as frequent.
pub const LEAST: u64 = 2 * BIT;
/// Farther numbers are all the same.
const MOST_TIMES: f64 = 1e9;
/// Logarithms are in 1/n of a bit.
const BIT: u64 = 256;

/// The logarithm to base 2, linear between powers of two: the same on every machine.
pub(crate) fn log2(n: u64) -> u64 {
    let whole = u64::from(n.max(1).ilog2());
    whole * BIT + ((n.max(1) << 8 >> whole) - BIT)
}

/// Whether `some` of `all` rows are few.
pub fn is_rare(some: usize, all: usize) -> bool {
    some * RARE <= all
}

/// A surprising row of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odd {
    pub row: usize,
    pub bits: u64,
    pub why: Why,
}

/// How its value differs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// This many rows have it.
    Shared(usize),
    /// This many rows have one of its form.
    Form(usize),
    /// It is beyond the numbers of the others, which are between those of these rows.
    Beyond(usize, usize),
    /// It is one of the greatest or the least.
    Extreme,
}

/// A value, and its first rows.
struct Known {
    count: u32,
    rows: [u32; KEPT],
}

/// The values of a column, by their hashes.
#[derive(Default)]
pub struct Values {
    known: Vec<Known>,
    by_hash: ByHash<u32>,
    /// The last value, and its place: many columns repeat one.
    last: Option<(u64, u32)>,
    total: usize,
}

impl Values {
    pub fn note(&mut self, row: usize, hash: u64) {
        self.total += 1;
        let row = u32::try_from(row).unwrap_or(u32::MAX);
        let place = match self.last.filter(|(last, _)| *last == hash) {
            Some((_, place)) => place,
            None => *self.by_hash.entry(hash).or_insert_with(|| {
                self.known.push(Known { count: 0, rows: [row; KEPT] });
                self.known.len() as u32 - 1
            }),
        };
        self.last = Some((hash, place));
        let known = &mut self.known[place as usize];
        if let Some(of_row) = known.rows.get_mut(known.count as usize) {
            *of_row = row;
        }
        known.count += 1;
    }

    /// Notes a value of a column that will have at most `all`, unless none of these can be odd any more.
    pub fn note_of(values: &mut Option<Self>, row: usize, hash: u64, all: usize) {
        if let Some(known) = values {
            known.note(row, hash);
            // Half of them are different.
            if known.known.len() * 2 > all {
                *values = None;
            }
        }
    }

    /// How many values differ.
    pub fn distinct(&self) -> usize {
        self.known.len()
    }

    /// Rows without a value: `row` is one of them, if it is known.
    pub fn note_blank(&mut self, count: usize, row: Option<usize>) {
        if count > 0 {
            self.total += count;
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            let row = row.filter(|_| count == 1).map(|row| row as u32);
            self.known.push(Known { count, rows: [row.unwrap_or(u32::MAX); KEPT] });
        }
    }

    /// The rows with the rarest values. Of values that are equally rare all are rare, or none.
    pub fn odd(&self) -> Vec<Odd> {
        let mut ordered: Vec<&Known> =
            self.known.iter().filter(|known| is_rare(known.count as usize, self.total)).collect();
        ordered.sort_by_key(|known| known.count);
        let all = log2(self.total as u64);
        let sums =
            self.known.iter().map(|known| u64::from(known.count) * (all - log2(u64::from(known.count)).min(all)));
        let mean = sums.sum::<u64>() / self.total.max(1) as u64;
        let (mut odd, mut sum): (Vec<Odd>, usize) = (Vec::new(), 0);
        for alike in ordered.chunk_by(|one, other| one.count == other.count) {
            let count = alike[0].count as usize;
            sum += count * alike.len();
            if !is_rare(sum, self.total) || odd.len() >= KEPT {
                break;
            }
            // Where all values are about as rare, none of them is surprising.
            let beyond = (log2(self.total as u64) - log2(count as u64)).saturating_sub(mean);
            if beyond < LEAST {
                break;
            }
            let bits = beyond.min(log2(self.total as u64) - log2(sum as u64));
            let rows = (0..KEPT.min(count)).flat_map(|nth| alike.iter().map(move |known| known.rows[nth]));
            for row in rows.filter(|row| *row != u32::MAX).take(KEPT - odd.len()) {
                odd.push(Odd { row: row as usize, bits: bits >> odd.len(), why: Why::Shared(count) });
            }
        }
        odd
    }
}

/// The numbers of a column.
#[derive(Default)]
pub struct Numbers {
    values: Vec<(f64, usize)>,
}

impl Numbers {
    pub fn note(&mut self, row: usize, value: f64) {
        if value.is_finite() {
            self.values.push((value, row));
        }
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The rows with the greatest numbers and those with the least, without what more rows share. None if the rows are in the order
    /// of their numbers, begun again at most once in `RESTARTS`: the ends show these.
    pub fn odd(mut self) -> Vec<Odd> {
        const RESTARTS: usize = 16;
        let most = KEPT.min(self.values.len().saturating_sub(1));
        let (mut up, mut down) = (0, 0);
        for pair in self.values.windows(2) {
            up += usize::from(pair[0].0 < pair[1].0);
            down += usize::from(pair[0].0 > pair[1].0);
        }
        if most == 0 || up.min(down) * RESTARTS <= up.max(down) {
            return Vec::new();
        }
        let mut odd = Vec::new();
        for sign in [1.0, -1.0] {
            let order = |one: &(f64, usize), other: &(f64, usize)| {
                (sign * other.0).total_cmp(&(sign * one.0)).then(one.1.cmp(&other.1))
            };
            self.values.select_nth_unstable_by(most, order);
            self.values[..most].sort_unstable_by(order);
            let Some(&last) = self.values[most..].iter().max_by(|one, other| order(one, other)) else { break };
            let range = |nth: usize| (self.values[nth].0 - last.0).abs();
            let gap = |nth: usize, next: usize| (self.values[nth].0 - self.values[next].0).abs();
            let far = (1..=most).rev().find(|&count| gap(count - 1, count) > FAR * range(count)).unwrap_or(0);
            for nth in 0..most {
                let next = far.max(nth + 1);
                let gap = gap(nth, next);
                if gap > 0.0 {
                    let times = if range(next) > 0.0 { (gap / range(next)).min(MOST_TIMES) } else { MOST_TIMES };
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "it is neither large nor negative"
                    )]
                    let bits = log2(((1.0 + times) * BIT as f64) as u64) - log2(BIT);
                    // No value has more bits than the number of its row.
                    let bits = bits.min(log2(self.values.len() as u64));
                    let (low, high) =
                        if sign > 0.0 { (last.1, self.values[next].1) } else { (self.values[next].1, last.1) };
                    // The greatest one counts as much as a rare value.
                    let least = if sign > 0.0 && nth == 0 { log2(RARE as u64) } else { 0 };
                    let why = if nth < far { Why::Beyond(low, high) } else { Why::Extreme };
                    odd.push(Odd { row: self.values[nth].1, bits: bits.max(least) >> nth, why });
                }
            }
        }
        odd
    }
}

#[cfg(test)]
mod tests {
    use super::{Numbers, Values};

    fn odd(values: impl Iterator<Item = u64>) -> Vec<usize> {
        let mut column = Values::default();
        values.enumerate().for_each(|(row, value)| column.note(row, value));
        column.odd().iter().map(|odd| odd.row).collect()
    }

    #[test]
    fn what_hardly_any_row_has_is_odd_where_others_are_alike() {
        assert_eq!(odd((0..200).map(|n| u64::from(n == 77))), [77]);
        assert_eq!(odd((0..200).map(|n| if n % 90 == 20 { 9 } else { n % 3 })), [20, 110]);
        assert_eq!(odd((0..200).map(|n| if n < 100 { 500 } else { n })), []);
    }

    #[test]
    fn what_differs_everywhere_or_nowhere_is_not() {
        assert_eq!(odd(0..200), []);
        assert_eq!(odd((0..200).map(|_| 1)), []);
        assert_eq!(odd((0..200).map(|n| n % 7)), []);
        assert_eq!(odd((0..4000).map(|n| if n == 9 { 3 } else { n % 100 })), []);
        assert_eq!(odd((0..200).map(|n| n * n % 61)), []);
    }

    #[test]
    fn a_number_far_beyond_the_others_tells_more_than_the_largest_of_a_range() {
        let bits = |spike: f64| {
            let mut numbers = Numbers::default();
            (0..100).for_each(|n| numbers.note(n, if n == 31 { spike } else { (n * 37 % 100) as f64 }));
            let odd = numbers.odd();
            odd.iter().find(|odd| odd.row == 31).map_or(0, |odd| odd.bits)
        };
        assert!(bits(9000.0) > bits(300.0) && bits(300.0) >= bits(101.0) && bits(101.0) > 0);
    }
}
