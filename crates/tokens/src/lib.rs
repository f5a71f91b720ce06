//! Exact token counts, equal to those of OpenAI's `tiktoken`.
//!
//! For any text, the tokens are the same as those of `tiktoken`, in linear time, without recursion and without panics.
//! Special tokens in text are treated as ordinary text. Counts are not monotonic in length (`toke` is two tokens,
//! `token` one): the emitted text itself is counted; its count is never derived from a shorter or longer text.

#![forbid(unsafe_code)]

/// The example of the README, as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod base;
pub mod clusters;
mod count;
mod merging;
mod split;
mod vocabulary;

pub use base::error::Error;
pub use count::certain_fit::surely_fits;
pub use count::counted_text::CountedText;
pub use count::counter::Counter;
pub use count::encoding::{Encoding, install_vocabulary};
pub use count::loaded::{LoadedEncoding, load_encoding};
pub use count::truncate::{Side, truncate_to_tokens, truncation_reach};
pub use split::class::is_mark;
pub use split::pattern::Pattern;

use count::measure::MeasureMode;

/// How many tokens `text` has.
///
/// If the encoding has no vocabulary ([`Encoding::is_available`]), the result is the length in bytes, which no count
/// exceeds.
///
/// ```
/// use toolshape_tokens::{Encoding, count_tokens};
/// assert_eq!(count_tokens("Hello, world!", Encoding::O200kBase), 4);
/// ```
pub fn count_tokens(text: &str, encoding: Encoding) -> usize {
    fits_tokens(text, usize::MAX, encoding).unwrap_or(text.len())
}

/// The count of `text` if it is at most `limit` tokens, else `None`; stops as soon as the limit is exceeded.
///
/// ```
/// use toolshape_tokens::{Encoding, fits_tokens};
/// assert_eq!(fits_tokens("Hello, world!", 4, Encoding::O200kBase), Some(4));
/// assert_eq!(fits_tokens("Hello, world!", 3, Encoding::O200kBase), None);
/// ```
pub fn fits_tokens(text: &str, limit: usize, encoding: Encoding) -> Option<usize> {
    let measure = MeasureMode::of(encoding);
    measure.within(text, measure.units(limit)).map(|units| measure.tokens(units))
}

/// The tokens of `text`; special tokens in it are treated as ordinary text.
///
/// # Errors
/// If the encoding has no vocabulary.
///
/// ```
/// use toolshape_tokens::{Encoding, encode};
/// assert_eq!(encode("Hello, world!", Encoding::O200kBase)?, [13225, 11, 2375, 0]);
/// # Ok::<(), toolshape_tokens::Error>(())
/// ```
pub fn encode(text: &str, encoding: Encoding) -> Result<Vec<u32>, Error> {
    let tokenizer = encoding.tokenizer().ok_or_else(|| no_vocabulary(encoding))?;
    let mut tokens = Vec::new();
    tokenizer.encode(text, &mut tokens);
    Ok(tokens)
}

/// The tokens of `text`, with names such as `<|endoftext|>` encoded as special tokens.
///
/// # Errors
/// If the encoding has no vocabulary.
///
/// ```
/// use toolshape_tokens::{Encoding, encode_with_special};
/// assert_eq!(encode_with_special("<|endoftext|>", Encoding::O200kBase)?, [199_999]);
/// # Ok::<(), toolshape_tokens::Error>(())
/// ```
pub fn encode_with_special(text: &str, encoding: Encoding) -> Result<Vec<u32>, Error> {
    let tokenizer = encoding.tokenizer().ok_or_else(|| no_vocabulary(encoding))?;
    let mut tokens = Vec::new();
    tokenizer.encode_with_special(text, &mut tokens);
    Ok(tokens)
}

/// The text of `tokens`; a partial character at a token boundary becomes U+FFFD.
///
/// # Errors
/// If one of them is not a token, or the encoding has no vocabulary.
///
/// ```
/// use toolshape_tokens::{Encoding, decode};
/// assert_eq!(decode(&[13225, 11, 2375, 0], Encoding::O200kBase)?, "Hello, world!");
/// # Ok::<(), toolshape_tokens::Error>(())
/// ```
pub fn decode(tokens: &[u32], encoding: Encoding) -> Result<String, Error> {
    let bytes = decode_bytes(tokens, encoding)?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// The bytes of `tokens`. They are UTF-8 if the tokens are those of a complete text; otherwise they may end inside a
/// character.
///
/// # Errors
/// If one of them is not a token, or the encoding has no vocabulary.
///
/// ```
/// use toolshape_tokens::{Encoding, decode_bytes};
/// assert_eq!(decode_bytes(&[13225, 11, 2375, 0], Encoding::O200kBase)?, b"Hello, world!");
/// # Ok::<(), toolshape_tokens::Error>(())
/// ```
pub fn decode_bytes(tokens: &[u32], encoding: Encoding) -> Result<Vec<u8>, Error> {
    let tokenizer = encoding.tokenizer().ok_or_else(|| no_vocabulary(encoding))?;
    tokenizer
        .decode(tokens)
        .map_err(|token| Error::new(format!("{token} is not a token of {}", encoding.name()), "/tokens"))
}

fn no_vocabulary(encoding: Encoding) -> Error {
    let message = match encoding {
        Encoding::Estimate => "the estimate has no tokens: choose o200k_base or cl100k_base".into(),
        _ => format!("the vocabulary of {} is not here: install it first", encoding.name()),
    };
    Error::new(message, "/encoding")
}
