//! The tables of one encoding, laid out for counting.
//!
//! Tokens are numbered by rank, lowest first, so that the better of two merges is the lower number.

use super::{
    class,
    pack::{Merge, byte_order},
    pairs::{NONE, Pairs},
    pieces::{Key, ShortTokens, join, key_of},
};

/// The tokens of an encoding and how they merge.
pub(super) struct Vocabulary {
    /// The token of each byte.
    bytes: [u32; 256],
    /// The token of each character of the basic plane that merging may start from; zero if none.
    chars: Vec<u32>,
    pairs: Pairs,
    short: ShortTokens,
    merges: Vec<Merge>,
}

impl Vocabulary {
    /// The vocabulary whose first 256 tokens are the bytes, and whose others come from `merges`.
    pub(super) fn new(merges: Vec<Merge>) -> Self {
        let mut bytes = [0; 256];
        let mut keys: Vec<Option<Key>> = Vec::with_capacity(256 + merges.len());
        for (byte, token) in byte_order().zip(0..) {
            bytes[usize::from(byte)] = token;
            keys.push(Some(key_of(&[byte])));
        }
        let mut first_bytes: Vec<u8> = byte_order().collect();
        let mut pairs = Pairs::with_room(merges.len());
        for (&(left, right), token) in merges.iter().zip(256..) {
            pairs.add(left, right, token);
            first_bytes.push(first_bytes[left as usize]);
            let parts = keys[left as usize].zip(keys[right as usize]);
            keys.push(parts.and_then(|(left, right)| join(left, right)));
        }
        let mut short = ShortTokens::with_room(keys.len());
        for key in keys.iter().flatten() {
            short.add(*key);
        }
        let mut vocabulary = Self { bytes, chars: Vec::new(), pairs, short, merges };
        vocabulary.chars = vocabulary.whole_chars(&keys, &first_bytes);
        vocabulary
    }

    /// What two tokens merge into, else [`NONE`].
    #[inline]
    pub(super) fn merged(&self, left: u32, right: u32) -> u32 {
        self.pairs.get(left, right)
    }

    /// Whether a piece of at most 15 bytes is one token. May say no where it is one.
    #[inline]
    pub(super) fn has_short(&self, key: Key, spread: u64) -> bool {
        self.short.has(key, spread)
    }

    /// Appends the parts from which merging `piece` starts: characters where that is exact, else bytes.
    pub(super) fn start(&self, piece: &[u8], parts: &mut Vec<u32>) {
        let mut at = 0;
        while at < piece.len() {
            if piece[at] < 0x80 {
                parts.push(self.bytes[usize::from(piece[at])]);
                at += 1;
                continue;
            }
            let (code, len) = class::code_at(piece, at);
            match self.chars.get(code as usize) {
                Some(&token) if token != 0 => parts.push(token),
                _ => parts.extend(piece[at..at + len].iter().map(|&byte| self.bytes[usize::from(byte)])),
            }
            at += len;
        }
    }

    /// The characters that are merged from their bytes whatever stands around them.
    ///
    /// A character is one if each of the merges that make it comes before every merge of its first
    /// part with something before it, and of its last part with something after it.
    fn whole_chars(&self, keys: &[Option<Key>], first_bytes: &[u8]) -> Vec<u32> {
        let mut as_left = vec![NONE; keys.len()];
        let mut as_right = vec![NONE; keys.len()];
        for (&(left, right), token) in self.merges.iter().zip(256..self.len()).rev() {
            as_right[right as usize] = token;
            // What follows a character starts with a byte that is no continuation.
            if first_bytes[right as usize] & 0xC0 != 0x80 {
                as_left[left as usize] = token;
            }
        }
        let mut chars = vec![0; 0x1_0000];
        for (token, key) in keys.iter().enumerate().skip(256) {
            let Some(code) = key.and_then(char_of) else {
                continue;
            };
            let bytes = code.encode_utf8(&mut [0; 4]).to_owned();
            let mut parts: Vec<u32> = bytes.bytes().map(|byte| self.bytes[usize::from(byte)]).collect();
            while let Some((best, at)) =
                parts.windows(2).zip(0..).map(|(pair, at)| (self.merged(pair[0], pair[1]), at)).min()
            {
                let outside = as_right[parts[0] as usize].min(as_left[parts[parts.len() - 1] as usize]);
                if best >= outside {
                    break;
                }
                parts[at] = best;
                parts.remove(at + 1);
            }
            if parts == [token as u32] {
                chars[code as usize] = token as u32;
            }
        }
        chars
    }

    /// The two tokens that `token` is merged from, or `None` for a byte.
    pub(super) fn parts_of(&self, token: u32) -> Option<Merge> {
        self.merges.get(token.checked_sub(256)? as usize).copied()
    }

    /// The byte that a token which has no parts stands for.
    pub(super) fn byte_of(&self, token: u32) -> u8 {
        self.bytes.iter().position(|&other| other == token).unwrap_or(0) as u8
    }

    /// How many tokens there are.
    pub(super) fn len(&self) -> u32 {
        256 + self.merges.len() as u32
    }
}

/// The one character of more than one byte that a key spells, if it is one of the basic plane.
fn char_of(key: Key) -> Option<char> {
    let bytes = key.to_le_bytes();
    let text = std::str::from_utf8(&bytes[..usize::from(bytes[15])]).ok()?;
    let mut chars = text.chars();
    let only = chars.next().filter(|c| ('\u{80}'..'\u{1_0000}').contains(c))?;
    chars.next().is_none().then_some(only)
}
