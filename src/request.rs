//! What the author and the caller ask for: policy, call, cursors, ids of stored results.

pub(crate) mod call;
pub(crate) mod choice;
pub(crate) mod content_id;
pub(crate) mod context;
pub(crate) mod cursor;
pub(crate) mod declared;
pub(crate) mod handle;
pub(crate) mod host_options;
pub(crate) mod keyset;
pub(crate) mod lenient;
pub(crate) mod listing;
pub(crate) mod option_spec;
pub(crate) mod policy;
pub(crate) mod policy_builder;
pub(crate) mod read_text;
pub(crate) mod read_tool;
pub(crate) mod reader;
pub(crate) mod redacts;
pub(crate) mod secret;
pub(crate) mod shallow;
pub(crate) mod stored;
pub(crate) mod ticket;
