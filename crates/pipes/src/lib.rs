//! MCP servers as child processes, and the lines that they read and write.
//!
//! Each side has a thread of its own. A side that is not read holds up no other, and one whose lines are not taken is read no
//! further.
#![forbid(unsafe_code)]

pub mod child;
pub mod gate;
pub mod lines;
pub mod writer;
