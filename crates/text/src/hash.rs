//! Hashes that are the same on every machine, and tables by them.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// A table by hashes.
pub type ByHash<V> = HashMap<u64, V, Secret>;

/// A hash of some bytes, the same on every machine.
pub fn hash(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    let (eights, rest) = bytes.as_chunks();
    for eight in eights {
        hash = mixed(hash, u64::from_le_bytes(*eight));
    }
    let rest = match bytes.last_chunk() {
        // With bytes that are known already it is read at once.
        Some(last) if !rest.is_empty() => u64::from_le_bytes(*last),
        _ => rest.iter().rev().fold(0, |rest, &byte| rest << 8 | u64::from(byte)),
    };
    mixed(hash, rest)
}

/// A hash of two numbers.
pub fn mixed(hash: u64, more: u64) -> u64 {
    let mixed = (hash ^ more).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// A word or a text by its bytes, and by its [`form`].
pub fn of_word(word: &str) -> (u64, u64) {
    let own = hash(word.as_bytes());
    (own, with_digits(word.as_bytes()).unwrap_or(own))
}

/// A word or a text without its digits: each run of them counts as one.
pub fn form(word: &str) -> u64 {
    with_digits(word.as_bytes()).unwrap_or_else(|| hash(word.as_bytes()))
}

/// The form of what has digits.
fn with_digits(bytes: &[u8]) -> Option<u64> {
    let first = first_digit(bytes)?;
    let (mut form, mut rest) = (hash(&bytes[..first]), &bytes[first..]);
    while !rest.is_empty() {
        let digits = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        rest = &rest[digits..];
        let others = rest.iter().position(u8::is_ascii_digit).unwrap_or(rest.len());
        form = mixed(mixed(form, u64::from(b'0')), hash(&rest[..others]));
        rest = &rest[others..];
    }
    Some(form)
}

/// The place of the first digit. Eight bytes are looked at together.
fn first_digit(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    let (eights, rest) = bytes.as_chunks::<8>();
    for (nth, eight) in eights.iter().enumerate() {
        // A digit becomes its value: all that is ten or more has or gets the high bit, which no carry leaves.
        let values = u64::from_le_bytes(*eight) ^ (ONES * u64::from(b'0'));
        let others = ((values & (ONES * 0x7f)) + ONES * (0x80 - 10)) | values;
        let digits = !others & (ONES << 7);
        if digits != 0 {
            return Some(nth * 8 + digits.trailing_zeros() as usize / 8);
        }
    }
    let at = rest.iter().position(u8::is_ascii_digit)?;
    Some(bytes.len() - rest.len() + at)
}

/// What makes places of hashes that nobody can foresee, in fewer steps than those for any key.
#[derive(Debug)]
pub struct Secret(u64);

impl Default for Secret {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for Secret {
    type Hasher = PlaceOfHash;

    fn build_hasher(&self) -> PlaceOfHash {
        PlaceOfHash(self.0)
    }
}

/// A hash that becomes a place.
pub struct PlaceOfHash(u64);

impl Hasher for PlaceOfHash {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = mixed(self.0, hash);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{form, of_word};

    #[test]
    fn a_form_has_each_run_of_digits_as_one() {
        for (one, other) in [("a1", "a23"), ("2026-01-02 web", "1-20-3 web"), ("7", "0081"), ("é4é", "é56é")] {
            assert_eq!(form(one), form(other), "{one} {other}");
            assert_ne!(of_word(one).0, of_word(other).0, "{one} {other}");
        }
        for (one, other) in [("a1", "a"), ("a1b", "ab1"), ("1a", "a1"), ("ab", "ba"), ("1 1", "11"), ("", "1")] {
            assert_ne!(form(one), form(other), "{one} {other}");
        }
        for length in 0..40 {
            let letters = "abcdefgh/:".repeat(4)[..length].to_owned();
            assert_eq!(of_word(&letters), (form(&letters), form(&letters)), "{letters}");
            for place in 0..=length {
                let with = |digits: &str| [&letters[..place], digits, &letters[place..]].concat();
                assert_eq!(form(&with("3")), form(&with("4567890")), "{letters} {place}");
                assert_ne!(form(&with("3")), form(&letters), "{letters} {place}");
            }
        }
    }
}
