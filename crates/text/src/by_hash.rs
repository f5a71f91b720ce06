//! Numbers found by the hash of their keys: a table that does not hold the keys.
//!
//! A hash has no secret, so a text can be written in which many parts have the same place in a table. So a look-up tries
//! a fixed number of places, which bounds its cost: what is at none of them counts as unknown.

/// The places that are tried. A table is at most half full, so ordinary texts never come to the last of them.
const TRIES: usize = 64;
/// A place that is free.
const FREE: u32 = u32::MAX;

/// A table of numbers below 2^32 - 1.
#[derive(Default)]
pub struct ByHash {
    places: Vec<(u64, u32)>,
    len: usize,
}

impl ByHash {
    /// The number of this hash for which `is_it` is true.
    pub fn get(&self, hash: u64, mut is_it: impl FnMut(usize) -> bool) -> Option<usize> {
        for at in places(hash, self.places.len()) {
            match self.places[at] {
                (_, FREE) => return None,
                (known, number) if known == hash && is_it(number as usize) => return Some(number as usize),
                _ => {}
            }
        }
        None
    }

    /// Adds a number.
    pub fn insert(&mut self, hash: u64, number: usize) {
        if 2 * self.len >= self.places.len() {
            let larger = vec![(0, FREE); (2 * self.places.len()).max(16)];
            let known = std::mem::replace(&mut self.places, larger);
            known.into_iter().filter(|place| place.1 != FREE).for_each(|(hash, number)| self.put(hash, number));
        }
        self.put(hash, number as u32);
        self.len += 1;
    }

    fn put(&mut self, hash: u64, number: u32) {
        if let Some(at) = places(hash, self.places.len()).find(|&at| self.places[at].1 == FREE) {
            self.places[at] = (hash, number);
        }
    }
}

/// The places of a hash in a table whose length is a power of two: each is farther from the one before it.
fn places(hash: u64, len: usize) -> impl Iterator<Item = usize> {
    (0..TRIES.min(len)).map(move |n| (hash as usize).wrapping_add(n * (n + 1) / 2) & (len - 1))
}

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

#[cfg(test)]
mod tests {
    use super::{ByHash, TRIES, hash};

    #[test]
    fn numbers_are_found_again() {
        let words: Vec<String> = (0..10_000).map(|n| format!("word {n} {}", "x".repeat(n % 19))).collect();
        let mut table = ByHash::default();
        for (at, word) in words.iter().enumerate() {
            let hash = hash(word.as_bytes());
            assert_eq!(table.get(hash, |known| words[known] == *word), None);
            table.insert(hash, at);
        }
        for (at, word) in words.iter().enumerate() {
            assert_eq!(table.get(hash(word.as_bytes()), |known| words[known] == *word), Some(at));
        }
    }

    #[test]
    fn what_shares_all_places_is_looked_for_at_so_many() {
        let mut table = ByHash::default();
        // Hashes that differ only in bits that no table has places for.
        (0..1000).for_each(|number| table.insert(number << 40, number as usize));
        let mut tried = 0;
        let mut same = ByHash::default();
        (0..1000).for_each(|number| same.insert(7, number));
        same.get(7, |_| {
            tried += 1;
            false
        });
        assert!(tried <= TRIES, "{tried}");
        assert!((0..TRIES as u64 / 2).all(|number| table.get(number << 40, |_| true) == Some(number as usize)));
    }
}
