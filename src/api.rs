//! The functions and types that a program calls.

pub(crate) mod combined;
pub(crate) mod expected;
pub(crate) mod keeping;
pub(crate) mod keyset_page;
pub(crate) mod links;
pub(crate) mod listings;
pub(crate) mod mcp;
pub(crate) mod output_schema;
pub(crate) mod own_tools;
pub(crate) mod pass;
pub(crate) mod read_back;
pub(crate) mod session;
pub(crate) mod shaper;
pub(crate) mod snapshot;
pub(crate) mod sql;
pub(crate) mod store_lookup;
pub(crate) mod summarize_text;
pub(crate) mod summarize_tool;
#[cfg(feature = "o200k")]
pub(crate) mod tokens;
