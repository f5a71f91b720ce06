//! Plain text as a [`Source`]: a string that is not JSON.

use std::borrow::Cow;

use crate::base::error::Error;
use crate::base::json_string;
use crate::base::text_cuts;
use crate::value::source::{Kind, Source};

/// A text that a tool returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainText<'a> {
    text: &'a str,
    chars: usize,
}

impl<'a> PlainText<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, chars: text.chars().count() }
    }

    /// The byte at which character `index` begins, counted from the nearer end.
    fn offset(&self, index: usize) -> usize {
        let (text, index) = (self.text, index.min(self.chars));
        let from_end = self.chars - index;
        if self.chars == text.len() {
            index
        } else if from_end < index {
            text.char_indices().rev().take(from_end).last().map_or(text.len(), |(at, _)| at)
        } else {
            text_cuts::offset(text, index)
        }
    }
}

impl Source for PlainText<'_> {
    fn kind(&self) -> Kind {
        Kind::String
    }

    fn chars(&self) -> usize {
        self.chars
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        let part = &self.text[self.offset(start)..self.offset(start.saturating_add(max))];
        let mut out = String::with_capacity(part.len());
        json_string::escape_into(part, &mut out);
        Ok(out)
    }

    fn min_bytes(&self, _enough: usize) -> usize {
        self.text.len() + 2
    }

    fn text(&self) -> Result<Cow<'_, str>, Error> {
        Ok(Cow::Borrowed(self.text))
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        Ok(Cow::Owned(json_string::quoted(self.text)))
    }
}
