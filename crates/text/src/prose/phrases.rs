//! Phrases that may be anywhere in a line, found in one pass over it.

/// Some phrases of two bytes or more.
pub struct Phrases<const N: usize> {
    all: [&'static str; N],
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

#[cfg(test)]
mod tests {
    use super::Phrases;

    #[test]
    fn phrases_are_found_anywhere() {
        const PHRASES: Phrases<3> = Phrases::new(["no such", "├──", "no"]);
        assert_eq!(PHRASES.after("é├── no such, né").collect::<Vec<_>>(), [" no such, né", ", né", " such, né"]);
        assert!(PHRASES.are_in("a no") && !PHRASES.are_in("nö ─ n") && !PHRASES.are_in(""));
    }
}
