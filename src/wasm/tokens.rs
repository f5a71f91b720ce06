//! The token engine's calls. Encodings go by handles, so that a short text costs no look-up of a name.

use std::cell::{Cell, RefCell};

use js_sys::{JsString, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::outcome;
use crate::base::tokens::known_encoding;
use crate::{Encoding, Error};

thread_local! {
    /// The encodings that were asked for, by their handles.
    static ENCODINGS: RefCell<Vec<Encoding>> = const { RefCell::new(Vec::new()) };
    /// Where the host writes short texts: to make room for one would take longer than to count it.
    static SHORT_TEXT: Cell<[u8; 48]> = const { Cell::new([0; 48]) };
}

/// The handle of an encoding that text can be counted in.
#[wasm_bindgen]
pub fn encoding(name: &str) -> JsValue {
    outcome(crate::find_encoding(name).map(|encoding| {
        ENCODINGS.with_borrow_mut(|encodings| {
            encodings.push(encoding);
            encodings.len() - 1
        })
    }))
}

/// How many tokens a text has.
#[wasm_bindgen(js_name = countTokens)]
pub fn count_tokens(text: &str, encoding: usize) -> usize {
    crate::count_tokens(text, find(encoding))
}

/// Where in memory the host writes a text of at most 48 bytes for [`count_short`].
#[wasm_bindgen(js_name = shortText)]
pub fn short_text() -> *const u8 {
    SHORT_TEXT.with(|text| text.as_ptr().cast_const().cast())
}

/// How many tokens the text has of which so many bytes stand at [`short_text`].
#[wasm_bindgen(js_name = countShort)]
pub fn count_short(len: usize, encoding: usize) -> usize {
    let bytes = SHORT_TEXT.get();
    let text = bytes.get(..len).and_then(|text| std::str::from_utf8(text).ok());
    count_tokens(text.unwrap_throw(), encoding)
}

/// The count if it is at most `limit`; a text that is over by its length alone is not copied in.
#[wasm_bindgen(js_name = fitsTokens)]
pub fn fits_tokens(text: &JsString, limit: usize, encoding: usize) -> Option<usize> {
    let encoding = find(encoding);
    if text.length() as usize > encoding.most_bytes(limit) {
        return None;
    }
    crate::fits_tokens(&String::from(text), limit, encoding)
}

/// The length in UTF-16 units of the part of a text that is within `limit` tokens; no more is copied in than may be.
#[wasm_bindgen(js_name = truncatedLength)]
pub fn truncated_length(text: &JsString, limit: usize, encoding: usize, side: &str) -> JsValue {
    let length = |side| {
        let (encoding, whole) = (find(encoding), text.length());
        let reach = u32::try_from(crate::truncation_reach(limit, encoding)).unwrap_or(u32::MAX);
        let seen = match side {
            crate::Side::Head => text.slice(0, reach),
            crate::Side::Tail => text.slice(whole.saturating_sub(reach), whole),
        };
        crate::truncate_to_tokens(&String::from(seen), limit, encoding, side).encode_utf16().count()
    };
    outcome(crate::find_side(side).map(length))
}

/// The tokens of a text; where `special` is true, names such as `<|endoftext|>` are those they name.
#[wasm_bindgen]
pub fn encode(text: &str, encoding: usize, special: bool) -> JsValue {
    let encode = if special { crate::encode_with_special } else { crate::encode };
    typed(encode(text, find(encoding)).map(|tokens| Uint32Array::from(&tokens[..])))
}

/// The text that tokens stand for.
#[wasm_bindgen]
pub fn decode(tokens: &[u32], encoding: usize) -> JsValue {
    typed(crate::decode(tokens, find(encoding)))
}

/// The bytes that tokens stand for.
#[wasm_bindgen(js_name = decodeBytes)]
pub fn decode_bytes(tokens: &[u32], encoding: usize) -> JsValue {
    typed(crate::decode_bytes(tokens, find(encoding)).map(|bytes| Uint8Array::from(&bytes[..])))
}

/// Gives an encoding its vocabulary, in packed form.
#[wasm_bindgen(js_name = installVocabulary)]
pub fn install_vocabulary(encoding: &str, packed: &[u8]) -> JsValue {
    outcome(known_encoding(encoding).and_then(|encoding| crate::install_vocabulary(encoding, packed)))
}

/// Makes an encoding from a rank file.
#[wasm_bindgen(js_name = loadEncoding)]
pub fn load_encoding(name: &str, ranks: &[u8], pattern: &str) -> JsValue {
    outcome(crate::find_pattern(pattern).and_then(|pattern| crate::load_encoding(name, ranks, pattern)).map(|_| ()))
}

/// What needs no other form on its way out, or a fault.
fn typed(result: Result<impl Into<JsValue>, Error>) -> JsValue {
    match result {
        Ok(value) => value.into(),
        Err(error) => outcome::<()>(Err(error)),
    }
}

fn find(encoding: usize) -> Encoding {
    ENCODINGS.with_borrow(|encodings| encodings.get(encoding).copied()).unwrap_throw()
}
