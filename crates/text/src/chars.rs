//! Where a character begins.

/// The last character boundary at or before byte `at`.
pub fn floor_char(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The byte at which character `index` begins; the length if there are fewer.
pub fn offset(text: &str, index: usize) -> usize {
    // No character takes less than a byte.
    let Some(last) = index.checked_sub(1).filter(|_| index < text.len()) else { return index.min(text.len()) };
    let mut chars = text.chars();
    chars.nth(last);
    text.len() - chars.as_str().len()
}

/// Whether texts differ in their white space alone.
pub fn are_same_words(one: &str, other: &str) -> bool {
    let is_letter = |letter: &char| !letter.is_whitespace();
    one.chars().filter(is_letter).eq(other.chars().filter(is_letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_begin_where_their_index_says() {
        for text in ["", "a", "aö€🙂b", "öö"] {
            for index in 0..8 {
                let begins = text.char_indices().nth(index).map_or(text.len(), |(at, _)| at);
                assert_eq!(offset(text, index), begins, "{text:?} {index}");
            }
            (0..20).for_each(|at| assert!(text.is_char_boundary(floor_char(text, at))));
        }
    }
}
