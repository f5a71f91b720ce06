//! Where in JSON text a match may be, found without a look at its values.

use toolshape_text::any_case::{Run, odd};

/// How an escape of any character begins.
const ESCAPE: &str = "\\u";
/// The bytes of a text that are looked through for a run in the time in which one is looked at.
const BYTES_AT_ONCE: usize = 2;
/// A search for more runs takes longer than a look at every value.
const MAX_RUNS: usize = 8;

/// Places in a JSON text of which one is in each key, string or number that may match.
pub(super) struct Prefilter<'t> {
    json: &'t str,
    /// What is looked for, and its next place once that is known, which is the end of the text if there is none.
    runs: Vec<(Run, Option<usize>)>,
}

impl<'t> Prefilter<'t> {
    /// For matches that have a text in some case. `None` if it decides nothing.
    pub fn new(literal: &str, json: &'t str) -> Option<Self> {
        let stretch = stretch(literal)?;
        let mut runs = vec![Run::new(stretch), Run::new(ESCAPE)];
        if !json.is_ascii() {
            runs.extend(odd(&stretch.to_ascii_lowercase()));
        }
        (runs.len() <= MAX_RUNS).then(|| Self { json, runs: runs.into_iter().map(|run| (run, None)).collect() })
    }

    /// The next place from a place on, which is not before those of earlier calls.
    pub fn next(&mut self, from: usize) -> Option<usize> {
        let json = self.json.as_bytes();
        let places = self.runs.iter_mut().map(|(run, next)| match *next {
            Some(next) if next >= from => next,
            _ => *next.insert(run.find(json, from).unwrap_or(json.len())),
        });
        places.min().filter(|&place| place < json.len())
    }

    /// What it takes to go through the whole text.
    pub fn work(&self) -> usize {
        self.runs.len() * self.json.len() / BYTES_AT_ONCE
    }
}

/// The longest stretch of a text that is unescaped in every JSON string with the text, except in strings that escape any
/// character.
fn stretch(literal: &str) -> Option<&str> {
    let is_escaped = |character: char| !matches!(character, ' '..='~') || matches!(character, '"' | '\\' | '/');
    literal.split(is_escaped).max_by_key(|stretch| stretch.len()).filter(|stretch| !stretch.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(literal: &str, json: &str) -> Option<Vec<usize>> {
        let mut prefilter = Prefilter::new(literal, json)?;
        let mut from = 0;
        Some(std::iter::from_fn(|| prefilter.next(from).inspect(|&at| from = at + 1)).collect())
    }

    #[test]
    fn every_match_has_a_place() {
        let json = format!(r#"["a NEEDLE","n\u0065edle","needl","a\/needle","{}nee"]"#, '\u{212a}');
        let at = |part: &str| json.find(part).unwrap();
        let (plain, escape, after) = (at("NEEDLE"), at(r"\u"), at("/needle") + 1);
        assert_eq!(places("needle", &json).unwrap(), [plain, escape, after]);
        assert_eq!(places("a/needle", &json).unwrap(), [plain, escape, after]);
        assert_eq!(places("knee", &json).unwrap(), [escape, at("\u{212a}")]);
        assert!(places("é", &json).is_none() && places("\"/\n", &json).is_none());
    }
}
