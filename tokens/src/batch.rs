//! Counting the tokens of pieces, many at a time.
//!
//! Nine pieces in ten are found in a small table of those seen lately, nearly all others among the
//! tokens. Each step is done for all pieces of a batch before the next, without a branch a piece:
//! then the misses of the processor's caches overlap, and none of its predictions fail.

use super::{
    kept::{LONG, LongCounts, ShortCounts},
    merge::Merger,
    pieces::{Key, SHORT, key_in, key_len, spread},
    vocabulary::Vocabulary,
};

/// Pieces of a batch, and room for those of one more window.
const FULL: usize = 192;
const ROOM: usize = FULL + 64;

/// What one count at a time may write to.
pub(super) struct Batch {
    keys: [Key; ROOM],
    len: usize,
    /// Those of them that were not found among the pieces seen lately.
    missed: [Key; ROOM],
    /// The tokens of all pieces that are no longer in the batch.
    pub(super) count: usize,
    recent: ShortCounts<{ 1 << 15 }>,
    merged: ShortCounts<{ 1 << 15 }>,
    long: LongCounts,
    pub(super) merger: Merger,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            keys: [0; ROOM],
            len: 0,
            missed: [0; ROOM],
            count: 0,
            recent: ShortCounts::default(),
            merged: ShortCounts::default(),
            long: LongCounts::default(),
            merger: Merger::default(),
        }
    }
}

impl Batch {
    /// Adds the piece that is the first `len` of `bytes`, at most [`SHORT`]; at most 64 pieces may be
    /// added before [`Batch::settle`] is called.
    #[inline]
    pub(super) fn add_short(&mut self, bytes: &[u8; 16], len: usize) {
        self.keys[self.len % ROOM] = key_in(bytes, len);
        self.len += 1;
    }

    /// Adds the piece of any length that `text` starts with. Once the count is above `limit`, how much it is
    /// means nothing.
    pub(super) fn add(&mut self, vocabulary: &Vocabulary, text: &[u8], len: usize, limit: usize) {
        if len > SHORT {
            let room = limit.saturating_sub(self.count);
            self.count += self.count_long(vocabulary, &text[..len], room);
        } else if let Some(bytes) = text.first_chunk() {
            self.add_short(bytes, len);
        } else {
            let mut bytes = [0; 16];
            bytes[..len].copy_from_slice(&text[..len]);
            self.add_short(&bytes, len);
        }
    }

    fn count_long(&mut self, vocabulary: &Vocabulary, piece: &[u8], limit: usize) -> usize {
        if piece.len() > LONG {
            return self.merger.count(vocabulary, piece, limit);
        }
        self.long.get(piece, || self.merger.count(vocabulary, piece, usize::MAX))
    }

    /// Makes room for another window.
    #[inline]
    pub(super) fn settle(&mut self, vocabulary: &Vocabulary) {
        if self.len >= FULL {
            self.finish(vocabulary);
        }
    }

    /// Counts all pieces of the batch.
    pub(super) fn finish(&mut self, vocabulary: &Vocabulary) {
        let mut misses = 0;
        for &key in &self.keys[..self.len.min(ROOM)] {
            let count = self.recent.get(key, spread(key));
            self.count += count;
            self.missed[misses % ROOM] = key;
            misses += usize::from(count == 0);
        }
        self.len = 0;
        let mut rest = 0;
        for at in 0..misses.min(ROOM) {
            let key = self.missed[at];
            let spread = spread(key);
            let found = vocabulary.has_short(key, spread);
            self.count += usize::from(found);
            if found {
                self.recent.set(key, spread, 1);
            }
            self.missed[rest] = key;
            rest += usize::from(!found);
        }
        for at in 0..rest {
            self.count += self.count_missed(vocabulary, self.missed[at]);
        }
    }

    fn count_missed(&mut self, vocabulary: &Vocabulary, key: Key) -> usize {
        let spread = spread(key);
        let mut count = self.merged.get(key, spread);
        if count == 0 {
            count = self.merger.count(vocabulary, &key.to_le_bytes()[..key_len(key)], usize::MAX);
            self.merged.set(key, spread, count);
        }
        self.recent.set(key, spread, count);
        count
    }
}
