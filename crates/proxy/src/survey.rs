//! What a server costs a model's context: its tools and their results measured and checked, without I/O.
//!
//! A [`Survey`](client::Survey) asks a server, as lines in and effects out; a recording and a dumped list of tools say
//! the same. From what is known of servers come the table, the JSON, the HTML report and the findings, so that every
//! face prints the same bytes.

pub(crate) mod client;
pub(crate) mod configuration;
pub(crate) mod definition;
pub(crate) mod filled;
pub(crate) mod lint;
pub(crate) mod measured;
pub(crate) mod numbers;
pub(crate) mod report;
pub(crate) mod seen;
pub(crate) mod surveyed;
pub(crate) mod table;
