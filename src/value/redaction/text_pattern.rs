//! A pattern of texts that are secret, such as `sk-*`.

use super::divided::run;
use super::{REDACTED, Replaced};

/// The characters before the first `*`, at least: fewer would match most texts.
const LEAST_START: usize = 2;

/// A pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TextPattern {
    start: String,
    /// What comes between, and the literal after it, which may be empty at the end.
    rest: Vec<(Between, String)>,
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
        (start.chars().count() >= LEAST_START).then(|| Self { start: start.to_owned(), rest })
    }

    /// The text without what the pattern matches; `None` if it matches nothing.
    pub fn redacted(&self, text: &str) -> Option<String> {
        let (mut replaced, mut at) = (Replaced::of(text), 0);
        while let Some(found) = text.get(at..).and_then(|rest| rest.find(&self.start)) {
            let start = at + found;
            // `sk-` is not a part of `task-list`.
            let is_inside = self.start.starts_with(char::is_alphanumeric)
                && text[..start].chars().next_back().is_some_and(char::is_alphanumeric);
            if is_inside {
                at = start + self.start.len();
                continue;
            }
            match self.end(text, start + self.start.len()) {
                Ok(end) => {
                    replaced.add(start..end, REDACTED);
                    at = end;
                }
                // What does not come after this start does not come after a later one before `next`.
                Err(next) => at = next.max(start + self.start.len()),
            }
        }
        replaced.whole()
    }

    /// Where a match ends whose first literal ends here, or where the next one may begin.
    fn end(&self, text: &str, mut at: usize) -> Result<usize, usize> {
        let first = at;
        for (between, literal) in &self.rest {
            let rest = &text[at..];
            let most = match between {
                Between::Token => run(rest, is_of_token),
                Between::Anything => rest.len(),
            };
            if *between == Between::Token && most == 0 {
                return Err(first);
            }
            if literal.is_empty() {
                return Ok(at + most);
            }
            // A run has a character before the literal, which may itself end the run.
            let least = if *between == Between::Token { rest.chars().next().map_or(0, char::len_utf8) } else { 0 };
            let room = (most + literal.len()).min(rest.len());
            let room = (room..=rest.len()).find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
            match rest[least..room].find(literal.as_str()) {
                Some(place) => at += least + place + literal.len(),
                None => return Err(at + most),
            }
        }
        Ok(at)
    }
}

fn is_of_token(letter: char) -> bool {
    letter.is_alphanumeric() || "_-./+=~".contains(letter)
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
