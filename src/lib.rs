//! Shapes the output of MCP tools so that it never floods a model's context.
#![forbid(unsafe_code)]

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod aggregate;
mod any_source;
mod around;
mod ascii_picture;
mod boundary;
mod call;
mod choose;
mod column;
mod columns;
mod context;
mod cursor;
mod detect;
mod elide;
mod envelope;
mod error;
mod excerpt;
mod fields;
mod grid;
mod handle;
mod json_path;
mod json_text;
mod json_walk;
mod keep;
mod keyset;
mod length;
mod links;
mod literal;
mod mcp;
mod measure;
mod offload;
mod options;
mod order;
mod output;
mod output_schema;
mod paginate;
mod passed;
mod plain_text;
mod pointer;
mod policy;
mod presets;
mod project;
mod rate_limit;
mod read_back;
mod receipt;
mod refusal;
mod reordered;
mod returned;
mod sample;
mod schema;
mod series;
mod shape;
mod shaper;
mod snapshot;
mod sorting;
mod source;
mod suggest;
mod summarize;
mod summarize_text;
mod summarize_tool;
mod together;
mod tokens;
mod truncate;
#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
pub mod wasm;
mod weigh;
mod whole;
mod window;

pub use call::Call;
pub use column::{number_at, numbers};
pub use error::{Error, ErrorCode};
pub use handle::keys as handle_keys;
pub use json_text::JsonText;
pub use keep::Keep;
pub use keyset::Keyset;
pub use length::Length;
pub use links::Links;
pub use literal::escape_into;
pub use mcp::{Block, Channel, ShapedResult, ShapedTool};
pub use options::Naming;
pub use passed::Passed;
pub use pointer::escape as escape_token;
pub use policy::Policy;
pub use rate_limit::Fault;
pub use read_back::read_result_tool;
pub use receipt::Receipt;
pub use returned::Returned;
pub use schema::infer_schema;
pub use shaper::{Shaped, Shaper};
pub use source::{Entry, Kind, MAX_DEPTH, Source, too_deep, write_json};
pub use summarize_text::TextSummary;
pub use summarize_tool::{ToSummarize, summarize_tool};
pub use together::Together;
pub use tokens::{
    Counter, Encoding, LoadedEncoding, Pattern, Side, count_tokens, decode, decode_bytes, encode, encode_with_special,
    find_encoding, find_pattern, find_side, fits_tokens, install_vocabulary, load_encoding, truncate_to_tokens,
    truncation_reach,
};
