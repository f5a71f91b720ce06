//! The verbs, and what they are made of: each writes one form of a result within a budget.

pub(crate) mod aggregate;
pub(crate) mod ascii_picture;
pub(crate) mod columnar;
pub(crate) mod detect;
pub(crate) mod elide;
pub(crate) mod envelope;
pub(crate) mod error_result;
pub(crate) mod excerpt;
pub(crate) mod grid;
pub(crate) mod layout;
pub(crate) mod line_overview;
mod measurements;
pub(crate) mod notes;
pub(crate) mod offload;
pub(crate) mod opening;
pub(crate) mod outline;
pub(crate) mod page;
pub(crate) mod page_window;
pub(crate) mod paginate;
pub(crate) mod sample;
pub(crate) mod series;
pub(crate) mod siblings;
pub(crate) mod source_lines;
pub(crate) mod subject;
pub(crate) mod summarize;
pub(crate) mod text_data;
pub(crate) mod truncate;
