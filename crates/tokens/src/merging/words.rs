//! Short pieces as machine words, and the cache of their counts, which contains nearly every piece.
//!
//! Its memory is bounded, and it never confuses two pieces. A word is a key if the target has vectors for it;
//! WebAssembly compares eight bytes much faster than sixteen.

use crate::vocabulary::pieces::{PieceKey, key_len, spread};

#[cfg(not(target_family = "wasm"))]
mod width {
    use crate::vocabulary::pieces::{PieceKey, key_in};

    /// The bytes of a piece and, above them, how many.
    pub type Word = PieceKey;

    #[inline]
    pub fn word(bytes: &[u8; size_of::<Word>()], len: usize) -> Word {
        key_in(bytes, len)
    }

    /// The word of a slot, except for its highest bits, is this one.
    #[inline]
    pub fn is_of(slot: Word, word: Word, count_bits: u32) -> bool {
        let high = |word: Word| (word >> 64) as u64;
        (slot as u64 ^ word as u64) | (high(slot) ^ high(word)) << count_bits == 0
    }
}

#[cfg(target_family = "wasm")]
mod width {
    /// The bytes of a piece and, above them, how many.
    pub type Word = u64;

    #[inline]
    pub fn word(bytes: &[u8; size_of::<Word>()], len: usize) -> Word {
        u64::from_le_bytes(*bytes) & !(u64::MAX << (8 * (len & super::WORD))) | (len as u64) << super::LEN_AT
    }

    /// The word of a slot, except for its highest bits, is this one.
    #[inline]
    pub fn is_of(slot: Word, word: Word, count_bits: u32) -> bool {
        (slot ^ word) << count_bits == 0
    }
}

pub(crate) use width::Word;

/// Bytes of a word.
pub(crate) const WORD_BYTES: usize = size_of::<Word>();
/// Longest piece that a word holds, in bytes.
pub(crate) const WORD: usize = WORD_BYTES - 1;
/// The position of the piece's length in a word.
const LEN_AT: u32 = 8 * WORD as u32;
/// Of a slot of [`WordCounts`], above the word it holds.
const COUNT_BITS: u32 = 4;

/// The word of a piece that is `len` bytes long and starts at the first of these; one that no piece is, if it is
/// too long.
#[inline]
pub(crate) fn word_in(bytes: &[u8; WORD_BYTES], len: usize) -> Word {
    const NONE: Word = 1;
    if len > WORD { NONE } else { width::word(bytes, len) }
}

/// Slots of [`WordCounts`], in pairs.
const PAIRS_BITS: u32 = 14;

/// Counts of pieces of at most [`WORD`] bytes: two pieces to a place; the older is replaced first.
pub(crate) struct WordCounts(Box<[[Word; 2]; 1 << PAIRS_BITS]>);

impl Default for WordCounts {
    fn default() -> Self {
        Self(vec![[0; 2]; 1 << PAIRS_BITS].try_into().unwrap_or_else(|_| Box::new([[0; 2]; 1 << PAIRS_BITS])))
    }
}

impl WordCounts {
    #[inline]
    fn pair(word: Word) -> usize {
        (spread(word as PieceKey) >> (u64::BITS - PAIRS_BITS)) as usize
    }

    /// Reads all of the table in order, which memory gives many times as fast as piece by piece.
    pub(crate) fn warm(&self) {
        const A_LINE: usize = 64 / size_of::<[Word; 2]>();
        std::hint::black_box(self.0.iter().step_by(A_LINE).fold(0, |all, pair| all ^ pair[0]));
    }

    /// The count of a piece, or zero if it is not there.
    #[inline]
    pub(crate) fn get(&self, word: Word) -> usize {
        let count = |slot: Word| match width::is_of(slot, word, COUNT_BITS) {
            true => (slot >> (Word::BITS - COUNT_BITS)) as usize,
            false => 0,
        };
        let [new, old] = self.0[Self::pair(word)];
        count(new) | count(old)
    }

    /// Keeps the count of a piece of at most [`WORD`] bytes.
    #[inline]
    pub(crate) fn set(&mut self, key: PieceKey, count: usize) {
        let word = key as Word & !(Word::MAX << LEN_AT) | (key_len(key) as Word) << LEN_AT;
        let pair = &mut self.0[Self::pair(word)];
        let slot = word | (count as Word) << (Word::BITS - COUNT_BITS);
        if pair[0] != slot {
            *pair = [slot, pair[0]];
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::vocabulary::pieces::key_of;

    /// All pieces over two bytes, one of them zero, and counts for them.
    pub fn pieces_of_two_bytes(longest: usize) -> Vec<(Vec<u8>, usize)> {
        let pieces = (1..=longest).flat_map(|len| {
            (0..1 << len).map(move |bits| (0..len).map(|at| b'a' * (bits >> at & 1) as u8).collect::<Vec<u8>>())
        });
        pieces.zip((1..=7).cycle()).collect()
    }

    #[test]
    fn no_piece_is_taken_for_another() {
        let mut words = WordCounts::default();
        for (piece, count) in &pieces_of_two_bytes(WORD) {
            // The text continues after the piece.
            let mut bytes = [0xFF; WORD_BYTES];
            bytes[..piece.len()].copy_from_slice(piece);
            let word = word_in(&bytes, piece.len());
            assert_eq!(words.get(word), 0, "{piece:?} before it is kept");
            words.set(key_of(piece), *count);
            assert_eq!(words.get(word), *count);
        }
        assert_eq!(words.get(word_in(&[0; WORD_BYTES], WORD + 1)), 0);
    }
}
