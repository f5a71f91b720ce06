//! The regular expressions of `match` and `search`: I-Regexp (RFC 9485), matched in linear time.
//!
//! `\d`, `\w` and `\s` with their ASCII meaning, and anchors, are accepted as well. Of the Unicode categories those of
//! the token engine's table are known: L, Lu, Ll, Lt, M, N and Z.

use regex_lite::{Regex, RegexBuilder};

use crate::base::tokens::Category;

/// The most bytes that a compiled expression may take.
const MAX_SIZE: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct TextPattern {
    regex: Regex,
    /// The work of matching one byte of text, in skipped bytes.
    pub weight: usize,
}

impl TextPattern {
    /// Compiles an expression; with `whole` it must match the whole text.
    ///
    /// # Errors
    /// Why it cannot be compiled.
    pub fn new(pattern: &str, whole: bool) -> Result<Self, String> {
        let translated = translate(pattern)?;
        let anchored = if whole { format!("\\A(?:{translated})\\z") } else { translated };
        let regex = RegexBuilder::new(&anchored).size_limit(MAX_SIZE).build();
        let regex = regex.map_err(|error| format!("the expression cannot be read: {error}"))?;
        Ok(Self { regex, weight: 8 + pattern.len() })
    }

    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// The expression in the syntax of `regex-lite`.
fn translate(pattern: &str) -> Result<String, String> {
    let (mut out, mut in_class, mut rest) = (String::new(), false, pattern.chars());
    while let Some(character) = rest.next() {
        match character {
            '\\' => match rest.next() {
                Some(negated @ ('p' | 'P')) => {
                    let name = rest.as_str().strip_prefix('{').and_then(|inside| inside.split_once('}'));
                    let (name, after) = name.ok_or("a category stands in braces, as \\p{Lu}")?;
                    rest = after.chars();
                    let category = Category::from_name(name).ok_or_else(|| {
                        format!("the category {name} is not known; there are {}", Category::NAMES.join(", "))
                    })?;
                    let ranges = category.ranges(negated == 'P');
                    let class: String =
                        ranges.iter().map(|(from, to)| format!("\\u{{{from:x}}}-\\u{{{to:x}}}")).collect();
                    out += &if in_class { class } else { format!("[{class}]") };
                }
                Some(escaped) => out.extend(['\\', escaped]),
                None => out.push('\\'),
            },
            '.' if !in_class => out += "[^\\n\\r]",
            '[' | ']' => {
                in_class = character == '[';
                out.push(character);
            }
            _ => out.push(character),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::TextPattern;

    #[test]
    fn categories_may_stand_in_classes() {
        let matches = |pattern: &str, text: &str| TextPattern::new(pattern, true).unwrap().is_match(text);
        assert!(matches(r"[\p{Lu}_]+x\P{L}", "ÄЖ_x9") && !matches(r"[\p{Lu}_]+", "Äж"));
        assert!(matches(r"\p{Lt}", "ǅ") && !matches(r"\p{Lu}", "ǅ") && matches(r"\p{Z}", "\u{2028}"));
        assert!(matches("a.c", "a\u{2028}c") && !matches("a.c", "a\rc") && !matches("a[.]c", "abc"));
    }

    #[test]
    fn what_cannot_be_compiled_says_why() {
        for pattern in ["(", r"\p{Sc}", r"\pL", "[a", r"a{1000}{1000}{1000}"] {
            assert!(!TextPattern::new(pattern, false).unwrap_err().is_empty(), "{pattern}");
        }
    }
}
