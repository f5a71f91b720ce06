//! JSONPath (RFC 9535) over JSON text: queries are parsed, and evaluated to places in the text.
//!
//! No tree is built: a match is the place of its value and the path to it, from which its text and its JSON Pointer
//! follow. A short query can ask for unlimited work, so all of it is spent from the [`Work`](crate::base::work::Work)
//! of the call: a search that has none left returns what it found, and that there may be more.

mod compare;
mod condition;
mod document;
mod evaluate;
mod matches;
mod parse;
mod pattern;
mod query;
mod slice;
mod unmet;

pub(crate) use condition::{Known, Tester};
pub(crate) use evaluate::{each, find};
pub(crate) use matches::{Match, Matches, RowLabel};
pub(crate) use parse::MAX_BYTES;
pub(crate) use pattern::{Expression, TextPattern};
pub(crate) use query::{Filter, Query};
pub(crate) use unmet::unmet;
