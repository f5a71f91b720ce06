//! A compiled expression. `regex-lite` reads all of them, and says what is wrong; most are searched ten times as fast without it.

use std::sync::Mutex;

use regex_lite::{Captures, Regex, RegexBuilder};

use super::automaton::Automaton;
use super::captures::{Places, Searcher};
use super::program::Program;
use crate::account::Account;

/// Signs of a pattern, those that are repeated counted as often as they may be.
const MOST_SIGNS: usize = 5000;
/// Bytes of a compiled pattern. They depend on the machine, so the number of signs is smaller.
const MOST_BYTES: usize = 1 << 21;
/// How many times as long as reading a text searching it with `regex-lite` takes, and how many times more for each character of the
/// pattern, up to a number of them, repeated ones as often as they may be.
const COST: usize = 16;
const COST_OF_CHARACTER: usize = 4;
const MOST_CHARACTERS: usize = 16;
const MOST_REPEATED: usize = 1000;

/// Bytes that are read while a step is tried at a place.
const COST_OF_TRY: usize = 4;

/// An expression, and what its searches keep.
pub struct Engine {
    pub regex: Regex,
    fast: Option<Fast>,
    slow_cost: usize,
}

struct Fast {
    program: Program,
    automaton: Mutex<Automaton>,
    searcher: Mutex<Searcher>,
}

impl Engine {
    pub fn new(pattern: &str) -> Result<Self, String> {
        if signs(pattern) > MOST_SIGNS {
            return Err("regexp: the pattern repeats too much".to_owned());
        }
        let regex =
            RegexBuilder::new(pattern).size_limit(MOST_BYTES).build().map_err(|error| format!("regexp: {error}"))?;
        let fast = Program::new(pattern).map(|program| Fast {
            program,
            automaton: Mutex::default(),
            searcher: Mutex::default(),
        });
        let characters = pattern.len().min(MOST_CHARACTERS) * repeated(pattern);
        Ok(Self { regex, fast, slow_cost: COST + COST_OF_CHARACTER * characters })
    }

    /// Whether one look-up for each byte finds whether there is a match.
    #[cfg(test)]
    fn is_fast(&self) -> bool {
        self.fast.is_some()
    }

    /// Whether a text has a match; `None` if there is no work left to find it.
    pub fn finds(&self, text: &str, account: &Account) -> Option<bool> {
        match &self.fast {
            Some(fast) => fast.finds(text, 0, account).map(|from| from.is_some()),
            None => self
                .slowly(text, 0, account, || self.regex.find(text), |found| found.end())
                .map(|found| found.is_some()),
        }
    }

    /// Finds the first match that begins at a place or later, and its groups; returns whether there is one, and `None` if there is no
    /// work left to find it.
    pub fn captures(&self, text: &str, mut start: usize, account: &Account, places: &mut Places) -> Option<bool> {
        if let Some(fast) = &self.fast {
            let Some(from) = fast.finds(text, start, account)? else { return Some(false) };
            // No match begins inside of a character.
            start = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(from);
            if Searcher::takes(&fast.program, text.as_bytes(), start) {
                let mut searcher = fast.searcher.lock().expect("no holder panics");
                let found = searcher.find(&fast.program, text.as_bytes(), start, places);
                return account.read(COST_OF_TRY * searcher.tried).then_some(found);
            }
        }
        let end = |captures: &Captures<'_>| captures.get(0).map_or(text.len(), |all| all.end());
        let captures = self.slowly(text, start, account, || self.regex.captures_at(text, start), end)?;
        places.clear();
        for group in captures.iter().flat_map(Captures::iter) {
            places.extend([group.map(|group| group.start()), group.map(|group| group.end())]);
        }
        Some(captures.is_some())
    }

    /// What `regex-lite` finds, if there is work left for all of the text; what it read is charged.
    fn slowly<T>(
        &self,
        text: &str,
        start: usize,
        account: &Account,
        find: impl FnOnce() -> Option<T>,
        end: impl FnOnce(&T) -> usize,
    ) -> Option<Option<T>> {
        let cost = |end: usize| (end - start).saturating_mul(self.slow_cost);
        if !account.affords(cost(text.len())) {
            return None;
        }
        let found = find();
        account.read(cost(found.as_ref().map_or(text.len(), end))).then_some(found)
    }
}

impl Fast {
    fn finds(&self, text: &str, start: usize, account: &Account) -> Option<Option<usize>> {
        self.automaton.lock().expect("no holder panics").finds(&self.program, text.as_bytes(), start, account)
    }
}

/// The signs of a pattern; what is in braces repeats the sign, set or group before it.
fn signs(pattern: &str) -> usize {
    // The signs of each open group, and of the last part of it.
    let mut open = vec![(0_usize, 0_usize)];
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        let (before, last) = open.last().copied().unwrap_or_default();
        let all = before.saturating_add(last);
        let (is_group_end, part) = match character {
            '(' => {
                open.push((0, 0));
                continue;
            }
            ')' if open.len() > 1 => (true, all),
            '[' => {
                let (mut len, mut is_first) = (1_usize, true);
                while let Some(inside) = characters.next().filter(|inside| *inside != ']' || is_first) {
                    if inside == '\\' {
                        characters.next();
                    }
                    is_first = is_first && inside == '^';
                    len += 1;
                }
                (false, len.div_ceil(8))
            }
            '{' => {
                let inside: String = characters.by_ref().take_while(|inside| *inside != '}').collect();
                let most = inside.split(',').filter_map(|number| number.trim().parse::<usize>().ok()).max();
                if let Some(top) = open.last_mut() {
                    top.1 = last.saturating_mul(most.unwrap_or(1).max(1));
                }
                continue;
            }
            '\\' => {
                characters.next();
                (false, 1)
            }
            _ => (false, 1),
        };
        if is_group_end {
            open.pop();
        }
        if let Some(top) = open.last_mut() {
            *top = (top.0.saturating_add(top.1), part);
        }
    }
    open.into_iter().fold(0, |all, (before, last)| all.saturating_add(before).saturating_add(last))
}

/// How often a part of a pattern is repeated at most: the product of all that is in braces.
fn repeated(pattern: &str) -> usize {
    let numbers = pattern.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(inside, _)| inside);
    let most = |inside: &str| inside.split(',').filter_map(|number| number.parse::<usize>().ok()).max().unwrap_or(1);
    numbers.map(most).fold(1, |all, one| all.saturating_mul(one.max(1)).min(MOST_REPEATED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Limits;

    fn unlimited() -> Account {
        Account::new(&Limits { work: 1 << 60, ..Limits::default() })
    }

    /// All short patterns of these parts over texts: the same matches and groups as `regex-lite`.
    fn compare(parts: &[&str], len: u32, texts: &[&str]) -> usize {
        let (mut compared, account) = (0, unlimited());
        for number in 0..parts.len().pow(len) {
            let pattern: String = (0..len).map(|at| parts[number / parts.len().pow(at) % parts.len()]).collect();
            let Ok(engine) = Engine::new(&pattern) else { continue };
            if !engine.is_fast() {
                continue;
            }
            for text in texts {
                assert_eq!(engine.finds(text, &account), Some(engine.regex.is_match(text)), "{pattern} {text}");
                for start in (0..=text.len().min(3)).filter(|start| text.is_char_boundary(*start)) {
                    compared += 1;
                    let expected = engine.regex.captures_at(text, start);
                    let expected: Option<Places> = expected.map(|all| {
                        all.iter().flat_map(|one| [one.map(|one| one.start()), one.map(|one| one.end())]).collect()
                    });
                    let mut places = Places::new();
                    let is_found = engine.captures(text, start, &account, &mut places);
                    let found = is_found.expect("there is work left").then_some(places);
                    assert_eq!(found, expected, "{pattern} {text} {start}");
                }
            }
        }
        compared
    }

    #[test]
    fn matches_and_groups_are_those_of_regex_lite() {
        let texts = ["", "a", "b", "ab", "aab", "abab", "bba", "aé", "éb", "xa b", "a\n"];
        let parts = ["a", "b", "(", ")", "|", "*", "+?", "?", "^", "$", "\\b", "."];
        assert!(compare(&parts, 4, &texts) > 100_000);
        let parts = ["(a|", "(?:", ")", "b", "*", "{2}", "{0,2}?", "\\B", "[^a]", "\\w", "é", "(?i)"];
        assert!(compare(&parts, 4, &texts) > 50_000);
        let texts = ["duration: 1234 ms", "error: _x1 9", "Über 12:30:59, ok", "A-Z\t[x]", "aAbB kK \u{212a}"];
        for pattern in [
            r"duration: [0-9]{4,}", r"user (\w+)", r"(\d+):(\d+):(\d+)", r"[a-z]+-7\]", r"(?i)ERROR|b", r"\S+\s\S+$",
            r"[^\s,]+,", r"(?P<name>\w)\W", r"\[x\]", r"^.*?(\d)", r"(a*)*b", r"(|a)+", r"(a|ab)(c|bcd|)", r"[\w.-]+",
            r"(?i)[k-z]", r"\D{3}", r"[]a-c]",
        ] {
            assert!(Engine::new(pattern).unwrap().is_fast(), "{pattern}");
            assert!(compare(&[pattern], 1, &texts) > 0);
        }
        for pattern in [r"(?x)a b", r"[[:alpha:]]", r"\x41", r"a(?i)b", r"(?m)^a", r"[é]", r"a{2}{3}"] {
            assert!(Engine::new(pattern).is_ok_and(|engine| !engine.is_fast()), "{pattern}");
        }
    }

    #[test]
    fn repeated_signs_are_counted() {
        for (pattern, wanted) in [
            ("abc", 3),
            ("a{3}b", 4),
            ("a{2,}(bc){4}", 10),
            ("((ab){10}c){10,20}", 420),
            (r"\{3}[]a-z]{5}", 8),
            ("[^]]{7}x", 8),
            ("((a{1,100}){1,100}){1,100}", 1_000_000),
            ("a{,}|)(b{", 4),
        ] {
            assert_eq!(signs(pattern), wanted, "{pattern}");
        }
        // Far fewer than the bytes allow, also where each is a large set.
        for part in ["a", r"\w", "[a-z0-9._-]", "(?:a|b)", "(?i)é", "a?"] {
            let most = MOST_SIGNS / signs(part) - 1;
            assert!(Engine::new(&format!("{part}{{{most}}}")).is_ok(), "{part}");
            assert!(Engine::new(&format!("(?:{part}){{{}}}", most + 2)).is_err(), "{part}");
        }
    }

    #[test]
    fn states_that_are_too_many_are_found_again() {
        let engine = Engine::new("(a|b)*a(a|b){12}c").unwrap();
        let mut seed = 1_u32;
        let text: String = (0..20_000)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if seed >> 31 == 0 { 'a' } else { 'b' }
            })
            .collect();
        assert_eq!(engine.finds(&text, &unlimited()), Some(false));
        assert_eq!(engine.finds(&format!("{text}abbbbbbbbbbbbc"), &unlimited()), Some(true));
        // What filling the table takes is charged: ten times as much as reading the text.
        let account = Account::new(&Limits { work: text.len() as u64 / 2, ..Limits::default() });
        assert_eq!(engine.finds(&text, &account), None);
    }
}
