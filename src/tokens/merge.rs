//! Byte pair encoding of one piece: the lowest-ranked adjacent pair is merged, the leftmost first
//! among equals, until none is left.
//!
//! Promises that outcome in n log n steps for any piece, without recursion, and without allocating
//! once the scratch memory has grown to the longest piece.

use super::{class, pairs::NONE, vocabulary::Vocabulary};
use std::{cmp::Reverse, collections::BinaryHeap};

/// Up to so many parts, looking at all of them for the best is faster than a heap.
const FEW: usize = 64;

/// Memory that merging reuses from piece to piece.
#[derive(Default)]
pub(super) struct Merger {
    /// The parts of the piece, as tokens.
    parts: Vec<u32>,
    /// What each part merges into with the next one, or [`NONE`].
    merged: Vec<u32>,
    /// For long pieces, the parts before and after each one.
    before: Vec<u32>,
    after: Vec<u32>,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Merger {
    /// The tokens of `piece`, the UTF-8 of one piece of text.
    pub(super) fn merge(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> &[u32] {
        self.parts.clear();
        if let Some(token) = vocabulary.unmerged(piece) {
            self.parts.push(token);
            return &self.parts;
        }
        self.start(vocabulary, piece);
        if self.parts.len() > 1 {
            self.merged.clear();
            self.merged.extend(self.parts.windows(2).map(|pair| vocabulary.merged(pair[0], pair[1])));
            self.merged.push(NONE);
            if self.parts.len() <= FEW {
                self.merge_few(vocabulary);
            } else {
                self.merge_many(vocabulary);
            }
        }
        &self.parts
    }

    /// Sets the parts from which merging starts: characters where that is exact, else bytes.
    fn start(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        let mut at = 0;
        while at < piece.len() {
            if piece[at] < 0x80 {
                self.parts.push(vocabulary.of_byte(piece[at]));
                at += 1;
                continue;
            }
            let (code, len) = class::code_at(piece, at);
            match vocabulary.of_char(code) {
                Some(token) => self.parts.push(token),
                None => self.parts.extend(piece[at..at + len].iter().map(|&byte| vocabulary.of_byte(byte))),
            }
            at += len;
        }
    }

    fn merge_few(&mut self, vocabulary: &Vocabulary) {
        let (parts, merged) = (&mut self.parts, &mut self.merged);
        loop {
            let mut at = 0;
            let mut best = NONE;
            for (i, &token) in merged.iter().enumerate() {
                if token < best {
                    (at, best) = (i, token);
                }
            }
            if best == NONE {
                return;
            }
            parts[at] = best;
            parts.remove(at + 1);
            merged.remove(at + 1);
            merged[at] = parts.get(at + 1).map_or(NONE, |&next| vocabulary.merged(best, next));
            if at > 0 {
                merged[at - 1] = vocabulary.merged(parts[at - 1], best);
            }
        }
    }

    fn merge_many(&mut self, vocabulary: &Vocabulary) {
        let count = self.parts.len() as u32;
        self.before.clear();
        self.before.extend((0..count).map(|i| i.wrapping_sub(1)));
        self.after.clear();
        self.after.extend(1..=count);
        self.heap.clear();
        let mergeable = self.merged.iter().zip(0..).filter(|&(&token, _)| token != NONE);
        self.heap.extend(mergeable.map(|(&token, at)| Reverse((token, at))));
        while let Some(Reverse((best, at))) = self.heap.pop() {
            // Entries are not taken back when a part changes: they no longer agree with it.
            if self.merged[at as usize] != best {
                continue;
            }
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
        self.parts.retain(|&part| part != NONE);
    }

    /// Looks up again what two neighbours merge into.
    fn renew(&mut self, vocabulary: &Vocabulary, left: u32, right: u32) {
        let merged = vocabulary.merged(self.parts[left as usize], self.parts[right as usize]);
        self.merged[left as usize] = merged;
        if merged != NONE {
            self.heap.push(Reverse((merged, left)));
        }
    }
}
