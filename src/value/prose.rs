//! Texts that are read and not queried: logs, stack traces, documents, web pages.

pub(crate) mod document;
pub(crate) mod log;
pub(crate) mod piece;
pub(crate) mod severity;
pub(crate) mod template;
pub(crate) mod trace;
