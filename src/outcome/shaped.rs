//! One result as it leaves the core.

use crate::outcome::receipt::Receipt;
use crate::outcome::to_store::Keep;

/// One result, shaped.
#[derive(Clone, Debug, PartialEq)]
pub struct Shaped {
    /// What the model reads: JSON, or the tool's own text where that passed unchanged.
    pub text: String,
    /// Whether the tool's own value is the result, so that `text` need not be read back.
    pub unchanged: bool,
    /// Whether the result explains an error instead of carrying data.
    pub is_error: bool,
    /// What was done and what it weighs; for operators, not for the model.
    pub receipt: Receipt,
    /// What has to be stored before the result is told, because it tells of it.
    pub keep: Option<Keep>,
}

/// What a result turned out to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Unchanged,
    Changed,
    Error,
}
