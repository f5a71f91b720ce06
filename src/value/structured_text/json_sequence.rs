//! JSON values one after another, as `jq` and many loggers print them: with line breaks in them, blank lines between them, or
//! nothing, or a comma; or literals of Python.

use toolshape_text::python_literal::{self, AsJson};
use toolshape_text::rows::head::Head;

use crate::value::json_in_text::SharedJson;
use crate::value::json_text::JsonIndex;
use crate::value::source::MAX_DEPTH;

use super::structure::{Body, Skipped, Structure, TextFormat};

/// Fewer values are not evidence.
const VALUES: usize = 2;

/// Whether a text may begin so: a value that another one follows, or one that is longer than the head.
pub(super) fn may_begin(head: &Head<'_>, is_all: bool) -> bool {
    if !begins(head.text) {
        return false;
    }
    match next(head.text, 0) {
        Some((_, end)) => next(head.text, end).is_some() || !is_all,
        None => !is_all,
    }
}

fn begins(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// The next value, an object or a list, as JSON, and where it ends. A comma may be before all but the first.
fn next(text: &str, from: usize) -> Option<(Value<'_>, usize)> {
    let rest = text[from..].trim_start();
    let rest = if from > 0 { rest.strip_prefix(',').unwrap_or(rest).trim_start() } else { rest };
    if !rest.starts_with(['{', '[']) {
        return None;
    }
    let start = text.len() - rest.len();
    if let Ok(index) = JsonIndex::of_start(rest) {
        return Some((Value::Json(&rest[..index.end()]), start + index.end()));
    }
    let literal = python_literal::as_json(rest, MAX_DEPTH).ok()?;
    let end = start + literal.end;
    Some((Value::Literal(literal), end))
}

enum Value<'a> {
    Json(&'a str),
    Literal(AsJson),
}

/// The values of a text as a list; every one has to be whole.
pub(super) fn recognize(text: &str, head: &Head<'_>) -> Option<Structure> {
    if !begins(head.text) {
        return None;
    }
    let (mut json, mut count, mut at) = ("[".to_owned(), 0, 0);
    let (mut format, mut skipped) = (TextFormat::Json, Skipped::Nothing);
    while let Some((value, end)) = next(text, at) {
        if count > 0 {
            json.push(',');
        }
        match value {
            Value::Json(value) => json.push_str(value),
            Value::Literal(literal) => {
                format = if literal.is_python { TextFormat::Python } else { format };
                skipped = if literal.has_not_numbers { Skipped::NotNumbers } else { skipped };
                json.push_str(&literal.json);
            }
        }
        (count, at) = (count + 1, end);
    }
    if count < VALUES || !text[at..].trim_matches(|c: char| c == ',' || c.is_whitespace()).is_empty() {
        return None;
    }
    json.push(']');
    let body = Body::Literal(SharedJson::of(json)?);
    Some(Structure::of_all(format, skipped, body))
}
