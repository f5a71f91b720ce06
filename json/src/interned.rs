//! Values of a text as small numbers, the same for equal ones.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, DefaultHasher, Hasher};

/// Begins every hash with a number that depends on the whole text, so that no text can be made of values that collide.
#[derive(Clone, Copy)]
struct Seeded(u64);

impl BuildHasher for Seeded {
    type Hasher = DefaultHasher;

    fn build_hasher(&self) -> DefaultHasher {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.0);
        hasher
    }
}

/// The spelling that all equal values share.
type OneSpelling<'t> = fn(&'t str) -> Cow<'t, str>;

/// The values that were met, each with a number from 0.
pub struct Interned<'t> {
    hasher: Seeded,
    one_spelling: OneSpelling<'t>,
    /// A table of half as many values at most: of each a part of its hash, and its number plus one; 0 is free.
    slots: Vec<(u32, u32)>,
    /// The first spelling of each value.
    spelled: Vec<&'t str>,
}

/// Slots of a table at first.
const SLOTS: usize = 16;

impl<'t> Interned<'t> {
    /// None yet. `seed` should depend on the whole text; `one_spelling` gives the spelling that all equal values share.
    pub fn new(seed: u64, one_spelling: OneSpelling<'t>) -> Self {
        Self { hasher: Seeded(seed), one_spelling, slots: vec![(0, 0); SLOTS], spelled: Vec::new() }
    }

    /// The number of a value.
    pub fn number(&mut self, json: &'t str) -> u32 {
        let one = (self.one_spelling)(json);
        let mut hasher = self.hasher.build_hasher();
        hasher.write(one.as_bytes());
        let hash = hasher.finish();
        let part = (hash >> 32) as u32;
        let mut at = hash as usize & (self.slots.len() - 1);
        loop {
            match self.slots[at] {
                (_, 0) => break,
                (known, number) if known == part && self.is(number - 1, json, &one) => return number - 1,
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
        self.spelled.push(json);
        let number = self.spelled.len() as u32;
        self.slots[at] = (part, number);
        if 4 * self.spelled.len() > 3 * self.slots.len() {
            self.grow();
        }
        number - 1
    }

    fn is(&self, number: u32, json: &str, one: &str) -> bool {
        let known = self.spelled[number as usize];
        known == json || (self.one_spelling)(known) == one
    }

    fn grow(&mut self) {
        let mut slots = vec![(0, 0); 2 * self.slots.len()];
        let mask = slots.len() - 1;
        for (number, json) in self.spelled.iter().enumerate() {
            let mut hasher = self.hasher.build_hasher();
            hasher.write((self.one_spelling)(json).as_bytes());
            let hash = hasher.finish();
            let mut at = hash as usize & mask;
            while slots[at].1 > 0 {
                at = (at + 1) & mask;
            }
            slots[at] = ((hash >> 32) as u32, number as u32 + 1);
        }
        self.slots = slots;
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
pub struct Pairs(HashMap<(u32, u32), u32, Seeded>);

impl Pairs {
    /// None yet. `seed` should depend on the whole text.
    pub fn new(seed: u64) -> Self {
        Self(HashMap::with_hasher(Seeded(seed)))
    }

    /// The number of a pair, and whether it is new.
    pub fn number(&mut self, pair: (u32, u32)) -> (u32, bool) {
        let new = self.0.len() as u32;
        match self.0.entry(pair) {
            Entry::Occupied(known) => (*known.get(), false),
            Entry::Vacant(place) => (*place.insert(new), true),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
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
        let mut pairs = Pairs::new(1);
        assert!(pairs.is_empty());
        let numbers = [(0, 1), (1, 0), (0, 1)].map(|pair| pairs.number(pair));
        assert_eq!((numbers, pairs.len()), ([(0, true), (1, true), (0, false)], 2));
    }
}
