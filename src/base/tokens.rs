//! The token engine `toolshape-tokens`, with this crate's error type.

pub(crate) use toolshape_tokens::{CountedText, is_mark, surely_fits};
pub use toolshape_tokens::{
    Counter, Encoding, LoadedEncoding, Pattern, Side, count_tokens, fits_tokens, truncate_to_tokens, truncation_reach,
};

use crate::base::error::{Error, ErrorCode};

fn invalid_call(error: toolshape_tokens::Error) -> Error {
    Error::new(ErrorCode::InvalidCall, error.message(), error.path())
}

/// The known names of encodings, for messages.
pub fn known_encodings() -> String {
    let names = Encoding::NAMES.map(|name| format!("{name:?}"));
    format!("{} or one that was loaded", names.join(", "))
}

/// The message that the vocabulary of an encoding is not loaded, and how to load it.
pub(crate) fn not_loaded(encoding: Encoding) -> String {
    let name = encoding.name();
    format!(
        "the vocabulary of {name} is not loaded: import \"toolshape/{name}\" in JavaScript, for cl100k_base after npm install toolshape-cl100k, or pass it to install_vocabulary"
    )
}

/// The encoding with this name, ready to count text.
///
/// # Errors
/// `INVALID_CALL` if no encoding has that name, or its vocabulary is not loaded.
///
/// ```
/// use toolshape::host::find_encoding;
/// use toolshape::Encoding;
/// assert_eq!(find_encoding("o200k_base")?, Encoding::O200kBase);
/// assert_eq!(find_encoding("gpt2").unwrap_err().path(), "/encoding");
/// # Ok::<(), toolshape::Error>(())
/// ```
pub fn find_encoding(name: &str) -> Result<Encoding, Error> {
    let encoding = known_encoding(name)?;
    let refuse = || Error::new(ErrorCode::InvalidCall, not_loaded(encoding), "/encoding");
    encoding.is_available().then_some(encoding).ok_or_else(refuse)
}

/// The encoding with this name, even if its vocabulary is not loaded.
pub fn known_encoding(name: &str) -> Result<Encoding, Error> {
    let message = || format!("encoding is {name:?}; it takes {}", known_encodings());
    Encoding::from_name(name).ok_or_else(|| Error::new(ErrorCode::InvalidCall, message(), "/encoding"))
}

/// The side of a text that `head` or `tail` names.
///
/// # Errors
/// `INVALID_CALL` for any other name.
pub fn find_side(name: &str) -> Result<Side, Error> {
    find("side", name, Side::NAMES)
}

/// The pattern of the encoding that `o200k_base` or `cl100k_base` names.
///
/// # Errors
/// `INVALID_CALL` for any other name.
pub fn find_pattern(name: &str) -> Result<Pattern, Error> {
    find("pattern", name, Pattern::NAMES)
}

fn find<T>(what: &str, name: &str, known: [(&str, T); 2]) -> Result<T, Error> {
    let takes = known.each_ref().map(|(name, _)| format!("{name:?}")).join(" or ");
    let found = known.into_iter().find(|(known, _)| *known == name);
    let refuse =
        || Error::new(ErrorCode::InvalidCall, format!("{what} is {name:?}; it takes {takes}"), format!("/{what}"));
    found.map(|(_, found)| found).ok_or_else(refuse)
}

/// The tokens of `text`; special tokens in it are ordinary text.
///
/// # Errors
/// `INVALID_CALL` if the encoding has no vocabulary.
///
/// ```
/// use toolshape::host::encode;
/// use toolshape::Encoding;
/// assert_eq!(encode("Hello, world!", Encoding::O200kBase)?, [13225, 11, 2375, 0]);
/// # Ok::<(), toolshape::Error>(())
/// ```
pub fn encode(text: &str, encoding: Encoding) -> Result<Vec<u32>, Error> {
    toolshape_tokens::encode(text, encoding).map_err(invalid_call)
}

/// The tokens of `text`; names such as `<|endoftext|>` become special tokens.
///
/// # Errors
/// `INVALID_CALL` if the encoding has no vocabulary.
///
/// ```
/// use toolshape::host::encode_with_special;
/// use toolshape::Encoding;
/// assert_eq!(encode_with_special("<|endoftext|>", Encoding::O200kBase)?, [199_999]);
/// # Ok::<(), toolshape::Error>(())
/// ```
pub fn encode_with_special(text: &str, encoding: Encoding) -> Result<Vec<u32>, Error> {
    toolshape_tokens::encode_with_special(text, encoding).map_err(invalid_call)
}

/// The text of `tokens`; an incomplete character at the end becomes U+FFFD.
///
/// # Errors
/// `INVALID_CALL` if one of them is not a token, or the encoding has no vocabulary.
///
/// ```
/// use toolshape::host::decode;
/// use toolshape::Encoding;
/// assert_eq!(decode(&[13225, 11, 2375, 0], Encoding::O200kBase)?, "Hello, world!");
/// # Ok::<(), toolshape::Error>(())
/// ```
pub fn decode(tokens: &[u32], encoding: Encoding) -> Result<String, Error> {
    toolshape_tokens::decode(tokens, encoding).map_err(invalid_call)
}

/// The bytes of `tokens`. The tokens of a whole text give UTF-8; some of its tokens may end inside a character.
///
/// # Errors
/// `INVALID_CALL` if one of them is not a token, or the encoding has no vocabulary.
///
/// ```
/// use toolshape::host::decode_bytes;
/// use toolshape::Encoding;
/// assert_eq!(decode_bytes(&[13225, 11, 2375, 0], Encoding::O200kBase)?, b"Hello, world!");
/// # Ok::<(), toolshape::Error>(())
/// ```
pub fn decode_bytes(tokens: &[u32], encoding: Encoding) -> Result<Vec<u8>, Error> {
    toolshape_tokens::decode_bytes(tokens, encoding).map_err(invalid_call)
}

/// Makes an encoding from a rank file in tiktoken's format: on each line a token in base64, a space and its rank.
/// Loading the same name again returns the loaded encoding.
///
/// # Errors
/// `INVALID_CALL` with the path of the argument: `/name` if it is empty or that of a built-in
/// encoding, `/ranks` if the file cannot be used.
///
/// ```
/// use toolshape::host::{Pattern, load_encoding};
/// let refused = load_encoding("mine", b"no ranks", Pattern::O200kBase);
/// assert_eq!(refused.unwrap_err().path(), "/ranks");
/// ```
pub fn load_encoding(name: &str, ranks: &[u8], pattern: Pattern) -> Result<Encoding, Error> {
    toolshape_tokens::load_encoding(name, ranks, pattern).map_err(invalid_call)
}

/// Installs the vocabulary of an encoding, in the packed form that the packages contain, where it is not embedded.
/// Installing it again changes nothing.
///
/// # Errors
/// `INVALID_CALL` if `packed` is not the packed vocabulary of `encoding`, or the encoding has none.
///
/// ```
/// use toolshape::host::install_vocabulary;
/// use toolshape::Encoding;
/// assert!(install_vocabulary(Encoding::Cl100kBase, b"junk").is_err());
/// ```
pub fn install_vocabulary(encoding: Encoding, packed: &[u8]) -> Result<(), Error> {
    toolshape_tokens::install_vocabulary(encoding, packed).map_err(invalid_call)
}
