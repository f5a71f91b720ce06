//! Texts that are read and not queried: logs, stack traces, documents, web pages.

pub mod cover;
pub mod document;
pub mod encoded;
pub mod files;
pub mod html;
mod hunks;
pub mod log;
pub mod log_lines;
pub mod markdown;
pub mod outline;
mod phrases;
pub mod piece;
pub mod prelude;
mod quoted;
pub mod said;
mod sentence;
pub mod severity;
pub mod survey;
mod system_errors;
pub mod template;
pub mod terminal;
pub mod trace;
