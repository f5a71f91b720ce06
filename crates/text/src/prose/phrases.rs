//! Phrases that may be anywhere in a line, found in one pass over it.

/// Some phrases, and the bytes with which they begin.
pub struct Phrases<const N: usize> {
    all: [&'static str; N],
    is_first: [bool; 256],
}

impl<const N: usize> Phrases<N> {
    pub const fn new(all: [&'static str; N]) -> Self {
        let mut is_first = [false; 256];
        let mut at = 0;
        while at < N {
            is_first[all[at].as_bytes()[0] as usize] = true;
            at += 1;
        }
        Self { all, is_first }
    }

    /// Whether one of them is in a text.
    pub fn are_in(&self, text: &str) -> bool {
        self.after(text).next().is_some()
    }

    /// What follows each of them in a text.
    pub fn after<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        let bytes = text.as_bytes();
        let starts = (0..bytes.len()).filter(|&at| self.is_first[usize::from(bytes[at])]);
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
