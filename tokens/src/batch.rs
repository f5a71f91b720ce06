//! Counting the tokens of pieces, many at a time.
//!
//! Nine pieces in ten are found in a small table of those seen lately, nearly all others among the
//! tokens. Each step is done for all pieces of a batch before the next, without a branch a piece:
//! then the misses of the processor's caches overlap, and none of its predictions fail.

use super::{
    kept::{LONG, LongCounts, ShortCounts},
    merge::Merger,
    pieces::{Key, SHORT, key_in, spread},
    vocabulary::Vocabulary,
};

/// Pieces of a batch, and room for those of one more window.
const FULL: usize = 192;
const ROOM: usize = FULL + 64;
/// Pieces that are merged together: many, so that they wait for memory together.
const MANY: usize = 64;

/// What one count at a time may write to.
pub(super) struct Batch {
    keys: [Key; ROOM],
    len: usize,
    /// Those of them that were not found among the pieces seen lately.
    missed: [Key; ROOM],
    /// Those that were found nowhere, as the bytes of their keys.
    unknown: Vec<[u8; 16]>,
    /// Longer pieces, by where they start in the text and how long they are.
    long: Vec<(usize, usize)>,
    /// The tokens of all pieces that are no longer in the batch.
    pub(super) count: usize,
    recent: ShortCounts<{ 1 << 15 }>,
    merged: ShortCounts<{ 1 << 15 }>,
    long_counts: LongCounts,
    pub(super) merger: Merger,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            keys: [0; ROOM],
            len: 0,
            missed: [0; ROOM],
            unknown: Vec::new(),
            long: Vec::new(),
            count: 0,
            recent: ShortCounts::default(),
            merged: ShortCounts::default(),
            long_counts: LongCounts::default(),
            merger: Merger::default(),
        }
    }
}

impl Batch {
    /// Gets ready for a long text.
    pub(super) fn warm(&self) {
        self.recent.warm();
    }

    /// Adds the piece that is the first `len` of `bytes`, at most [`SHORT`]; at most 64 pieces may be
    /// added before [`Batch::settle`] is called.
    #[inline]
    pub(super) fn add_short(&mut self, bytes: &[u8; 16], len: usize) {
        self.keys[self.len % ROOM] = key_in(bytes, len);
        self.len += 1;
    }

    /// Adds the piece of any length that is at `start` in `text`. Once the count is above `limit`, how much it is
    /// means nothing.
    pub(super) fn add(&mut self, vocabulary: &Vocabulary, text: &[u8], start: usize, len: usize, limit: usize) {
        let rest = &text[start..];
        if len > LONG {
            self.count += self.merger.count(vocabulary, &rest[..len], limit.saturating_sub(self.count));
        } else if len > SHORT {
            self.long.push((start, len));
        } else if let Some(bytes) = rest.first_chunk() {
            self.add_short(bytes, len);
        } else {
            let mut bytes = [0; 16];
            bytes[..len].copy_from_slice(&rest[..len]);
            self.add_short(&bytes, len);
        }
    }

    /// Makes room for another window; the pieces are those of `text`.
    #[inline]
    pub(super) fn settle(&mut self, vocabulary: &Vocabulary, text: &[u8]) {
        if self.len >= FULL {
            self.look_up(vocabulary);
        }
        if self.unknown.len() + self.long.len() >= MANY {
            self.merge(vocabulary, text);
        }
    }

    /// Counts all pieces that are left.
    pub(super) fn finish(&mut self, vocabulary: &Vocabulary, text: &[u8]) {
        self.look_up(vocabulary);
        self.merge(vocabulary, text);
    }

    /// Counts the pieces of the batch that are known.
    fn look_up(&mut self, vocabulary: &Vocabulary) {
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
        for &key in &self.missed[..rest.min(ROOM)] {
            let spread = spread(key);
            let count = self.merged.get(key, spread);
            self.count += count;
            if count > 0 {
                self.recent.set(key, spread, count);
            } else {
                self.unknown.push(key.to_le_bytes());
            }
        }
    }

    /// Counts the pieces that were found nowhere, and the longer ones.
    fn merge(&mut self, vocabulary: &Vocabulary, text: &[u8]) {
        let piece = |&(start, len): &(usize, usize)| &text[start..start + len];
        let (total, counts) = (&mut self.count, &mut self.long_counts);
        self.long.retain(|place| {
            let count = counts.get(piece(place));
            *total += count;
            count == 0
        });
        let (unknown, long) = (&self.unknown, &self.long);
        let pieces = unknown.iter().map(|key| &key[..usize::from(key[SHORT]) % 16]).chain(long.iter().map(piece));
        self.merger.count_all(vocabulary, pieces, |at, count| {
            *total += count;
            let Some(&key) = unknown.get(at) else {
                return counts.set(piece(&long[at - unknown.len()]), count);
            };
            let key = Key::from_le_bytes(key);
            let spread = spread(key);
            self.merged.set(key, spread, count);
            self.recent.set(key, spread, count);
        });
        self.unknown.clear();
        self.long.clear();
    }
}
