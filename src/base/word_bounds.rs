//! Where words begin and end (Unicode UTS #18, Annex C): a word consists of letters, marks, digits and connectors.

use super::tokens::is_mark;

/// Whether a stretch of a text begins and ends at the boundary of a word, or next to what is in no word.
pub(crate) fn are_around(text: &str, from: usize, to: usize) -> bool {
    let (before, inside, after) = (text[..from].chars().next_back(), &text[from..to], text[to..].chars().next());
    let is_bound =
        |outer: Option<char>, inner: Option<char>| !(outer.is_some_and(is_of_word) && inner.is_some_and(is_of_word));
    is_bound(before, inside.chars().next()) && is_bound(after, inside.chars().next_back())
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric()
        || character == '_'
        || (!character.is_ascii() && (is_mark(character) || is_connector(character)))
}

fn is_connector(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}' | '\u{203f}' | '\u{2040}' | '\u{2054}')
        || matches!(character, '\u{fe33}' | '\u{fe34}' | '\u{fe4d}'..='\u{fe4f}' | '\u{ff3f}')
}
