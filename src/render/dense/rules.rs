//! The rules of the form, each with what `_form` says about it.

use crate::render::dense::tree::weight;

/// Some of the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rules(u8);

impl Rules {
    /// A list of objects is a table.
    pub const ROWS: Self = Self(1);
    /// An object of similar objects has its rows by key.
    pub const KEYED: Self = Self(2);
    /// Objects in rows are taken apart.
    pub const PATHS: Self = Self(4);
    /// What holds for every row stands once.
    pub const CONSTANTS: Self = Self(8);
    /// Rows end with what only some have.
    pub const ENDS: Self = Self(16);
    /// An object that is another one.
    pub const REPEATS: Self = Self(32);
    /// Addresses are made of other values.
    pub const ADDRESSES: Self = Self(64);

    pub const NONE: Self = Self(0);
    pub const ALL: Self = Self(127);
    /// What can be left out by itself.
    pub const OPTIONAL: [Self; 5] = [Self::ADDRESSES, Self::REPEATS, Self::CONSTANTS, Self::PATHS, Self::KEYED];

    #[cfg(test)]
    pub fn of_bits(bits: u8) -> Self {
        Self(bits)
    }

    pub fn has(self, rule: Self) -> bool {
        self.0 & rule.0 == rule.0
    }

    pub fn with(self, rule: Self) -> Self {
        Self(self.0 | rule.0)
    }

    pub fn without(self, rule: Self) -> Self {
        Self(self.0 & !rule.0)
    }

    /// The tokens of the sentence about these rules, roughly.
    pub fn cost(self) -> i64 {
        i64::from(weight(&self.sentence()))
    }

    /// The sentence about these rules.
    pub fn sentence(self) -> String {
        let parts = PHRASES.iter().filter(|(rule, _)| self.has(*rule)).map(|(_, phrase)| *phrase);
        let parts: Vec<&str> = parts.collect();
        format!("{}.", parts.join("; "))
    }

    /// The rules that a sentence is about.
    pub fn of_sentence(sentence: &str) -> Self {
        PHRASES
            .iter()
            .filter(|(_, phrase)| sentence.contains(phrase))
            .fold(Self::NONE, |all, (rule, _)| all.with(*rule))
    }
}

/// The tokens that a text in the form saves, roughly: all of them, and those that are due to rules that can be left out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Saved {
    pub all: i64,
    by_rule: [i64; Rules::OPTIONAL.len()],
}

impl Saved {
    pub fn add(&mut self, rule: Rules, tokens: i64) {
        for (own, _) in self.by_rule.iter_mut().zip(Rules::OPTIONAL).filter(|(_, known)| *known == rule) {
            *own += tokens;
        }
    }

    pub fn and(&mut self, other: &Self) {
        self.all += other.all;
        self.by_rule.iter_mut().zip(other.by_rule).for_each(|(own, other)| *own += other);
    }

    /// The rules that save less than the sentence about them takes.
    pub fn not_worth(&self, used: Rules) -> Rules {
        let poor =
            Rules::OPTIONAL.into_iter().zip(self.by_rule).filter(|(rule, own)| used.has(*rule) && *own < rule.cost());
        poor.fold(Rules::NONE, |all, (rule, _)| all.with(rule))
    }
}

const PHRASES: [(Rules, &str); 7] = [
    (Rules::ROWS, "columns name the cells of each row"),
    (Rules::KEYED, "rows by key are an object of such rows"),
    (Rules::PATHS, "a.b is b in a"),
    (Rules::CONSTANTS, "an object in columns holds for each row that does not end with another value"),
    (
        Rules::ENDS,
        "keys at the end of some rows, in brackets in columns, are missing in the others, and null is a value",
    ),
    (Rules::REPEATS, "{=} repeats the object at that path"),
    (Rules::ADDRESSES, "${x} is x of the same object or row"),
];
