//! Phrases that may be anywhere in a line, found in one pass over it.

/// Some phrases of two bytes or more, and their first and second bytes.
pub struct Phrases<const N: usize> {
    all: [&'static str; N],
    is_first: [bool; 256],
    is_second: [bool; 256],
}

impl<const N: usize> Phrases<N> {
    pub const fn new(all: [&'static str; N]) -> Self {
        let (mut is_first, mut is_second) = ([false; 256], [false; 256]);
        let mut at = 0;
        while at < N {
            is_first[all[at].as_bytes()[0] as usize] = true;
            is_second[all[at].as_bytes()[1] as usize] = true;
            at += 1;
        }
        Self { all, is_first, is_second }
    }

    /// Whether one of them is in a text.
    pub fn are_in(&self, text: &str) -> bool {
        self.after(text).next().is_some()
    }

    /// What follows each of them in a text.
    pub fn after<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        let bytes = text.as_bytes();
        let begins = |pair: &[u8]| self.is_first[usize::from(pair[0])] && self.is_second[usize::from(pair[1])];
        let starts = bytes.windows(2).enumerate().filter(move |(_, pair)| begins(pair)).map(|(at, _)| at);
        starts.flat_map(move |at| self.all.iter().filter_map(move |phrase| text.get(at..)?.strip_prefix(phrase)))
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
