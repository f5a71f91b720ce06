//! The patterns of `LIKE` and `GLOB`.

use memchr::{memchr2, memchr2_iter};

/// Characters that are compared between two charges.
const CHARGED: usize = 4096;

/// A part of a pattern.
enum PatternUnit {
    /// Any run of characters.
    Many,
    /// Any character.
    One,
    Character(char),
    /// Ranges of characters, and whether they are those that do not match.
    Set(Vec<(char, char)>, bool),
}

/// A pattern, read once.
pub struct Pattern {
    pieces: Vec<PatternUnit>,
    /// Whether ASCII letters match in any case.
    is_folded: bool,
    /// What is between two runs of any characters, if that is the whole pattern: `%part%`.
    part: Option<Part>,
}

/// A text that is searched by its byte that is probably the rarest in a text.
struct Part {
    bytes: Vec<u8>,
    rare: usize,
    is_folded: bool,
}

impl Part {
    fn of(pieces: &[PatternUnit], is_folded: bool) -> Option<Self> {
        let [PatternUnit::Many, inside @ .., PatternUnit::Many] = pieces else { return None };
        let mut text = String::new();
        for piece in inside {
            let PatternUnit::Character(character) = piece else { return None };
            text.push(*character);
        }
        let bytes = text.into_bytes();
        let commonness = |byte: u8| COMMON.iter().position(|common| *common == byte).map_or(COMMON.len(), |at| at);
        let rare = (0..bytes.len()).max_by_key(|&at| commonness(bytes[at].to_ascii_lowercase()))?;
        Some(Self { bytes, rare, is_folded })
    }

    /// Whether it is in a text; the number of compared bytes is added to `compared`.
    fn is_in(&self, text: &[u8], compared: &mut usize) -> bool {
        let Some(last) = text.len().checked_sub(self.bytes.len()) else { return false };
        let rare = self.bytes[self.rare];
        let other = if self.is_folded { rare.to_ascii_uppercase() } else { rare };
        let within = &text[self.rare..=last + self.rare];
        *compared += text.len() / BYTES_PER_COMPARISON;
        memchr2_iter(rare, other, within).any(|at| {
            *compared += 1 + self.bytes.len() / BYTES_PER_COMPARISON;
            let there = &text[at..at + self.bytes.len()];
            if self.is_folded { there.eq_ignore_ascii_case(&self.bytes) } else { there == self.bytes }
        })
    }
}

/// Bytes that are frequent in texts, the most frequent first.
const COMMON: &[u8] = b" etaoinsr0l1h2dc3u4m5f6p7g8w9y.b,v-k/:\"=_";
/// A search looks at as many bytes as comparing one character takes.
const BYTES_PER_COMPARISON: usize = 8;

impl Pattern {
    pub fn like(pattern: &str, escape: Option<char>) -> Self {
        let (mut pieces, mut characters) = (Vec::new(), pattern.chars());
        while let Some(character) = characters.next() {
            match character {
                c if Some(c) == escape => {
                    pieces.extend(characters.next().map(|c| PatternUnit::Character(c.to_ascii_lowercase())))
                }
                '%' => pieces.push(PatternUnit::Many),
                '_' => pieces.push(PatternUnit::One),
                c => pieces.push(PatternUnit::Character(c.to_ascii_lowercase())),
            }
        }
        Self::new(pieces, true)
    }

    pub fn glob(pattern: &str) -> Self {
        let (mut pieces, mut rest) = (Vec::new(), pattern);
        while let Some(character) = rest.chars().next() {
            rest = &rest[character.len_utf8()..];
            pieces.push(match character {
                '*' => PatternUnit::Many,
                '?' => PatternUnit::One,
                '[' => match set(rest) {
                    Some((set, after)) => {
                        rest = after;
                        set
                    }
                    // A set that is not closed matches nothing.
                    None => PatternUnit::Set(Vec::new(), false),
                },
                c => PatternUnit::Character(c),
            });
        }
        Self::new(pieces, false)
    }

    fn new(pieces: Vec<PatternUnit>, is_folded: bool) -> Self {
        let part = Part::of(&pieces, is_folded);
        Self { pieces, is_folded, part }
    }

    /// Whether all of a text matches. After a run of any characters, the shortest one that works is looked for; only the last
    /// run needs to grow. `None` if `charge`, which is given the number of compared characters, ends it.
    pub fn matches(&self, text: &str, mut charge: impl FnMut(usize) -> bool) -> Option<bool> {
        let (mut at, mut piece, mut compared) = (0, 0, 0);
        if let Some(part) = &self.part {
            let is_in = part.is_in(text.as_bytes(), &mut compared);
            return charge(compared).then_some(is_in);
        }
        // The piece after the last run, and where it was tried.
        let mut retry: Option<(usize, usize)> = None;
        loop {
            compared += 1;
            if compared >= CHARGED {
                if !charge(compared) {
                    return None;
                }
                compared = 0;
            }
            let character = text[at..].chars().next();
            match (self.pieces.get(piece), character) {
                (Some(PatternUnit::Many), _) => {
                    piece += 1;
                    if piece == self.pieces.len() {
                        charge(compared);
                        return Some(true);
                    }
                    at = self.skip(text, at, piece);
                    retry = Some((piece, at));
                    continue;
                }
                (Some(wanted), Some(character)) if self.is(wanted, character) => {
                    at += character.len_utf8();
                    piece += 1;
                    continue;
                }
                (None, None) => {
                    charge(compared);
                    return Some(true);
                }
                _ => {}
            }
            let Some((after, tried)) = retry else {
                charge(compared);
                return Some(false);
            };
            let Some(next) = text[tried..].chars().next().map(|c| tried + c.len_utf8()) else {
                charge(compared);
                return Some(false);
            };
            at = self.skip(text, next, after);
            // A search is faster than comparing.
            compared += (at - next) / BYTES_PER_COMPARISON;
            piece = after;
            retry = Some((after, at));
        }
    }

    /// The next place from `at` on where a piece may match, if it is an ASCII character.
    fn skip(&self, text: &str, at: usize, piece: usize) -> usize {
        let Some(PatternUnit::Character(character)) = self.pieces.get(piece).filter(|_| at < text.len()) else {
            return at;
        };
        let Ok(byte) = u8::try_from(*character) else { return at };
        if !byte.is_ascii() {
            return at;
        }
        let other = if self.is_folded { byte.to_ascii_uppercase() } else { byte };
        memchr2(byte, other, &text.as_bytes()[at..]).map_or(text.len(), |found| at + found)
    }

    fn is(&self, wanted: &PatternUnit, character: char) -> bool {
        let character = if self.is_folded { character.to_ascii_lowercase() } else { character };
        match wanted {
            PatternUnit::Many => false,
            PatternUnit::One => true,
            PatternUnit::Character(wanted) => *wanted == character,
            PatternUnit::Set(ranges, is_negated) => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&character)) != *is_negated
            }
        }
    }
}

/// The set of characters behind `[`, and what follows it.
fn set(text: &str) -> Option<(PatternUnit, &str)> {
    let (is_negated, text) = text.strip_prefix('^').map_or((false, text), |rest| (true, rest));
    let mut characters = text.char_indices().peekable();
    let mut ranges: Vec<(char, char)> = Vec::new();
    let mut is_first = true;
    while let Some((at, character)) = characters.next() {
        match character {
            ']' if !is_first => return Some((PatternUnit::Set(ranges, is_negated), &text[at + 1..])),
            '-' if !is_first && characters.peek().is_some_and(|(_, next)| *next != ']') => {
                let (_, to) = characters.next()?;
                if let Some(last) = ranges.last_mut() {
                    last.1 = to;
                }
            }
            c => ranges.push((c, c)),
        }
        is_first = false;
    }
    None
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::Pattern;

    /// All short patterns and texts, compared with SQLite's own functions.
    #[test]
    fn patterns_match_as_those_of_sqlite() {
        let connection = Connection::open_in_memory().unwrap();
        let parts = ["%", "_", "a", "B", "é", "x"];
        let globs = ["*", "?", "a", "[ab]", "[^a]", "[a-c]"];
        let texts = ["", "xxaBé", "a", "A", "ab", "aB", "éa", "xab", "aab", "abab", "bbé", "é"];
        let mut like = connection.prepare("SELECT ?2 LIKE ?1").unwrap();
        let mut glob = connection.prepare("SELECT ?2 GLOB ?1").unwrap();
        for number in 0..parts.len().pow(4) {
            let of = |parts: &[&str]| -> String {
                (0..4).map(|at| parts[number / parts.len().pow(at) % parts.len()]).collect()
            };
            for text in texts {
                let (pattern, other) = (of(&parts), of(&globs));
                let expected: bool = like.query_row((&pattern, text), |row| row.get(0)).unwrap();
                assert_eq!(Pattern::like(&pattern, None).matches(text, |_| true), Some(expected), "{text} {pattern}");
                let expected: bool = glob.query_row((&other, text), |row| row.get(0)).unwrap();
                assert_eq!(Pattern::glob(&other).matches(text, |_| true), Some(expected), "{text} {other}");
            }
        }
        assert_eq!(Pattern::like("50!%%", Some('!')).matches("50% of", |_| true), Some(true));
        assert_eq!(Pattern::like("50!%%", Some('!')).matches("500", |_| true), Some(false));
    }

    #[test]
    fn a_pattern_that_takes_long_is_charged_and_stopped() {
        let text = "a".repeat(20_000);
        let mut charged = 0;
        let pattern = Pattern::like("%a%a%a%a%aaaaaaaaaaaaaaaaaaab", None);
        let ended = pattern.matches(&text, |bytes| {
            charged += bytes;
            charged < 100_000
        });
        assert_eq!(ended, None);
    }
}
