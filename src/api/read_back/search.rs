//! Searches a stored result for a text, ignoring case: the matching lines of a text, or the matching keys, strings and
//! numbers of a JSON value, with their pointers.

use memchr::memmem::Finder;

use crate::base::json_pointer;
use crate::base::json_string::{self, Quoted};
use crate::base::text_cuts;
use crate::value::json_text::JsonText;
use crate::value::json_walk::{Walk, WalkStep};
use crate::value::source::Kind;

use super::lines;
use super::match_list::{MatchList, MatchRow, MatchValue};
use super::stored_part::StoredPart;

/// The most hits that are kept.
const MAX_HITS: usize = 100_000;
/// The characters shown of a line or a string, the most first; later steps also leave out the lines around it.
const CHARS: [usize; 4] = [200, 100, 40, 0];

/// How much of each hit is shown.
#[derive(Clone, Copy)]
pub(super) struct Detail {
    /// Lines before and after.
    context: usize,
    /// Characters of each line, or of a string.
    chars: usize,
}

/// The levels of detail, the most first, for a call with so many lines around a match.
pub(super) fn details(context: usize) -> impl Iterator<Item = Detail> {
    let first = [Detail { context, chars: CHARS[0] }, Detail { context: context.min(1), chars: CHARS[1] }];
    first.into_iter().chain(CHARS.map(|chars| Detail { context: 0, chars }))
}

/// The hits of a search.
pub(super) struct Hits<'a> {
    wanted: String,
    stopped: bool,
    places: Places<'a>,
}

enum Places<'a> {
    Lines {
        text: std::borrow::Cow<'a, str>,
        /// Where each line begins.
        starts: Vec<usize>,
        /// The lines that match, by index.
        hits: Vec<usize>,
    },
    Values(Vec<Hit<'a>>),
}

/// A key, a string or a number that matches.
struct Hit<'a> {
    pointer: String,
    /// As JSON text.
    span: &'a str,
    is_key: bool,
}

/// Searches a part; `base` is the pointer to it.
pub(super) fn find<'a>(part: &StoredPart<'a>, wanted: &str, base: &str) -> Hits<'a> {
    let wanted = wanted.to_lowercase();
    let finder = Finder::new(&wanted);
    let (places, stopped) = match (part.text(), part) {
        (None, StoredPart::Json(value)) => in_json(value, &finder, base),
        (text, _) => in_lines(text.unwrap_or_default(), &finder),
    };
    Hits { wanted, stopped, places }
}

fn in_lines<'a>(text: std::borrow::Cow<'a, str>, finder: &Finder<'_>) -> (Places<'a>, bool) {
    let lower = text.to_lowercase();
    let (mut hits, mut line, mut seen) = (Vec::new(), 0, 0);
    for at in finder.find_iter(lower.as_bytes()) {
        line += memchr::memchr_iter(b'\n', &lower.as_bytes()[seen..at]).count();
        seen = at;
        if hits.last() != Some(&line) {
            hits.push(line);
        }
        if hits.len() > MAX_HITS {
            break;
        }
    }
    let stopped = hits.len() > MAX_HITS;
    hits.truncate(MAX_HITS);
    let starts = lines::starts(&text).collect();
    (Places::Lines { text, starts, hits }, stopped)
}

fn in_json<'a>(value: &JsonText<'a>, finder: &Finder<'_>, base: &str) -> (Places<'a>, bool) {
    /// An open array or object.
    struct OpenContainer<'a> {
        is_object: bool,
        key: &'a str,
        items: usize,
    }
    let mut hits = Vec::new();
    let mut open: Vec<OpenContainer<'a>> = Vec::new();
    let mut lower = String::new();
    let mut has = |literal: &str| {
        let text = if literal.contains('\\') { json_string::unescape(literal) } else { String::new() };
        let text = if text.is_empty() { literal } else { &text };
        lower.clear();
        if text.is_ascii() {
            lower.push_str(text);
            lower.make_ascii_lowercase();
        } else {
            lower = text.to_lowercase();
        }
        finder.find(lower.as_bytes()).is_some()
    };
    let pointer = |open: &[OpenContainer<'a>]| {
        open.iter().fold(base.to_owned(), |pointer, step| match step.is_object {
            true => pointer + "/" + &json_pointer::escape(&Quoted::new(step.key).text()),
            false => pointer + "/" + &(step.items - 1).to_string(),
        })
    };
    for step in Walk::new(value.span()) {
        if let (WalkStep::Open(_) | WalkStep::Scalar(..), Some(OpenContainer { is_object: false, items, .. })) =
            (step, open.last_mut())
        {
            *items += 1;
        }
        let (span, is_key) = match step {
            WalkStep::Open(kind) => {
                open.push(OpenContainer { is_object: kind == Kind::Object, key: "\"\"", items: 0 });
                continue;
            }
            WalkStep::Close => {
                open.pop();
                continue;
            }
            WalkStep::Key(key) => {
                if let Some(object) = open.last_mut() {
                    object.key = key;
                }
                (key, true)
            }
            WalkStep::Scalar(Kind::String | Kind::Number, span) => (span, false),
            WalkStep::Scalar(..) => continue,
        };
        if has(Quoted::of(span).map_or(span, Quoted::literal)) {
            if hits.len() == MAX_HITS {
                return (Places::Values(hits), true);
            }
            hits.push(Hit { pointer: pointer(&open), span, is_key });
        }
    }
    (Places::Values(hits), false)
}

impl Hits<'_> {
    /// The hits as rows, each with so much detail.
    pub fn list(&self, detail: Detail) -> MatchList<'_> {
        match &self.places {
            Places::Lines { hits, .. } => {
                MatchList::of_rows(hits.len(), self.stopped, move |hit| self.line_row(hit, detail))
            }
            Places::Values(hits) => {
                MatchList::of_rows(hits.len(), self.stopped, move |hit| self.value_row(&hits[hit], detail.chars))
            }
        }
    }

    /// A matching line, and the lines around it that no other hit shows.
    fn line_row(&self, hit: usize, Detail { context, chars }: Detail) -> MatchRow<'_> {
        let Places::Lines { text, starts, hits } = &self.places else { return Vec::new() };
        let line = |index: usize| {
            let end = starts.get(index + 1).copied().unwrap_or(text.len());
            text[starts[index]..end].trim_end_matches(['\n', '\r'])
        };
        let lines = |from: usize, to: usize| {
            let shown: Vec<String> = (from..to).map(|index| clip(line(index), chars, None)).collect();
            MatchValue::text(&shown.join("\n"))
        };
        let at = hits[hit];
        let free = hit.checked_sub(1).map_or(0, |before| hits[before] + context + 1);
        let first = at.saturating_sub(context).max(free).min(at);
        let after = hits.get(hit + 1).copied().unwrap_or(starts.len()).min(at + 1 + context);
        let mut row = vec![("line", MatchValue::number(at + 1))];
        if first < at {
            row.push(("before", lines(first, at)));
        }
        if chars > 0 {
            row.push(("text", MatchValue::text(&clip(line(at), chars, Some(&self.wanted)))));
        }
        if at + 1 < after {
            row.push(("after", lines(at + 1, after)));
        }
        row
    }

    fn value_row<'h>(&'h self, hit: &'h Hit<'_>, chars: usize) -> MatchRow<'h> {
        let mut row = vec![("pointer", MatchValue::text(&hit.pointer))];
        let value = JsonText::checked(hit.span);
        if chars == 0 {
            return row;
        }
        if hit.span.len() <= chars {
            row.push((if hit.is_key { "key" } else { "value" }, MatchValue::At(value, None)));
        } else {
            let text = json_string::unescape(hit.span.trim_matches('"'));
            row.push(("excerpt", MatchValue::text(&clip(&text, chars, Some(&self.wanted)))));
        }
        row
    }
}

/// A part of a text of at most `chars` characters, around the wanted text or from the start, with an ellipsis at each
/// cut.
fn clip(text: &str, chars: usize, wanted: Option<&str>) -> String {
    if text_cuts::offset(text, chars) == text.len() {
        return text.to_owned();
    }
    // The lower-case text may be a few characters longer or shorter, which a third of the room makes up for.
    let lower = text.to_lowercase();
    let before = wanted.and_then(|wanted| lower.find(wanted)).map_or(0, |at| lower[..at].chars().count());
    let from = before.saturating_sub(chars / 3);
    let (start, end) = (text_cuts::offset(text, from), text_cuts::offset(text, from + chars));
    let (start, end) = (if from == 0 { 0 } else { text_cuts::ceil(text, start) }, text_cuts::floor(text, end));
    let mark = |is_cut: bool| if is_cut { "…" } else { "" };
    format!("{}{}{}", mark(start > 0), &text[start..end.max(start)], mark(end < text.len()))
}
