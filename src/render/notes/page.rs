//! The note of a page: which rows it shows, and how to get what it does not show.

use crate::request::handle::Handle;
use crate::request::view::View;

use super::repeat_with;
use super::shortened::Shortened;
use super::text::structured;

/// What the note of a page names.
pub(crate) struct PageNote<'a> {
    pub cx: &'a View<'a>,
    /// The number of the page, and of all pages; `None` where rows are paged by their keys.
    pub number: Option<(usize, usize)>,
    /// JSON Pointer to the list, if it is a part of the result; else empty.
    pub list: &'a str,
    pub returned: usize,
    /// The rows that a page of this size would have.
    pub wanted: usize,
    pub has_more: bool,
    /// The member that holds the cursor to the next rows, if there is a cursor.
    pub next_cursor: Option<&'a str>,
    pub has_shortened: bool,
    /// The handle of the stored result, if the result tells it.
    pub handle: Option<Handle>,
    pub omits_fields: bool,
    /// The list changed since the page before.
    pub shifted: bool,
}

impl PageNote<'_> {
    pub fn text(&self) -> String {
        let Self { cx, returned, wanted, .. } = *self;
        let of = if self.list.is_empty() { String::new() } else { format!(" of {}", self.list) };
        let mut out = match self.number {
            None => format!("{returned} {}{of}", if returned == 1 { "row" } else { "rows" }),
            Some((page, pages)) => format!("Page {page}/{pages}{of}"),
        };
        if returned < wanted {
            let fit = if returned == 1 { "fits" } else { "fit" };
            out += &match self.number {
                None => format!(", as many as {fit}"),
                Some(_) => format!(": {returned} of its {wanted} rows {fit}"),
            };
        }
        out.push('.');
        out += &match (self.has_more, self.next_cursor, self.number) {
            (false, _, None) => " These are the last rows.".to_owned(),
            (false, _, Some(_)) => " It is the last.".to_owned(),
            (true, Some(next), _) => {
                format!(" For the next rows, {}.", repeat_with(cx.call.argument("cursor"), next))
            }
            (true, None, _) => " For the next rows, repeat this call with the next page.".to_owned(),
        };
        if self.has_shortened {
            out += " Shortened values end in … or are in brackets. To see one in full, ";
            out += &Shortened::OnPage.in_full(self.handle, cx);
        }
        if self.omits_fields {
            out += &format!(" To get omitted fields, name them in {}.", cx.call.argument("fields"));
        }
        if self.shifted {
            out += " The list changed since the last page: rows may repeat or be missing.";
        }
        out + &structured(self.cx, self.handle, if self.list.is_empty() { "textCursor" } else { "_textCursor" })
    }
}
