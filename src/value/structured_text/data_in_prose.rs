//! Data with a little prose around it: the one object or list that is most of a text, as JSON or as a literal of Python.
//!
//! A bracket is read on from as far as it can be, and what was read is not read again: the texts of a hostile server take
//! one pass like any other.

use toolshape_json::JsonFault;
use toolshape_text::python_literal::{self, AsJson};
use toolshape_text::rows::head::HEAD;

use crate::value::json_in_text::SharedJson;
use crate::value::json_text::JsonIndex;
use crate::value::source::MAX_DEPTH;

use super::structure::{Body, Structure, TextFormat};

/// The text around the data takes at most 1/n of the whole: with more of it the text is prose.
const AROUND: usize = 5;

/// What is at a bracket.
enum BracketContent {
    Json(JsonIndex),
    Literal(AsJson),
    /// Nothing; reading stopped there.
    Nothing(usize),
}

/// Whether a text may begin so; `is_all` says whether `head` is all of it.
pub(super) fn may_begin(head: &str, is_all: bool) -> bool {
    if is_all {
        return recognize(head).is_some();
    }
    let mut at = 0;
    while let Some(start) = bracket(head, at) {
        at = start + read(head, start).end().max(1);
        // An escape or a word is not longer: a start that stops this near its end may go on as it begins.
        if at + 10 >= head.len() {
            return true;
        }
    }
    false
}

/// The structure of a text that is mostly one value, which begins in its head: for more prose few results have room.
pub(super) fn recognize(text: &str) -> Option<Structure> {
    let (mut at, last) = (0, (text.len() / AROUND).min(HEAD));
    while let Some(start) = bracket(text, at).filter(|start| *start <= last) {
        let found = read(text, start);
        let end = start + found.end().max(1);
        if (end - start) * AROUND >= text.len() * (AROUND - 1) {
            let (format, body) = match found {
                BracketContent::Json(index) => (TextFormat::Json, Body::Json(start..end, index)),
                BracketContent::Literal(literal) => {
                    let format = if literal.is_python { TextFormat::Python } else { TextFormat::Json };
                    (format, Body::Literal(SharedJson::of(literal.json)?))
                }
                BracketContent::Nothing(_) => return None,
            };
            return Some(Structure { format, before: 0..start, after: end..text.len(), is_cut: false, body });
        }
        at = end;
    }
    None
}

/// The next bracket at which a value may begin. Parentheses in prose are not tuples, but a text may be one.
fn bracket(text: &str, from: usize) -> Option<usize> {
    let is_tuple = from == 0 && text.trim_start().starts_with('(');
    let start = if is_tuple { text.find('(') } else { None };
    start.or_else(|| memchr::memchr2(b'[', b'{', &text.as_bytes()[from..]).map(|at| from + at))
}

fn read(text: &str, start: usize) -> BracketContent {
    let rest = &text[start..];
    let stopped = match JsonIndex::of_start(rest) {
        Ok(index) => return BracketContent::Json(index),
        Err(JsonFault::At(at, _)) => at,
        // Nobody reads so deep a value, in whichever language it is.
        Err(JsonFault::TooDeep) => return BracketContent::Nothing(rest.len()),
    };
    match python_literal::as_json(rest, MAX_DEPTH) {
        Ok(literal) => BracketContent::Literal(literal),
        Err(at) => BracketContent::Nothing(at.max(stopped)),
    }
}

impl BracketContent {
    /// Where reading ended, counted from the bracket.
    fn end(&self) -> usize {
        match self {
            Self::Json(index) => index.end(),
            Self::Literal(literal) => literal.end,
            Self::Nothing(end) => *end,
        }
    }
}
