//! Counting the tokens of pieces, many at a time.
//!
//! Nine pieces in ten are found in a small table of those seen lately, nearly all others among the
//! tokens. Those that were not found in one place are looked up in the next one many at a time, without a
//! branch a piece: then the misses of the processor's caches overlap, and none of its predictions fail.

use super::{
    kept::{LONG, LongCounts, ShortCounts},
    merge::Merger,
    pieces::{Key, SHORT, key_in, key_of, spread},
    vocabulary::Vocabulary,
    window,
};

/// Pieces that are looked up among the tokens together, and room for those of one more window.
const FULL: usize = 64;
const ROOM: usize = FULL + window::SIZE;
/// Pieces that are merged together: many, so that they wait for memory together.
const MANY: usize = 64;

/// What one count at a time may write to.
pub(super) struct Batch {
    /// Short pieces that were not found among those seen lately.
    missed: [Key; ROOM],
    misses: usize,
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
            missed: [0; ROOM],
            misses: 0,
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

    /// Adds the pieces that end at the places in `ends`, one bit each, and answers where the last one does. They
    /// are those of `text` from `start` on, which `block` shows. Call [`Batch::settle`] before the next window.
    #[inline]
    pub(super) fn add_window(&mut self, block: &[u8; window::SIZE + 16], mut ends: u64, start: usize) -> usize {
        let (mut at, mut count, mut misses) = (0, 0, self.misses);
        while ends != 0 {
            let end = ends.trailing_zeros() as usize;
            ends &= ends - 1;
            match block[at % window::SIZE..].first_chunk() {
                Some(bytes) if end - at <= SHORT => {
                    let key = key_in(bytes, end - at);
                    let known = self.recent.get(key, spread(key));
                    count += known;
                    self.missed[misses % ROOM] = key;
                    misses += usize::from(known == 0);
                }
                _ => self.long.push((start + at, end - at)),
            }
            at = end;
        }
        self.count += count;
        self.misses = misses;
        start + at
    }

    /// Adds the piece of any length that is at `start` in `text`. Once the count is above `limit`, how much it is
    /// means nothing.
    pub(super) fn add(&mut self, vocabulary: &Vocabulary, text: &[u8], start: usize, len: usize, limit: usize) {
        let piece = &text[start..start + len];
        if len > LONG {
            self.count += self.merger.count(vocabulary, piece, limit.saturating_sub(self.count));
        } else if len > SHORT {
            self.long.push((start, len));
        } else {
            let key = match text[start..].first_chunk() {
                Some(bytes) => key_in(bytes, len),
                None => key_of(piece),
            };
            let known = self.recent.get(key, spread(key));
            self.count += known;
            self.missed[self.misses % ROOM] = key;
            self.misses += usize::from(known == 0);
        }
    }

    /// Makes room for another window; the pieces are those of `text`.
    #[inline]
    pub(super) fn settle(&mut self, vocabulary: &Vocabulary, text: &[u8]) {
        if self.misses >= FULL {
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

    /// Counts the pieces that were missed, but those that are found nowhere.
    fn look_up(&mut self, vocabulary: &Vocabulary) {
        let mut rest = 0;
        for at in 0..self.misses.min(ROOM) {
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
        self.misses = 0;
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
        if self.unknown.is_empty() && self.long.is_empty() {
            return;
        }
        let piece = |&(start, len): &(usize, usize)| &text[start..start + len];
        let (total, counts) = (&mut self.count, &mut self.long_counts);
        self.long.retain(|&(start, len)| {
            let count = counts.get(text, start, len);
            *total += count;
            count == 0
        });
        let (unknown, long) = (&self.unknown, &self.long);
        let pieces = unknown.iter().map(|key| &key[..usize::from(key[SHORT]) % 16]).chain(long.iter().map(piece));
        self.merger.count_all(vocabulary, pieces, |at, count| {
            *total += count;
            let Some(&key) = unknown.get(at) else {
                let (start, len) = long[at - unknown.len()];
                return counts.set(text, start, len, count);
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
