//! Plain text as a [`Source`]: a string that is not JSON.

use std::borrow::Cow;

use crate::error::Error;
use crate::literal;
use crate::source::{Entry, Kind, Source};

/// A text that a tool returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainText<'a>(pub &'a str);

impl Source for PlainText<'_> {
    fn kind(&self) -> Kind {
        Kind::String
    }

    fn len(&self) -> usize {
        0
    }

    fn items(&self, _start: usize, _max: usize) -> Result<Vec<Self>, Error> {
        Ok(Vec::new())
    }

    fn entries(&self) -> Result<Vec<Entry<Self>>, Error> {
        Ok(Vec::new())
    }

    fn chars(&self) -> usize {
        self.0.chars().count()
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        let offset = |text: &str, count| text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
        let rest = &self.0[offset(self.0, start)..];
        let mut out = String::new();
        literal::escape_into(&rest[..offset(rest, max)], &mut out);
        Ok(out)
    }

    fn min_bytes(&self, _enough: usize) -> usize {
        self.0.len() + 2
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        Ok(Cow::Owned(literal::quoted(self.0)))
    }
}
