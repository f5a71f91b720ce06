//! Shapes the output of MCP tools so that it never floods a model's context.
#![forbid(unsafe_code)]

mod boundary;
mod call;
mod error;
mod fields;
mod json_text;
mod literal;
mod options;
mod pointer;
mod policy;
mod rate_limit;
mod receipt;
mod shape;
mod source;
mod tokens;

pub use call::Call;
pub use error::{Error, ErrorCode};
pub use json_text::JsonText;
pub use literal::escape_into;
pub use options::Naming;
pub use policy::Policy;
pub use receipt::Receipt;
pub use shape::{Shaped, Shaper};
pub use source::{Entry, Kind, MAX_DEPTH, Source, write_json};
pub use tokens::{Encoding, count_tokens, fits_tokens};
