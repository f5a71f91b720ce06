//! Merging from whole characters, instead of from their bytes.
//!
//! Text in other scripts than Latin has two or three bytes per character, and most of its characters are tokens. The
//! outcome is the same as from bytes: a character is taken whole only if no merge across its edges comes before the
//! merges that make it.

use crate::base::blocks::in_blocks;
use crate::vocabulary::pack::Merge;
use crate::vocabulary::pairs::NONE;
use crate::vocabulary::pieces::{PieceKey, key_len};
use crate::vocabulary::tables::Token;

/// The characters that are tokens, and the merges that could prevent them.
pub(crate) struct Chars {
    /// The token of each character of the basic plane; zero if none.
    tokens: Vec<u32>,
    crossings: Vec<Crossing>,
    /// At `last << 8 | first`: one more than the place of the first crossing whose parts meet in these two bytes,
    /// zero if there is none.
    meeting: Vec<u32>,
}

/// A merge of two parts, of which one is a part of a character.
struct Crossing {
    left: PieceKey,
    right: PieceKey,
    number: u32,
    /// Whether the left part is the rest of a character, or the right one the start of one.
    breaks: Breaks,
    /// One more than the place of the next one that meets in the same bytes, by number.
    next: u32,
}

/// Which characters a crossing prevents: the one before the place where its parts meet, and the one after it.
#[derive(Clone, Copy)]
struct Breaks {
    before: bool,
    behind: bool,
}

impl Crossing {
    /// Whether the merge is possible where its parts would meet at `at`. It may return true although the merge is not
    /// possible.
    fn may_be(&self, piece: &[u8], at: usize) -> bool {
        let (left, right) = (self.left.to_le_bytes(), self.right.to_le_bytes());
        let ends = |part: &[u8]| part.len() <= at && part.iter().rev().eq(piece[at - part.len()..at].iter().rev());
        let starts = |part: &[u8]| piece[at..].iter().take(part.len()).eq(part);
        ends(&left[..key_len(self.left)]) && starts(&right[..key_len(self.right)])
    }
}

impl Chars {
    /// The characters among `tokens`, all tokens there are; those behind the bytes come from `merges`.
    pub(crate) fn new(tokens: &[Token], merges: &[Merge]) -> Self {
        let mut chars = Self { tokens: vec![0; 0x1_0000], crossings: Vec::new(), meeting: vec![0; 0x1_0000] };
        let mut numbers = 0..;
        in_blocks(tokens, &mut |tokens| {
            for (token, number) in tokens.iter().zip(numbers.by_ref()) {
                if let Some(char) = char_of(token.key) {
                    chars.tokens[char as usize] = number;
                }
            }
        });
        let mut numbers = (tokens.len() - merges.len()) as u32..;
        in_blocks(merges, &mut |merges| {
            for (&(left, right), number) in merges.iter().zip(numbers.by_ref()) {
                if left != NONE {
                    chars.cross(&tokens[left as usize], &tokens[right as usize], number);
                }
            }
        });
        chars
    }

    /// Notes that a token is merged from these two.
    fn cross(&mut self, left: &Token, right: &Token, number: u32) {
        let breaks = Breaks { before: left.continuation, behind: starts_char(right) };
        if is_continuation(right.first) || !(breaks.before || breaks.behind) {
            return;
        }
        self.crossings.push(Crossing { left: left.key, right: right.key, number, breaks, next: 0 });
        let added = self.crossings.len() as u32;
        let mut place = &mut self.meeting[usize::from(left.last) << 8 | usize::from(right.first)];
        while let Some(crossing) = place.checked_sub(1) {
            place = &mut self.crossings[crossing as usize].next;
        }
        *place = added;
    }

    /// Whether a merge before `token` may join what meets at `at`, and breaks what is to stay whole.
    #[inline]
    fn is_crossed(&self, piece: &[u8], at: usize, token: u32, breaks: impl Fn(Breaks) -> bool) -> bool {
        if at == 0 || at == piece.len() {
            return false;
        }
        let mut place = self.meeting[usize::from(piece[at - 1]) << 8 | usize::from(piece[at])];
        while let Some(crossing) = place.checked_sub(1).map(|place| &self.crossings[place as usize]) {
            if crossing.number > token {
                break;
            }
            if breaks(crossing.breaks) && crossing.may_be(piece, at) {
                return true;
            }
            place = crossing.next;
        }
        false
    }

    /// The token of the character `piece[start..end]`, not all of which need be there, if merging may
    /// start from it.
    #[inline]
    pub(crate) fn whole(&self, piece: &[u8], start: usize, end: usize) -> Option<u32> {
        let code = match piece[start..end] {
            [lead, tail] if lead < 0xE0 => u32::from(lead & 0x1F) << 6 | u32::from(tail & 0x3F),
            [lead @ 0xE0..0xF0, second, third] => {
                u32::from(lead & 0x0F) << 12 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F)
            }
            _ => return None,
        };
        let token = self.tokens[code as usize % self.tokens.len()];
        let is_whole = token != 0
            && !self.is_crossed(piece, start, token, |breaks| breaks.behind)
            && !self.is_crossed(piece, end, token, |breaks| breaks.before);
        is_whole.then_some(token)
    }
}

/// Whether a byte goes on with a character of UTF-8.
pub(crate) fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Whether a token is the start of a character, and not all of it.
fn starts_char(token: &Token) -> bool {
    let whole = match token.first {
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
        _ => 0,
    };
    token.len < whole
}

/// The one character of more than one byte that a key spells, if it is one of the basic plane.
fn char_of(key: PieceKey) -> Option<char> {
    let len = key_len(key);
    let bytes = key.to_le_bytes();
    if !(2..=3).contains(&len) || bytes[0] < 0xC0 {
        return None;
    }
    let mut chars = std::str::from_utf8(&bytes[..len]).ok()?.chars();
    let only = chars.next()?;
    chars.next().is_none().then_some(only)
}
