//! Shapes the output of MCP tools so that it never floods a model's context.
#![forbid(unsafe_code)]

mod error;
mod tokens;

pub use error::{Error, ErrorCode};
pub use tokens::{
    Counter, Encoding, LoadedEncoding, Pattern, Side, count_tokens, decode, encode,
    encode_with_special, fits_tokens, install_vocabulary, load_encoding, truncate_to_tokens,
};
