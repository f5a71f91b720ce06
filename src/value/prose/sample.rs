//! A bounded look at a text, by which it is decided what it is: its start, some places, its end, as a terminal shows them.

use std::borrow::Cow;
use std::cell::Cell;

use toolshape_text::lines;
use toolshape_text::prose::terminal;

use crate::base::error::Error;
use crate::base::json_string;
use crate::base::text_cuts;
use crate::value::source::Source;

/// Characters of the start that are looked at, and of each other place.
const START: usize = 1 << 13;
const PLACE: usize = 1 << 11;
/// Places after the start, the last of them the end.
const PLACES: usize = 4;

/// Parts of a text.
pub(crate) struct Sample<'a> {
    parts: Vec<Cow<'a, str>>,
}

impl<'a> Sample<'a> {
    /// The parts of a text that the core has.
    pub fn of_text(text: &'a str) -> Self {
        // Where the part that was read last begins, in characters and in bytes: no later part begins before it.
        let last = Cell::new((0, 0));
        let part = |from: usize, len: usize| {
            let (chars, bytes) = last.get();
            let start = bytes + text_cuts::offset(&text[bytes..], from - chars);
            last.set((from, start));
            Ok(Cow::Borrowed(&text[start..start + text_cuts::offset(&text[start..], len)]))
        };
        Self::new(text.chars().count(), part).unwrap_or(Self { parts: Vec::new() })
    }

    /// The parts of any text.
    ///
    /// # Errors
    /// Whatever reading the text reports.
    pub fn of<S: Source>(text: &S) -> Result<Self, Error> {
        Self::new(text.chars(), |from, max| Ok(Cow::Owned(json_string::unescape(&text.slice(from, max)?))))
    }

    fn new(total: usize, part: impl Fn(usize, usize) -> Result<Cow<'a, str>, Error>) -> Result<Self, Error> {
        if total <= START + PLACES * PLACE {
            return Ok(Self { parts: vec![shown(part(0, total)?)] });
        }
        let mut parts = vec![whole_lines(part(0, START)?, false, true)];
        let step = (total - START - PLACE) / (PLACES - 1);
        for place in 0..PLACES {
            let is_end = place + 1 == PLACES;
            let from = if is_end { total - PLACE } else { START + place * step };
            parts.push(whole_lines(part(from, PLACE)?, true, !is_end));
        }
        Ok(Self { parts: parts.into_iter().map(shown).collect() })
    }

    /// The start of the text.
    pub fn start(&self) -> &str {
        self.parts.first().map_or("", |part| part)
    }

    pub fn lines(&self) -> Vec<&str> {
        self.parts.iter().flat_map(|part| part.lines()).collect()
    }
}

/// The part without escape sequences, in lines that end with line feeds.
fn shown(part: Cow<'_, str>) -> Cow<'_, str> {
    match lines::with_feeds(part) {
        Cow::Borrowed(part) => terminal::shown(part),
        Cow::Owned(part) => Cow::Owned(terminal::shown(&part).into_owned()),
    }
}

/// The part without what is not a whole line; a part of one line stays.
fn whole_lines(part: Cow<'_, str>, start: bool, end: bool) -> Cow<'_, str> {
    let to = part.rfind('\n').filter(|_| end).unwrap_or(part.len());
    let from = part[..to].find('\n').filter(|_| start).map_or(0, |at| at + 1);
    match part {
        Cow::Borrowed(part) => Cow::Borrowed(&part[from..to]),
        Cow::Owned(part) => Cow::Owned(part[from..to].to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::plain_text::PlainText;

    /// A text that the core has and one that it asks its host for are looked at in the same places, whatever their bytes.
    #[test]
    fn a_sample_does_not_depend_on_who_has_the_text() {
        for lines in [10, 900, 1500, 9000] {
            let text: String = (0..lines).map(|line| format!("é日🙂{}{line}\n", "x".repeat(line % 7))).collect();
            let (known, asked) = (Sample::of_text(&text), Sample::of(&PlainText::new(&text)).unwrap());
            assert_eq!(known.lines(), asked.lines(), "{lines} lines");
            let looked: usize = known.lines().iter().map(|line| line.chars().count()).sum();
            assert!(looked <= START + PLACES * PLACE, "{looked} characters of {lines} lines");
        }
    }
}
