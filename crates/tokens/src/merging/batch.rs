//! Counting the tokens of pieces, many at a time.
//!
//! Most pieces are short and were seen recently: they are found in a small table as soon as they are split off. Pieces
//! that are missing in one table are looked up in the next one, many at a time and without a branch per piece: so cache
//! misses overlap, and no branch is mispredicted.

use crate::merging::merge::Merger;
use crate::merging::merge_cache::{LONG, LongCounts, ShortCounts};
use crate::merging::words::{WORD, WORD_BYTES, WordCounts, word_in};
use crate::split::window;
use crate::vocabulary::pieces::{PieceKey, SHORT, key_in, key_len, key_of, spread};
use crate::vocabulary::tables::Vocabulary;

/// Pieces that are looked up together, and room for those of one more window.
const FULL: usize = 64;
const ROOM: usize = FULL + window::SIZE;
/// Pieces that are merged together: many, so that they wait for memory together.
const MANY: usize = 64;

/// The scratch memory of one count.
pub(crate) struct Batch {
    /// Pieces that the first table does not contain.
    missed: [PieceSpan; ROOM],
    misses: usize,
    unknown: UncountedPieces,
    /// Longer pieces.
    long: Vec<PieceSpan>,
    /// The tokens of all pieces that have left the batch.
    pub(crate) count: usize,
    words: WordCounts,
    shorts: ShortCounts,
    long_counts: LongCounts,
    pub(crate) merger: Merger,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            missed: [PieceSpan::default(); ROOM],
            misses: 0,
            unknown: UncountedPieces::default(),
            long: Vec::new(),
            count: 0,
            words: WordCounts::default(),
            shorts: ShortCounts::default(),
            long_counts: LongCounts::default(),
            merger: Merger::default(),
        }
    }
}

/// Where a piece starts in the text, and how long it is.
#[derive(Clone, Copy, Default)]
struct PieceSpan {
    start: usize,
    len: usize,
}

impl PieceSpan {
    #[inline]
    fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start..self.start + self.len]
    }

    /// The key of a piece of at most [`SHORT`] bytes.
    #[inline]
    fn key(self, text: &[u8]) -> PieceKey {
        match text[self.start..].first_chunk() {
            Some(bytes) => key_in(bytes, self.len),
            None => key_of(self.of(text)),
        }
    }
}

/// Short pieces that no table contains and that are to be merged, each once.
struct UncountedPieces {
    pieces: Vec<UncountedPiece>,
    /// Where in `pieces` one may be, by how its key is spread.
    places: [u8; 1 << 8],
}

/// The bytes of the key of a piece, and how many times it was found.
struct UncountedPiece {
    key: [u8; 16],
    times: usize,
}

impl Default for UncountedPieces {
    fn default() -> Self {
        Self { pieces: Vec::new(), places: [0; 1 << 8] }
    }
}

impl UncountedPieces {
    fn add(&mut self, key: PieceKey) {
        let place = &mut self.places[usize::from((spread(key) >> 56) as u8)];
        let key = key.to_le_bytes();
        match self.pieces.get_mut(usize::from(*place)) {
            Some(same) if same.key == key => same.times += 1,
            _ => {
                *place = self.pieces.len() as u8;
                self.pieces.push(UncountedPiece { key, times: 1 });
            }
        }
    }
}

impl UncountedPiece {
    fn piece(&self) -> &[u8] {
        &self.key[..usize::from(self.key[SHORT]) % 16]
    }
}

impl Batch {
    /// Prepares for a long text.
    pub(crate) fn warm(&self) {
        self.words.warm();
        self.shorts.warm();
    }

    /// Adds the pieces that end at the places in `ends`, one bit each, and answers where the last one does. They
    /// are those of the text from `start` on, which `block` shows. Call [`Batch::settle`] before the next window.
    #[inline]
    pub(crate) fn add_window(&mut self, block: &[u8; window::SIZE + WORD_BYTES], mut ends: u64, start: usize) -> usize {
        let (mut at, mut count, mut misses) = (0, 0, self.misses);
        while ends != 0 {
            let end = ends.trailing_zeros() as usize;
            ends &= ends - 1;
            let bytes = block[at % window::SIZE..].first_chunk().unwrap_or(&[0; WORD_BYTES]);
            let known = self.words.get(word_in(bytes, end - at));
            count += known;
            self.missed[misses % ROOM] = PieceSpan { start: start + at, len: end - at };
            misses += usize::from(known == 0);
            at = end;
        }
        self.count += count;
        self.misses = misses;
        start + at
    }

    /// Adds the piece of any length that is at `start` in `text`. If the count is above `limit`, its value is
    /// unspecified.
    pub(crate) fn add(&mut self, vocabulary: &Vocabulary, text: &[u8], start: usize, len: usize, limit: usize) {
        if len > LONG {
            let piece = &text[start..start + len];
            self.count += self.merger.count(vocabulary, piece, limit.saturating_sub(self.count));
            return;
        }
        let known = match text[start..].first_chunk() {
            Some(bytes) => self.words.get(word_in(bytes, len)),
            None => 0,
        };
        self.count += known;
        self.missed[self.misses % ROOM] = PieceSpan { start, len };
        self.misses += usize::from(known == 0);
    }

    /// Makes room for another window; the pieces are those of `text`.
    #[inline]
    pub(crate) fn settle(&mut self, vocabulary: &Vocabulary, text: &[u8]) {
        if self.misses >= FULL {
            self.look_up(vocabulary, text);
        }
    }

    /// Counts all pieces that are left.
    pub(crate) fn finish(&mut self, vocabulary: &Vocabulary, text: &[u8]) {
        self.look_up(vocabulary, text);
        self.merge(vocabulary, text);
    }

    /// Counts the missed pieces that another table contains.
    fn look_up(&mut self, vocabulary: &Vocabulary, text: &[u8]) {
        let (mut keys, mut rest) = ([0; ROOM], 0);
        for &place in &self.missed[..self.misses.min(ROOM)] {
            if place.len > SHORT {
                self.long.push(place);
                continue;
            }
            let key = place.key(text);
            let count = self.shorts.get(key, spread(key));
            self.count += count;
            if count > 0 && place.len <= WORD {
                self.words.set(key, count);
            }
            keys[rest % ROOM] = key;
            rest += usize::from(count == 0);
        }
        self.misses = 0;
        let keys = &keys[..rest.min(ROOM)];
        let mut is_token = [false; ROOM];
        for (&key, is_token) in keys.iter().zip(&mut is_token) {
            *is_token = vocabulary.has_short(key, spread(key));
        }
        for (&key, is_token) in keys.iter().zip(is_token) {
            if !is_token {
                self.unknown.add(key);
                continue;
            }
            self.count += 1;
            if key_len(key) <= WORD {
                self.words.set(key, 1);
            } else {
                self.shorts.set(key, spread(key), 1);
            }
        }
        if self.unknown.pieces.len() + self.long.len() >= MANY {
            self.merge(vocabulary, text);
        }
    }

    /// Counts the pieces that no table contains, and the longer ones.
    fn merge(&mut self, vocabulary: &Vocabulary, text: &[u8]) {
        if self.unknown.pieces.is_empty() && self.long.is_empty() {
            return;
        }
        let (total, counts) = (&mut self.count, &mut self.long_counts);
        self.long.retain(|place| {
            let count = counts.get(text, place.start, place.len);
            *total += count;
            count == 0
        });
        let (unknown, long) = (&self.unknown.pieces, &self.long);
        let pieces = unknown.iter().map(UncountedPiece::piece).chain(long.iter().map(|place| place.of(text)));
        self.merger.count_all(vocabulary, pieces, |at, count| {
            let Some(waiting) = unknown.get(at) else {
                *total += count;
                let PieceSpan { start, len } = long[at - unknown.len()];
                return counts.set(text, start, len, count);
            };
            *total += count * waiting.times;
            let key = PieceKey::from_le_bytes(waiting.key);
            self.shorts.set(key, spread(key), count);
            if key_len(key) <= WORD {
                self.words.set(key, count);
            }
        });
        self.unknown.pieces.clear();
        self.long.clear();
    }
}
