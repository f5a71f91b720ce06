//! The measurement of one shaped result; for operators, never for the model.

use serde_json::{Value, json};

use crate::tokens::Encoding;

/// What was done to one result and what it weighs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Receipt {
    pub tool: Option<String>,
    /// The steps that were taken, in order: `project`, `minify`, `columns`, `paginate`, `summarize`,
    /// `truncate`, `offload`, `error`, `rateLimit`; none if the result passed unchanged.
    pub steps: Vec<&'static str>,
    /// Tokens of the result as the tool returned it.
    pub tokens_before: usize,
    /// Whether `tokens_before` was counted to the end, not estimated from a sample.
    pub tokens_before_exact: bool,
    /// Tokens of the text that the model reads, counted.
    pub tokens_after: usize,
    /// The most that `tokens_after` may be; `None` for a tool that the policy leaves alone.
    pub budget: Option<usize>,
    pub encoding: Encoding,
    /// Length of the text in UTF-8.
    pub bytes: usize,
}

impl Receipt {
    /// The receipt as it stands in `_meta["toolshape/receipt"]`.
    pub fn to_json(&self) -> Value {
        json!({
            "tool": self.tool,
            "steps": self.steps,
            "tokensBefore": self.tokens_before,
            "tokensBeforeExact": self.tokens_before_exact,
            "tokensAfter": self.tokens_after,
            "budget": self.budget,
            "encoding": self.encoding.name(),
            "bytes": self.bytes,
        })
    }
}
