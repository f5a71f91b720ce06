//! Questions about rows: which groups they form, what their fields come to, and in which order they are.
//!
//! Rows are read in one pass over JSON text. Of a row only the fields that are asked about are looked at, and no tree is
//! built. Numbers are exact, whatever their size.

mod aggregate;
mod groups;
mod keyed;
mod long_list;
mod one_spelling;
mod plain_texts;
mod rows;
mod sort_key;
mod sorted;
mod tally;

pub(crate) use aggregate::{Aggregate, Function, Measured};
pub(crate) use groups::Groups;
pub use one_spelling::one_spelling;
pub(crate) use rows::{Are, QuestionError, QuestionRows};
pub(crate) use sort_key::SortKey;
pub(crate) use sorted::{Sorted, sort};
