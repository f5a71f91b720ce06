//! The one native integration binary: the promises and the shared vectors.

#![cfg(not(target_arch = "wasm32"))]

mod asked_of_texts;
#[cfg(feature = "sql")]
mod asking;
mod callers;
mod counted;
mod dense;
mod dense_form;
mod documents;
mod estimates;
mod first_questions;
mod generated_schemas;
mod hosts;
mod invariants;
mod json_members;
mod json_texts;
mod links;
mod lists;
mod long_redaction;
mod output_schemas;
mod own_cursors;
mod own_pages;
mod promises;
mod reader;
mod redaction;
mod relay;
mod relay_options;
mod sampled;
mod series_and_grids;
mod session;
mod snapshots;
#[cfg(feature = "sql")]
mod sql;
mod text_rows;
mod text_structure;
mod together;
mod vectors;
mod written_once;
