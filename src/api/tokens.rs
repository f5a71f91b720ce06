//! Token counts in the default encoding, `o200k_base`. For other encodings and for the tokens themselves there is the crate
//! `toolshape-tokens`.

use crate::base::tokens::{self, Encoding, Side};

/// The number of tokens of `text` in `o200k_base`, exactly as OpenAI's `tiktoken` counts.
///
/// It requires the feature `o200k`, which embeds the vocabulary.
///
/// ```
/// assert_eq!(toolshape::count_tokens("Hello, world!"), 4);
/// ```
pub fn count_tokens(text: &str) -> usize {
    tokens::count_tokens(text, Encoding::O200kBase)
}

/// The number of tokens of `text` in `o200k_base` if it is at most `limit`; stops as soon as the limit is exceeded.
///
/// It requires the feature `o200k`.
///
/// ```
/// assert_eq!(toolshape::fits_tokens("Hello, world!", 4), Some(4));
/// assert_eq!(toolshape::fits_tokens("Hello, world!", 3), None);
/// ```
pub fn fits_tokens(text: &str, limit: usize) -> Option<usize> {
    tokens::fits_tokens(text, limit, Encoding::O200kBase)
}

/// The longest start of `text` that is at most `limit` tokens of `o200k_base`, cut between characters as people see them.
///
/// It requires the feature `o200k`.
///
/// ```
/// assert_eq!(toolshape::truncate_to_tokens("Hello, world!", 2), "Hello,");
/// ```
pub fn truncate_to_tokens(text: &str, limit: usize) -> &str {
    tokens::truncate_to_tokens(text, limit, Encoding::O200kBase, Side::Head)
}
