//! Letters that every match of an expression has: a text without them is done with at once.

/// Two or more plain letters that every match of a pattern has, and whether it begins with them: those at the start, or the longest
/// run of them outside of groups.
pub fn needed(pattern: &str) -> Option<(String, bool)> {
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
                // A class, an assertion, or a character by its number, whose digits are not letters of the text.
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
    use regex_lite::Regex;

    use super::needed;

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
}
