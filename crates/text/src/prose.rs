//! Texts that are read and not queried: logs, stack traces, documents, web pages.

pub mod cover;
pub mod document;
pub mod encoded;
pub mod files;
pub mod html;
pub mod log;
pub mod log_lines;
pub mod markdown;
pub mod messages;
pub mod outline;
pub mod piece;
pub mod prelude;
mod quoted;
mod sentence;
pub mod severity;
pub mod template;
pub mod terminal;
pub mod trace;
