//! What a search looks for: a text in any case or in its own, a whole word, a regular expression.

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};
use std::ops::ControlFlow;
use toolshape_text::any_case::AnyCase;

use crate::base::error::{Error, ErrorCode};
use crate::base::sorting::sort_by_key;
use crate::base::word_bounds;
use crate::base::work::{COMPARISON, Going, Work};
use crate::render::notes::read_back;
use crate::value::json_path::{Expression, TextPattern};

use super::arguments::SearchText;
use super::prefilter::Prefilter;

/// The bytes of a text that are looked through for literals at a time.
const WINDOW: usize = 1 << 16;
/// The most branches of an expression for which literals are looked for.
const MAX_BRANCHES: usize = 8;

/// A text to look for, ready to be compared.
pub(super) struct Sought {
    how: How,
    is_word: bool,
    /// The text in lower case, unless case counts, to find where it ends.
    lower: String,
    /// Texts of which one is in every match; none if there are no such texts.
    literals: Vec<String>,
}

enum How {
    AnyCase(AnyCase),
    Exact(Finder<'static>),
    Pattern {
        pattern: TextPattern,
        /// Texts of which one is in every match, by which most lines are passed over; none if there are no such texts.
        within: Vec<AnyCase>,
    },
}

impl Sought {
    /// # Errors
    /// `INVALID_CALL` for a regular expression that cannot be used.
    pub fn new(wanted: &SearchText, work: &Work) -> Result<Self, Error> {
        let SearchText { text, case, word, regex } = wanted;
        let lower = if *case { text.clone() } else { text.to_lowercase() };
        let literals = if *regex { literals(text) } else { vec![lower.clone()] };
        let how = if *regex {
            let refuse =
                |reason: String| Error::new(ErrorCode::InvalidCall, read_back::wrong_expression(&reason), "/search");
            let expression = Expression::new(text, false).map_err(refuse)?;
            let expression = if *case { expression } else { expression.in_any_case() };
            // What is left is checked where the text is read.
            let _ = work.spend(expression.work());
            let within = literals.iter().map(|literal| AnyCase::new(literal)).collect();
            How::Pattern { pattern: expression.compile().map_err(refuse)?, within }
        } else if *case {
            How::Exact(Finder::new(text.as_bytes()).into_owned())
        } else {
            How::AnyCase(AnyCase::new(text))
        };
        Ok(Self { how, is_word: *word, lower, literals })
    }

    /// Where matches may be in JSON text; `None` if they may be anywhere.
    pub fn prefilter<'t>(&self, json: &'t str) -> Option<Prefilter<'t>> {
        Prefilter::new(&self.literals, json)
    }

    /// Where a match begins first in a text that is not a line of a longer one.
    pub fn first(&mut self, text: &str, work: &Work) -> Going<Option<usize>> {
        let mut first = None;
        match &mut self.how {
            How::Pattern { pattern, within } => {
                work.spend(text.len())?;
                if within.is_empty() || within.iter_mut().any(|within| within.is_in(text)) {
                    work.spend(pattern.work(text.len()))?;
                    let is_word = self.is_word;
                    first = pattern.find(text, |from, to| !is_word || word_bounds::are_around(text, from, to));
                }
            }
            _ => self.each(text, work, &mut |at| {
                first = Some(at);
                false
            })?,
        }
        ControlFlow::Continue(first)
    }

    /// Calls `found` for places where a match begins, in ascending order, until it returns false: for at least one place in
    /// each line that has any. An expression is compared with each line.
    pub fn each(&mut self, text: &str, work: &Work, found: &mut dyn FnMut(usize) -> bool) -> Going {
        work.spend(text.len())?;
        let Self { how, is_word, lower, .. } = self;
        let mut going = ControlFlow::Continue(());
        match how {
            How::AnyCase(any_case) => any_case.each(text, |at| {
                if *is_word {
                    going = work.spend(COMPARISON + lower.len());
                    if going.is_break() {
                        return false;
                    }
                    if !word_bounds::are_around(text, at, end_of(text, at, lower)) {
                        return true;
                    }
                }
                found(at)
            }),
            How::Exact(finder) => {
                let mut from = 0;
                while let Some(at) = finder.find(&text.as_bytes()[from..]).map(|at| from + at) {
                    let end = at + lower.len();
                    let next = text[at..].chars().next().map_or(end + 1, |first| at + first.len_utf8());
                    let fits = !*is_word || word_bounds::are_around(text, at, end);
                    if fits && !found(at) {
                        break;
                    }
                    work.spend(COMPARISON)?;
                    // A match may begin in one that is in no word of its own.
                    from = if fits { end.max(next) } else { next };
                    if from > text.len() {
                        break;
                    }
                }
            }
            How::Pattern { pattern, within } => {
                for (start, end) in windows(text) {
                    for (from, to) in candidates(within, &text[start..end], work)? {
                        let line = (start + from, start + to);
                        if !matches_line(pattern, *is_word, text, line, work, found)? {
                            return ControlFlow::Continue(());
                        }
                    }
                }
            }
        }
        going
    }
}

/// Stretches of whole lines that make up a text.
fn windows(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= text.len() {
            return None;
        }
        let least = start.saturating_add(WINDOW).min(text.len());
        let end = memchr(b'\n', &text.as_bytes()[least..]).map_or(text.len(), |at| least + at + 1);
        let window = (start, end);
        start = end;
        Some(window)
    })
}

/// The lines of a window that may match, in their order.
fn candidates(within: &mut [AnyCase], window: &str, work: &Work) -> Going<Vec<(usize, usize)>> {
    let mut lines = Vec::new();
    if within.is_empty() {
        let mut start = 0;
        while start < window.len() {
            let end = line_end(window, start);
            lines.push((start, end));
            start = end + 1;
        }
    }
    let many = within.len() > 1;
    for wanted in within {
        work.spend(if many { window.len() } else { 0 })?;
        let mut seen = 0;
        wanted.each(window, |at| {
            if at >= seen {
                let start = memrchr(b'\n', &window.as_bytes()[seen.min(at)..at]).map_or(seen, |end| seen + end + 1);
                let end = line_end(window, at);
                lines.push((start, end));
                seen = (end + 1).min(window.len());
            }
            true
        });
    }
    if many {
        sort_by_key(&mut lines, |line| *line);
        lines.dedup();
    }
    ControlFlow::Continue(lines)
}

/// Compares one line; whether the search goes on.
fn matches_line(
    pattern: &TextPattern,
    is_word: bool,
    text: &str,
    (start, end): (usize, usize),
    work: &Work,
    found: &mut dyn FnMut(usize) -> bool,
) -> Going<bool> {
    let line = text[start..end].trim_end_matches('\r');
    work.spend(COMPARISON.saturating_add(pattern.work(line.len())))?;
    let place = pattern.find(line, |from, to| !is_word || word_bounds::are_around(line, from, to));
    ControlFlow::Continue(place.is_none_or(|at| found(start + at)))
}

fn line_end(text: &str, at: usize) -> usize {
    memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end)
}

/// Where the match that begins at a place ends: its lower case is `lower`.
fn end_of(text: &str, at: usize, lower: &str) -> usize {
    let mut left = lower.len();
    let mut end = at;
    for character in text[at..].chars() {
        if left == 0 {
            break;
        }
        left = left.saturating_sub(character.to_lowercase().map(char::len_utf8).sum());
        end += character.len_utf8();
    }
    end
}

/// Texts of which one is in every match of an expression, one for each of its branches; none if a branch has no such text.
fn literals(pattern: &str) -> Vec<String> {
    let inside = pattern.strip_prefix("(?:").or_else(|| pattern.strip_prefix('('));
    let inside =
        inside.and_then(|inside| inside.strip_suffix(')')).filter(|inside| !inside.contains(['(', ')', '\\', '[']));
    let branches = branches(inside.unwrap_or(pattern));
    let literals: Option<Vec<String>> = branches.into_iter().map(literal).collect();
    literals.filter(|literals| literals.len() <= MAX_BRANCHES).unwrap_or_default()
}

/// The branches of an expression outside of groups and classes.
fn branches(pattern: &str) -> Vec<&str> {
    let (mut branches, mut start, mut depth, mut in_class) = (Vec::new(), 0, 0usize, false);
    let mut rest = pattern.char_indices();
    while let Some((at, character)) = rest.next() {
        match character {
            '\\' => drop(rest.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => depth += 1,
            ')' if !in_class => depth = depth.saturating_sub(1),
            '|' if !in_class && depth == 0 => {
                branches.push(&pattern[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    branches.push(&pattern[start..]);
    branches
}

/// The longest run of ASCII characters that every match of an expression has; none if it is short or there are branches.
fn literal(pattern: &str) -> Option<String> {
    let (mut best, mut run) = (String::new(), String::new());
    let mut depth = 0usize;
    let mut rest = pattern.chars().peekable();
    let mut end = |run: &mut String| {
        if run.len() > best.len() {
            best.clone_from(run);
        }
        run.clear();
    };
    while let Some(character) = rest.next() {
        let own = match character {
            '|' if depth == 0 => return None,
            '(' => {
                // Flags change how what follows is compared; a group without a number has none.
                if rest.next_if_eq(&'?').is_some() && rest.next() != Some(':') {
                    return None;
                }
                depth += 1;
                None
            }
            ')' => {
                depth = depth.saturating_sub(1);
                None
            }
            '[' => {
                // A bracket right after the first belongs to the class.
                rest.next_if_eq(&'^');
                rest.next_if_eq(&']');
                while let Some(inside) = rest.next() {
                    match inside {
                        '\\' => drop(rest.next()),
                        '[' => return None,
                        ']' => break,
                        _ => {}
                    }
                }
                None
            }
            '\\' => match rest.next() {
                Some(escaped) if escaped.is_ascii_punctuation() => Some(escaped),
                Some('p' | 'P' | 'x' | 'u' | 'U') => return None,
                _ => None,
            },
            '.' | '^' | '$' => None,
            '*' | '?' | '{' => {
                // What is repeated may be absent.
                run.pop();
                if character == '{' {
                    rest.by_ref().find(|inside| *inside == '}');
                }
                None
            }
            '+' => None,
            other if other.is_ascii() => Some(other),
            _ => None,
        };
        match own.filter(|_| depth == 0) {
            Some(own) => run.push(own),
            None => end(&mut run),
        }
    }
    end(&mut run);
    (best.len() >= 2).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(wanted: (&str, bool, bool, bool), text: &str) -> Vec<usize> {
        let (sought, case, word, regex) = wanted;
        let wanted = SearchText { text: sought.to_owned(), case, word, regex };
        let work = Work::over(0);
        let mut places = Vec::new();
        let end = Sought::new(&wanted, &work).unwrap().each(text, &work, &mut |at| {
            places.push(at);
            true
        });
        assert!(end.is_continue());
        places
    }

    #[test]
    fn case_and_words_count_where_they_are_asked_for() {
        let text = "Map map MAP mapper remap map_x map-x naïve MAP\u{301} 地map";
        assert_eq!(places(("map", false, false, false), text).len(), 9);
        assert_eq!(places(("MAP", true, false, false), text), [8, 44]);
        assert_eq!(places(("map", false, true, false), text), [0, 4, 8, 31]);
        assert_eq!(places(("map", true, true, false), text), [4, 31]);
        assert_eq!(places(("a-a", true, true, false), "ba-a-a"), [3]);
        assert_eq!(places(("a a", true, true, false), "ba a a"), [3]);
        assert_eq!(places(("İx", false, true, false), "i̇X İXy İx"), [0, 10]);
        assert_eq!(places(("-x", false, true, false), "a-x -x"), [1, 4]);
    }

    #[test]
    fn expressions_match_lines() {
        let text = "Error 12 in a.rs\nerror: none\r\nok\nERROR 7\n";
        assert_eq!(places((r"error \d+", false, false, true), text), [0, 33]);
        assert_eq!(places((r"error \d+", true, false, true), text), [] as [usize; 0]);
        assert_eq!(places((r"^(ok|error: .*)$", false, false, true), text), [17, 30]);
        assert_eq!(places((r"a\.rs$", true, false, true), text), [12]);
        assert_eq!(places((r"rro", false, true, true), text), [] as [usize; 0]);
        assert_eq!(places((r"e?rror", false, true, true), text), [0, 17, 33]);
    }

    #[test]
    fn branches_have_a_literal_each() {
        let of = |pattern: &str| literals(pattern).join(",");
        assert_eq!(of("error|fail(ed)?|panic"), "error,fail,panic");
        assert_eq!(of("(error|warn)"), "error,warn");
        assert_eq!(of("(?:error|warn): x"), ": x");
        assert_eq!(of("error|[|x]+"), "");
        assert_eq!(of(r"a\|b|cd"), "a|b,cd");
        assert_eq!(of("(a|b)(c|d)"), "");
        let text = format!("{}PANIC\nfailed and error\n{}\nError\n", "no\n".repeat(WINDOW / 2), "no ".repeat(WINDOW));
        let found: Vec<&str> =
            places(("error|failed|panic", false, false, true), &text).iter().map(|&at| &text[at..at + 5]).collect();
        assert_eq!(found, ["PANIC", "faile", "Error"]);
    }

    #[test]
    fn a_literal_is_in_every_match() {
        for (pattern, wanted) in [
            (r"error \d+", Some("error ")),
            (r"colou?r", Some("colo")),
            (r"ab*cd", Some("cd")),
            (r"a{0}bc(de|fg)hij+k", Some("hij")),
            (r"[a-z]+\.rs", Some(".rs")),
            (r"[]xyz]ab", Some("ab")),
            ("one|two", None),
            ("(?i)one", None),
            (r"\d+", None),
            (r"\p{L}+", None),
            ("a", None),
            ("né", None),
            ("(ab)?", None),
        ] {
            assert_eq!(literal(pattern).as_deref(), wanted, "{pattern}");
        }
    }
}
