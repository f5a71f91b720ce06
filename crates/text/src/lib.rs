//! What is found in a text by reading all of it: the rows of a table, the templates of a log, what a reader sees of a page.
//!
//! Nothing is copied that is not shown: rows, records and blocks are spans of the text. Whether a text is any of these, and
//! how it is shown, is decided elsewhere. It is its own crate so that it is compiled for speed; the rest is compiled for
//! size.
#![forbid(unsafe_code)]

/// The example of the README, as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod any_case;
pub mod chars;
pub mod hash;
pub mod lines;
pub mod prose;
pub mod python_literal;
pub mod redaction;
pub mod replaced;
pub mod rows;
pub mod surprise;
pub mod values;
