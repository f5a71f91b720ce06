//! Hashes that are the same on every machine, and tables by them.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// A table by hashes.
pub type ByHash<V> = HashMap<u64, V, Secret>;

/// A hash of some bytes, the same on every machine.
pub fn hash(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    let mut eights = bytes.chunks_exact(8);
    for eight in &mut eights {
        hash = mixed(hash, eight.try_into().map_or(0, u64::from_le_bytes));
    }
    let rest = eights.remainder().iter().rev().fold(0, |rest, &byte| rest << 8 | u64::from(byte));
    mixed(hash, rest)
}

/// A hash of two numbers.
pub fn mixed(hash: u64, more: u64) -> u64 {
    let mixed = (hash ^ more).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// A word or a text by its bytes, and by its form: without its digits.
pub fn of_word(word: &str) -> (u64, u64) {
    let (mut own, mut masked, mut in_digits) = (word.len() as u64, 0, false);
    for byte in word.bytes() {
        own = (own ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let is_digit = byte.is_ascii_digit();
        if !(is_digit && in_digits) {
            let shown = if is_digit { b'0' } else { byte };
            masked = (masked ^ u64::from(shown)).wrapping_mul(0x0100_0000_01b3);
        }
        in_digits = is_digit;
    }
    (mixed(own, 0), mixed(masked, 0))
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
