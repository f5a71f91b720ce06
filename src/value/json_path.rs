//! JSONPath (RFC 9535) over JSON text: queries are parsed, and evaluated to places in the text.
//!
//! No tree is built: a match is where its value begins and how one gets there, so that its text and its JSON
//! Pointer can be told. Work is bounded, because a short query can ask for more than anyone would wait for:
//! what was found until then is given, and that it may not be all.

mod compare;
mod evaluate;
mod parse;
mod pattern;
mod query;

pub(crate) use evaluate::{Matches, find};
pub(crate) use query::Query;
