//! The tables of one encoding, laid out for counting.
//!
//! Tokens are numbered: first the 256 bytes, then the others by rank, so that the better of two
//! merges is the lower number. In the published vocabularies the numbers are the ranks.

use crate::base::blocks::in_blocks;
use crate::vocabulary::chars::{Chars, is_continuation};
use crate::vocabulary::pack::{Merge, script};
use crate::vocabulary::pairs::{NONE, Pairs};
use crate::vocabulary::pieces::{PieceKey, SHORT, ShortTokens, join, key_of};
use std::collections::HashMap;

/// Tokens by how they are spelled.
pub(crate) type Numbers = HashMap<Box<[u8]>, u32>;

/// The tokens of an encoding and how they merge.
pub(crate) struct Vocabulary {
    /// The byte of each of the first 256 tokens, and the other way round.
    bytes: [u8; 256],
    token_of_byte: [u32; 256],
    chars: Chars,
    pairs: Pairs,
    short: ShortTokens,
    /// Which two tokens each token from 256 on is merged from.
    merges: Vec<Merge>,
    lens: Vec<u16>,
    longest: usize,
    /// Tokens that no merges lead to: only a piece that is one of them becomes one.
    unmerged: Numbers,
    rises: bool,
}

/// What the tables are made from: one token.
#[derive(Clone, Copy)]
pub(crate) struct Token {
    /// Its bytes, or zero if they are too many.
    pub(crate) key: PieceKey,
    pub(crate) len: u16,
    pub(crate) first: u8,
    pub(crate) last: u8,
    /// Whether all its bytes go on with a character.
    pub(crate) continuation: bool,
    /// The script of what it begins with, except for a space.
    pub(crate) script: u8,
}

impl Token {
    /// The one of this spelling, which is not empty.
    pub(crate) fn spelled(spelling: &[u8]) -> Self {
        let (first, last) = (spelling[0], spelling[spelling.len() - 1]);
        let key = if spelling.len() > SHORT { 0 } else { key_of(spelling) };
        let continuation = spelling.iter().all(|&byte| is_continuation(byte));
        Self { key, len: spelling.len() as u16, first, last, continuation, script: script_of(key) }
    }

    /// The one that two of `tokens` merge into.
    fn merged(tokens: &[Self], merge: Merge) -> Self {
        let (left, right) = (tokens[merge.0 as usize], tokens[merge.1 as usize]);
        let key = join(left.key, right.key);
        Self {
            key,
            len: left.len + right.len,
            first: left.first,
            last: right.last,
            continuation: left.continuation && right.continuation,
            script: if left.len < 3 { script_of(key) } else { left.script },
        }
    }
}

/// The script of a spelling.
fn script_of(key: PieceKey) -> u8 {
    let bytes = key.to_le_bytes();
    script(if bytes[0] == b' ' { [bytes[1], bytes[2]] } else { [bytes[0], bytes[1]] })
}

/// A token that no two tokens merge into. It is in the list of merges to keep its number.
pub(crate) const UNMERGED: Merge = (NONE, NONE);

impl Vocabulary {
    /// The vocabulary whose first 256 tokens are `bytes`, and whose others come from `merges` of earlier ones. `None`
    /// if others end with too many of them.
    pub(crate) fn new(bytes: [u8; 256], merges: Vec<Merge>) -> Option<Self> {
        let mut tokens = Vec::with_capacity(256 + merges.len());
        tokens.extend(bytes.map(|byte| Token::spelled(&[byte])));
        in_blocks(&merges, &mut |merges| merges.iter().for_each(|&merge| tokens.push(Token::merged(&tokens, merge))));
        Self::of(&tokens, merges, Numbers::new())
    }

    /// The vocabulary of `tokens`, first the 256 bytes; `merges` may be of later ones. Those that are [`UNMERGED`],
    /// whose keys are zero, are spelled in `unmerged`. `None` if others end with too many of them.
    pub(crate) fn of(tokens: &[Token], merges: Vec<Merge>, unmerged: Numbers) -> Option<Self> {
        let (mut bytes, mut token_of_byte) = ([0; 256], [0; 256]);
        for ((slot, token), number) in bytes.iter_mut().zip(tokens).zip(0..) {
            *slot = token.first;
            token_of_byte[usize::from(token.first)] = number;
        }
        let mut rises = true;
        let mut numbers = 256..;
        in_blocks(&merges, &mut |merges| {
            let is_later = |(&(left, right), number): (&Merge, u32)| left != NONE && left.max(right) > number;
            rises &= !merges.iter().zip(numbers.by_ref()).any(is_later);
        });
        let mut short = ShortTokens::with_room(tokens.len());
        in_blocks(tokens, &mut |tokens| tokens.iter().for_each(|token| short.add(token.key)));
        let chars = if rises { Chars::new(tokens, &merges) } else { Chars::new(&[], &[]) };
        let pairs = Pairs::new(tokens, &merges)?;
        let lens: Vec<u16> = tokens.iter().map(|token| token.len).collect();
        let longest = lens.iter().copied().max().unwrap_or(1).into();
        Some(Self { bytes, token_of_byte, chars, pairs, short, merges, lens, longest, unmerged, rises })
    }

    /// How many tokens there are.
    pub(crate) fn count(&self) -> u32 {
        256 + self.merges.len() as u32
    }

    /// The longest token, in bytes.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// The length of a token, in bytes.
    pub(crate) fn len_of(&self, token: u32) -> usize {
        self.lens[token as usize].into()
    }

    /// The token of a byte.
    #[inline]
    pub(crate) fn of_byte(&self, byte: u8) -> u32 {
        self.token_of_byte[usize::from(byte)]
    }

    /// The characters that are tokens.
    pub(crate) fn chars(&self) -> &Chars {
        &self.chars
    }

    /// Which two tokens merge into which.
    #[inline]
    pub(crate) fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// What two tokens merge into, else [`NONE`].
    #[inline]
    pub(crate) fn merged(&self, left: u32, right: u32) -> u32 {
        self.pairs.get(self.pairs.part(left), self.pairs.part(right)).token()
    }

    /// Whether a piece of at most 15 bytes is one token. It may return false although the piece is one token.
    #[inline]
    pub(crate) fn has_short(&self, key: PieceKey, spread: u64) -> bool {
        self.short.has(key, spread)
    }

    /// The token that `piece` is as a whole, if it is one that no merges lead to.
    #[inline]
    pub(crate) fn unmerged(&self, piece: &[u8]) -> Option<u32> {
        if self.unmerged.is_empty() { None } else { self.unmerged.get(piece).copied() }
    }

    /// The two tokens that `token` is merged from, or `None` for a byte.
    #[inline]
    pub(crate) fn parts_of(&self, token: u32) -> Option<Merge> {
        self.merges.get(token.checked_sub(256)? as usize).copied()
    }

    /// Appends the bytes of `token`.
    pub(crate) fn spell(&self, token: u32, bytes: &mut Vec<u8>) {
        let mut open = vec![token];
        while let Some(token) = open.pop() {
            match self.parts_of(token) {
                Some(UNMERGED) => {
                    let spelling = self.unmerged.iter().find(|entry| *entry.1 == token);
                    bytes.extend_from_slice(spelling.map_or(&[], |entry| entry.0));
                }
                Some((left, right)) => open.extend([right, left]),
                None => bytes.push(self.bytes[token as usize]),
            }
        }
    }

    /// Whether merging leaves `right` behind `left` as they are: two tokens that are merged from
    /// their bytes side by side stay these two.
    ///
    /// The last merges are undone one by one, on the side where they came later; at no stage may the two adjacent parts
    /// have a better merge with each other. From the crate `bpe` of GitHub's rust-gems. It needs rising numbers;
    /// otherwise it returns false.
    pub(crate) fn stays_apart(&self, mut left: u32, mut right: u32) -> bool {
        if !self.rises {
            return false;
        }
        let mut before = NONE;
        loop {
            if self.merged(left, right) < before {
                return false;
            }
            if left > right
                && let Some((_, last)) = self.parts_of(left)
            {
                before = left;
                left = last;
            } else if let Some((first, _)) = self.parts_of(right) {
                before = right + 1;
                right = first;
            } else if let Some((_, last)) = self.parts_of(left) {
                before = left;
                left = last;
            } else {
                return true;
            }
        }
    }
}
