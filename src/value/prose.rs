//! Texts that are read and not queried: logs, stack traces, documents, web pages.

pub(crate) mod document;
pub(crate) mod html;
pub(crate) mod log;
pub(crate) mod log_lines;
pub(crate) mod markdown;
pub(crate) mod outline;
pub(crate) mod piece;
pub(crate) mod recognize;
pub(crate) mod sample;
pub(crate) mod severity;
pub(crate) mod template;
pub(crate) mod trace;
