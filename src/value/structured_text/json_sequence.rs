//! JSON values one after another, as `jq` and many loggers print them: with line breaks in them, blank lines between them, or
//! nothing.

use toolshape_text::rows::head::Head;

use crate::value::json_in_text::{SharedJson, begins_data};
use crate::value::json_text::JsonIndex;

use super::structure::{Body, Skipped, Structure, TextFormat};

/// Fewer values are not evidence.
const VALUES: usize = 2;

/// Whether a text may begin so: a value that another one follows, or one that is longer than the head.
pub(super) fn may_begin(head: &Head<'_>, is_all: bool) -> bool {
    if !begins_data(head.text) {
        return false;
    }
    match next(head.text, 0) {
        Some((_, end)) => next(head.text, end).is_some() || !is_all,
        None => !is_all,
    }
}

/// The span of the next value, an object or a list.
fn next(text: &str, from: usize) -> Option<(usize, usize)> {
    let start = text.len() - text[from..].trim_start().len();
    let rest = &text[start..];
    if !rest.starts_with(['{', '[']) {
        return None;
    }
    JsonIndex::of_start(rest).ok().map(|index| (start, start + index.end()))
}

/// The values of a text as a list; every one has to be whole.
pub(super) fn recognize(text: &str, head: &Head<'_>) -> Option<Structure> {
    if !begins_data(head.text) {
        return None;
    }
    let (mut json, mut count, mut at) = ("[".to_owned(), 0, 0);
    while let Some((start, end)) = next(text, at) {
        if count > 0 {
            json.push(',');
        }
        json.push_str(&text[start..end]);
        (count, at) = (count + 1, end);
    }
    if count < VALUES || !text[at..].trim().is_empty() {
        return None;
    }
    json.push(']');
    let body = Body::Literal(SharedJson::of(json)?);
    Some(Structure::of_all(TextFormat::Json, Skipped::Nothing, body))
}
