//! Text that has rows or data in it, read as rows or data.
//!
//! Whether it has is decided by its start and then by one pass over all of it, in which every row must be as the format
//! says: a text that is not certainly of a format is of none. Nothing is copied: a row is a span of the text, which is
//! read when the row is shown.

mod cell;
mod commented_header;
mod cut_json;
mod data_in_prose;
mod delimited;
mod embedded_json;
mod event_stream;
mod header;
mod json_lines;
mod json_sequence;
mod pipe_table;
mod printed_table;
mod ragged;
mod record_blocks;
mod row_value;
mod structure;
mod xml;
mod yaml_documents;

use toolshape_text::rows::head::Head;

pub(crate) use record_blocks::{Field, json as blocks_json};
pub(crate) use structure::{Formats, Skipped, Structure};
pub use structure::{TEXT_FORMATS, TextFormat};

/// Whether a text that begins so may have a structure; `is_all` says whether that is all of it.
pub(crate) fn may_be_structured(head: &str, formats: Formats, is_all: bool) -> bool {
    let lines = Head::new(head, is_all);
    let is_delimited = delimited::may_begin(&lines, formats);
    match formats {
        Formats::Delimited => is_delimited,
        Formats::All => {
            is_delimited
                || embedded_json::may_begin(head)
                || json_lines::may_begin(&lines)
                || json_sequence::may_begin(&lines, is_all)
                || event_stream::may_begin(&lines)
                || xml::may_begin(head)
                || yaml_documents::may_begin(&lines)
                || pipe_table::find(&lines).is_some()
                || printed_table::may_begin(&lines)
                || record_blocks::may_begin(&lines)
                || commented_header::may_begin(&lines)
                || data_in_prose::may_begin(head, is_all)
        }
    }
}

/// The structure of a text, if it certainly has one.
pub(crate) fn recognize(text: &str, formats: Formats) -> Option<Structure> {
    let head = Head::of(text);
    let delimited = || delimited::recognize(text, &head, formats);
    match formats {
        Formats::Delimited => delimited(),
        Formats::All => embedded_json::recognize(text, &head)
            .or_else(|| json_lines::recognize(text, &head))
            .or_else(|| json_sequence::recognize(text, &head))
            .or_else(|| event_stream::recognize(text, &head))
            .or_else(|| xml::recognize(text, &head))
            .or_else(|| cut_json::recognize(text, &head))
            .or_else(|| yaml_documents::recognize(text, &head))
            .or_else(|| pipe_table::recognize(text, &head))
            .or_else(|| printed_table::recognize(text, &head))
            .or_else(|| record_blocks::recognize(text, &head))
            .or_else(delimited)
            .or_else(|| commented_header::recognize(text, &head))
            .or_else(|| data_in_prose::recognize(text)),
    }
}

#[cfg(test)]
mod tests;
