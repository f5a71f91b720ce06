//! SQL over stored texts: a JSON list, rows and the lines of a text are tables that are read in place.
//!
//! [`ask`] runs read-only statements of SQLite and returns rows. Nothing is loaded: a virtual table reads the columns that a
//! statement names. Work, memory and lengths are bounded; an answer that stopped early says of how many rows it is, or is an
//! error. `unsafe` is in the module `sqlite` alone.
#![deny(unsafe_code)]

/// The example of the README, as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod account;
mod allowed;
mod answer;
mod ask;
mod comparisons;
mod dialects;
mod engine;
mod error;
mod functions;
mod near;
mod notes;
mod number;
mod printed;
mod spellings;
mod sqlite;
mod statements;
mod table;
mod tokens;
mod walks;

pub use account::Limits;
pub use answer::{Answer, FirstRows, SqlValue};
pub use ask::{Tables, ask};
pub use error::{AskError, AskErrorKind, SqlPlace};
pub use statements::table_names;
pub use table::{Column, ColumnKind, Table, TableError, TableText};
