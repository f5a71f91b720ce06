//! JSONPath (RFC 9535) over JSON text: queries are parsed, and evaluated to places in the text.
//!
//! No tree is built: a match is the place of its value and the path to it, from which its text and its JSON Pointer
//! follow. Work is bounded, because a short query can ask for unlimited work: a search that reaches the bound returns
//! what it found, and that there may be more.

mod compare;
mod evaluate;
mod parse;
mod pattern;
mod query;

pub(crate) use evaluate::{Matches, find};
pub(crate) use query::Query;
