//! Which two tokens merge, and into which: the table at the heart of merging.
//!
//! A hash table for each left token, all in one list: a text has few left tokens at a time, so that
//! what is looked up lies close together and stays in the processor's caches.

use super::pack::Merge;

/// Bits of a token's number.
const BITS: u32 = 18;
/// No token.
pub(super) const NONE: u32 = u32::MAX;
const EMPTY: u64 = u64::MAX;
/// Bits that say how long a row is.
const LEN_BITS: u32 = 5;

/// A table from two tokens to the token they merge into.
pub(super) struct Pairs {
    /// Where the row of each left token starts, and how many slots it has, as a power of two above
    /// one; zero for a token that is never on the left, as most are not.
    rows: Vec<u32>,
    /// Right and merged token, 18 bits each. Each row is at most two thirds full.
    slots: Vec<u64>,
}

impl Pairs {
    /// The table of `merges`, which make the tokens from `first` on; pairs of [`NONE`] are left out.
    /// All numbers are below `1 << 18`.
    pub(super) fn new(first: u32, merges: &[Merge]) -> Self {
        let mut rows = vec![0u32; first as usize + merges.len()];
        for &(left, _) in merges {
            if let Some(row) = rows.get_mut(left as usize) {
                *row += 1;
            }
        }
        let mut start = 0;
        for row in rows.iter_mut().filter(|count| **count > 0) {
            let len = (*row + *row / 2 + 1).ilog2() + 1;
            *row = start << LEN_BITS | len;
            start += 1 << len;
        }
        let mut pairs = Self { rows, slots: vec![EMPTY; start as usize] };
        for (&(left, right), merged) in merges.iter().zip(first..) {
            if left != NONE {
                let (at, _) = pairs.probe(pairs.rows[left as usize], right);
                pairs.slots[at] = u64::from(right) << BITS | u64::from(merged);
            }
        }
        pairs
    }

    /// The token that the two merge into, else [`NONE`].
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> u32 {
        match self.rows[left as usize] {
            0 => NONE,
            row => self.probe(row, right).1,
        }
    }

    /// Where the pair is or would be, and what the two merge into.
    #[inline]
    fn probe(&self, row: u32, right: u32) -> (usize, u32) {
        let (start, len) = ((row >> LEN_BITS) as usize, row % (1 << LEN_BITS));
        let mask = (1 << len) - 1;
        let mut at = (right.wrapping_mul(0x9E37_79B9) >> (32 - len)) as usize;
        loop {
            let slot = self.slots[start + at];
            if slot >> BITS == u64::from(right) {
                return (start + at, slot as u32 % (1 << BITS));
            }
            if slot == EMPTY {
                return (start + at, NONE);
            }
            at = (at + 1) & mask;
        }
    }
}
