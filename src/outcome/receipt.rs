//! The measurement of one shaped result; for operators, never for the model.

use std::fmt;

use serde_json::Value;

use crate::base::members::Members;
use crate::base::tokens::Encoding;
use crate::value::structured_text::TextFormat;

/// One step of shaping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The result comes from the store.
    Read,
    /// A text is shown by its structure.
    Text(TextFormat),
    Project,
    Minify,
    Columns,
    Links,
    Paginate,
    Summarize,
    Truncate,
    /// Some entries of a series are shown.
    Sample,
    /// The best cells of a grid and a picture are shown.
    Grid,
    /// A series or a grid is shown in full.
    Full,
    Offload,
    /// The result is shrunk within the tool's own output schema.
    Preserve,
    SummarizeText,
    /// The result explains an error.
    Error,
    RateLimit,
}

impl Step {
    /// The step's name in a receipt.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Text(format) => format.name(),
            Self::Project => "project",
            Self::Minify => "minify",
            Self::Columns => "columns",
            Self::Links => "links",
            Self::Paginate => "paginate",
            Self::Summarize => "summarize",
            Self::Truncate => "truncate",
            Self::Sample => "sample",
            Self::Grid => "grid",
            Self::Full => "full",
            Self::Offload => "offload",
            Self::Preserve => "preserve",
            Self::SummarizeText => "summarizeText",
            Self::Error => "error",
            Self::RateLimit => "rateLimit",
        }
    }
}

/// The tokens of a whole result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Counted completely.
    Exact(usize),
    /// Estimated from a sample.
    Estimated(usize),
}

impl Weight {
    pub fn tokens(self) -> usize {
        match self {
            Self::Exact(tokens) | Self::Estimated(tokens) => tokens,
        }
    }

    pub fn is_exact(self) -> bool {
        matches!(self, Self::Exact(_))
    }

    /// The same plus `more` counted tokens.
    pub fn plus(self, more: usize) -> Self {
        match self {
            Self::Exact(tokens) => Self::Exact(tokens + more),
            Self::Estimated(tokens) => Self::Estimated(tokens + more),
        }
    }
}

/// What was done to one result, and its size.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Receipt {
    pub tool: Option<String>,
    /// The steps in their order; empty if the result passed unchanged.
    pub steps: Vec<Step>,
    /// Tokens of the result as the tool returned it.
    pub before: Weight,
    /// Tokens of the text that the model reads, counted.
    pub tokens_after: usize,
    /// The limit of `tokens_after`; `None` for a tool whose results the policy does not shape.
    pub budget: Option<usize>,
    pub encoding: Encoding,
    /// The length of the text in UTF-8 bytes.
    pub bytes: usize,
    /// What the answer of `read_result` took, in units that do not depend on the machine: about one for each byte
    /// that was looked at. 0 for any other result.
    pub work: u64,
}

impl Receipt {
    /// The receipt of a text that passes unchanged, of so many tokens and bytes.
    pub(crate) fn unchanged(
        tool: Option<&str>,
        (tokens, bytes): (usize, usize),
        budget: usize,
        encoding: Encoding,
    ) -> Self {
        Self {
            tool: tool.map(str::to_owned),
            steps: Vec::new(),
            before: Weight::Exact(tokens),
            tokens_after: tokens,
            budget: Some(budget),
            encoding,
            bytes,
            work: 0,
        }
    }

    /// The names of the steps.
    pub fn step_names(&self) -> Vec<&'static str> {
        self.steps.iter().map(|step| step.name()).collect()
    }

    /// The receipt as the value of `_meta["toolshape/receipt"]`.
    pub fn to_json(&self) -> Value {
        serde_json::from_str(&self.to_string()).expect("a receipt is written as JSON")
    }
}

/// The receipt as JSON text.
impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Members::new();
        out.text_or_null("tool", self.tool.as_deref());
        out.texts("steps", &self.step_names());
        out.number("tokensBefore", self.before.tokens());
        out.flag("tokensBeforeExact", self.before.is_exact());
        out.number("tokensAfter", self.tokens_after);
        match self.budget {
            Some(budget) => out.number("budget", budget),
            None => out.json("budget", "null"),
        }
        out.text("encoding", self.encoding.name());
        out.number("bytes", self.bytes);
        f.write_str(&out.into_object())
    }
}
