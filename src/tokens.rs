//! The token engine, `toolshape-tokens`, with this crate's one type of error.

pub(crate) use toolshape_tokens::{Category, Part};
pub use toolshape_tokens::{
    Counter, Encoding, LoadedEncoding, Pattern, Side, count_tokens, fits_tokens, truncate_to_tokens, truncation_reach,
};

use crate::{Error, ErrorCode};

impl From<toolshape_tokens::Error> for Error {
    fn from(error: toolshape_tokens::Error) -> Self {
        Self::new(ErrorCode::InvalidCall, error.message(), error.path())
    }
}

/// The tokens of `text`; special tokens in it are ordinary text.
///
/// # Errors
/// `INVALID_CALL` if the encoding has no vocabulary.
///
/// ```
/// use toolshape::{Encoding, encode};
/// assert_eq!(encode("Hello, world!", Encoding::O200kBase)?, [13225, 11, 2375, 0]);
/// # Ok::<(), toolshape::Error>(())
/// ```
pub fn encode(text: &str, encoding: Encoding) -> Result<Vec<u32>, Error> {
    Ok(toolshape_tokens::encode(text, encoding)?)
}

/// The tokens of `text`, in which names such as `<|endoftext|>` are the special tokens they name.
///
/// # Errors
/// `INVALID_CALL` if the encoding has no vocabulary.
///
/// ```
/// use toolshape::{Encoding, encode_with_special};
/// assert_eq!(encode_with_special("<|endoftext|>", Encoding::O200kBase)?, [199_999]);
/// # Ok::<(), toolshape::Error>(())
/// ```
pub fn encode_with_special(text: &str, encoding: Encoding) -> Result<Vec<u32>, Error> {
    Ok(toolshape_tokens::encode_with_special(text, encoding)?)
}

/// The text that `tokens` stand for; where they end inside a character, U+FFFD stands in its place.
///
/// # Errors
/// `INVALID_CALL` if one of them is no token, or the encoding has no vocabulary.
///
/// ```
/// use toolshape::{Encoding, decode};
/// assert_eq!(decode(&[13225, 11, 2375, 0], Encoding::O200kBase)?, "Hello, world!");
/// # Ok::<(), toolshape::Error>(())
/// ```
pub fn decode(tokens: &[u32], encoding: Encoding) -> Result<String, Error> {
    Ok(toolshape_tokens::decode(tokens, encoding)?)
}

/// The bytes that `tokens` stand for. They are UTF-8 if the tokens are those of a text; a part of
/// them may end inside a character.
///
/// # Errors
/// `INVALID_CALL` if one of them is no token, or the encoding has no vocabulary.
///
/// ```
/// use toolshape::{Encoding, decode_bytes};
/// assert_eq!(decode_bytes(&[13225, 11, 2375, 0], Encoding::O200kBase)?, b"Hello, world!");
/// # Ok::<(), toolshape::Error>(())
/// ```
pub fn decode_bytes(tokens: &[u32], encoding: Encoding) -> Result<Vec<u8>, Error> {
    Ok(toolshape_tokens::decode_bytes(tokens, encoding)?)
}

/// Makes an encoding from a rank file in tiktoken's format: on each line a token in base64, a space
/// and its rank. Loading the same name again answers the encoding that is there.
///
/// # Errors
/// `INVALID_CALL` with the path of the argument: `/name` if it is empty or that of a built-in
/// encoding, `/ranks` if the file cannot be used.
///
/// ```
/// use toolshape::{Pattern, load_encoding};
/// let refused = load_encoding("mine", b"no ranks", Pattern::O200kBase);
/// assert_eq!(refused.unwrap_err().path(), "/ranks");
/// ```
pub fn load_encoding(name: &str, ranks: &[u8], pattern: Pattern) -> Result<Encoding, Error> {
    Ok(toolshape_tokens::load_encoding(name, ranks, pattern)?)
}

/// Gives an encoding its vocabulary, in the packed form that the packages carry, where it is not
/// embedded. Installing it again changes nothing.
///
/// # Errors
/// `INVALID_CALL` if `packed` is not the packed vocabulary of `encoding`, or the encoding has none.
///
/// ```
/// use toolshape::{Encoding, install_vocabulary};
/// assert!(install_vocabulary(Encoding::Cl100kBase, b"junk").is_err());
/// ```
pub fn install_vocabulary(encoding: Encoding, packed: &[u8]) -> Result<(), Error> {
    Ok(toolshape_tokens::install_vocabulary(encoding, packed)?)
}
