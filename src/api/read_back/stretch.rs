//! The stretch of a text that the argument `lines` names: by line numbers, from the end, or by a heading.

use std::borrow::Cow;
use std::ops::ControlFlow;

use toolshape_text::lines;

use crate::base::error::{Error, ErrorCode};
use crate::base::members::Members;
use crate::base::similar_names;
use crate::base::text_cuts;
use crate::base::word_bounds;
use crate::base::work::{Going, Work};
use crate::render::notes;
use crate::render::notes::read_back::Unfit;

use super::above::{Above, BETWEEN};
use super::arguments::LineSelection;
use super::part::stop_at;
use super::part::{NotThere, StoredPart, unfit};

/// Headings that an error names: the most similar, so that the error stays short.
const LISTED: usize = 20;
/// Characters of a heading that are compared.
const TITLE_CHARS: usize = 400;

/// Lines of a text, from 1, the last included; and how many the text has.
#[derive(Clone, Copy)]
pub(super) struct LineRange {
    pub from: usize,
    pub to: usize,
    pub total: usize,
    pub by: By,
}

/// By what lines are named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Numbers,
    /// This many at the end.
    End,
    Heading,
}

impl LineRange {
    /// The lines of a part that a call names; or the headings that it may mean.
    ///
    /// # Errors
    /// `INVALID_CALL` for JSON, for lines that do not exist, and for what takes too much work.
    pub fn of(lines: &LineSelection, part: &StoredPart<'_>, work: &Work) -> Result<Result<Self, NotThere>, Error> {
        let text = part.text().ok_or_else(|| unfit("lines", Unfit::IsNoText))?;
        stop_at("lines", work.spend(text.len()))?;
        let total = starts(&text).count();
        let ((from, to), by) = match lines {
            LineSelection::From { from, to } => ((*from, to.map_or(total, |to| to.min(total))), By::Numbers),
            LineSelection::Last(count) => ((total.saturating_sub(*count) + 1, total), By::End),
            LineSelection::Under(heading) => match section(&text, heading, work)? {
                Ok(lines) => (lines, By::Heading),
                Err(not_there) => return Ok(Err(not_there)),
            },
        };
        if from > total {
            let message = notes::read_back::no_such_line(from, total);
            return Err(Error::new(ErrorCode::InvalidCall, message, "/lines"));
        }
        Ok(Ok(Self { from, to, total, by }))
    }

    /// Writes which lines they are, unless it is those that the call numbers.
    pub fn write(&self, out: &mut Members) {
        if self.by != By::Numbers {
            out.text("lines", &self.written());
        }
    }

    /// As the argument is written.
    pub fn written(&self) -> String {
        format!("{}-{}", self.from, self.to)
    }

    /// Where the lines begin and end in their text.
    pub fn place(&self, text: &str) -> (usize, usize) {
        let mut starts = starts(text).skip(self.from - 1);
        let start = starts.next().unwrap_or(text.len());
        (start, starts.nth(self.to - self.from).unwrap_or(text.len()))
    }
}

/// The start of each line; a line break at the end of the text starts none.
fn starts(text: &str) -> impl Iterator<Item = usize> + '_ {
    let after_breaks = memchr::memchr_iter(lines::end_of(text), text.as_bytes()).map(|at| at + 1);
    std::iter::once(0).chain(after_breaks).filter(|&start| start == 0 || start < text.len())
}

/// How well a heading is named, the best last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum HeadingMatch {
    Not,
    Inside,
    AsWords,
    Whole,
}

/// The first and the last line of the section with a heading, which may be written after those above it.
fn section(text: &str, heading: &str, work: &Work) -> Result<Result<(usize, usize), NotThere>, Error> {
    let headings = HeadingSearch::of(text, work);
    let shown = text_cuts::clipped(heading, text_cuts::SHOWN_CHARS);
    let heading = heading.to_lowercase();
    let steps: Vec<&str> = heading.split(BETWEEN).collect();
    let (mut best, mut found) = (HeadingMatch::Inside, Vec::new());
    for at in 0..headings.lower.len() {
        let named = stop_at("lines", headings.named(at, &heading, &steps, work))?;
        if named > best {
            best = named;
            found.clear();
        }
        if named == best {
            found.push(at);
        }
    }
    // What was looked for with the rest of the work may not be all.
    stop_at("lines", work.step(0))?;
    if let [at] = found[..] {
        let section = &headings.above.sections[at];
        return Ok(Ok((section.line + 1, section.end)));
    }
    let (message, names) = match found.len() {
        0 => {
            let names = headings.closest(&heading);
            (notes::read_back::no_such_heading(&shown, names.is_empty()), names)
        }
        count => {
            let paths = found.iter().take(LISTED).map(|&at| headings.above.path_to(at));
            (notes::read_back::many_headings(&shown, count), paths.collect())
        }
    };
    Ok(Err((Error::new(ErrorCode::UnknownField, message, "/lines"), names)))
}

/// The headings of a text, and their titles in lower case.
struct HeadingSearch {
    above: Above,
    lower: Vec<String>,
}

impl HeadingSearch {
    fn of(text: &str, work: &Work) -> Self {
        let above = Above::all(text, TITLE_CHARS, work);
        let lower = above.sections.iter().map(|section| section.title.to_lowercase()).collect();
        Self { above, lower }
    }

    /// The headings whose titles are the most similar to a text.
    fn closest(&self, wanted: &str) -> Vec<String> {
        let titles = self.lower.iter().map(|title| Cow::Borrowed(title.as_str()));
        let mut closest = similar_names::closest_first(titles, wanted);
        closest.dedup();
        let first = |title: &String| self.lower.iter().position(|known| known == title);
        closest.iter().take(LISTED).filter_map(first).map(|at| self.above.path_to(at)).collect()
    }

    /// How well a heading is named: by a text, or by the last of some steps, of which the others name headings above it in
    /// their order.
    fn named(&self, at: usize, wanted: &str, steps: &[&str], work: &Work) -> Going<HeadingMatch> {
        let compared = |at: usize, wanted: &str| {
            work.spend(self.lower[at].len() + wanted.len())?;
            ControlFlow::Continue(named(&self.lower[at], wanted))
        };
        let whole = compared(at, wanted)?;
        let [above @ .., last] = steps else { return ControlFlow::Continue(whole) };
        let mut least = compared(at, last)?;
        let mut next = self.above.sections[at].above;
        for step in above.iter().rev() {
            let mut named = HeadingMatch::Not;
            while let Some(at) = next.filter(|_| named == HeadingMatch::Not && least != HeadingMatch::Not) {
                named = compared(at, step)?;
                next = self.above.sections[at].above;
            }
            least = least.min(named);
        }
        ControlFlow::Continue(whole.max(least))
    }
}

/// How well a title is named by a text; both in lower case. Where the text ends in an ellipsis, the title goes on.
fn named(title: &str, wanted: &str) -> HeadingMatch {
    if let Some(start) = wanted.strip_suffix('…') {
        return if title.starts_with(start) { HeadingMatch::Whole } else { HeadingMatch::Not };
    }
    if title == wanted {
        return HeadingMatch::Whole;
    }
    let (mut named, mut from) = (HeadingMatch::Not, 0);
    while let Some(at) = title[from..].find(wanted).map(|at| from + at).filter(|_| !wanted.is_empty()) {
        if word_bounds::are_around(title, at, at + wanted.len()) {
            return HeadingMatch::AsWords;
        }
        named = HeadingMatch::Inside;
        from = at + wanted.chars().next().map_or(1, char::len_utf8);
    }
    named
}
