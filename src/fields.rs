//! Which fields are wanted: dotted paths (`author.name`) and JSON Pointers (`/author/name`).

use crate::pointer;

/// One wanted field, as its way from the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPath {
    /// As it was written, for messages.
    written: String,
    segments: Vec<String>,
    is_pointer: bool,
}

impl FieldPath {
    /// Reads a path: a JSON Pointer if it begins with `/`, else names joined by dots.
    pub fn parse(written: &str) -> Self {
        let (segments, is_pointer) = match pointer::tokens(written) {
            Some(tokens) => (tokens, true),
            None => (written.split('.').map(str::to_owned).collect(), false),
        };
        Self { written: written.to_owned(), segments, is_pointer }
    }

    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    pub(crate) fn segments(&self) -> &[String] {
        &self.segments
    }

    pub(crate) fn is_pointer(&self) -> bool {
        self.is_pointer
    }
}
