//! Which two tokens merge, and into which: the table at the heart of merging.

/// Bits of a token's number.
const BITS: u32 = 18;
/// No token.
pub(super) const NONE: u32 = u32::MAX;
const EMPTY: u64 = u64::MAX;

/// A table from two tokens to the token they merge into.
pub(super) struct Pairs {
    /// A hash table, at most half full: left, right and merged token, 18 bits each.
    slots: Vec<u64>,
    shift: u32,
    /// One bit for each of 16 times as many places as there are pairs: most look-ups are of two
    /// tokens that do not merge, and end in this small table.
    filter: Vec<u64>,
}

impl Pairs {
    /// An empty table with room for `count` pairs.
    pub(super) fn with_room(count: usize) -> Self {
        let slots = (2 * count).next_power_of_two().max(64);
        Self { slots: vec![EMPTY; slots], shift: 64 - slots.trailing_zeros(), filter: vec![0; slots / 16] }
    }

    #[inline]
    fn spread(pair: u64) -> u64 {
        pair.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// The word of the filter and the bit in it.
    #[inline]
    fn place(&self, spread: u64) -> (usize, u64) {
        let place = spread >> (self.shift - 2);
        ((place >> 6) as usize, 1 << (place & 63))
    }

    /// Adds a pair that is not there yet. All three numbers are below `1 << 18`.
    pub(super) fn add(&mut self, left: u32, right: u32, merged: u32) {
        let pair = u64::from(left) << BITS | u64::from(right);
        let spread = Self::spread(pair);
        let (word, bit) = self.place(spread);
        self.filter[word] |= bit;
        let mask = self.slots.len() - 1;
        let mut at = (spread >> self.shift) as usize;
        while self.slots[at] != EMPTY {
            at = (at + 1) & mask;
        }
        self.slots[at] = pair << BITS | u64::from(merged);
    }

    /// Whether the two may merge; seldom yes where they do not.
    #[inline]
    pub(super) fn may_merge(&self, left: u32, right: u32) -> bool {
        let (word, bit) = self.place(Self::spread(u64::from(left) << BITS | u64::from(right)));
        self.filter[word] & bit != 0
    }

    /// The token that the two merge into, else [`NONE`].
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> u32 {
        if self.may_merge(left, right) { self.find(left, right) } else { NONE }
    }

    /// The same without asking the filter.
    #[inline]
    pub(super) fn find(&self, left: u32, right: u32) -> u32 {
        let pair = u64::from(left) << BITS | u64::from(right);
        let mask = self.slots.len() - 1;
        let mut at = (Self::spread(pair) >> self.shift) as usize;
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
