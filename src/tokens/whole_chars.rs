//! Which characters merging may start from, instead of from their bytes.
//!
//! Text that is not Latin is two or three bytes a character; most of its characters are tokens.
//! Promises the same outcome as from bytes, whatever stands around the character.

use super::{
    pairs::NONE,
    pieces::{Key, key_len},
    vocabulary::{UNMERGED, Vocabulary},
};

/// The token of each such character of the basic plane, zero where there is none.
///
/// A character is one if each of the merges that make it comes before every merge of its first part
/// with something before it, and of its last part with something after it.
pub(super) fn whole_chars(vocabulary: &Vocabulary, keys: &[Option<Key>], first_bytes: &[u8]) -> Vec<u32> {
    let mut as_left = vec![NONE; keys.len()];
    let mut as_right = vec![NONE; keys.len()];
    let merges = vocabulary.merges().iter().zip(256..vocabulary.count());
    for (&(left, right), token) in merges.rev().filter(|(merge, _)| **merge != UNMERGED) {
        as_right[right as usize] = token;
        // What follows a character starts with a byte that is no continuation.
        if first_bytes[right as usize] & 0xC0 != 0x80 {
            as_left[left as usize] = token;
        }
    }
    let mut chars = vec![0; 0x1_0000];
    for (token, key) in keys.iter().enumerate().skip(256) {
        let Some(char) = key.and_then(char_of) else {
            continue;
        };
        let mut buffer = [0; 4];
        let bytes = char.encode_utf8(&mut buffer).bytes();
        let mut parts = [0; 3];
        let mut count = 0;
        for byte in bytes {
            parts[count] = vocabulary.of_byte(byte);
            count += 1;
        }
        while count > 1 {
            let merged = |at: usize| (vocabulary.merged(parts[at], parts[at + 1]), at);
            let (best, at) = if count == 2 { merged(0) } else { merged(0).min(merged(1)) };
            if best >= as_right[parts[0] as usize].min(as_left[parts[count - 1] as usize]) {
                break;
            }
            parts[at] = best;
            parts.copy_within(at + 2.., at + 1);
            count -= 1;
        }
        if count == 1 && parts[0] == token as u32 {
            chars[char as usize] = parts[0];
        }
    }
    chars
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
