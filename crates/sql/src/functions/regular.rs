//! `regexp`, `capture` and `regexp_replace`, in linear time.
//!
//! The engine is `regex-lite`, the same in every face. A text is first searched for letters that every match has, which is
//! ten times as fast.

use memchr::memmem::Finder;
use regex_lite::{Regex, RegexBuilder};
use rusqlite::Result;

use super::{Adder, Arguments, Output, failed, integer, null, text};

/// Bytes of a compiled pattern.
const MOST_BYTES: usize = 1 << 18;
/// Bytes of the longest text that `regexp_replace` makes.
const LONGEST: usize = 1_000_000;
/// How many times as long as reading a text matching it takes, and how many times more for each character of the pattern, up to
/// a number of them.
const COST: usize = 16;
const COST_OF_CHARACTER: usize = 4;
const MOST_CHARACTERS: usize = 16;

pub fn add(adder: &Adder<'_>) -> Result<()> {
    adder.scalar("regexp", 2, |arguments| {
        let Some(pattern) = compiled(arguments, 0)? else { return Ok(null()) };
        let Some(all) = arguments.text(1)? else { return Ok(null()) };
        Ok(integer(i64::from(
            pattern.start(arguments, &all)?.is_some_and(|start| pattern.regex.is_match_at(&all, start)),
        )))
    })?;
    adder.scalar("capture", 2, |arguments| capture(arguments, None))?;
    adder.scalar("capture", 3, |arguments| {
        let group = arguments.context.get::<i64>(2).map_err(|_| failed("capture: the group is a number"))?;
        capture(arguments, Some(usize::try_from(group).map_err(|_| failed("capture: the group is from 0 on"))?))
    })?;
    adder.scalar("regexp_replace", 3, replace)
}

/// A compiled pattern, and letters that every match has.
struct Compiled {
    regex: Regex,
    needed: Option<Finder<'static>>,
    /// Whether a match begins with these letters.
    begins_with_it: bool,
    pattern_len: usize,
}

impl Compiled {
    fn new(pattern: &str) -> std::result::Result<Self, String> {
        let regex =
            RegexBuilder::new(pattern).size_limit(MOST_BYTES).build().map_err(|error| format!("regexp: {error}"))?;
        let needed = needed(pattern);
        let begins_with_it = needed.as_ref().is_some_and(|(_, is_first)| *is_first);
        let needed = needed.map(|(letters, _)| Finder::new(&letters).into_owned());
        Ok(Self { regex, needed, begins_with_it, pattern_len: pattern.len() })
    }

    /// Where the first match of a text may begin, if it has what every match has; charges for what is to come.
    fn start(&self, arguments: &Arguments<'_, '_>, text: &str) -> Result<Option<usize>> {
        arguments.charge(text.len())?;
        let found = self.needed.as_ref().map_or(Some(0), |needed| needed.find(text.as_bytes()));
        let start = found.map(|found| if self.begins_with_it { found } else { 0 });
        if let Some(start) = start {
            let cost = COST + COST_OF_CHARACTER * self.pattern_len.min(MOST_CHARACTERS);
            arguments.charge((text.len() - start).saturating_mul(cost))?;
        }
        Ok(start)
    }
}

fn compiled(arguments: &Arguments<'_, '_>, at: i32) -> Result<Option<std::sync::Arc<Compiled>>> {
    let Some(pattern) = arguments.text(at as usize)? else { return Ok(None) };
    arguments.context.get_or_create_aux(at, |_| Compiled::new(&pattern)).map(Some)
}

/// What a group of the first match is; group 1 if none is named and there is one, otherwise the whole match.
fn capture(arguments: &Arguments<'_, '_>, group: Option<usize>) -> Output {
    let Some(all) = arguments.text(0)? else { return Ok(null()) };
    let Some(pattern) = compiled(arguments, 1)? else { return Ok(null()) };
    let groups = pattern.regex.captures_len();
    let group = group.unwrap_or(usize::from(groups > 1));
    if group >= groups {
        return Err(failed(format!("capture: the pattern has no group {group}")));
    }
    let Some(start) = pattern.start(arguments, &all)? else { return Ok(null()) };
    let captures = pattern.regex.captures_at(&all, start);
    Ok(captures.and_then(|captures| captures.get(group)).map_or(null(), |found| text(found.as_str())))
}

/// Replaces every match; `$1` and `\1` are groups.
fn replace(arguments: &Arguments<'_, '_>) -> Output {
    let Some(all) = arguments.text(0)? else { return Ok(null()) };
    let Some(pattern) = compiled(arguments, 1)? else { return Ok(null()) };
    let Some(by) = arguments.text(2)? else { return Ok(null()) };
    if pattern.start(arguments, &all)?.is_none() {
        return Ok(text(all));
    }
    let (by, most) = (groups(&by), LONGEST.max(all.len()));
    let (mut out, mut from) = (String::new(), 0);
    for captures in pattern.regex.captures_iter(&all) {
        let Some(found) = captures.get(0) else { continue };
        out.push_str(&all[from..found.start()]);
        captures.expand(&by, &mut out);
        from = found.end();
        if out.len() > most {
            return Err(failed("regexp_replace: the text is too long"));
        }
    }
    arguments.charge(out.len())?;
    out.push_str(&all[from..]);
    Ok(text(out))
}

/// `\1` and `$1` as `${1}`, so that letters may follow.
fn groups(by: &str) -> String {
    let mut out = String::with_capacity(by.len() + 8);
    let mut characters = by.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek().copied()) {
            ('\\' | '$', Some(digit)) if digit.is_ascii_digit() => {
                out.push_str("${");
                out.push(digit);
                out.push('}');
                characters.next();
            }
            ('\\', Some('\\')) => {
                out.push('\\');
                characters.next();
            }
            (other, _) => out.push(other),
        }
    }
    out
}

/// Two or more plain letters that every match of a pattern has, and whether it begins with them: those at the start, or the longest
/// run of them outside of groups.
fn needed(pattern: &str) -> Option<(String, bool)> {
    // Alternatives and flags may do without it.
    if pattern.contains('|') || pattern.contains("(?") {
        return None;
    }
    let (mut best, mut run) = (String::new(), String::new());
    let mut first: Option<String> = None;
    let mut keep = |run: &mut String| {
        first.get_or_insert_with(|| run.clone());
        if run.len() > best.len() {
            best.clone_from(run);
        }
        run.clear();
    };
    let (mut depth, mut characters) = (0_usize, pattern.chars().peekable());
    while let Some(character) = characters.next() {
        match character {
            '(' | ')' => {
                depth = if character == '(' { depth + 1 } else { depth.saturating_sub(1) };
                keep(&mut run);
            }
            '[' => {
                keep(&mut run);
                // The set ends at the first bracket that is not its first character; a nested set gives up.
                let (mut is_first, mut is_closed) = (true, false);
                while let Some(inside) = characters.next() {
                    match inside {
                        '\\' => drop(characters.next()),
                        '^' if is_first => continue,
                        '[' => return None,
                        ']' if !is_first => {
                            is_closed = true;
                            break;
                        }
                        _ => {}
                    }
                    is_first = false;
                }
                if !is_closed {
                    return None;
                }
            }
            '?' | '*' | '{' => {
                // What comes before it may be missing.
                run.pop();
                keep(&mut run);
                if character == '{' {
                    characters.by_ref().take_while(|c| *c != '}').for_each(drop);
                }
            }
            // What is repeated may also be missing: `a+*`, `a+??`.
            '+' if matches!(characters.peek(), Some('*' | '+' | '{' | '?')) => return None,
            '+' | '.' | '^' | '$' => keep(&mut run),
            '\\' => match characters.next() {
                Some(sign) if sign.is_ascii_punctuation() && depth == 0 => run.push(sign),
                // A class, an assertion, or a character by its number, whose digits are no letters of the text.
                Some('b' | 'B' | 'd' | 'D' | 's' | 'S' | 'w' | 'W' | 'A' | 'z') => keep(&mut run),
                Some(sign) if sign.is_ascii_punctuation() => keep(&mut run),
                _ => return None,
            },
            plain if depth == 0 => run.push(plain),
            _ => {}
        }
    }
    keep(&mut run);
    match first.filter(|first| first.len() > 1) {
        Some(first) => Some((first, true)),
        None => (best.len() > 1).then_some((best, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Regex, groups, needed};

    #[test]
    fn what_every_match_has_is_found() {
        for (pattern, wanted) in [
            ("duration: [0-9]{4,}", Some("duration: ")),
            ("colou?r", Some("colo")),
            ("ab+cde", Some("ab")),
            (r"a\.json\b", Some("a.json")),
            ("(abc)?de", Some("de")),
            ("[]abc]xy", Some("xy")),
            ("a|bcd", None),
            ("(?i)error", None),
            (r"\x41bc", None),
            (r"\d+", None),
            ("ab{0,1}c", None),
        ] {
            assert_eq!(needed(pattern).as_ref().map(|(letters, _)| letters.as_str()), wanted, "{pattern}");
        }
        // A match always has it.
        let parts = ["a", "b", "?", "*", "+", "(", ")", "[ab]", ".", "{0,2}", "\\."];
        let mut patterns = 0;
        for number in 0..parts.len().pow(5) {
            let pattern: String = (0..5).map(|at| parts[number / parts.len().pow(at) % parts.len()]).collect();
            let (Some((needed, is_first)), Ok(regex)) = (needed(&pattern), Regex::new(&pattern)) else { continue };
            patterns += 1;
            for text in ["", "a", "ab", "ba", "aab", "abb", "a.b", "abab", "bbaa", "..ab"] {
                let start = text.find(&needed).map(|at| if is_first { at } else { 0 });
                let found = start.is_some_and(|start| regex.is_match_at(text, start));
                assert_eq!(found, regex.is_match(text), "{pattern} {text} {needed}");
            }
        }
        assert!(patterns > 1000, "{patterns}");
    }

    #[test]
    fn groups_are_named_in_both_ways() {
        assert_eq!(groups(r"\1x$2\\"), r"${1}x${2}\");
    }
}
