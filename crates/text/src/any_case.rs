//! Finds a text in another, ignoring case, without a second copy of the whole.
//!
//! A wanted text of ASCII is compared in place. For any other one, case is folded window by window.

mod run;

use memchr::memmem::Finder;

use crate::chars::floor_char;

pub use run::Run;

/// The bytes of a text that are compared at a time.
const WINDOW: usize = 1 << 16;
/// The letters of ASCII that other characters have in lower case, and these characters.
const ODD: [(char, &str); 2] = [('i', "\u{130}"), ('k', "\u{212a}")];

/// A text to look for, in any case.
pub struct AnyCase {
    /// The wanted text, if it is ASCII, and the characters that have letters of it in lower case.
    ascii: Option<(Run, Vec<Run>)>,
    finder: Finder<'static>,
    /// The bytes that the wanted text has in lower case.
    len: usize,
    /// The window in lower case.
    lower: String,
}

/// The characters beyond ASCII that have letters of a text in lower case.
pub fn odd(lower: &str) -> Vec<Run> {
    ODD.iter().filter(|(letter, _)| lower.contains(*letter)).map(|(_, odd)| Run::new(odd)).collect()
}

impl AnyCase {
    pub fn new(wanted: &str) -> Self {
        let wanted = wanted.to_lowercase();
        let is_ascii = wanted.is_ascii() && !wanted.is_empty();
        Self {
            ascii: is_ascii.then(|| (Run::new(&wanted), odd(&wanted))),
            len: wanted.len(),
            finder: Finder::new(&wanted).into_owned(),
            lower: String::new(),
        }
    }

    /// Whether the text has the wanted one.
    pub fn is_in(&mut self, text: &str) -> bool {
        self.first(text).is_some()
    }

    /// Where the wanted text begins first.
    pub fn first(&mut self, text: &str) -> Option<usize> {
        let mut first = None;
        self.each(text, |at| {
            first = Some(at);
            false
        });
        first
    }

    /// Calls `found` for each place where the wanted text begins, in ascending order, until it returns false.
    pub fn each(&mut self, text: &str, mut found: impl FnMut(usize) -> bool) {
        if let Some((run, odd)) = &self.ascii
            && (odd.is_empty() || text.is_ascii() || odd.iter().all(|odd| odd.find(text.as_bytes(), 0).is_none()))
        {
            let mut from = 0;
            while let Some(at) = run.find(text.as_bytes(), from) {
                if !found(at) {
                    return;
                }
                from = at + self.len;
            }
            return;
        }
        let mut start = 0;
        loop {
            let end = window_end(text, start);
            // What begins in this window may end after it: no character takes more than three times as many bytes.
            let reach = floor_char(text, end.saturating_add(4 * self.len));
            self.lower.clear();
            let window = &text[start..reach];
            if window.is_ascii() {
                self.lower.push_str(window);
                self.lower.make_ascii_lowercase();
            } else {
                self.lower = window.to_lowercase();
            }
            let mut places = LowercasePlaces { window, is_ascii: window.is_ascii(), lower: 0, at: 0 };
            for place in self.finder.find_iter(self.lower.as_bytes()) {
                let at = places.original(place);
                if start + at >= end && end < text.len() {
                    break;
                }
                if !found(start + at) {
                    return;
                }
            }
            if end == text.len() {
                return;
            }
            start = end;
        }
    }
}

/// Where the places in the lower case of a window are in the window, one after the other.
struct LowercasePlaces<'w> {
    window: &'w str,
    is_ascii: bool,
    /// The place before, in lower case and in the window.
    lower: usize,
    at: usize,
}

impl LowercasePlaces<'_> {
    fn original(&mut self, place: usize) -> usize {
        if self.is_ascii {
            return place;
        }
        // Some characters are longer or shorter in lower case.
        for character in self.window[self.at..].chars() {
            let lower = self.lower + character.to_lowercase().map(char::len_utf8).sum::<usize>();
            if lower > place {
                break;
            }
            (self.lower, self.at) = (lower, self.at + character.len_utf8());
        }
        self.at
    }
}

/// The end of the window that begins at `start`: if possible after a line or a word, because the lower case of a letter
/// may depend on its neighbours.
fn window_end(text: &str, start: usize) -> usize {
    let most = start.saturating_add(WINDOW);
    if most >= text.len() {
        return text.len();
    }
    let most = floor_char(text, most);
    let near = &text.as_bytes()[most - WINDOW / 2..most];
    let after = |byte: u8| memchr::memrchr(byte, near).map(|at| most - WINDOW / 2 + at + 1);
    after(b'\n').or_else(|| after(b' ')).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(wanted: &str, text: &str) -> Vec<usize> {
        let mut places = Vec::new();
        AnyCase::new(wanted).each(text, |at| {
            places.push(at);
            true
        });
        places
    }

    #[test]
    fn windows_hide_nothing() {
        for (unit, wanted) in [("ab Cd", "BC"), ("ÄÖ ü\n", "äö"), ("x", "X"), ("İi ", "i"), ("ΑΣ ", "ας")] {
            let text = unit.repeat(3 * WINDOW / unit.len());
            let (wanted_lower, lower) = (wanted.to_lowercase(), text.to_lowercase());
            let count = lower.matches(&wanted_lower).count();
            assert_eq!(places(wanted, &text).len(), count, "{unit:?}");
        }
    }

    #[test]
    fn no_other_character_has_ascii_in_lower_case() {
        let others = ('\u{80}'..=char::MAX).filter(|other| other.to_lowercase().any(|lower| lower.is_ascii()));
        assert_eq!(others.collect::<String>(), ODD.map(|(_, odd)| odd).concat());
        for (letter, other) in ODD {
            assert!(other.to_lowercase().starts_with(letter));
            let text = format!("{}{other}", "no ".repeat(9));
            assert_eq!(places(&letter.to_string(), &text), [27]);
        }
    }

    #[test]
    fn a_place_is_where_the_text_begins() {
        let gap = "é ".repeat(WINDOW);
        let text = format!("{gap}NEEDLE{gap}needle");
        assert_eq!(places("Needle", &text), [gap.len(), 2 * gap.len() + 6]);
        assert!(places("none", &text).is_empty());
    }
}
