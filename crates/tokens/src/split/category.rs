//! The Unicode categories that the table of classes distinguishes, as ranges of code points.

use crate::split::class::{self, LOWER, MARK, NUMBER, UPPER, is_letter};

/// A general category of Unicode, or a group of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    Letter,
    Uppercase,
    Lowercase,
    Titlecase,
    Mark,
    Number,
    Separator,
}

impl Category {
    /// The names of the categories.
    pub const NAMES: [&str; 7] = ["L", "Lu", "Ll", "Lt", "M", "N", "Z"];

    /// The category with a name of [`NAMES`](Self::NAMES).
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [
            Self::Letter,
            Self::Uppercase,
            Self::Lowercase,
            Self::Titlecase,
            Self::Mark,
            Self::Number,
            Self::Separator,
        ];
        Self::NAMES.iter().position(|known| *known == name).map(|at| all[at])
    }

    /// The code points of the category, or of all others; both ends belong to a range.
    pub fn ranges(self, negated: bool) -> Vec<(u32, u32)> {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for character in '\0'..=char::MAX {
            if self.holds(character) == negated {
                continue;
            }
            let code = u32::from(character);
            match ranges.last_mut() {
                Some((_, end)) if *end + 1 == code => *end = code,
                _ => ranges.push((code, code)),
            }
        }
        ranges
    }

    /// Whether a character is of the category.
    pub fn holds(self, character: char) -> bool {
        let class = class::of(character.into());
        match self {
            Self::Letter => is_letter(class),
            Self::Uppercase => class == UPPER && !is_titlecase(character),
            Self::Titlecase => is_titlecase(character),
            Self::Lowercase => class == LOWER,
            Self::Mark => class == MARK,
            Self::Number => class == NUMBER,
            Self::Separator => character.is_whitespace() && !character.is_control(),
        }
    }
}

/// The 31 letters of category Lt, which the table treats as upper case; Unicode has never added a letter to them.
fn is_titlecase(character: char) -> bool {
    matches!(
        character,
        '\u{1c5}' | '\u{1c8}' | '\u{1cb}' | '\u{1f2}' | '\u{1f88}'..='\u{1f8f}' | '\u{1f98}'..='\u{1f9f}'
            | '\u{1fa8}'..='\u{1faf}' | '\u{1fbc}' | '\u{1fcc}' | '\u{1ffc}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the data of Unicode 16 has it.
    #[test]
    fn separators_are_spaces_and_the_ends_of_lines_and_paragraphs() {
        let separators =
            [(0x20, 0x20), (0xa0, 0xa0), (0x1680, 0x1680), (0x2000, 0x200a), (0x2028, 0x2029), (0x202f, 0x202f)];
        let wanted = separators.into_iter().chain([(0x205f, 0x205f), (0x3000, 0x3000)]);
        assert_eq!(Category::Separator.ranges(false), wanted.collect::<Vec<_>>());
    }

    #[test]
    fn a_character_is_of_its_category_and_of_no_other() {
        let all = Category::NAMES.map(|name| Category::from_name(name).unwrap());
        for (character, names) in [
            ('A', &["L", "Lu"][..]),
            ('é', &["L", "Ll"]),
            ('\u{1c5}', &["L", "Lt"]),
            ('中', &["L"]),
            ('\u{301}', &["M"]),
            ('½', &["N"]),
            ('\u{2028}', &["Z"]),
            ('\n', &[]),
            ('-', &[]),
        ] {
            let of = all.iter().zip(Category::NAMES).filter(|(category, _)| category.holds(character));
            assert_eq!(of.map(|(_, name)| name).collect::<Vec<_>>(), names, "{character:?}");
        }
    }
}
