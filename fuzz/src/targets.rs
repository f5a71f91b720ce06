//! One file for each target.

pub mod cursors;
pub mod dense;
pub mod mcp;
pub mod read_result;
pub mod relay;
pub mod shape;
pub mod summaries;
pub mod tokens;
