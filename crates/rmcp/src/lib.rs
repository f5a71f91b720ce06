//! One line that shapes what the tools of an `rmcp` server return, so that it never floods a model's context.
//!
//! [`shape`] is that line. [`Shaping::builder`] has the options: the store, access, callbacks.
#![forbid(unsafe_code)]

/// The examples of the README, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Those of the page about Rust servers.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
struct RustPage;

mod adapter;
mod archive;
mod blocking;
mod call;
mod expected;
mod options;
mod result;
mod shaped;
mod tools;

pub use archive::AnyError;
pub use call::CallContext;
pub use expected::assert_fits;
pub use options::{Shaping, ShapingBuilder};
pub use shaped::ShapedServer;

pub use serde_json::{Value, json};
pub use toolshape::host::Redacts;
pub use toolshape::{Error, ErrorCode};
pub use toolshape_stores::*;

use rmcp::ServerHandler;

/// A server with shaping around it, by a policy in the camelCase spelling of its options; `json!({})` has their defaults.
///
/// What is left out of results is kept in the memory of this process.
///
/// # Errors
/// `INVALID_POLICY` for an invalid policy.
///
/// ```
/// # use rmcp::ServerHandler;
/// # struct Articles;
/// # impl ServerHandler for Articles {}
/// use toolshape_rmcp::{json, shape};
/// let server = shape(Articles, json!({ "maxTokens": 4000 }))?;
/// # let _: &Articles = server.server();
/// assert!(shape(Articles, json!({ "maxTokens": "many" })).is_err());
/// # Ok::<(), toolshape_rmcp::Error>(())
/// ```
pub fn shape<S: ServerHandler>(server: S, policy: Value) -> Result<ShapedServer<S>, Error> {
    Ok(Shaping::builder(policy).build()?.around(server))
}
