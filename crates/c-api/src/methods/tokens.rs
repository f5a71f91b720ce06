//! Tokens, and the vocabularies that a host hands in. A list of tokens is a part: numbers of 32 bits, little-endian.

use serde_json::{Value, json};
use toolshape::host::{
    decode_bytes, encode, encode_with_special, find_encoding, find_pattern, find_side, install_vocabulary,
    load_encoding,
};
use toolshape::{Encoding, Error, ErrorCode, count_tokens, fits_tokens, truncate_to_tokens};

use super::{Method, method};
use crate::answer::Answer;
use crate::request::Request;

pub const METHODS: &[Method] = &[
    method("countTokens", &["text", "encoding"], count),
    method("fitsTokens", &["text", "limit", "encoding"], fits),
    method("truncateToTokens", &["text", "limit", "encoding", "side"], truncate),
    method("encode", &["text", "encoding", "special"], tokens),
    method("decode", &["tokens", "encoding"], bytes),
    method("installVocabulary", &["encoding", "packed"], install),
    method("loadEncoding", &["name", "ranks", "pattern"], load),
];

/// The bytes of a token in a part.
const TOKEN: usize = 4;

fn count(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(json!(count_tokens(request.text("text")?, encoding(request)?)))
}

/// The count if it is at most the limit, or null.
fn fits(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(json!(fits_tokens(request.text("text")?, request.number("limit")? as usize, encoding(request)?)))
}

fn truncate(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let side = find_side(request.optional_string("side")?.as_deref().unwrap_or("head"))?;
    let kept = truncate_to_tokens(request.text("text")?, request.number("limit")? as usize, encoding(request)?, side);
    Ok(answer.part(kept))
}

fn tokens(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let encode = if request.flag("special")? { encode_with_special } else { encode };
    let tokens = encode(request.text("text")?, encoding(request)?)?;
    Ok(answer.part(tokens.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>()))
}

/// The bytes of tokens, which may end within a character.
fn bytes(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (tokens, rest) = request.bytes("tokens")?.as_chunks::<TOKEN>();
    if !rest.is_empty() {
        return Err(Error::new(ErrorCode::InvalidCall, "tokens are numbers of four bytes", "/tokens"));
    }
    let tokens: Vec<u32> = tokens.iter().map(|token| u32::from_le_bytes(*token)).collect();
    Ok(answer.part(decode_bytes(&tokens, encoding(request)?)?))
}

fn install(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let name = request.string("encoding")?;
    let unknown = || Error::new(ErrorCode::InvalidCall, format!("there is no encoding {name:?}"), "/encoding");
    let encoding = Encoding::from_name(&name).ok_or_else(unknown)?;
    install_vocabulary(encoding, request.bytes("packed")?).map(|()| Value::Null)
}

fn load(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let pattern = find_pattern(&request.string("pattern")?)?;
    load_encoding(&request.string("name")?, request.bytes("ranks")?, pattern).map(|_| Value::Null)
}

fn encoding(request: &Request<'_>) -> Result<Encoding, Error> {
    find_encoding(&request.string("encoding")?)
}
