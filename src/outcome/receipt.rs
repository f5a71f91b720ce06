//! The measurement of one shaped result; for operators, never for the model.

use std::fmt;

use serde_json::Value;

use crate::base::json_string;
use crate::base::tokens::Encoding;

/// What was done to one result and what it weighs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Receipt {
    pub tool: Option<String>,
    /// The steps that were taken, in order: `read` (of a stored result), `project`, `minify`, `columns`,
    /// `paginate`, `summarize`, `truncate`, `offload`, `preserve`, `sample`, `grid`, `full`, `error`, `rateLimit`; none if the result
    /// passed unchanged.
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
        serde_json::from_str(&self.to_string()).expect("a receipt is written as JSON")
    }
}

/// The receipt as JSON text.
impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let null = || "null".to_owned();
        let tool = self.tool.as_deref().map_or_else(null, json_string::quoted);
        let steps: Vec<String> = self.steps.iter().map(|step| json_string::quoted(step)).collect();
        write!(f, "{{\"tool\":{tool},\"steps\":[{}],", steps.join(","))?;
        write!(f, "\"tokensBefore\":{},\"tokensBeforeExact\":{},", self.tokens_before, self.tokens_before_exact)?;
        let budget = self.budget.map_or_else(null, |budget| budget.to_string());
        write!(f, "\"tokensAfter\":{},\"budget\":{budget},", self.tokens_after)?;
        write!(f, "\"encoding\":{},\"bytes\":{}}}", json_string::quoted(self.encoding.name()), self.bytes)
    }
}
