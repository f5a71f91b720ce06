//! Byte pair encoding of one piece: the lowest-ranked adjacent pair is merged, the leftmost first
//! among equals, until none is left.
//!
//! Promises that outcome in n log n steps for any piece, without recursion, and without allocating
//! once the scratch memory has grown to the longest piece.

use super::{class, pairs::NONE, vocabulary::Vocabulary};
use std::{cmp::Reverse, collections::BinaryHeap};

/// Up to so many parts, looking at all of them for the best is faster than a heap.
const FEW: usize = 1 << AT_BITS;
const AT_BITS: u32 = 6;

/// Memory that merging reuses from piece to piece.
#[derive(Default)]
pub(super) struct Merger {
    /// The parts of the piece, as tokens.
    parts: Vec<u32>,
    /// For long pieces: what each part merges into with the next one, or [`NONE`], and the parts
    /// before and after each one.
    merged: Vec<u32>,
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
        if self.parts.len() <= FEW {
            self.merge_few(vocabulary);
        } else {
            self.merge_many(vocabulary);
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
        let parts = &mut self.parts;
        let count = parts.len();
        // For each part, what it and the next one merge into, above where that is: the least is the
        // pair to merge. Parts that were merged into the one before are left out of the chain.
        let mut best = [NONE; FEW];
        let (mut before, mut after) = ([0u8; FEW], [0u8; FEW]);
        let entry = |merged: u32, at: usize| if merged == NONE { NONE } else { merged << AT_BITS | at as u32 };
        for at in 0..count {
            before[at] = (at as u8).wrapping_sub(1);
            after[at] = at as u8 + 1;
            if at + 1 < count {
                best[at] = entry(vocabulary.merged_first(parts[at], parts[at + 1]), at);
            }
        }
        loop {
            let least = best[..count].iter().copied().fold(NONE, u32::min);
            if least == NONE {
                break;
            }
            let (merged, at) = (least >> AT_BITS, (least % FEW as u32) as usize);
            let gone = usize::from(after[at]) % FEW;
            let next = usize::from(after[gone]);
            parts[at] = merged;
            parts[gone] = NONE;
            best[gone] = NONE;
            after[at] = next as u8;
            best[at] = NONE;
            if next < count {
                before[next % FEW] = at as u8;
                best[at] = entry(vocabulary.merged(merged, parts[next]), at);
            }
            let last = usize::from(before[at]);
            if last < count {
                best[last % FEW] = entry(vocabulary.merged(parts[last], merged), last);
            }
        }
        parts.retain(|&part| part != NONE);
    }

    fn merge_many(&mut self, vocabulary: &Vocabulary) {
        let count = self.parts.len() as u32;
        self.merged.clear();
        self.merged.extend(self.parts.windows(2).map(|pair| vocabulary.merged_first(pair[0], pair[1])));
        self.merged.push(NONE);
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
