//! What the engine stands on: its error, bytes compared at once, loops in blocks, a heap for rising keys.

pub(crate) mod blocks;
pub(crate) mod error;
pub(crate) mod lanes;
pub(crate) mod radix_heap;
