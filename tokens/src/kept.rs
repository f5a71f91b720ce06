//! What the pieces seen lately came to.
//!
//! Promises bounded memory, and never to take one piece for another: whole pieces are compared. Each
//! piece has one slot in each table, and the last to come has it.

use super::pieces::{Key, SHORT, key_in, key_of, spread};

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

/// Counts of pieces of 16 to 31 bytes, as most long words are. A slot holds the first 16 of them, then the others
/// as a key, and the count in the four highest bits.
struct MediumCounts<const SLOTS: usize>(Vec<[Key; 2]>);

/// Longest piece of medium length, in bytes.
const MEDIUM: usize = 16 + SHORT;

impl<const SLOTS: usize> Default for MediumCounts<SLOTS> {
    fn default() -> Self {
        Self(vec![[0; 2]; SLOTS])
    }
}

impl<const SLOTS: usize> MediumCounts<SLOTS> {
    #[inline]
    fn slot([first, rest]: [Key; 2]) -> usize {
        ((spread(first).rotate_left(11) ^ spread(rest)) >> 40) as usize % SLOTS
    }

    /// The count of a piece, or zero if it is not there.
    #[inline]
    fn get(&self, keys: [Key; 2]) -> usize {
        let [first, rest] = self.0[Self::slot(keys)];
        if first == keys[0] && (rest ^ keys[1]) << 4 == 0 { (rest >> 124) as usize } else { 0 }
    }

    /// Keeps the count of a piece, if it is below 16.
    #[inline]
    fn set(&mut self, keys: [Key; 2], count: usize) {
        if count < 16 {
            self.0[Self::slot(keys)] = [keys[0], keys[1] | (count as Key) << 124];
        }
    }
}

/// The keys of the piece of 16 to [`MEDIUM`] bytes that is at `start` in `text`.
#[inline]
fn keys_of(text: &[u8], start: usize, len: usize) -> [Key; 2] {
    let first = text[start..].first_chunk().map_or(0, |bytes| Key::from_le_bytes(*bytes));
    let rest = &text[start + 16..];
    [first, rest.first_chunk().map_or_else(|| key_of(&rest[..len - 16]), |bytes| key_in(bytes, len - 16))]
}

const LONG_SLOTS: usize = 1 << 10;

/// A piece of 32 to [`LONG`] bytes and its count.
#[derive(Clone, Copy)]
struct LongCount {
    bytes: [u8; LONG],
    len: u8,
    count: u8,
}

/// Counts of pieces of 16 to [`LONG`] bytes: long words, indentation, ruled lines.
pub(super) struct LongCounts {
    medium: MediumCounts<{ 1 << 14 }>,
    long: Vec<LongCount>,
}

impl Default for LongCounts {
    fn default() -> Self {
        let long = vec![LongCount { bytes: [0; LONG], len: 0, count: 0 }; LONG_SLOTS];
        Self { medium: MediumCounts::default(), long }
    }
}

impl LongCounts {
    #[inline]
    fn slot(piece: &[u8]) -> usize {
        let word = |at: usize| u128::from_le_bytes(*piece[at..].first_chunk().unwrap_or(&[0; 16]));
        let spread = spread(word(0) ^ piece.len() as u128) ^ spread(word(piece.len() - 16)).rotate_left(11);
        (spread >> 40) as usize % LONG_SLOTS
    }

    /// The count of the piece at `start` in `text`, or zero if it is not there.
    #[inline]
    pub(super) fn get(&self, text: &[u8], start: usize, len: usize) -> usize {
        if len <= MEDIUM {
            return self.medium.get(keys_of(text, start, len));
        }
        let piece = &text[start..start + len];
        let slot = &self.long[Self::slot(piece)];
        if slot.bytes[..usize::from(slot.len) % (LONG + 1)] == *piece { slot.count.into() } else { 0 }
    }

    pub(super) fn set(&mut self, text: &[u8], start: usize, len: usize, count: usize) {
        if len <= MEDIUM {
            return self.medium.set(keys_of(text, start, len), count);
        }
        let piece = &text[start..start + len];
        let slot = &mut self.long[Self::slot(piece)];
        slot.bytes[..piece.len()].copy_from_slice(piece);
        slot.len = piece.len() as u8;
        slot.count = count as u8;
    }
}
