//! What a result says about a text that it shows by its structure.

use crate::base::members::Members;
use crate::value::own_page::OwnPage;
use crate::value::structured_text::{Skipped, TextFormat};

/// A text that is shown by its structure.
#[derive(Clone, Debug)]
pub(crate) struct ReadText {
    pub format: TextFormat,
    /// Whether its end is missing.
    pub is_cut: bool,
    pub skipped: Skipped,
    /// Its length in characters.
    pub chars: usize,
    /// The text before what is shown, and after it, where the result is the first of its parts.
    pub around: Option<(String, String)>,
    /// That its rows are one page of the tool's own, if what precedes them says so.
    pub own_page: Option<OwnPage>,
}

impl ReadText {
    /// Writes what the text is, and what surrounds its rows or data; `cursor` is one into the text itself.
    pub fn write(&self, cursor: Option<&str>, out: &mut Members) {
        out.text("text", self.format.name());
        if self.is_cut {
            out.flag("cut", true);
        }
        if let Some(cursor) = cursor {
            out.text("textCursor", cursor);
        }
        if let Some((before, after)) = &self.around {
            for (name, text) in [("before", before), ("after", after)] {
                if !text.is_empty() {
                    out.text(name, text);
                }
            }
        }
    }
}
