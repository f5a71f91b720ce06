//! What the fuzzers run: for each target, one input against the promises of `tests/promises.rs`, which panic where one
//! does not hold, and edits that turn one input into another.
//!
//! An input is a case as in `vectors/`, so that a failed one can become a case: see [`input`].
#![forbid(unsafe_code)]

pub mod input;
mod json_edits;
pub mod mutation;
mod options;
pub mod seeds;
mod targets;
mod text_edits;
mod vectors;

// The oracles are those of the tests, which use all of them.
#[allow(dead_code)]
#[path = "../../tests/generated_schemas.rs"]
mod generated_schemas;
#[allow(dead_code)]
#[path = "../../tests/promises.rs"]
mod promises;
#[allow(dead_code)]
#[path = "../../tests/reader.rs"]
mod reader;
#[allow(dead_code)]
#[path = "../../tests/sampled.rs"]
mod sampled;

use arbitrary::{Result, Unstructured};

use input::Input;

/// One thing to fuzz.
pub struct Target {
    pub name: &'static str,
    /// Runs one input and panics where a promise does not hold; `None` for an input that the target has no use for.
    pub run: fn(&Input) -> Option<()>,
    /// Changes the head of an input.
    edit: fn(&mut Input, &mut Unstructured<'_>) -> Result<()>,
}

/// The targets by their names.
pub const TARGETS: &[Target] = &[
    Target { name: "shape", run: targets::shape::run, edit: targets::shape::edit },
    Target { name: "cursors", run: targets::cursors::run, edit: targets::cursors::edit },
    Target { name: "read_result", run: targets::read_result::run, edit: targets::read_result::edit },
    Target { name: "tokens", run: targets::tokens::run, edit: targets::tokens::edit },
    Target { name: "mcp", run: targets::mcp::run, edit: targets::mcp::edit },
    Target { name: "relay", run: targets::relay::run, edit: targets::relay::edit },
    Target { name: "dense", run: targets::dense::run, edit: targets::dense::edit },
    Target { name: "summaries", run: targets::summaries::run, edit: targets::summaries::edit },
];
