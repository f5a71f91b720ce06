//! Which two tokens merge, and into which: the table at the heart of merging.

/// Bits of a token's number.
const BITS: u32 = 18;
/// No token.
pub(super) const NONE: u32 = u32::MAX;
const EMPTY: u64 = u64::MAX;

/// A hash table from two tokens to the token they merge into, at most half full.
pub(super) struct Pairs {
    /// Left, right and merged token, 18 bits each.
    slots: Vec<u64>,
    shift: u32,
}

impl Pairs {
    /// An empty table with room for `count` pairs.
    pub(super) fn with_room(count: usize) -> Self {
        let slots = (2 * count).next_power_of_two().max(2);
        Self { slots: vec![EMPTY; slots], shift: 64 - slots.trailing_zeros() }
    }

    #[inline]
    fn home(&self, pair: u64) -> usize {
        (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    /// Adds a pair that is not there yet. All three numbers are below `1 << 18`.
    pub(super) fn add(&mut self, left: u32, right: u32, merged: u32) {
        let pair = u64::from(left) << BITS | u64::from(right);
        let mask = self.slots.len() - 1;
        let mut at = self.home(pair);
        while self.slots[at] != EMPTY {
            at = (at + 1) & mask;
        }
        self.slots[at] = pair << BITS | u64::from(merged);
    }

    /// The token that the two merge into, else [`NONE`].
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> u32 {
        let pair = u64::from(left) << BITS | u64::from(right);
        let mask = self.slots.len() - 1;
        let mut at = self.home(pair);
        loop {
            let slot = self.slots[at & mask];
            if slot >> BITS == pair {
                return slot as u32 & ((1 << BITS) - 1);
            }
            if slot == EMPTY {
                return NONE;
            }
            at += 1;
        }
    }
}
