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

/// The values that were met, each with a number from 0.
pub struct Interned<'t> {
    numbers: HashMap<Cow<'t, str>, u32, Seeded>,
    /// The first spelling of each value.
    spelled: Vec<&'t str>,
}

impl<'t> Interned<'t> {
    /// None yet. `seed` should depend on the whole text.
    pub fn new(seed: u64) -> Self {
        Self { numbers: HashMap::with_hasher(Seeded(seed)), spelled: Vec::new() }
    }

    /// The number of a value. `one_spelling` gives the spelling that all equal values share, which is one of that value.
    pub fn number(&mut self, json: &'t str, one_spelling: fn(&'t str) -> Cow<'t, str>) -> u32 {
        if let Some(&number) = self.numbers.get(json) {
            return number;
        }
        let new = self.spelled.len() as u32;
        let one = one_spelling(json);
        let is_spelled_so = one == json;
        let number = match self.numbers.entry(one) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                self.spelled.push(json);
                *place.insert(new)
            }
        };
        if !is_spelled_so {
            self.numbers.insert(Cow::Borrowed(json), number);
        }
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
        let mut values = Interned::new(1);
        assert!(values.is_empty());
        let numbers = ["1E2", "a", "1e2", "A", "b", "1E2"].map(|json| values.number(json, lower));
        assert_eq!(numbers, [0, 1, 0, 1, 2, 0]);
        assert_eq!((values.len(), values.spelled(0), values.spelled(1)), (3, "1E2", "a"));
    }

    #[test]
    fn pairs_are_told_apart() {
        let mut pairs = Pairs::new(1);
        assert!(pairs.is_empty());
        let numbers = [(0, 1), (1, 0), (0, 1)].map(|pair| pairs.number(pair));
        assert_eq!((numbers, pairs.len()), ([(0, true), (1, true), (0, false)], 2));
    }
}
