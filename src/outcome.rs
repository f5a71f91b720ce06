//! What a tool returns and what its caller gets, as data.

pub(crate) mod content;
pub(crate) mod explain;
pub(crate) mod receipt;
pub(crate) mod receipt_line;
pub(crate) mod shaped;
pub(crate) mod to_store;
pub(crate) mod tool_output;
