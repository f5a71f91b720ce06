//! The measurement of one shaped result; for operators, never for the model.

use std::fmt;

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::Value;

use crate::base::members::Members;
use crate::base::tokens::Encoding;
use crate::request::policy::ReceiptIn;
use crate::value::structured_text::TextFormat;

/// One step of shaping. [`Display`](fmt::Display) and serde write its name in receipts, such as `paginate`.
///
/// ```
/// use toolshape::{Call, Shaper, Step};
/// let shaped = Shaper::default().shape(&(0..10_000).collect::<Vec<_>>(), &Call::tool("list"))?;
/// assert!(shaped.receipt.steps.contains(&Step::Paginate));
/// assert_eq!(Step::RateLimit.to_string(), "rateLimit");
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The tokens of a whole result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
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
}

/// What was done to one result, and its size. Serde writes the value of `_meta["toolshape/receipt"]`.
///
/// ```
/// use toolshape::{Call, Shaper};
/// let receipt = Shaper::default().shape_text("a short text", &Call::tool("read"))?.receipt;
/// assert!(receipt.steps.is_empty());
/// assert_eq!((receipt.tokens_before, receipt.tokens_after, receipt.budget), (3, 3, Some(2000)));
/// assert_eq!(serde_json::to_value(&receipt).unwrap()["tokensAfter"], 3);
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Receipt {
    pub tool: Option<String>,
    /// The steps in their order; empty if the result passed unchanged.
    pub steps: Vec<Step>,
    /// Tokens of the result as the tool returned it.
    pub tokens_before: usize,
    /// Whether `tokens_before` is an exact count; otherwise it is estimated from a sample.
    pub tokens_before_exact: bool,
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
    /// Whether the result carries it in `_meta`.
    pub(crate) in_meta: bool,
    /// The policy's `fields` that no row of the result has: most likely they are misspelt.
    pub unmatched_fields: Vec<String>,
}

impl Receipt {
    /// The receipt of a text that passes unchanged, of this many tokens and bytes.
    pub(crate) fn unchanged(
        tool: Option<&str>,
        (tokens, bytes): (usize, usize),
        budget: usize,
        encoding: Encoding,
        place: ReceiptIn,
    ) -> Self {
        Self {
            tool: tool.map(str::to_owned),
            steps: Vec::new(),
            tokens_before: tokens,
            tokens_before_exact: true,
            tokens_after: tokens,
            budget: Some(budget),
            encoding,
            bytes,
            work: 0,
            in_meta: place == ReceiptIn::Meta,
            unmatched_fields: Vec::new(),
        }
    }

    /// Whether the result carries it in `_meta`.
    #[doc(hidden)]
    pub fn is_in_meta(&self) -> bool {
        self.in_meta
    }

    /// The tokens of the result as the tool returned it.
    pub(crate) fn before(&self) -> Weight {
        match self.tokens_before_exact {
            true => Weight::Exact(self.tokens_before),
            false => Weight::Estimated(self.tokens_before),
        }
    }

    /// The names of the steps.
    #[doc(hidden)]
    pub fn step_names(&self) -> Vec<&'static str> {
        self.steps.iter().map(|step| step.name()).collect()
    }

    /// The receipt as the value of `_meta["toolshape/receipt"]`.
    #[doc(hidden)]
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
        out.number("tokensBefore", self.tokens_before);
        out.flag("tokensBeforeExact", self.tokens_before_exact);
        out.number("tokensAfter", self.tokens_after);
        match self.budget {
            Some(budget) => out.number("budget", budget),
            None => out.json("budget", "null"),
        }
        out.text("encoding", self.encoding.name());
        out.number("bytes", self.bytes);
        if !self.unmatched_fields.is_empty() {
            out.texts("unmatchedFields", &self.unmatched_fields);
        }
        f.write_str(&out.into_object())
    }
}

impl Serialize for Receipt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let has_unmatched = !self.unmatched_fields.is_empty();
        let mut out = serializer.serialize_struct("Receipt", 8 + usize::from(has_unmatched))?;
        out.serialize_field("tool", &self.tool)?;
        out.serialize_field("steps", &self.steps)?;
        out.serialize_field("tokensBefore", &self.tokens_before)?;
        out.serialize_field("tokensBeforeExact", &self.tokens_before_exact)?;
        out.serialize_field("tokensAfter", &self.tokens_after)?;
        out.serialize_field("budget", &self.budget)?;
        out.serialize_field("encoding", self.encoding.name())?;
        out.serialize_field("bytes", &self.bytes)?;
        if has_unmatched {
            out.serialize_field("unmatchedFields", &self.unmatched_fields)?;
        }
        out.end()
    }
}
