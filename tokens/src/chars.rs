//! Merging from whole characters, instead of from their bytes.
//!
//! Text that is not Latin is two or three bytes a character, and most of its characters are tokens.
//! Promises the same outcome as from bytes: a character is taken whole only where no merge across
//! its edges comes before those that make it.

use super::{
    blocks::in_blocks,
    class,
    pack::Merge,
    pairs::NONE,
    pieces::{Key, key_len},
    vocabulary::Token,
};

/// The characters that are tokens, and what could keep them from being made.
pub(super) struct Chars {
    /// The token of each character of the basic plane; zero if none.
    tokens: Vec<u32>,
    /// At `last << 8 | first`: the first merge that joins a part that ends with the byte `last` to one
    /// that starts with `first`, where one of the parts is not made of whole characters.
    crossings: Vec<u32>,
}

impl Chars {
    /// The characters among `tokens`, all tokens there are; those behind the bytes come from `merges`.
    pub(super) fn new(tokens: &[Token], merges: &[Merge]) -> Self {
        let mut chars = Self { tokens: vec![0; 0x1_0000], crossings: vec![NONE; 0x1_0000] };
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
        let inside_char = is_continuation(right.first);
        if !inside_char && (left.continuation || starts_char(right)) {
            let crossing = &mut self.crossings[usize::from(left.last) << 8 | usize::from(right.first)];
            *crossing = (*crossing).min(number);
        }
    }

    /// The token of the character `piece[start..end]`, not all of which need be there, if merging may
    /// start from it.
    #[inline]
    pub(super) fn whole(&self, piece: &[u8], start: usize, end: usize) -> Option<u32> {
        let code = match piece[start..end] {
            [lead, tail] if lead < 0xE0 => u32::from(lead & 0x1F) << 6 | u32::from(tail & 0x3F),
            [0xE0..0xF0, _, _] => class::code_at(piece, start).0,
            _ => return None,
        };
        let token = self.tokens[code as usize % self.tokens.len()];
        let crossing = |at: usize| match at == 0 || at == piece.len() {
            true => NONE,
            false => self.crossings[usize::from(piece[at - 1]) << 8 | usize::from(piece[at])],
        };
        (token != 0 && crossing(start) > token && crossing(end) > token).then_some(token)
    }
}

/// Whether a byte goes on with a character of UTF-8.
pub(super) fn is_continuation(byte: u8) -> bool {
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
fn char_of(key: Key) -> Option<char> {
    let len = key_len(key);
    let bytes = key.to_le_bytes();
    if !(2..=3).contains(&len) || bytes[0] < 0xC0 {
        return None;
    }
    let mut chars = std::str::from_utf8(&bytes[..len]).ok()?.chars();
    let only = chars.next()?;
    chars.next().is_none().then_some(only)
}
