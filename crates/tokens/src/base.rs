//! The base of the engine: its error, comparison of many bytes at once, loops in blocks, a heap for rising keys.

pub(crate) mod blocks;
pub(crate) mod error;
pub(crate) mod lanes;
