//! The notes of lists of links.

/// How to open a link, unless the author says it.
pub(crate) const OPEN: &str = "To open one, read the resource at its uri.";

/// The note of links; `page` is that of their page, if they are paged.
pub(crate) fn note(page: Option<&str>, open: &str, has_cut: bool) -> String {
    let page = page.map_or(String::new(), |page| format!("{page} "));
    let cut = if has_cut { " Texts that end in … are shortened." } else { "" };
    format!("{page}{open}{cut}")
}

/// The replacement of a link that is too large by itself, that to the row at an index.
pub(crate) fn too_long(at: usize) -> String {
    format!("The link to row {} is too long to show.", at + 1)
}

/// The message for a caller who asks for fields of links.
pub(crate) const NO_FIELDS: &str = "links have no fields to choose from; open one to see its fields";
