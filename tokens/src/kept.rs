//! What the pieces seen lately came to.
//!
//! Promises bounded memory, and never to take one piece for another: whole pieces are compared. Each
//! piece has one slot in each table, and the last to come has it.

use super::pieces::{Key, spread};

/// Longest piece that is kept, in bytes.
pub(super) const LONG: usize = 126;

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

    /// Reads all of the table in order, which memory gives many times as fast as piece by piece.
    pub(super) fn warm(&self) {
        std::hint::black_box(self.0.iter().step_by(4).fold(0, |all, slot| all ^ *slot as u64));
    }

    /// The count of a piece, or zero if it is not there.
    #[inline]
    pub(super) fn get(&self, key: Key, spread: u64) -> usize {
        let halves = |key: Key| (key as u64, (key >> 64) as u64);
        let ((low, high), (slot_low, slot_high)) = (halves(key), halves(self.0[Self::slot(spread)]));
        if (slot_low ^ low) | (slot_high ^ high) << 4 == 0 { (slot_high >> 60) as usize } else { 0 }
    }

    #[inline]
    pub(super) fn set(&mut self, key: Key, spread: u64, count: usize) {
        self.0[Self::slot(spread)] = key | (count as Key) << 124;
    }
}

const LONG_SLOTS: usize = 1 << 12;

/// A piece of 16 to [`LONG`] bytes and its count.
#[derive(Clone, Copy)]
struct LongCount {
    bytes: [u8; LONG],
    len: u8,
    count: u8,
}

/// Counts of longer pieces: indentation, ruled lines, long words.
pub(super) struct LongCounts(Vec<LongCount>);

impl Default for LongCounts {
    fn default() -> Self {
        Self(vec![LongCount { bytes: [0; LONG], len: 0, count: 0 }; LONG_SLOTS])
    }
}

impl LongCounts {
    #[inline]
    fn slot(piece: &[u8]) -> usize {
        let word = |at: usize| u128::from_le_bytes(*piece[at..].first_chunk().unwrap_or(&[0; 16]));
        let spread = spread(word(0) ^ piece.len() as u128) ^ spread(word(piece.len() - 16)).rotate_left(11);
        (spread >> 40) as usize % LONG_SLOTS
    }

    /// The count of `piece`, which is at least 16 and at most [`LONG`] bytes, or zero if it is not there.
    #[inline]
    pub(super) fn get(&self, piece: &[u8]) -> usize {
        let slot = &self.0[Self::slot(piece)];
        if slot.bytes[..usize::from(slot.len) % (LONG + 1)] == *piece { slot.count.into() } else { 0 }
    }

    pub(super) fn set(&mut self, piece: &[u8], count: usize) {
        let slot = &mut self.0[Self::slot(piece)];
        slot.bytes[..piece.len()].copy_from_slice(piece);
        slot.len = piece.len() as u8;
        slot.count = count as u8;
    }
}
