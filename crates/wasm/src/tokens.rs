//! The functions of the token engine. Encodings have handles, so that a short text needs no look-up of a name.

use std::cell::RefCell;

use js_sys::{JsString, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::outcome::{fault, outcome};
use toolshape::{Encoding, Error};

/// The most bytes of a short text: those of `SHORT_UNITS` in `core.ts`, if each unit takes three.
const SHORT_BYTES: usize = 3 * 4096;

thread_local! {
    /// The encodings in use, by their handles.
    static ENCODINGS: RefCell<Vec<Encoding>> = const { RefCell::new(Vec::new()) };
    /// Where the host writes short texts: to allocate memory for one, and to free it, would take a good part of the time that
    /// it takes to count it.
    static SHORT_TEXT: RefCell<[u8; SHORT_BYTES]> = const { RefCell::new([0; SHORT_BYTES]) };
}

/// The handle of an encoding, if text can be counted in it.
#[wasm_bindgen]
pub fn encoding(name: &str) -> JsValue {
    outcome(toolshape::host::find_encoding(name).map(|encoding| {
        ENCODINGS.with_borrow_mut(|encodings| {
            encodings.push(encoding);
            encodings.len() - 1
        })
    }))
}

/// How many tokens a text has.
#[wasm_bindgen(js_name = countTokens)]
pub fn count_tokens(text: &str, encoding: usize) -> usize {
    toolshape::host::count_tokens(text, find(encoding))
}

/// The address in memory where the host writes a short text, of at most 12 KiB, for [`count_short`] and `passText`.
#[wasm_bindgen(js_name = shortText)]
pub fn short_text() -> *const u8 {
    SHORT_TEXT.with(|text| text.as_ptr().cast_const().cast())
}

/// How many tokens the text at [`short_text`] has, of `len` bytes.
#[wasm_bindgen(js_name = countShort)]
pub fn count_short(len: usize, encoding: usize) -> usize {
    of_short(len, |text| count_tokens(text, encoding))
}

/// Asks about the text at [`short_text`]; what is asked must not run code of the host.
pub(super) fn of_short<T>(len: usize, ask: impl FnOnce(&str) -> T) -> T {
    SHORT_TEXT.with_borrow(|bytes| {
        let text = bytes.get(..len).and_then(|text| std::str::from_utf8(text).ok());
        ask(text.unwrap_throw())
    })
}

/// The count if it is at most `limit`; a text that is too long by its length alone is not copied in.
#[wasm_bindgen(js_name = fitsTokens)]
pub fn fits_tokens(text: &JsString, limit: usize, encoding: usize) -> Option<usize> {
    let encoding = find(encoding);
    if text.length() as usize > encoding.most_bytes(limit) {
        return None;
    }
    toolshape::host::fits_tokens(&String::from(text), limit, encoding)
}

/// The length in UTF-16 units of the part of a text that is within `limit` tokens; only as much as can fit is copied
/// in.
#[wasm_bindgen(js_name = truncatedLength)]
pub fn truncated_length(text: &JsString, limit: usize, encoding: usize, side: &str) -> JsValue {
    let length = |side| {
        let (encoding, whole) = (find(encoding), text.length());
        let reach = u32::try_from(toolshape::host::truncation_reach(limit, encoding)).unwrap_or(u32::MAX);
        let seen = match side {
            toolshape::Side::Head => text.slice(0, reach),
            toolshape::Side::Tail => text.slice(whole.saturating_sub(reach), whole),
        };
        toolshape::host::truncate_to_tokens(&String::from(seen), limit, encoding, side).encode_utf16().count()
    };
    outcome(toolshape::host::find_side(side).map(length))
}

/// The tokens of a text; if `special` is true, names such as `<|endoftext|>` become their special tokens.
#[wasm_bindgen]
pub fn encode(text: &str, encoding: usize, special: bool) -> JsValue {
    let encode = if special { toolshape::host::encode_with_special } else { toolshape::host::encode };
    typed(encode(text, find(encoding)).map(|tokens| Uint32Array::from(&tokens[..])))
}

/// The text of tokens.
#[wasm_bindgen]
pub fn decode(tokens: &[u32], encoding: usize) -> JsValue {
    typed(toolshape::host::decode(tokens, find(encoding)))
}

/// The bytes of tokens.
#[wasm_bindgen(js_name = decodeBytes)]
pub fn decode_bytes(tokens: &[u32], encoding: usize) -> JsValue {
    typed(toolshape::host::decode_bytes(tokens, find(encoding)).map(|bytes| Uint8Array::from(&bytes[..])))
}

/// A result that JavaScript can use as it is, or a fault.
fn typed(result: Result<impl Into<JsValue>, Error>) -> JsValue {
    result.map_or_else(fault, Into::into)
}

fn find(encoding: usize) -> Encoding {
    ENCODINGS.with_borrow(|encodings| encodings.get(encoding).copied()).unwrap_throw()
}
