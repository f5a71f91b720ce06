//! The regular expressions of `match` and `search`: I-Regexp (RFC 9485), matched in linear time.
//!
//! `\d`, `\w` and `\s` with their ASCII meaning, and anchors, are accepted as well. Of the Unicode categories those of
//! the token engine's table are known: L, Lu, Ll, Lt, M, N and Z. How long a match takes is the length of the text times
//! the size of the compiled expression, so both are known before it begins: see [`TextPattern::work`].

use memchr::memmem;
use regex_lite::{Regex, RegexBuilder};

use crate::base::tokens::Category;

use super::MAX_BYTES;

/// The longest expression after its categories are spelled out.
const MAX_TRANSLATED: usize = 1 << 16;
/// The most bytes that a compiled expression may take, and the least that are distinguished.
const MAX_SIZE: usize = 1 << 15;
const MIN_SIZE: usize = 1 << 8;
/// A unit of work matches a byte of the text against this many bytes of the compiled expression.
const SIZE_PER_UNIT: usize = 2;
/// What compiling takes, in addition to [`COMPILING_BYTE`] for each byte of the expression with its categories spelled out.
const COMPILING: usize = 1 << 13;
const COMPILING_BYTE: usize = 256;

/// An expression that was read and not yet compiled.
pub(crate) struct Expression<'p> {
    pattern: &'p str,
    whole: bool,
    /// Whether letters of ASCII match in any case.
    any_case: bool,
    /// In the syntax of `regex-lite`; `None` for plain text.
    translated: Option<String>,
}

impl<'p> Expression<'p> {
    /// Reads an expression; with `whole` it must match the whole text.
    ///
    /// # Errors
    /// Why it cannot be compiled.
    pub fn new(pattern: &'p str, whole: bool) -> Result<Self, String> {
        if pattern.len() > MAX_BYTES {
            return Err(format!("the expression is longer than {MAX_BYTES} bytes"));
        }
        let is_plain = !pattern.contains(|character| r"\.+*?()|[]{}^$".contains(character));
        let translated = if is_plain { None } else { Some(translate(pattern)?) };
        Ok(Self { pattern, whole, any_case: false, translated })
    }

    /// The same expression, whose letters of ASCII match in any case.
    pub fn in_any_case(self) -> Self {
        let translated = self.translated.unwrap_or_else(|| self.pattern.to_owned());
        Self { any_case: true, translated: Some(translated), ..self }
    }

    /// The work of compiling it.
    pub fn work(&self) -> usize {
        self.translated.as_ref().map_or(self.pattern.len(), |text| COMPILING + COMPILING_BYTE * text.len())
    }

    /// Compiles it.
    ///
    /// # Errors
    /// Why it cannot be compiled.
    pub fn compile(self) -> Result<TextPattern, String> {
        let Some(translated) = self.translated else {
            let pattern = self.pattern.to_owned();
            return Ok(if self.whole { TextPattern::Is(pattern) } else { TextPattern::Contains(pattern) });
        };
        let anchored = if self.whole { format!("\\A(?:{translated})\\z") } else { translated };
        let build = |size: usize| RegexBuilder::new(&anchored).case_insensitive(self.any_case).size_limit(size).build();
        let mut regex = build(MAX_SIZE).map_err(|error| format!("the expression cannot be read: {error}"))?;
        // The library does not say how large an expression is, only whether it is within a limit.
        let (mut steps, mut size) = (0..(MAX_SIZE / MIN_SIZE).ilog2(), MAX_SIZE);
        while !steps.is_empty() {
            let middle = steps.start.midpoint(steps.end);
            match build(MIN_SIZE << middle) {
                Ok(smaller) => (regex, size, steps.end) = (smaller, MIN_SIZE << middle, middle),
                Err(_) => steps.start = middle + 1,
            }
        }
        Ok(TextPattern::Matches { regex, weight: size / SIZE_PER_UNIT })
    }
}

/// A compiled expression.
#[derive(Debug)]
pub(crate) enum TextPattern {
    /// Plain text that is the whole text.
    Is(String),
    /// Plain text anywhere in the text.
    Contains(String),
    Matches {
        regex: Regex,
        /// The work of matching one byte of text.
        weight: usize,
    },
}

impl TextPattern {
    /// The work of matching a text of this many bytes.
    pub fn work(&self, bytes: usize) -> usize {
        match self {
            Self::Is(_) | Self::Contains(_) => bytes,
            Self::Matches { weight, .. } => bytes.saturating_add(1).saturating_mul(*weight),
        }
    }

    /// Where the first match begins whose start and end are `wanted`.
    pub fn find(&self, text: &str, wanted: impl Fn(usize, usize) -> bool) -> Option<usize> {
        let wanted = |&(start, end): &(usize, usize)| wanted(start, end);
        let place = match self {
            Self::Is(whole) => (text == whole).then_some((0, text.len())).filter(wanted),
            Self::Contains(part) => {
                memmem::find_iter(text.as_bytes(), part).map(|at| (at, at + part.len())).find(wanted)
            }
            Self::Matches { regex, .. } => regex.find_iter(text).map(|found| (found.start(), found.end())).find(wanted),
        };
        place.map(|(start, _)| start)
    }

    pub fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Is(wanted) => text == wanted,
            Self::Contains(wanted) => memmem::find(text.as_bytes(), wanted.as_bytes()).is_some(),
            Self::Matches { regex, .. } => regex.is_match(text),
        }
    }
}

/// The expression in the syntax of `regex-lite`.
fn translate(pattern: &str) -> Result<String, String> {
    let (mut out, mut in_class, mut rest) = (String::new(), false, pattern.chars());
    while let Some(character) = rest.next() {
        if out.len() > MAX_TRANSLATED {
            return Err("the expression has too many categories".to_owned());
        }
        match character {
            '\\' => match rest.next() {
                Some(negated @ ('p' | 'P')) => {
                    let name = rest.as_str().strip_prefix('{').and_then(|inside| inside.split_once('}'));
                    let (name, after) = name.ok_or("a category must be in braces, as \\p{Lu}")?;
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
    use super::*;

    fn compiled(pattern: &str, whole: bool) -> Result<TextPattern, String> {
        Expression::new(pattern, whole)?.compile()
    }

    #[test]
    fn categories_may_stand_in_classes() {
        let matches = |pattern: &str, text: &str| compiled(pattern, true).unwrap().is_match(text);
        assert!(matches(r"[\p{Lu}_]+x\P{L}", "ÄЖ_x9") && !matches(r"[\p{Lu}_]+", "Äж"));
        assert!(matches(r"\p{Lt}", "ǅ") && !matches(r"\p{Lu}", "ǅ") && matches(r"\p{Z}", "\u{2028}"));
        assert!(matches("a.c", "a\u{2028}c") && !matches("a.c", "a\rc") && !matches("a[.]c", "abc"));
    }

    #[test]
    fn what_cannot_be_compiled_says_why() {
        let many = r"\p{L}".repeat(150);
        for pattern in ["(", r"\p{Sc}", r"\pL", "[a", r"a{1000}{1000}{1000}", "(.?){4000}~", &many, &"a".repeat(1_001)]
        {
            assert!(!compiled(pattern, false).unwrap_err().is_empty(), "{pattern}");
        }
    }

    #[test]
    fn a_match_is_charged_by_what_the_expression_compiles_to() {
        let work = |pattern: &str| compiled(pattern, false).unwrap().work(1_000);
        assert_eq!(work("plain text"), 1_000);
        assert!(work("a.?{100}") > 20 * work("a.?"), "{} {}", work("a.?{100}"), work("a.?"));
        assert!(work(r"\p{L}") > 5 * work(r"[a-z]"));
    }

    #[test]
    fn plain_text_matches_as_an_expression_does() {
        for (pattern, text) in [("b c", "a b c d"), ("", ""), ("", "a"), ("ab", "ab"), ("ab", "abc"), ("é", "è")] {
            let regex = |whole: bool| match whole {
                true => Regex::new(&format!("\\A(?:{pattern})\\z")).unwrap(),
                false => Regex::new(pattern).unwrap(),
            };
            for whole in [true, false] {
                let found = compiled(pattern, whole).unwrap().is_match(text);
                assert_eq!(found, regex(whole).is_match(text), "{pattern:?} {text:?}");
            }
        }
    }
}
