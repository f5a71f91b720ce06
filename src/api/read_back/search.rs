//! Searches a stored result: the matching lines of a text, with the heading above each, or the matching keys, strings and
//! numbers of a JSON value, with their pointers.

use crate::base::members::Members;
use crate::base::text_cuts;
use crate::base::work::Work;

use super::hit_lines::HitLines;
use super::hit_values::HitValues;
use super::match_list::MatchList;
use super::part::StoredPart;
use super::sought::Sought;
use super::stretch::LineRange;

/// The characters shown of a line or a string, the most first; later steps also leave out the lines around it.
const CHARS: [usize; 4] = [200, 100, 40, 0];

/// How much of each hit is shown.
#[derive(Clone, Copy)]
pub(super) struct Detail {
    /// Lines before and after.
    pub context: usize,
    /// Characters of each line, or of a string.
    pub chars: usize,
}

/// The levels of detail, the most first, for a call with this many lines around a match.
pub(super) fn details(context: usize) -> impl Iterator<Item = Detail> {
    let first = [Detail { context, chars: CHARS[0] }, Detail { context: context.min(1), chars: CHARS[1] }];
    first.into_iter().chain(CHARS.map(|chars| Detail { context: 0, chars }))
}

/// The hits of a search.
pub(super) struct Hits<'a> {
    stopped: bool,
    /// The lines that were searched, if not all were.
    within: Option<LineRange>,
    places: Places<'a>,
    /// What is stated about them.
    also: &'static str,
}

enum Places<'a> {
    Lines(HitLines<'a>),
    Values(HitValues<'a>),
}

/// Searches a part, or some lines of a text, as far as the work of the call goes; `base` is the pointer to the part.
pub(super) fn find<'a>(
    part: &StoredPart<'a>,
    within: Option<LineRange>,
    wanted: &str,
    base: &'a str,
    work: &Work,
) -> Hits<'a> {
    let mut sought = Sought::new(wanted);
    let (places, stopped) = match (part.text(), part) {
        (None, StoredPart::Json(value)) => {
            let (values, stopped) = HitValues::find(value, sought, base, work);
            (Places::Values(values), stopped)
        }
        (text, _) => {
            let (lines, stopped) = HitLines::find(text.unwrap_or_default(), within, &mut sought, work);
            (Places::Lines(lines), stopped)
        }
    };
    Hits { stopped, within, places, also: "" }
}

impl Hits<'_> {
    /// Whether nothing was found, although all was searched.
    pub fn is_nothing(&self) -> bool {
        let len = match &self.places {
            Places::Lines(lines) => lines.len(),
            Places::Values(values) => values.len(),
        };
        len == 0 && !self.stopped
    }

    /// The same hits, with what is stated about them.
    pub fn noting(self, also: &'static str) -> Self {
        Self { also, ..self }
    }

    /// The hits as rows, each with this much detail.
    pub fn list(&self, detail: Detail) -> MatchList<'_> {
        let list = match &self.places {
            Places::Lines(lines) => MatchList::of_rows(lines.len(), self.stopped, move |hit| lines.row(hit, detail)),
            Places::Values(values) => {
                MatchList::of_rows(values.len(), self.stopped, move |hit| values.row(hit, detail.chars))
            }
        };
        list.with_lead(self.lead()).and_say(self.also)
    }

    fn lead(&self) -> Members {
        let mut out = Members::new();
        if let Some(lines) = &self.within {
            lines.write(&mut out);
        }
        out
    }
}

/// A part of a text of at most `chars` characters, around the place `at`, with an ellipsis at each cut.
pub(super) fn clip(text: &str, chars: usize, at: usize) -> String {
    if text_cuts::offset(text, chars) == text.len() {
        return text.to_owned();
    }
    let from = text[..at].char_indices().rev().take(chars / 3).last().map_or(at, |(before, _)| before);
    let end = from + text_cuts::offset(&text[from..], chars);
    let (start, end) = (if from == 0 { 0 } else { text_cuts::ceil(text, from) }, text_cuts::floor(text, end));
    let mark = |is_cut: bool| if is_cut { "…" } else { "" };
    format!("{}{}{}", mark(start > 0), &text[start..end.max(start)], mark(end < text.len()))
}
