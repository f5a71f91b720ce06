//! A long text of several lines within an object or a row, with lines left out.

use toolshape_text::lines;
use toolshape_text::prose::encoded::{self, Shortened};
use toolshape_text::prose::terminal;

use crate::base::error::Error;
use crate::render::abridged::{Abridged, Numbered};
use crate::value::source::{Kind, Source};
use crate::value::token_count::Measure;

use super::TextBytes;

/// A text of fewer characters or lines is shown by its start, unless base64 is shortened in it.
const LEAST_CHARS: usize = 400;
const LEAST_LINES: usize = 4;
/// A text of which base64 leaves fewer bytes, the description of the base64 included, says nothing else.
const LEAST_LEFT: usize = 128;
/// With fewer tokens the start is shown.
const LEAST_TOKENS: usize = 48;
/// What the number of lines and two gaps take.
const SIGNS: usize = 30;

/// A text, and the lines in it that say something.
#[derive(Debug)]
pub(super) struct TextEnds {
    text: Abridged,
    total: usize,
}

impl TextEnds {
    /// The lines of a string, if it has several and that much may still be read.
    pub fn of<S: Source>(string: &S, left: &TextBytes) -> Result<Option<Self>, Error> {
        if string.kind() != Kind::String || string.chars() < LEAST_CHARS {
            return Ok(None);
        }
        let Some(own) = left.text_of(string)? else { return Ok(None) };
        let text = terminal::shown_text(&own);
        let total = lines::of(&text).len();
        let shown = match encoded::shortened(&text, false) {
            None if total < LEAST_LINES => return Ok(None),
            None => Shortened::nowhere(text.into_owned()),
            Some(shown) if shown.text.len() < LEAST_LEFT => return Ok(None),
            Some(shown) => shown,
        };
        Ok(Some(Self { text: Abridged::of(shown, Numbered::Lines), total }))
    }

    /// As much as fits into some tokens, as a literal without quotes; `None` if the start shows more.
    pub fn within(&self, tokens: usize, measure: Measure) -> Option<String> {
        let left = tokens.checked_sub(SIGNS).filter(|_| tokens >= LEAST_TOKENS)?;
        let shown = self.text.within(0, left, measure);
        let sign = if self.total == 1 { String::new() } else { format!("… of {} lines:\\n", self.total) };
        (!shown.is_empty()).then(|| sign + &shown.literal(0, false))
    }
}
