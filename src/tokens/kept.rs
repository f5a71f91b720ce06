//! What the pieces seen lately came to.
//!
//! Promises bounded memory, and never to take one piece for another: whole pieces are compared. Each
//! piece has one slot in each table, and the last to come has it.

use super::pieces::{Key, SHORT, key_in, spread};

/// Longest piece that is kept, in bytes.
pub(super) const LONG: usize = 30;

/// Counts of pieces of at most 15 bytes. A slot holds a key, the count in its four highest bits.
pub(super) struct ShortCounts<const SLOTS: usize>(Box<[Key; SLOTS]>);

impl<const SLOTS: usize> Default for ShortCounts<SLOTS> {
    fn default() -> Self {
        Self(vec![0; SLOTS].try_into().unwrap_or_else(|_| Box::new([0; SLOTS])))
    }
}

impl<const SLOTS: usize> ShortCounts<SLOTS> {
    #[inline]
    fn slot(spread: u64) -> usize {
        (spread >> 40) as usize % SLOTS
    }

    /// The count of a piece, or zero if it is not there.
    #[inline]
    pub(super) fn get(&self, key: Key, spread: u64) -> usize {
        let slot = self.0[Self::slot(spread)];
        let count = (slot >> 124) as usize;
        if (slot ^ key) << 4 == 0 { count } else { 0 }
    }

    #[inline]
    pub(super) fn set(&mut self, key: Key, spread: u64, count: usize) {
        self.0[Self::slot(spread)] = key | (count as Key) << 124;
    }
}

const LONG_SLOTS: usize = 1 << 13;

/// Counts of pieces of 16 to [`LONG`] bytes.
pub(super) struct LongCounts {
    /// The first 15 bytes as a key with the count in place of the length, and the others as a key.
    slots: Vec<[Key; 2]>,
}

impl Default for LongCounts {
    fn default() -> Self {
        Self { slots: vec![[0; 2]; LONG_SLOTS] }
    }
}

impl LongCounts {
    /// The count of the piece that is the first `len` of `bytes`, from `merge` if it is not kept.
    #[inline]
    pub(super) fn get(&mut self, bytes: &[u8; 32], len: usize, merge: impl FnOnce() -> usize) -> usize {
        const COUNT: Key = 255 << 120;
        let chunk = |at: usize| bytes[at..].first_chunk().unwrap_or(&[0; 16]);
        let (first, rest) = (key_in(chunk(0), SHORT) & !COUNT, key_in(chunk(SHORT), len - SHORT));
        let slot = &mut self.slots[((spread(first) ^ spread(rest)) >> 51) as usize % LONG_SLOTS];
        if slot[0] & !COUNT == first && slot[1] == rest {
            return (slot[0] >> 120) as usize;
        }
        let count = merge();
        *slot = [first | (count as Key) << 120, rest];
        count
    }
}
