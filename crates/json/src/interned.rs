//! Values of a text as small numbers, the same for equal ones.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};

/// The spelling that all equal values share.
type OneSpelling<'t> = fn(&'t str) -> Cow<'t, str>;

/// Slots of a table at first.
const SLOTS: usize = 16;

/// A table of numbers by the hash of what they are of: of each a part of its hash, and the number plus one; 0 is free.
struct Table {
    /// Every hash begins with it: it depends on the whole text, so that no text can be made of values that collide.
    seed: u64,
    slots: Vec<(u32, u32)>,
    len: usize,
}

impl Table {
    fn new(seed: u64) -> Self {
        Self { seed, slots: vec![(0, 0); SLOTS], len: 0 }
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.seed);
        hasher.write(bytes);
        hasher.finish()
    }

    /// The number of something with a hash, if it is known; `is` says whether a number is its own.
    fn find(&self, hash: u64, is: impl Fn(usize) -> bool) -> Option<u32> {
        let (mut at, part) = (self.first(hash), part(hash));
        loop {
            match self.slots[at] {
                (_, 0) => return None,
                (known, number) if known == part && is(number as usize - 1) => return Some(number - 1),
                _ => at = self.after(at),
            }
        }
    }

    /// Adds the next number, which is that of something with a hash. If the table has to grow, it asks for the hashes of
    /// all before.
    fn add(&mut self, hash: u64, hash_of: impl Fn(&Self, usize) -> u64) -> u32 {
        if 4 * (self.len + 1) > 3 * self.slots.len() {
            self.slots = vec![(0, 0); 2 * self.slots.len()];
            for number in 0..self.len {
                self.put(hash_of(self, number), number);
            }
        }
        self.put(hash, self.len);
        self.len += 1;
        self.len as u32 - 1
    }

    fn put(&mut self, hash: u64, number: usize) {
        let mut at = self.first(hash);
        while self.slots[at].1 > 0 {
            at = self.after(at);
        }
        self.slots[at] = (part(hash), number as u32 + 1);
    }

    fn first(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn after(&self, at: usize) -> usize {
        (at + 1) & (self.slots.len() - 1)
    }
}

fn part(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// The values that were met, each with a number from 0.
pub struct Interned<'t> {
    table: Table,
    one_spelling: OneSpelling<'t>,
    /// The first spelling of each value.
    spelled: Vec<&'t str>,
}

impl<'t> Interned<'t> {
    /// None yet. `seed` should depend on the whole text; `one_spelling` gives the spelling that all equal values share.
    pub fn new(seed: u64, one_spelling: OneSpelling<'t>) -> Self {
        Self { table: Table::new(seed), one_spelling, spelled: Vec::new() }
    }

    /// The number of a value.
    pub fn number(&mut self, json: &'t str) -> u32 {
        let (one_spelling, spelled) = (self.one_spelling, &self.spelled);
        let one = one_spelling(json);
        let hash = self.table.hash(one.as_bytes());
        let is = |number: usize| spelled[number] == json || one_spelling(spelled[number]) == one;
        if let Some(number) = self.table.find(hash, is) {
            return number;
        }
        let number = self.table.add(hash, |table, number| table.hash(one_spelling(spelled[number]).as_bytes()));
        self.spelled.push(json);
        number
    }

    /// How many different values there are.
    pub fn len(&self) -> usize {
        self.spelled.len()
    }

    /// Whether no value was met.
    pub fn is_empty(&self) -> bool {
        self.spelled.is_empty()
    }

    /// The first spelling of a value.
    pub fn spelled(&self, number: u32) -> &'t str {
        self.spelled[number as usize]
    }
}

/// Pairs of numbers, each with a number from 0.
pub struct InternedPairs {
    table: Table,
    known: Vec<(u32, u32)>,
}

impl InternedPairs {
    /// None yet. `seed` should depend on the whole text.
    pub fn new(seed: u64) -> Self {
        Self { table: Table::new(seed), known: Vec::new() }
    }

    /// The number of a pair, and whether it is new.
    pub fn number(&mut self, pair: (u32, u32)) -> (u32, bool) {
        let known = &self.known;
        let bytes = |(a, b): (u32, u32)| (u64::from(a) << 32 | u64::from(b)).to_le_bytes();
        let hash = self.table.hash(&bytes(pair));
        if let Some(number) = self.table.find(hash, |number| known[number] == pair) {
            return (number, false);
        }
        let number = self.table.add(hash, |table, number| table.hash(&bytes(known[number])));
        self.known.push(pair);
        (number, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_number_and_their_first_spelling() {
        let lower = |json: &'static str| -> Cow<'static, str> { json.to_ascii_lowercase().into() };
        let mut values = Interned::new(1, lower);
        assert!(values.is_empty());
        let numbers = ["1E2", "a", "1e2", "A", "b", "1E2"].map(|json| values.number(json));
        assert_eq!(numbers, [0, 1, 0, 1, 2, 0]);
        assert_eq!((values.len(), values.spelled(0), values.spelled(1)), (3, "1E2", "a"));
        let texts: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
        let mut many = Interned::new(2, |json| json.into());
        for _ in 0..2 {
            assert!(texts.iter().enumerate().all(|(at, text)| many.number(text) == at as u32));
        }
    }

    #[test]
    fn pairs_are_told_apart() {
        let mut pairs = InternedPairs::new(1);
        let numbers = [(0, 1), (1, 0), (0, 1)].map(|pair| pairs.number(pair));
        assert_eq!(numbers, [(0, true), (1, true), (0, false)]);
    }
}
