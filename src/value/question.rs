//! Questions about rows: which groups they form, what their fields come to, and in which order they stand.
//!
//! Rows are read in one pass over JSON text. Of a row only the fields that are asked about are looked at, and no tree is
//! built. Numbers are exact, whatever their size.

mod aggregate;
mod sort_key;

pub(crate) use aggregate::{Aggregate, Function, Measured};
pub(crate) use sort_key::SortKey;
