//! A heading that was found.

use std::borrow::Cow;

/// A heading whose section ends where the next of its level begins.
pub(super) struct Mark<'a> {
    pub line: usize,
    pub level: usize,
    pub title: Cow<'a, str>,
}

impl<'a> Mark<'a> {
    pub fn new(line: usize, level: usize, title: impl Into<Cow<'a, str>>) -> Self {
        Self { line, level, title: title.into() }
    }
}
