//! Phrases that may be anywhere in a line, found in one pass over it.

/// Some phrases of two bytes or more.
pub struct Phrases<const N: usize> {
    pub all: [&'static str; N],
    /// Which pairs of bytes may begin one of them, by [`pair`].
    may_begin: [bool; PAIRS],
}

/// A pair of bytes has a number below this one, which few other pairs have.
const PAIRS: usize = 1 << 11;

const fn pair(first: u8, second: u8) -> usize {
    (first as usize * 37 + second as usize) % PAIRS
}

impl<const N: usize> Phrases<N> {
    pub const fn new(all: [&'static str; N]) -> Self {
        let mut may_begin = [false; PAIRS];
        let mut at = 0;
        while at < N {
            let phrase = all[at].as_bytes();
            may_begin[pair(phrase[0], phrase[1])] = true;
            at += 1;
        }
        Self { all, may_begin }
    }

    /// Whether one of them is in a text.
    pub fn are_in(&self, text: &str) -> bool {
        self.after(text).next().is_some()
    }

    /// What follows each of them in a text.
    pub fn after<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        let starts = std::iter::successors(self.start(text, 0), |at| self.start(text, at + 1));
        starts.flat_map(move |at| self.all.iter().filter_map(move |phrase| text.get(at..)?.strip_prefix(phrase)))
    }

    /// The first place from `at` on where one of them may begin. A loop, because every line is read with it.
    fn start(&self, text: &str, mut at: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        while at + 1 < bytes.len() {
            if self.may_begin[pair(bytes[at], bytes[at + 1])] {
                return Some(at);
            }
            at += 1;
        }
        None
    }
}

/// The first four letters of phrases, in any case: a text with none of them has none of the phrases.
pub struct Starts([u64; FOURS / 64]);

/// Four letters have two numbers below this one, which few others have both.
const FOURS: usize = 1 << 14;

const fn four(first: u8, second: u8, third: u8, fourth: u8) -> [usize; 2] {
    let letters = u32::from_be_bytes([first, second, third, fourth]) | 0x2020_2020;
    let hash = letters.wrapping_mul(0x9E37_79B1);
    [(hash >> 18) as usize, (hash >> 4) as usize % FOURS]
}

impl Starts {
    pub const NONE: Self = Self([0; FOURS / 64]);

    /// With those of more phrases, unless they have fewer letters.
    pub const fn with(mut self, phrases: &[&str]) -> Self {
        let mut at = 0;
        while at < phrases.len() {
            if let [first, second, third, fourth, ..] = *phrases[at].as_bytes() {
                let [one, other] = four(first, second, third, fourth);
                self.0[one / 64] |= 1 << (one % 64);
                self.0[other / 64] |= 1 << (other % 64);
            }
            at += 1;
        }
        self
    }

    pub fn are_in(&self, text: &str) -> bool {
        let has = |number: usize| self.0[number / 64] >> (number % 64) & 1 == 1;
        text.as_bytes().windows(4).any(|letters| {
            let [one, other] = four(letters[0], letters[1], letters[2], letters[3]);
            has(one) && has(other)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Phrases, Starts};

    #[test]
    fn phrases_begin_in_any_case() {
        const STARTS: Starts = Starts::NONE.with(&["Error", "ok"]);
        assert!(STARTS.are_in("an ERROR") && !STARTS.are_in("an er") && !STARTS.are_in("it is ok"));
    }

    #[test]
    fn phrases_are_found_anywhere() {
        const PHRASES: Phrases<3> = Phrases::new(["no such", "├──", "no"]);
        assert_eq!(PHRASES.after("é├── no such, né").collect::<Vec<_>>(), [" no such, né", ", né", " such, né"]);
        assert!(PHRASES.are_in("a no") && !PHRASES.are_in("nö ─ n") && !PHRASES.are_in(""));
    }
}
