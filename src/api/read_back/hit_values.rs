//! The keys, strings and numbers of a JSON value in which a wanted text occurs, with their places.
//!
//! A place is one step and the number of the step above it. Steps are made where something is found, and hits in one
//! array or object share those that lead to it, so what is kept does not grow with depth or with long keys. A pointer is
//! written when its hit is shown.

use std::ops::ControlFlow;

use crate::base::json_pointer;
use crate::base::json_string::{self, Quoted};
use crate::base::work::{Going, Work};
use crate::value::json_text::JsonText;
use crate::value::json_walk::{Walk, WalkStep};
use crate::value::source::Kind;

use super::match_list::{MatchRow, MatchValue};
use super::search::{MAX_HITS, clip};
use super::sought::Sought;

/// What it takes to compare a text, beside its bytes.
const COMPARED: usize = 24;

/// What was found in a JSON value.
pub(super) struct HitValues<'a> {
    base: &'a str,
    steps: Vec<Step<'a>>,
    hits: Vec<HitValue<'a>>,
}

/// A key, a string or a number that matches.
struct HitValue<'a> {
    /// The last step to it; none if it is the whole value.
    place: Option<usize>,
    /// As JSON text.
    span: &'a str,
    /// Where the match begins in its text.
    at: usize,
    is_key: bool,
}

/// One step of a place.
struct Step<'a> {
    above: Option<usize>,
    name: Name<'a>,
}

#[derive(Clone, Copy)]
enum Name<'a> {
    /// A key with its quotes.
    Key(&'a str),
    Index(usize),
}

/// An open array or object, and its member that is being read.
struct Open<'a> {
    name: Name<'a>,
    /// The step to that member, once something was found in it.
    step: Option<usize>,
}

impl<'a> HitValues<'a> {
    /// Searches a value; `base` is the pointer to it. Also whether the search stopped early.
    pub fn find(value: &JsonText<'a>, mut sought: Sought, base: &'a str, work: &Work) -> (Self, bool) {
        let mut found = Self { base, steps: Vec::new(), hits: Vec::new() };
        let end = found.read(value.span(), &mut sought, work);
        (found, end.is_break())
    }

    fn read(&mut self, text: &'a str, sought: &mut Sought, work: &Work) -> Going {
        let mut open: Vec<Open<'a>> = Vec::new();
        for step in Walk::new(text) {
            if let (WalkStep::Open(_) | WalkStep::Scalar(..), Some(Open { name: Name::Index(next), step })) =
                (step, open.last_mut())
            {
                *next = next.wrapping_add(1);
                *step = None;
            }
            let (span, is_key) = match step {
                WalkStep::Open(kind) => {
                    work.step(0)?;
                    let name = if kind == Kind::Object { Name::Key("\"\"") } else { Name::Index(usize::MAX) };
                    open.push(Open { name, step: None });
                    continue;
                }
                WalkStep::Close => {
                    open.pop();
                    continue;
                }
                WalkStep::Key(key) => {
                    if let Some(object) = open.last_mut() {
                        *object = Open { name: Name::Key(key), step: None };
                    }
                    (key, true)
                }
                WalkStep::Scalar(Kind::String | Kind::Number, span) => (span, false),
                WalkStep::Scalar(..) => continue,
            };
            work.spend(COMPARED)?;
            let literal = Quoted::of(span).map_or(span, Quoted::literal);
            let at = match literal.contains('\\') {
                true => sought.first(&json_string::unescape(literal), work)?,
                false => sought.first(literal, work)?,
            };
            if let Some(at) = at {
                if self.hits.len() == MAX_HITS {
                    return ControlFlow::Break(());
                }
                let known = self.steps.len();
                let place = self.place(&mut open);
                work.keep(1 + self.steps.len() - known)?;
                self.hits.push(HitValue { place, span, at, is_key });
            }
        }
        ControlFlow::Continue(())
    }

    /// The step to the member that is being read; makes those steps to it that are not there yet.
    fn place(&mut self, open: &mut [Open<'a>]) -> Option<usize> {
        let known = open.iter().rposition(|open| open.step.is_some()).map_or(0, |last| last + 1);
        let mut above = known.checked_sub(1).and_then(|last| open[last].step);
        for open in &mut open[known..] {
            self.steps.push(Step { above, name: open.name });
            above = Some(self.steps.len() - 1);
            open.step = above;
        }
        above
    }

    pub fn len(&self) -> usize {
        self.hits.len()
    }

    fn pointer(&self, mut place: Option<usize>) -> String {
        let mut names = Vec::new();
        while let Some(at) = place {
            names.push(self.steps[at].name);
            place = self.steps[at].above;
        }
        names.iter().rev().fold(self.base.to_owned(), |pointer, name| match name {
            Name::Key(key) => pointer + "/" + &json_pointer::escape(&Quoted::new(key).text()),
            Name::Index(index) => pointer + "/" + &index.to_string(),
        })
    }

    pub fn row(&self, hit: usize, chars: usize) -> MatchRow<'_> {
        let HitValue { place, span, at, is_key } = self.hits[hit];
        let mut row = vec![("pointer", MatchValue::text(&self.pointer(place)))];
        if chars == 0 {
            return row;
        }
        if span.len() <= chars {
            row.push((if is_key { "key" } else { "value" }, MatchValue::part(JsonText::checked(span))));
        } else {
            let text = json_string::unescape(span.trim_matches('"'));
            row.push(("excerpt", MatchValue::text(&clip(&text, chars, at))));
        }
        row
    }
}
