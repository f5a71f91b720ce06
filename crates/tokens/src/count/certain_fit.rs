//! A cheap check whether a text is certainly within a limit, without counting.

use crate::Encoding;

/// Whether `text` has at most `limit` tokens for certain; false means unknown.
///
/// Every token has at least one byte. For a letter after a space more is known: the two begin a piece, and every such
/// pair is a token of both vocabularies, so the space or the letter is part of a longer token.
///
/// ```
/// use toolshape_tokens::{Encoding, surely_fits};
/// assert!(surely_fits("so few words", 10, Encoding::O200kBase));
/// assert!(!surely_fits("so few words", 9, Encoding::O200kBase));
/// ```
pub fn surely_fits(text: &str, limit: usize, encoding: Encoding) -> bool {
    let bytes = text.as_bytes();
    let words = || bytes.windows(2).filter(|pair| pair[0] == b' ' && pair[1].is_ascii_alphabetic()).count();
    match encoding {
        Encoding::Estimate => false,
        _ if bytes.len() <= limit => true,
        Encoding::O200kBase | Encoding::Cl100kBase => bytes.len() / 2 <= limit && bytes.len() - words() <= limit,
        Encoding::Loaded(_) => false,
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::count_tokens;
    use proptest::prelude::*;

    const BUILT_IN: [Encoding; 2] = [Encoding::O200kBase, Encoding::Cl100kBase];

    #[test]
    fn a_space_and_a_letter_are_one_token() {
        for letter in (b'A'..=b'Z').chain(b'a'..=b'z') {
            let pair = format!(" {}", char::from(letter));
            assert_eq!(BUILT_IN.map(|encoding| count_tokens(&pair, encoding)), [1, 1], "{pair:?}");
        }
    }

    proptest! {
        #[test]
        fn what_surely_fits_does(text in r#"([ \n]{0,3}[a-zA-Z]{0,3}[é语🙂'",.0-9\n \t]{0,2}){0,40}"#) {
            for encoding in BUILT_IN {
                let tokens = count_tokens(&text, encoding);
                prop_assert!(tokens == 0 || !surely_fits(&text, tokens - 1, encoding));
                prop_assert!(surely_fits(&text, text.len(), encoding));
            }
        }
    }
}
