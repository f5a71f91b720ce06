//! The token engine. A list of tokens is a part with numbers of 32 bits, little-endian.

use serde_json::{Value, json};
use toolshape::host::{
    count_tokens, decode_bytes, encode_with_special, find_encoding, find_side, fits_tokens, truncate_to_tokens,
};
use toolshape::{Encoding, Error, ErrorCode};

use crate::messages::writer::PartWriter;
use crate::request::Request;

/// The bytes of a token in a part.
const TOKEN: usize = 4;

pub fn count(request: &Request<'_>, _: &mut PartWriter) -> Result<Value, Error> {
    Ok(json!(count_tokens(request.text("text")?, encoding(request)?)))
}

/// The count if it is at most the limit, or null.
pub fn fits(request: &Request<'_>, _: &mut PartWriter) -> Result<Value, Error> {
    Ok(json!(fits_tokens(request.text("text")?, request.number("limit")? as usize, encoding(request)?)))
}

pub fn truncate(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let side = find_side(request.optional_string("side")?.as_deref().unwrap_or("head"))?;
    let kept = truncate_to_tokens(request.text("text")?, request.number("limit")? as usize, encoding(request)?, side);
    Ok(writer.part(kept))
}

pub fn encode(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let encode = if request.flag("special")? { encode_with_special } else { toolshape::host::encode };
    let tokens = encode(request.text("text")?, encoding(request)?)?;
    Ok(writer.part(tokens.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>()))
}

/// The bytes of tokens, which may end inside a character.
pub fn decode(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let (tokens, rest) = request.bytes("tokens")?.as_chunks::<TOKEN>();
    if !rest.is_empty() {
        return Err(Error::new(ErrorCode::InvalidCall, "tokens must be numbers of four bytes", "/tokens"));
    }
    let tokens: Vec<u32> = tokens.iter().map(|token| u32::from_le_bytes(*token)).collect();
    Ok(writer.part(decode_bytes(&tokens, encoding(request)?)?))
}

fn encoding(request: &Request<'_>) -> Result<Encoding, Error> {
    find_encoding(&request.string("encoding")?)
}
