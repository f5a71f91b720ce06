//! Byte pair encoding of pieces of few parts, several of them at a time.
//!
//! Looking at all parts for the best pair is faster than a queue where they are few. Each step is done for all pieces
//! before the next step, so that their waits for the table of pairs, which take most of the time, overlap.

use crate::vocabulary::pairs::{MergePart, NONE, Pairs};
use crate::vocabulary::tables::Vocabulary;

/// Parts that a piece may have, at most.
pub(crate) const MOST: usize = (1 << AT_BITS) - 1;
const AT_BITS: u32 = 6;

/// Pieces that are merged at a time.
const TOGETHER: usize = 16;

/// A piece of fewer than `N` parts, a power of two up to `1 << AT_BITS`. Its parts begin at index 1; index 0 is a part
/// that merges with none, before the first part and after the last.
#[derive(Clone, Copy)]
struct Few<const N: usize> {
    /// For each part, the token that it and the next one merge into, and below that where it is: the least is
    /// the pair to merge.
    best: [i32; N],
    parts: [MergePart; N],
    /// What each part and the next one merge into.
    merged: [MergePart; N],
    /// The parts that were not merged into the one before, one bit each.
    left: u64,
    name: usize,
    /// The part that was merged last, the one before it, and where the table has them with their next ones.
    at: usize,
    before: usize,
    places: [usize; 2],
}

/// What is above the place of a part that merges with nothing.
const NOTHING: i32 = (NONE << AT_BITS) as i32;

impl<const N: usize> Few<N> {
    const EMPTY: Self = Self {
        best: [NOTHING; N],
        parts: [MergePart::NONE; N],
        merged: [MergePart::NONE; N],
        left: 1,
        name: 0,
        at: 0,
        before: 0,
        places: [0; 2],
    };

    fn start(&mut self, pairs: &Pairs, tokens: &[u32]) {
        self.best = [NOTHING; N];
        let count = tokens.len().min(N - 1);
        self.left = u64::MAX >> (63 - count);
        for (part, &token) in self.parts[1..].iter_mut().zip(tokens) {
            *part = pairs.part(token);
        }
        for at in 1..count {
            self.set(at, pairs.get(self.parts[at], self.parts[at + 1]));
        }
    }

    #[inline]
    fn set(&mut self, at: usize, merged: MergePart) {
        self.merged[at] = merged;
        self.best[at] = (merged.token() << AT_BITS) as i32 | at as i32;
    }

    /// Merges the best pair, if there is one.
    #[inline]
    fn merge(&mut self) -> bool {
        let least = self.best.iter().copied().fold(i32::MAX, i32::min);
        let at = least as usize % N;
        let gone = (self.left & !1 << at).trailing_zeros() as usize % N;
        if least >= NOTHING {
            return false;
        }
        self.left &= !(1 << gone);
        self.best[gone] = NOTHING;
        self.parts[at] = self.merged[at];
        self.at = at;
        true
    }

    /// Looks for the pairs that a merge has made.
    #[inline]
    fn find(&mut self, pairs: &Pairs) {
        let next = (self.left & !1 << self.at).trailing_zeros() as usize % N;
        self.before = (self.left & ((1 << self.at) - 1)).ilog2() as usize % N;
        let part = self.parts[self.at % N];
        self.places = [pairs.find(self.parts[self.before], part), pairs.find(part, self.parts[next])];
    }

    /// Takes over what was found.
    #[inline]
    fn renew(&mut self, pairs: &Pairs) {
        self.set(self.before % N, pairs.merged(self.places[0]));
        self.set(self.at % N, pairs.merged(self.places[1]));
    }

    fn count(&self) -> usize {
        self.left.count_ones() as usize - 1
    }
}

/// Merges at most [`MOST`] tokens.
pub(crate) fn merge(vocabulary: &Vocabulary, tokens: &mut Vec<u32>) {
    match tokens.len() {
        0..16 => merge_in::<16>(vocabulary.pairs(), tokens),
        _ => merge_in::<{ MOST + 1 }>(vocabulary.pairs(), tokens),
    }
}

fn merge_in<const N: usize>(pairs: &Pairs, tokens: &mut Vec<u32>) {
    let mut few = Few::<N>::EMPTY;
    few.start(pairs, tokens);
    while few.merge() {
        few.find(pairs);
        few.renew(pairs);
    }
    tokens.clear();
    tokens.extend((1..N).filter(|&at| few.left >> at & 1 == 1).map(|at| few.parts[at].token()));
}

/// Pieces of fewer than `N` parts that are merged together.
pub(crate) struct Pool<const N: usize> {
    pieces: [Few<N>; TOGETHER],
    /// Which of them is which, first those that are not done.
    order: [usize; TOGETHER],
    busy: usize,
}

impl<const N: usize> Default for Pool<N> {
    fn default() -> Self {
        Self { pieces: [Few::EMPTY; TOGETHER], order: std::array::from_fn(|at| at), busy: 0 }
    }
}

impl<const N: usize> Pool<N> {
    /// Takes in a piece of fewer than `N` tokens. `done` gets the name and the count of each one that is done.
    pub(crate) fn add(&mut self, pairs: &Pairs, tokens: &[u32], name: usize, done: &mut impl FnMut(usize, usize)) {
        while self.busy == TOGETHER {
            self.step(pairs, done);
        }
        let piece = &mut self.pieces[self.order[self.busy] % TOGETHER];
        piece.start(pairs, tokens);
        piece.name = name;
        self.busy += 1;
    }

    /// Merges all that is there.
    pub(crate) fn finish(&mut self, pairs: &Pairs, done: &mut impl FnMut(usize, usize)) {
        while self.busy > 0 {
            self.step(pairs, done);
        }
    }

    /// Merges one pair of each piece.
    fn step(&mut self, pairs: &Pairs, done: &mut impl FnMut(usize, usize)) {
        let mut at = 0;
        while at < self.busy {
            let piece = &mut self.pieces[self.order[at] % TOGETHER];
            if piece.merge() {
                at += 1;
            } else {
                done(piece.name, piece.count());
                self.busy -= 1;
                self.order.swap(at, self.busy);
            }
        }
        for &at in &self.order[..self.busy] {
            self.pieces[at % TOGETHER].find(pairs);
        }
        for &at in &self.order[..self.busy] {
            self.pieces[at % TOGETHER].renew(pairs);
        }
    }
}
