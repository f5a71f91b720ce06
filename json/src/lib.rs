//! JSON text (RFC 8259) checked once, then walked in place.
//!
//! Promises one pass over the bytes, no tree, no recursion and no panic on any text that was checked.
//! It is a crate of its own so that it is compiled for speed where the rest is compiled for size.
#![forbid(unsafe_code)]

mod check;
mod outline;
mod scan;

pub use check::{Checked, Fault, check};
pub use outline::{LARGE, Outline, Steps};
pub use scan::{is_space, minify, next_member, skip_space, skip_string, skip_value};
