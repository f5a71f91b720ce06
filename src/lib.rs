//! Shapes the output of MCP tools so that it never floods a model's context.
//!
//! A tool returns a large result; [`Shaper`] returns what a model can use: a page of the rows, a text with its middle left
//! out, or a summary, within a number of tokens. A result that fits passes unchanged.
//!
//! ```
//! use serde_json::json;
//! use toolshape::{Call, Policy, Shaper};
//!
//! let shaper = Shaper::new(Policy::builder().max_tokens(300).build()?);
//! let rows: Vec<_> = (1..=500).map(|id| json!({ "id": id, "title": format!("Article {id}") })).collect();
//!
//! let shaped = shaper.shape(&rows, &Call::tool("list_articles"))?;
//! assert!(shaped.text.starts_with(r#"{"paginated":true,"totalItems":500,"page":1,"#));
//! assert!(shaped.receipt.tokens_after <= 300 && shaped.receipt.tokens_before > 3_000);
//!
//! // The model requests the next page with the cursor of this one.
//! let page: serde_json::Value = serde_json::from_str(&shaped.text).unwrap();
//! let next = page["nextCursor"].as_str().unwrap();
//! let shaped = shaper.shape(&rows, &Call::tool("list_articles").cursor(next))?;
//! assert!(shaped.text.contains(r#""page":2"#));
//! # Ok::<(), toolshape::Error>(())
//! ```
//!
//! # What to read next
//!
//! - [`Policy`] sets the budget and the form of results; [`options`] lists every option with its default.
//! - [`Call`] is one call: the tool's name, its arguments, and what the caller requests.
//! - [`Shaped`] has the text for the model and a [`Receipt`] for the operator. With a store, its [`Keep`] must be stored, so
//!   that the model can read the rest with the tool [`read_result`](read_result_tool).
//! - [`Error`] has a stable code, a message and a JSON Pointer to the wrong value.
//! - `count_tokens`, `fits_tokens` and `truncate_to_tokens` count exactly as OpenAI's `tiktoken`.
//!
//! Servers of `rmcp` use the crate `toolshape-rmcp`, which shapes every tool and includes the stores. The crate
//! `toolshape-tokens` is the token engine alone, and `toolshape-cli` the command line with the proxy for any MCP server.
//!
//! # Features
//!
//! - `o200k` (default) embeds the vocabulary `o200k_base`. Without it, shaping fails with `INVALID_POLICY` unless the
//!   policy's encoding is `estimate` or another one that is available, and `count_tokens`, `fits_tokens` and
//!   `truncate_to_tokens` do not exist.
//! - `cl100k` (default) embeds the vocabulary `cl100k_base`.
//! - `sql` answers the argument `sql` of `read_result` by SQLite, which it compiles: a C compiler is needed.
#![forbid(unsafe_code)]

/// The examples of the README, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod api;
mod base;
mod ladder;
mod outcome;
mod render;
mod request;
mod value;

pub use api::read_back::read_result_tool;
pub use api::shaper::Shaper;
#[cfg(feature = "o200k")]
pub use api::tokens::{count_tokens, fits_tokens, truncate_to_tokens};
pub use base::error::{Error, ErrorCode};
pub use base::tokens::{Counter, Encoding, Side};
pub use outcome::receipt::{Reason, Receipt, Rows, Step};
pub use outcome::shaped::Shaped;
pub use outcome::to_store::Keep;
pub use request::call::Call;
pub use request::policy::Policy;
pub use value::structured_text::TextFormat;

/// The options of a policy and of a call, and the types of their values.
#[doc = ""]
#[doc = include_str!("../docs/options.md")]
pub mod options {
    pub use crate::request::declared::Output;
    pub use crate::request::policy::{ControlsIn, Format, NoTransform, Overflow, Preview, ReadAs, ReceiptIn, Schema};
    pub use crate::request::policy_builder::PolicyBuilder;
}

/// What the faces, the adapters and the proxy of this repository are built on. It has no stability promise.
#[doc(hidden)]
pub mod host {
    pub use crate::api::combined::{Together, check_returned};
    pub use crate::api::expected::Expected;
    pub use crate::api::keeping::{Input, Origin, check_redacted, no_text};
    pub use crate::api::links::Links;
    pub use crate::api::mcp::host::{HOSTS, Host};
    pub use crate::api::mcp::over_limit::OverLimit;
    pub use crate::api::mcp::text_size::TextSize;
    pub use crate::api::mcp::{Block, Channel, Content, Member, Plan, Replacement, ShapedResult, ShapedTool};
    pub use crate::api::own_tools::{check_tool_name, result_template};
    pub use crate::api::pass::{Passed, Passing};
    pub use crate::api::session::keep::{KeepHeard, KeepNext, KeepState, ToStore, Whole};
    pub use crate::api::session::read::{Read, ReadFor, ReadState};
    pub use crate::api::session::shapeable::{GivenText, KeepValue, ReturnedJson, Shapeable, Summarized};
    pub use crate::api::session::tasks::Tasks;
    pub use crate::api::session::{AskedSource, Effect, Heard, Next, Slot, Slots};
    #[cfg(feature = "sql")]
    pub use crate::api::sql::{Clock, OpenedTables, ask_sql};
    pub use crate::api::sql::{FoundTable, HAS_SQL, SqlContent, SqlQuestion, SqlSource, StoredText};
    pub use crate::api::store_lookup::{Lookup, Opened, Purpose, Resource};
    pub use crate::api::summarize_text::TextSummary;
    pub use crate::api::summarize_tool::{ToSummarize, summarize_tool};
    pub use crate::base::json_pointer::{self, escape as escape_token};
    pub use crate::base::json_string::{self, Quoted, escape_into, quoted};
    pub use crate::base::members::Members;
    pub use crate::base::sorting::sort_by_key;
    pub use crate::base::tokens::{
        LoadedEncoding, Pattern, count_tokens, decode, decode_bytes, encode, encode_with_special, find_encoding,
        find_pattern, find_side, fits_tokens, install_vocabulary, known_encoding, load_encoding, truncate_to_tokens,
        truncation_reach,
    };
    pub use crate::base::utc::written as utc;
    pub use crate::outcome::explain::explain;
    pub use crate::outcome::receipt::STEPS;
    pub use crate::outcome::receipt_line::{printable_within, receipt_line};
    pub use crate::outcome::tool_output::ToolOutput;
    pub use crate::render::dense::{dense, expand};
    pub use crate::request::call::{OF_CALL, READ_IN_META, control_arguments};
    pub use crate::request::handle::{SCHEME, handle_of};
    pub use crate::request::host_options::{
        ArchiveOptions, MEMORY_BYTES, OF_ADAPTER, OF_ARCHIVE, OF_REDACTION, OF_STORE, STORE_BYTES, VALUE_BYTES,
        check_adapter_options, check_harness_options, read_redaction,
    };
    pub use crate::request::keyset::Keyset;
    pub use crate::request::option_spec::{OptionSpec, Takes, names, object_schema, properties};
    pub use crate::request::policy::{OF_ALL_TOOLS, OF_TOOL};
    pub use crate::request::read_tool::{READ_RESULT, read_tool_of};
    pub use crate::request::reader::{Naming, Reader};
    pub use crate::request::redacts::Redacts;
    pub use crate::value::hashed::{Hashed, Hashing, HostHash};
    pub use crate::value::json_text::{JsonIndex, JsonText};
    pub use crate::value::length_estimate::{visit_member as member_length, visit_members as member_lengths};
    pub use crate::value::numeric_column::{number_at, numbers};
    pub use crate::value::one_spelling::one_spelling;
    pub use crate::value::rate_limit::Fault;
    pub use crate::value::redaction::Redaction;
    pub use crate::value::source::{
        Entry, FastSource, Kind, Length, MAX_DEPTH, RowSource, Source, item, json_if_short, too_deep, write_json,
    };
    pub use crate::value::structured_text::TEXT_FORMATS;
    pub use crate::value::structured_text::TextFormat;
    pub use crate::value::token_count::Measure;
}
