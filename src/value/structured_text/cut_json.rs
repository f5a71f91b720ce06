//! JSON whose end is missing, as programs cut it that count bytes, or that has a comma before its end: what is whole is read.

use toolshape_json::JsonFault;
use toolshape_text::rows::head::Head;

use crate::value::json_in_text::{SharedJson, begins_data};
use crate::value::json_text::JsonIndex;

use super::structure::{Body, Skipped, Structure, TextFormat};

/// A longer text is not read: what is whole is copied.
const MOST_BYTES: usize = 1 << 22;
/// The longest sentence that says that the text is cut.
const MOST_AFTER: usize = 200;

/// What is whole of JSON that ends inside a value; at least half of the text must be.
pub(super) fn recognize(text: &str, head: &Head<'_>) -> Option<Structure> {
    if !begins_data(head.text) || text.len() > MOST_BYTES {
        return None;
    }
    let Err(JsonFault::At(stopped, _)) = JsonIndex::of_start(text) else { return None };
    let mut open: Vec<char> = Vec::new();
    // Where the last whole value ends, and how many values are open around it.
    let mut whole = (0, 0);
    let mut is_in_string = false;
    let mut is_escaped = false;
    for (at, byte) in text.as_bytes()[..stopped].iter().enumerate() {
        if is_in_string {
            is_in_string = *byte != b'"' || is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            continue;
        }
        match byte {
            b'"' => is_in_string = true,
            b'{' => open.push('}'),
            b'[' => open.push(']'),
            b'}' | b']' => {
                open.pop();
                whole = (at + 1, open.len());
            }
            b',' => whole = (at, open.len()),
            _ => {}
        }
    }
    let (end, depth) = whole;
    // An error elsewhere is not a cut.
    let is_cut = is_in_string || text.len() - stopped <= MOST_AFTER;
    if !is_cut || depth == 0 || end * 2 < text.len() {
        return None;
    }
    let closed: String = open[..depth].iter().rev().collect();
    let body = Body::Literal(SharedJson::of(text[..end].to_owned() + &closed)?);
    // Nothing is missing where a comma is before the closing brackets.
    let rest: String = text[end..].chars().filter(|c| !c.is_whitespace() && *c != ',').collect();
    let is_cut = rest != closed;
    let after = if is_cut { end..text.len() } else { text.len()..text.len() };
    Some(Structure { after, is_cut, ..Structure::of_all(TextFormat::Json, Skipped::Nothing, body) })
}
