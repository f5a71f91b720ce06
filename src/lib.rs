//! Shapes the output of MCP tools so that it never floods a model's context.
#![forbid(unsafe_code)]

/// The examples of the README, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod api;
mod base;
mod ladder;
mod outcome;
mod relay;
mod render;
mod request;
mod survey;
mod value;

#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
pub mod wasm;

pub use api::combined::{Together, check_returned};
pub use api::fast_path::Passed;
pub use api::infer_schema::infer_schema;
pub use api::keeping::{Action, Answer, Input, Keeping, Origin, check_redacted, no_text};
pub use api::links::Links;
pub use api::lookup::{Lookup, Opened, Purpose, Resource};
pub use api::mcp::{Block, Channel, Content, KeptResult, Member, Passing, Plan, ShapedResult, ShapedTool};
pub use api::own_tools::{check_tool_name, result_template};
pub use api::read_back::read_result_tool;
pub use api::shaper::Shaper;
pub use api::summarize_text::TextSummary;
pub use api::summarize_tool::{ToSummarize, summarize_tool};
pub use base::error::{Error, ErrorCode};
pub use base::json_pointer::escape as escape_token;
pub use base::json_string::escape_into;
pub use base::tokens::{
    Counter, Encoding, LoadedEncoding, Pattern, Side, count_tokens, decode, decode_bytes, encode, encode_with_special,
    find_encoding, find_pattern, find_side, fits_tokens, install_vocabulary, load_encoding, truncate_to_tokens,
    truncation_reach,
};
pub use outcome::receipt::{Receipt, Step, Weight};
pub use outcome::receipt_line::receipt_line;
pub use outcome::shaped::Shaped;
pub use outcome::to_store::Keep;
pub use outcome::tool_output::ToolOutput;
pub use relay::{Effect, Heard, Http, HttpEffect, HttpHead, HttpRequest, Relay, RelayOptions, StoreOption, Wanted};
pub use request::call::{Call, control_arguments};
pub use request::handle::keys as handle_keys;
pub use request::host_options::{ArchiveOptions, SummarizerOptions, check_adapter_options, default_store_limits};
pub use request::keyset::Keyset;
pub use request::options::Naming;
pub use request::policy::Policy;
pub use request::redacts::Redacts;
pub use survey::client::{Survey, SurveyEffect};
pub use survey::configuration::{ConfiguredServer, configured_servers};
pub use survey::host_files::host_files;
pub use survey::lint::Lint;
pub use survey::measured::Measured;
pub use survey::surveyed::Surveyed;
pub use value::hashed::{Hashed, Hashing, HostHash};
pub use value::json_text::JsonText;
pub use value::length_estimate::{visit_member as member_length, visit_members as member_lengths};
pub use value::numeric_column::{number_at, numbers};
pub use value::rate_limit::Fault;
pub use value::source::{Entry, Kind, Length, MAX_DEPTH, Source, too_deep, write_json};
pub use value::structured_text::TextFormat;
