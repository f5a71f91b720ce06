//! Which two tokens merge, and into which: the table at the heart of merging.
//!
//! It has a row for each left token, with its right tokens in groups of eight. A group is compared at once, so that a
//! look-up has no branch that could be mispredicted, and look-ups of several pieces wait for memory together. Only one
//! token in seven is ever on the right, so numbers of 16 bits name them; a token that was found comes with its row, and
//! most tokens that are not found have cost one cache line.

use crate::base::blocks::in_blocks;
use crate::vocabulary::pack::{Merge, SCRIPTS};
use crate::vocabulary::tables::Token;
use wide::u16x8;

/// No token: more than all tokens, and no more than a [`MergePart`] can hold.
pub(crate) const NONE: u32 = (1 << TOKEN_BITS) - 1;
const TOKEN_BITS: u32 = 19;
/// A place in a row without a right token.
const EMPTY: u16 = u16::MAX;
/// As many tokens may be on the right of others.
pub(crate) const MOST_RIGHT: u16 = EMPTY - 1;
/// Right tokens that are compared at once.
const GROUP: usize = 8;
/// Longer rows have groups with spare room: this many tokens each on average.
const FILLED: u32 = 5;

/// A token, and what is to be known of it to find what it merges with: its number among those that are ever on
/// the right of another, zero if it never is, and its row.
///
/// From the lowest bit: 19 for the token, 16 for the number; then the row, three bits for how many places of
/// a group belong to it, less one, four for how many groups there are, as a power of two, and where it starts.
#[derive(Clone, Copy)]
pub(crate) struct MergePart(u64);

const ROW_AT: u32 = TOKEN_BITS + 16;
/// Places that a [`MergePart`] can name.
const PLACES: usize = 1 << (64 - ROW_AT - 7);

impl MergePart {
    /// A part that merges with none.
    pub(crate) const NONE: Self = Self(NONE as u64);

    fn new(token: u32, right: u16, start: usize, count: u32) -> Self {
        let groups = groups(count);
        let in_group = count.clamp(1, GROUP as u32) - 1;
        let row = (start as u64) << 7 | u64::from(groups << 3 | in_group);
        Self(row << ROW_AT | u64::from(right) << TOKEN_BITS | u64::from(token))
    }

    #[inline]
    pub(crate) fn token(self) -> u32 {
        self.0 as u32 & NONE
    }

    #[inline]
    fn right(self) -> u16 {
        (self.0 >> TOKEN_BITS) as u16
    }

    /// Where its row starts.
    #[inline]
    fn start(self) -> usize {
        (self.0 >> (ROW_AT + 7)) as usize
    }

    /// The groups of its row, as a power of two. A row of one has no more places than tokens.
    #[inline]
    fn groups(self) -> u32 {
        (self.0 >> (ROW_AT + 3)) as u32 & 15
    }

    /// How many places of a group belong to the row.
    #[inline]
    fn in_group(self) -> usize {
        (self.0 >> ROW_AT) as usize % GROUP + 1
    }

    /// The group in which a right token is looked for first.
    #[inline]
    fn group(self, right: u16) -> usize {
        (u32::from(right.wrapping_mul(0x9E37)) << self.groups() >> 16) as usize
    }

    #[inline]
    fn group_after(self, group: usize) -> usize {
        (group + 1) & ((1 << self.groups()) - 1)
    }
}

/// The groups of a row with this many tokens, as a power of two.
fn groups(count: u32) -> u32 {
    if count as usize > GROUP { count.div_ceil(FILLED).next_power_of_two().ilog2() } else { 0 }
}

/// The places of a row with this many tokens.
fn places(count: u32) -> usize {
    match groups(count) {
        0 => count as usize,
        groups => GROUP << groups,
    }
}

/// A table from two tokens to the token they merge into.
pub(crate) struct Pairs {
    /// By token.
    parts: Vec<MergePart>,
    /// By place: the numbers of the right tokens, and what they merge into. The first place is that of none.
    rights: Vec<u16>,
    merged: Vec<MergePart>,
}

impl Pairs {
    /// The table of `merges`, which make the last of `tokens`; pairs of [`NONE`] are left out. `None` if the tokens are
    /// too many, or too many are ever on the right.
    pub(crate) fn new(tokens: &[Token], merges: &[Merge]) -> Option<Self> {
        let first = (tokens.len() - merges.len()) as u32;
        let (mut counts, mut is_right) = (vec![0u32; tokens.len()], vec![false; tokens.len()]);
        in_blocks(merges, &mut |merges| {
            for &(left, right) in merges.iter().filter(|merge| merge.0 != NONE) {
                counts[left as usize] += 1;
                is_right[right as usize] = true;
            }
        });
        // Rows of one script are stored together, so that a text in it reads a small part of the table.
        let (mut starts, mut known) = ([0; SCRIPTS], counts.iter());
        in_blocks(tokens, &mut |tokens| {
            for (token, &count) in tokens.iter().zip(known.by_ref()) {
                starts[usize::from(token.script) % SCRIPTS] += places(count);
            }
        });
        let mut end = GROUP;
        starts.iter_mut().for_each(|start| end += std::mem::replace(start, end));
        let rights = is_right.iter().filter(|&&is_right| is_right).count();
        if rights >= usize::from(EMPTY) || end >= PLACES || tokens.len() > NONE as usize {
            return None;
        }
        let mut parts = Vec::with_capacity(tokens.len());
        let (mut known, mut last) = (counts.iter().zip(is_right).zip(0..), 0);
        in_blocks(tokens, &mut |tokens| {
            for (token, ((&count, is_right), number)) in tokens.iter().zip(known.by_ref()) {
                last += u16::from(is_right);
                let start = &mut starts[usize::from(token.script) % SCRIPTS];
                let row = if count > 0 { *start } else { 0 };
                *start += places(count);
                parts.push(MergePart::new(number, if is_right { last } else { 0 }, row, count));
            }
        });
        let mut pairs = Self { parts, rights: vec![EMPTY; end + GROUP], merged: vec![MergePart::NONE; end] };
        let mut tokens = first..;
        in_blocks(merges, &mut |merges| {
            merges.iter().zip(tokens.by_ref()).for_each(|(&merge, token)| pairs.add(merge, token));
        });
        Some(pairs)
    }

    fn add(&mut self, (left, right): Merge, merged: u32) {
        if left != NONE {
            let (left, right) = (self.part(left), self.part(right).right());
            let at = self.free_place(left, right);
            self.rights[at] = right;
            self.merged[at] = self.part(merged);
        }
    }

    /// The first free place for a right token in the row of another. There is one.
    fn free_place(&self, left: MergePart, right: u16) -> usize {
        let mut group = left.group(right);
        loop {
            let start = left.start() + group * GROUP;
            let places = &self.rights[start..start + left.in_group()];
            if let Some(at) = places.iter().position(|&place| place == EMPTY) {
                return start + at;
            }
            group = left.group_after(group);
        }
    }

    /// A token as a part of others.
    #[inline]
    pub(crate) fn part(&self, token: u32) -> MergePart {
        self.parts[token as usize]
    }

    /// The place of a pair, zero if it does not merge.
    #[inline]
    pub(crate) fn find(&self, left: MergePart, right: MergePart) -> usize {
        let right = right.right();
        let mut group = left.group(right);
        loop {
            let start = left.start() + group * GROUP;
            let places = self.rights[start..].first_chunk().unwrap_or(&[EMPTY; GROUP]);
            let equal = u16x8::new(*places).simd_eq(u16x8::splat(right)).to_bitmask();
            let found = equal & ((1 << left.in_group()) - 1);
            // Not `||`: only a full group of a long row is not the last, which is seldom.
            let is_over = (found != 0) | (left.groups() == 0) | (places[GROUP - 1] == EMPTY);
            if is_over {
                return if found == 0 { 0 } else { start + found.trailing_zeros() as usize };
            }
            group = left.group_after(group);
        }
    }

    /// What the pair at a place merges into.
    #[inline]
    pub(crate) fn merged(&self, place: usize) -> MergePart {
        self.merged[place]
    }

    /// What two parts merge into, else [`MergePart::NONE`].
    #[inline]
    pub(crate) fn get(&self, left: MergePart, right: MergePart) -> MergePart {
        self.merged(self.find(left, right))
    }
}
