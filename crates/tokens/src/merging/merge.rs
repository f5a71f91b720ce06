//! Byte pair encoding of one piece: the lowest-ranked adjacent pair is merged, the leftmost first
//! among equals, until none is left.
//!
//! It uses no recursion, does not allocate after the scratch memory has grown to the longest piece, and its time is
//! proportional to the piece.

use crate::merging::repeat;
use crate::merging::small_pieces::{self, Pool};
use crate::split::class;
use crate::vocabulary::chars::is_continuation;
use crate::vocabulary::pairs::NONE;
use crate::vocabulary::tables::Vocabulary;
use std::{cmp::Reverse, collections::BinaryHeap};

/// Longer pieces are merged in chunks of this many bytes, each with this many tokens before it at first.
const CHUNK: usize = 1024;
const TAKEN_BACK: usize = 16;

/// Memory that merging reuses from piece to piece.
#[derive(Default)]
pub(crate) struct Merger {
    /// The parts of the piece, as tokens.
    parts: Vec<u32>,
    /// For long pieces: what each part merges into with the next one, or [`NONE`], and the parts
    /// before and after each one.
    merged: Vec<u32>,
    before: Vec<u32>,
    after: Vec<u32>,
    /// Where parts may be merged, behind the token that they make: the least token comes first, and of its places the leftmost.
    queue: BinaryHeap<Reverse<(u32, u32)>>,
    /// The tokens of a long piece as far as they are known.
    whole: Vec<u32>,
    /// Pieces of few parts that are counted together.
    short: Pool<16>,
    medium: Pool<{ small_pieces::MOST + 1 }>,
}

impl Merger {
    /// The tokens of `piece`, the UTF-8 of one piece of text.
    pub(crate) fn merge(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> &[u32] {
        self.merge_within(vocabulary, piece, usize::MAX);
        &self.parts
    }

    /// How many tokens `piece` has; more than `limit`, if it has more than that.
    pub(crate) fn count(&mut self, vocabulary: &Vocabulary, piece: &[u8], limit: usize) -> usize {
        self.merge_within(vocabulary, piece, limit);
        self.parts.len()
    }

    /// Counts the tokens of many pieces; `done` gets the number of each and its count, in any order.
    pub(crate) fn count_all<'a>(
        &mut self,
        vocabulary: &Vocabulary,
        pieces: impl Iterator<Item = &'a [u8]>,
        mut done: impl FnMut(usize, usize),
    ) {
        let pairs = vocabulary.pairs();
        for (name, piece) in pieces.enumerate() {
            self.parts.clear();
            match vocabulary.unmerged(piece) {
                Some(token) => self.parts.push(token),
                None => self.start(vocabulary, piece),
            }
            match self.parts.len() {
                0..16 => self.short.add(pairs, &self.parts, name, &mut done),
                16..=small_pieces::MOST => self.medium.add(pairs, &self.parts, name, &mut done),
                _ => {
                    self.merge_many(vocabulary);
                    done(name, self.parts.len());
                }
            }
        }
        self.short.finish(pairs, &mut done);
        self.medium.finish(pairs, &mut done);
    }

    /// Sets the parts to the tokens of `piece`, or to some of more than `limit`.
    fn merge_within(&mut self, vocabulary: &Vocabulary, piece: &[u8], limit: usize) {
        if let Some(token) = vocabulary.unmerged(piece) {
            self.parts.clear();
            self.parts.push(token);
        } else if piece.len() <= CHUNK || !self.merge_chunks(vocabulary, piece, limit) {
            self.merge_bytes(vocabulary, piece);
        }
    }

    /// Merges a piece or a part of one, whatever its length.
    fn merge_bytes(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        self.parts.clear();
        self.start(vocabulary, piece);
        if self.parts.len() <= small_pieces::MOST {
            small_pieces::merge(vocabulary, &mut self.parts);
        } else {
            self.merge_many(vocabulary);
        }
    }

    /// Merges a long piece chunk by chunk, in time that grows with its length alone, until it is known to have more
    /// than `limit` tokens; returns false if that is not possible.
    ///
    /// If merging keeps each two neighbouring tokens apart, they are the tokens of the text that they spell. So a chunk
    /// is merged together with the last tokens before it, and fits if the first of its tokens stays apart from the last
    /// one kept; else more tokens are taken back.
    fn merge_chunks(&mut self, vocabulary: &Vocabulary, piece: &[u8], limit: usize) -> bool {
        let mut whole = std::mem::take(&mut self.whole);
        whole.clear();
        let (mut done, mut checked) = (0, limit.saturating_add(vocabulary.longest()));
        while done < piece.len() {
            let mut end = (done + CHUNK).min(piece.len());
            while end < piece.len() && is_continuation(piece[end]) {
                end -= 1;
            }
            let Some(kept) = self.merge_behind(vocabulary, piece, &whole, done, end) else { return false };
            whole.truncate(kept);
            whole.extend_from_slice(&self.parts);
            done = end;
            if let Some(repeat) = repeat::find(vocabulary, piece, &whole, done) {
                whole.truncate(repeat.tokens.end);
                (0..repeat.times).for_each(|_| whole.extend_from_within(repeat.tokens.clone()));
                done = repeat.done;
            }
            if whole.len() > checked && done + CHUNK < piece.len() {
                // One of the last places, closer together than a token is long, is the end of a token
                // of the whole piece, and what comes before it are the piece's own tokens.
                let more = |end| match self.merge_behind(vocabulary, piece, &whole, done, end) {
                    Some(kept) => kept + self.parts.len() > limit,
                    None => false,
                };
                if (done - vocabulary.longest() + 1..=done).all(more) {
                    break;
                }
                checked = checked.saturating_mul(2);
            }
        }
        self.whole = std::mem::replace(&mut self.parts, whole);
        true
    }

    /// Sets the parts to the last tokens of `piece[..end]` and answers how many of `whole`, the tokens of
    /// `piece[..done]`, come before them. `None` if they would be too few.
    fn merge_behind(
        &mut self,
        vocabulary: &Vocabulary,
        piece: &[u8],
        whole: &[u32],
        done: usize,
        end: usize,
    ) -> Option<usize> {
        let (mut kept, mut start, mut taken) = (whole.len(), done, 0);
        let mut again = TAKEN_BACK;
        loop {
            while kept > 0 && (taken < again || start > end || is_continuation(piece[start])) {
                kept -= 1;
                start -= vocabulary.len_of(whole[kept]);
                taken += 1;
            }
            self.merge_bytes(vocabulary, &piece[start..end]);
            if kept == 0 || start == end || vocabulary.stays_apart(whole[kept - 1], self.parts[0]) {
                return Some(kept);
            }
            again *= 4;
            if again > CHUNK {
                return None;
            }
        }
    }

    /// Sets the parts from which merging starts: characters where that is exact, else bytes.
    fn start(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        let (mut at, chars) = (0, vocabulary.chars());
        while let Some(&lead) = piece.get(at) {
            if lead < 0x80 {
                self.parts.push(vocabulary.of_byte(lead));
                at += 1;
                continue;
            }
            let end = (at + class::len_of(lead)).min(piece.len());
            match chars.whole(piece, at, end) {
                Some(token) => self.parts.push(token),
                None => self.parts.extend(piece[at..end].iter().map(|&byte| vocabulary.of_byte(byte))),
            }
            at = end;
        }
    }

    fn merge_many(&mut self, vocabulary: &Vocabulary) {
        let count = self.parts.len() as u32;
        self.merged.clear();
        self.merged.extend(self.parts.windows(2).map(|pair| vocabulary.merged(pair[0], pair[1])));
        self.merged.push(NONE);
        self.before.clear();
        self.before.extend((0..count).map(|i| i.wrapping_sub(1)));
        self.after.clear();
        self.after.extend(1..=count);
        self.queue.clear();
        let places = self.merged.iter().zip(0..).filter(|&(&token, _)| token != NONE);
        self.queue.extend(places.map(|(&token, at)| Reverse((token, at))));
        while let Some(Reverse((best, at))) = self.queue.pop() {
            // Places are not removed when a part changes; a place that no longer matches its part is skipped.
            if self.merged[at as usize] == best {
                self.merge_at(vocabulary, at, best);
            }
        }
        self.parts.retain(|&part| part != NONE);
    }

    /// Merges the part at `at` and the next one into `best`.
    #[inline]
    fn merge_at(&mut self, vocabulary: &Vocabulary, at: u32, best: u32) {
        let count = self.parts.len() as u32;
        let gone = self.after[at as usize];
        let next = self.after[gone as usize];
        let last = self.before[at as usize];
        self.parts[at as usize] = best;
        self.parts[gone as usize] = NONE;
        self.merged[gone as usize] = NONE;
        self.after[at as usize] = next;
        self.merged[at as usize] = NONE;
        if next < count {
            self.before[next as usize] = at;
            self.renew(vocabulary, at, next);
        }
        if last < count {
            self.renew(vocabulary, last, at);
        }
    }

    /// Looks up again what two neighbours merge into.
    fn renew(&mut self, vocabulary: &Vocabulary, left: u32, right: u32) {
        let merged = vocabulary.merged(self.parts[left as usize], self.parts[right as usize]);
        self.merged[left as usize] = merged;
        if merged != NONE {
            self.queue.push(Reverse((merged, left)));
        }
    }
}
