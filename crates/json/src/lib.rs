//! JSON text (RFC 8259) checked once, then walked in place.
//!
//! It reads the bytes once, builds no tree, recurses over a few levels at most, and does not panic on any text that was
//! checked. It is its own crate so that it is compiled for speed; the rest is compiled for size.
#![forbid(unsafe_code)]

/// The example of the README, as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod chars;
mod check;
mod decimal;
pub mod lengths;
mod named;
mod number;
mod outline;
mod scan;
mod seek;
pub mod string;
mod text_lengths;
mod utf16;

pub use chars::chars;
pub use check::{Checked, JsonFault, check, check_start};
pub use decimal::{MOST_DIGITS, Sum, TooFar, short_double};
pub use named::named_members;
pub use number::{Decimal, is_number, with_texts_for_numbers};
pub use outline::{LARGE, MemberMark, Steps, ValueIndex};
pub use scan::{is_space, minify, most_items, next_member, skip_space, skip_string, skip_value};
pub use seek::{Leaf, MemberName, OpenValue, Seeker};
pub use text_lengths::TextLengths;
pub use utf16::{is_pair, pairs};
