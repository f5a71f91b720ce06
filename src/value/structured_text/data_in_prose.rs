//! Data with a little prose around it: the one object or list that is most of a text, as JSON or as a literal of Python, or
//! several of them with prose between them.
//!
//! A bracket is read on from as far as it can be, and what was read is not read again: the texts of a hostile server take
//! one pass like any other.

use std::collections::HashSet;
use std::ops::Range;

use toolshape_json::JsonFault;
use toolshape_text::python_literal::{self, AsJson};
use toolshape_text::rows::head::HEAD;

use crate::base::json_string;
use crate::base::members::Members;
use crate::value::json_in_text::SharedJson;
use crate::value::json_text::JsonIndex;
use crate::value::source::MAX_DEPTH;

use super::structure::{Body, Skipped, Structure, TextFormat};

/// The text around the data takes at most 1/n of the whole: with more of it the text is prose.
const AROUND: usize = 5;
/// More values with prose between them are not data with little prose.
const MOST_VALUES: usize = 16;
/// The mark of a code fence, and the name of one with JSON.
const FENCE: [&str; 2] = ["```", "json"];

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

/// The structure of a text that is mostly one value, which begins in its head: for more prose few results have room. Or of
/// one that is mostly several values.
pub(super) fn recognize(text: &str) -> Option<Structure> {
    let (mut at, most) = (0, text.len() / AROUND);
    let (mut blocks, mut around): (Vec<(Range<usize>, BracketContent)>, usize) = (Vec::new(), 0);
    while let Some(start) = bracket(text, at) {
        let before = blocks.last().map_or(0, |(block, _)| block.end);
        if around + start - before > most || (blocks.is_empty() && start > HEAD) {
            break;
        }
        let found = read(text, start);
        at = start + found.end().max(1);
        // Prose has brackets too.
        let begins_line =
            text[before..start].trim_end_matches([' ', '\t']).ends_with(['\n', '\r', ':']) || start == before;
        if !matches!(found, BracketContent::Nothing(_)) && (begins_line || blocks.is_empty()) {
            around += start - before;
            blocks.push((start..at, found));
        } else if (at - start) * AROUND >= text.len() * (AROUND - 1) {
            return None;
        }
    }
    // One value is enough, whatever brackets are before it.
    let is_most = |block: &Range<usize>| block.len() * AROUND >= text.len() * (AROUND - 1);
    if let Some(only) = blocks.iter().position(|(block, _)| is_most(block)) {
        let (place, found) = blocks.swap_remove(only);
        let (format, skipped, body) = match found {
            BracketContent::Json(index) => (TextFormat::Json, Skipped::Nothing, Body::Json(place.clone(), index)),
            BracketContent::Literal(literal) => {
                (format_of(&literal), skipped_of(&literal), Body::Literal(SharedJson::of(literal.json)?))
            }
            BracketContent::Nothing(_) => return None,
        };
        let (before, after) = (0..place.start, place.end..text.len());
        return Some(Structure { before, after, ..Structure::of_all(format, skipped, body) });
    }
    let end = blocks.last().filter(|_| (2..=MOST_VALUES).contains(&blocks.len()))?.0.end;
    if around + text.len() - end > most {
        return None;
    }
    let (mut format, mut skipped, mut before) = (TextFormat::Json, Skipped::Nothing, 0);
    // Under the prose before it, each value is a member.
    let (mut values, mut names) = (Members::new(), HashSet::new());
    for (number, (place, found)) in blocks.iter().enumerate() {
        let prose = caption(&text[before..place.start]);
        let is_name = !prose.is_empty() && names.insert(prose);
        let name = if is_name { prose.to_owned() } else { format!("{prose} ({})", number + 1) };
        let json = match found {
            BracketContent::Literal(literal) => {
                format = if literal.is_python { TextFormat::Python } else { format };
                skipped = if literal.has_not_numbers { Skipped::NotNumbers } else { skipped };
                &literal.json
            }
            _ => &text[place.clone()],
        };
        values.json_under(&json_string::quoted(name.trim()), json);
        before = place.end;
    }
    let body = Body::Literal(SharedJson::of(values.into_object())?);
    // The fence of the last value is not prose.
    let after = text[end..].trim_start();
    let end = text.len() - after.strip_prefix(FENCE[0]).unwrap_or(after).len();
    Some(Structure { after: end..text.len(), ..Structure::of_all(format, skipped, body) })
}

fn format_of(literal: &AsJson) -> TextFormat {
    if literal.is_python { TextFormat::Python } else { TextFormat::Json }
}

fn skipped_of(literal: &AsJson) -> Skipped {
    if literal.has_not_numbers { Skipped::NotNumbers } else { Skipped::Nothing }
}

/// The prose before a value, as its name, without the marks of code fences.
fn caption(prose: &str) -> &str {
    let [fence, name] = FENCE;
    let prose = prose.trim();
    let opened = prose.strip_suffix(name).unwrap_or(prose).strip_suffix(fence).unwrap_or(prose).trim();
    opened.strip_prefix(fence).unwrap_or(opened).trim()
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
