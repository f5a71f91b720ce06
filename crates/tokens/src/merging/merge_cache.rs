//! A cache of merged pieces.
//!
//! Its memory is bounded. It never confuses two pieces, because whole pieces are compared. Pieces share a few slots;
//! the oldest is replaced first.

use crate::vocabulary::pieces::{LINE, PieceKey, SHORT, key_in, key_of, spread};

/// Longest piece that is kept, in bytes.
pub(crate) const LONG: usize = 126;

/// Lines of [`ShortCounts`].
const SHORT_LINES_BITS: u32 = 13;

/// Counts of pieces of at most 15 bytes, of which one line of the processor's cache holds four. A slot holds a
/// key, the count in its four highest bits.
pub(crate) struct ShortCounts(Box<[CacheLine; 1 << SHORT_LINES_BITS]>);

#[derive(Clone, Copy)]
#[repr(align(64))]
struct CacheLine([[u64; 2]; LINE]);

impl Default for ShortCounts {
    fn default() -> Self {
        let empty = CacheLine([[0; 2]; LINE]);
        Self(vec![empty; 1 << SHORT_LINES_BITS].try_into().unwrap_or_else(|_| Box::new([empty; 1 << SHORT_LINES_BITS])))
    }
}

impl ShortCounts {
    #[inline]
    fn line(spread: u64) -> usize {
        (spread >> (u64::BITS - SHORT_LINES_BITS)) as usize
    }

    /// Reads all of the table, as `WordCounts` does.
    pub(crate) fn warm(&self) {
        std::hint::black_box(self.0.iter().fold(0, |all, line| all ^ line.0[0][0]));
    }

    /// The count of a piece, or zero if it is not there.
    #[inline]
    pub(crate) fn get(&self, key: PieceKey, spread: u64) -> usize {
        let (low, high) = (key as u64, (key >> 64) as u64);
        let count = |slot: [u64; 2]| if (slot[0] ^ low) | (slot[1] ^ high) << 4 == 0 { slot[1] >> 60 } else { 0 };
        let [a, b, c, d] = self.0[Self::line(spread)].0;
        (count(a) | count(b) | count(c) | count(d)) as usize
    }

    #[inline]
    pub(crate) fn set(&mut self, key: PieceKey, spread: u64, count: usize) {
        let line = &mut self.0[Self::line(spread)].0;
        let slot = [key as u64, (key >> 64) as u64 | (count as u64) << 60];
        if line[0] != slot {
            line.copy_within(..LINE - 1, 1);
            line[0] = slot;
        }
    }
}

/// Lines of [`MediumCounts`].
const MEDIUM_LINES_BITS: u32 = 13;

/// Longest piece of medium length, in bytes.
const MEDIUM: usize = 16 + SHORT;

/// Counts of pieces of 16 to [`MEDIUM`] bytes, as most long words are: two to a line. A slot holds the first 16
/// bytes, then the others as a key, and the count in the four highest bits.
struct MediumCounts(Vec<MediumLine>);

#[derive(Clone, Copy)]
#[repr(align(64))]
struct MediumLine([[PieceKey; 2]; 2]);

impl Default for MediumCounts {
    fn default() -> Self {
        Self(vec![MediumLine([[0; 2]; 2]); 1 << MEDIUM_LINES_BITS])
    }
}

impl MediumCounts {
    /// The keys of the piece that is at `start` in `text`.
    #[inline]
    fn keys(text: &[u8], start: usize, len: usize) -> [PieceKey; 2] {
        let first = text[start..].first_chunk().map_or(0, |bytes| PieceKey::from_le_bytes(*bytes));
        let rest = &text[start + 16..];
        [first, rest.first_chunk().map_or_else(|| key_of(&rest[..len - 16]), |bytes| key_in(bytes, len - 16))]
    }

    #[inline]
    fn line([first, rest]: [PieceKey; 2]) -> usize {
        let spread = spread(first).rotate_left(29).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(spread(rest));
        (spread >> (u64::BITS - MEDIUM_LINES_BITS)) as usize
    }

    /// The count of a piece, or zero if it is not there.
    #[inline]
    fn get(&self, keys: [PieceKey; 2]) -> usize {
        let count = |slot: [PieceKey; 2]| {
            let other = (slot[0] ^ keys[0]) | (slot[1] ^ keys[1]) << 4;
            if other == 0 { (slot[1] >> 124) as usize } else { 0 }
        };
        let [new, old] = self.0[Self::line(keys)].0;
        count(new) | count(old)
    }

    /// Keeps the count of a piece that is not there, if it is below 16.
    #[inline]
    fn set(&mut self, keys: [PieceKey; 2], count: usize) {
        if count < 16 {
            let line = &mut self.0[Self::line(keys)].0;
            *line = [[keys[0], keys[1] | (count as PieceKey) << 124], line[0]];
        }
    }
}

const LONG_SLOTS_BITS: u32 = 10;

/// A piece of more than [`MEDIUM`] bytes, at most [`LONG`], and its count.
#[derive(Clone, Copy)]
struct LongCount {
    bytes: [u8; LONG],
    len: u8,
    count: u8,
}

/// Counts of pieces of 16 to [`LONG`] bytes: long words, indentation, ruled lines.
pub(crate) struct LongCounts {
    medium: MediumCounts,
    long: Vec<LongCount>,
}

impl Default for LongCounts {
    fn default() -> Self {
        let long = vec![LongCount { bytes: [0; LONG], len: 0, count: 0 }; 1 << LONG_SLOTS_BITS];
        Self { medium: MediumCounts::default(), long }
    }
}

impl LongCounts {
    #[inline]
    fn slot(piece: &[u8]) -> usize {
        let word = |at: usize| u128::from_le_bytes(*piece[at..].first_chunk().unwrap_or(&[0; 16]));
        let first = spread(word(0) ^ piece.len() as u128);
        let last = spread(word(piece.len() - SHORT - 1)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (first.wrapping_add(last) >> (u64::BITS - LONG_SLOTS_BITS)) as usize
    }

    /// The count of the piece at `start` in `text`, or zero if it is not there.
    #[inline]
    pub(crate) fn get(&self, text: &[u8], start: usize, len: usize) -> usize {
        if len <= MEDIUM {
            return self.medium.get(MediumCounts::keys(text, start, len));
        }
        let piece = &text[start..start + len];
        let slot = &self.long[Self::slot(piece)];
        if slot.bytes[..usize::from(slot.len) % (LONG + 1)] == *piece { slot.count.into() } else { 0 }
    }

    pub(crate) fn set(&mut self, text: &[u8], start: usize, len: usize, count: usize) {
        if len <= MEDIUM {
            return self.medium.set(MediumCounts::keys(text, start, len), count);
        }
        let piece = &text[start..start + len];
        let slot = &mut self.long[Self::slot(piece)];
        slot.bytes[..piece.len()].copy_from_slice(piece);
        slot.len = piece.len() as u8;
        slot.count = count as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merging::words::tests::pieces_of_two_bytes;

    #[test]
    fn no_piece_is_taken_for_another() {
        let mut shorts = ShortCounts::default();
        let pieces = pieces_of_two_bytes(SHORT);
        for (piece, count) in &pieces {
            let key = key_of(piece);
            assert_eq!(shorts.get(key, spread(key)), 0, "{piece:?} before it is kept");
            shorts.set(key, spread(key), *count);
            assert_eq!(shorts.get(key, spread(key)), *count);
        }
        let kept = pieces.iter().map(|(piece, count)| (key_of(piece), count));
        let kept = kept.filter(|(key, count)| shorts.get(*key, spread(*key)) == **count).count();
        assert!(kept > pieces.len() / 8, "{kept} of {}", pieces.len());
    }
}
