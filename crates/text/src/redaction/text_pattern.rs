//! A pattern of texts that are secret, such as `sk-*`.

use memchr::memmem::Finder;

use super::divided::run;
use super::{REDACTED, Replaced};

/// The characters before the first `*`, at least: fewer would match most texts.
const LEAST_START: usize = 2;

/// A pattern.
#[derive(Clone, Debug)]
pub(super) struct TextPattern {
    start: String,
    finder: Finder<'static>,
    /// What comes between, and the literal after it, which may be empty at the end.
    rest: Vec<(Between, String)>,
}

impl PartialEq for TextPattern {
    fn eq(&self, other: &Self) -> bool {
        (&self.start, &self.rest) == (&other.start, &other.rest)
    }
}

/// What comes between two literals.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Between {
    /// `*`: a run of token characters, at least one.
    Token,
    /// `**`: anything.
    Anything,
}

impl TextPattern {
    /// Reads a pattern; `None` if it would match most texts: it begins with two other characters, and does not end with `**`.
    pub fn new(written: &str) -> Option<Self> {
        let mut rest = Vec::new();
        let (start, mut after) = written.split_once('*').map_or((written, None), |(start, after)| (start, Some(after)));
        while let Some(text) = after {
            let (between, text) =
                text.strip_prefix('*').map_or((Between::Token, text), |text| (Between::Anything, text));
            let (literal, next) = text.split_once('*').map_or((text, None), |(text, next)| (text, Some(next)));
            let is_last = next.is_none();
            if literal.is_empty() && (!is_last || between == Between::Anything) {
                return None;
            }
            rest.push((between, literal.to_owned()));
            after = next;
        }
        let finder = || Finder::new(start).into_owned();
        (start.chars().count() >= LEAST_START).then(|| Self { start: start.to_owned(), finder: finder(), rest })
    }

    /// The byte with which it begins.
    pub fn first_byte(&self) -> Option<u8> {
        self.start.bytes().next()
    }

    /// The text without what the pattern matches; `None` if it matches nothing.
    pub fn redacted(&self, text: &str) -> Option<String> {
        let (mut replaced, mut at) = (Replaced::of(text, REDACTED), 0);
        let mut found = Vec::new();
        while let Some(place) = self.finder.find(&text.as_bytes()[at..]) {
            let start = at + place;
            at = start + self.start.len();
            // `sk-` is not a part of `task-list`.
            let is_inside = self.start.starts_with(char::is_alphanumeric)
                && text[..start].chars().next_back().is_some_and(char::is_alphanumeric);
            found.resize(self.rest.len(), Found::default());
            if !is_inside && let Some(end) = self.end(text, at, &mut found) {
                replaced.add(start..end, REDACTED);
                at = end;
            }
        }
        replaced.whole()
    }

    /// Where a match ends whose first literal ends here.
    fn end(&self, text: &str, mut at: usize, found: &mut [Found]) -> Option<usize> {
        for ((between, literal), found) in self.rest.iter().zip(found) {
            // Starts that are near each other have the same rest: it is read once.
            if !(found.from..found.to).contains(&at) {
                *found = found.after(text, at, *between, literal)?;
            }
            at = found.end?;
        }
        Some(at)
    }
}

/// What comes after a place in a text: the end of the next literal, if there is one. It is the same for each place up to `to`.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    from: usize,
    to: usize,
    end: Option<usize>,
    /// Where the run ends in which this is.
    run: usize,
}

impl Found {
    /// `None` if there is nothing between this place and the literal, where something must be.
    fn after(self, text: &str, at: usize, between: Between, literal: &str) -> Option<Self> {
        let rest = &text[at..];
        let (most, least) = match between {
            Between::Token if (self.from..self.run).contains(&at) => (self.run - at, 1),
            Between::Token => (run(rest, is_of_token), 1),
            Between::Anything => (rest.len(), 0),
        };
        if most < least {
            return None;
        }
        let run = at + most;
        if literal.is_empty() {
            return Some(Self { from: at, to: run, end: Some(run), run });
        }
        // A run has a character before the literal, which may itself end the run.
        let least = rest.chars().next().map_or(0, char::len_utf8) * least;
        let room = (most + literal.len()).min(rest.len());
        let room = (room..=rest.len()).find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
        let place = rest[least..room].find(literal).map(|place| at + least + place);
        // A place behind the start of the literal finds the next one.
        let to = place.map_or(run, |place| place.saturating_sub(least) + 1);
        Some(Self { from: at, to, end: place.map(|place| place + literal.len()), run })
    }
}

pub fn is_of_token(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/' | '+' | '=' | '~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(pattern: &str, text: &str) -> String {
        TextPattern::new(pattern).unwrap().redacted(text).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn a_pattern_matches_tokens() {
        for (pattern, text, wanted) in [
            ("sk-*", "a sk-1/2, sk-3", "a [redacted], [redacted]"),
            ("sk-*", "task-list sk- é", "task-list sk- é"),
            ("Bearer *", "Authorization: Bearer abc.d-e", "Authorization: [redacted]"),
            ("hunter2", "xhunter2 hunter2x", "xhunter2 [redacted]x"),
            ("://*:*@", "redis://u:p@h/0 http://h/a:b", "redis[redacted]h/0 http://h/a:b"),
            ("--BEGIN**END--", "x --BEGIN a\nb END-- y --BEGIN", "x [redacted] y --BEGIN"),
            ("é=*", "é=ü1 é= ", "[redacted] é= "),
            ("ab*é", "ab1é abé", "[redacted] abé"),
            ("sk-*", "sk-1<b>2</b> 3", "[redacted]</b> 3"),
            ("sk-*", "[sk-](https://a.b)1 2", "[[redacted] 2"),
            ("sk*:*@", "sk1:sk2:b@ sk3", "sk1:[redacted] sk3"),
            ("ab*c*d", "abcab1c2d abc", "[redacted] abc"),
            ("ab*c**d", "abxab1cd abxcabx", "[redacted] abxcabx"),
        ] {
            assert_eq!(redacted(pattern, text), wanted, "{pattern}");
        }
    }

    #[test]
    fn a_pattern_that_matches_most_texts_is_refused() {
        for wrong in ["", "*", "a*", "*abc", "ab**", "ab**c**", "ab***", "ab****c"] {
            assert_eq!(TextPattern::new(wrong), None, "{wrong}");
        }
        assert!(TextPattern::new("ab*c**d").is_some());
    }
}
