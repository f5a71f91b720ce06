//! The measurement of one shaped result; for operators, never for the model.

use std::fmt;

use serde::ser::{Serialize, Serializer};
use serde_json::Value;

use crate::base::members::Members;
use crate::base::tokens::Encoding;
use crate::request::policy::ReceiptIn;
use crate::request::reader::Naming;
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
    /// Images are left out.
    Images,
}

/// The steps, except for the formats of texts: the name in receipts, and what the step does.
pub const STEPS: [(Step, &str, &str); 17] = [
    (Step::Read, "read", "The result comes from the store."),
    (Step::Project, "project", "Only the fields that the call, the policy or the page selects are shown."),
    (Step::Minify, "minify", "White space between values is left out."),
    (Step::Columns, "columns", "Rows are written as columns, and their keys once."),
    (Step::Links, "links", "A link replaces each row."),
    (Step::Paginate, "paginate", "Rows are shown in pages, which a cursor continues."),
    (Step::Summarize, "summarize", "The largest members are shortened; their pointers return them."),
    (Step::Truncate, "truncate", "Parts of the text are shown; a cursor or a search returns the rest."),
    (Step::Sample, "sample", "Some entries of the series are shown."),
    (Step::Grid, "grid", "The best cells of the grid and a picture are shown."),
    (Step::Full, "full", "The series or the grid is shown in full."),
    (Step::Offload, "offload", "The result is stored, and a handle replaces it."),
    (Step::Preserve, "preserve", "The result is shrunk within the tool's output schema."),
    (Step::SummarizeText, "summarizeText", "Sentences or lines of the text summarize it."),
    (Step::Error, "error", "The result explains an error."),
    (Step::RateLimit, "rateLimit", "The result explains a rate limit and how long to wait."),
    (Step::Images, "images", "Images are left out; a note says how to see them."),
];

impl Step {
    /// The step's name in a receipt.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text(format) => format.name(),
            _ => STEPS.iter().find(|(step, ..)| *step == self).map_or("", |(_, name, _)| name),
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

/// Why a result was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It has more tokens than its budget, or more than the client takes.
    Tokens,
    /// It fits, and has more rows than the policy shows at once.
    Rows { total: usize, paginate_after: usize },
    /// The call asks for a part or a form of it.
    Requested,
    /// Results that are returned together have more tokens than this.
    Together(usize),
    /// It has more images than the policy's `images`.
    Images { count: usize, most: usize },
}

/// The rows that a page shows, and those that the list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rows {
    pub returned: usize,
    /// `None` if nobody counted them: the author's query fetched a page.
    pub total: Option<usize>,
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
    /// Why there are steps; `None` for those that the server's author chose or that explain an error.
    pub reason: Option<Reason>,
    /// The rows of a page.
    pub rows: Option<Rows>,
    /// Tokens of the result as the tool returned it; of one that comes from the store, `tokens_after`, so that sums count each once.
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
    /// Why the result is not stored, if the store or `redact` failed.
    pub failure: Option<String>,
}

impl Receipt {
    /// The receipt of a text that passes unchanged, of this many tokens and bytes.
    pub(crate) fn unchanged(
        tool: Option<&str>,
        (tokens, bytes): (usize, usize),
        budget: Option<usize>,
        encoding: Encoding,
        place: ReceiptIn,
    ) -> Self {
        Self {
            tool: tool.map(str::to_owned),
            steps: Vec::new(),
            reason: None,
            rows: None,
            tokens_before: tokens,
            tokens_before_exact: true,
            tokens_after: tokens,
            budget,
            encoding,
            bytes,
            work: 0,
            in_meta: place == ReceiptIn::Meta,
            unmatched_fields: Vec::new(),
            failure: None,
        }
    }

    /// Whether the result carries it in `_meta`.
    #[doc(hidden)]
    pub fn is_in_meta(&self) -> bool {
        self.in_meta
    }

    /// Counts a result that comes from the store as itself alone: the receipt of what the tool returned has counted the whole.
    pub(crate) fn count_as_read(&mut self) {
        (self.tokens_before, self.tokens_before_exact) = (self.tokens_after, true);
        self.reason = self.reason.filter(|reason| *reason != Reason::Tokens);
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

    /// The reason in words, such as `60 rows > paginateAfter 50`.
    fn reason_text(&self, naming: Naming) -> Option<String> {
        let tokens = self.tokens_before;
        let about = if self.tokens_before_exact { "" } else { "about " };
        Some(match (self.reason?, self.budget?) {
            (Reason::Tokens, budget) if tokens > budget => format!("{about}{tokens} tokens > budget {budget}"),
            (Reason::Tokens, budget) if !self.tokens_before_exact => format!("tokens > budget {budget}"),
            (Reason::Tokens, _) => format!("{tokens} tokens > limit of the client"),
            (Reason::Rows { total, paginate_after }, _) => {
                format!("{total} rows > {} {paginate_after}", naming.spell("paginateAfter"))
            }
            (Reason::Requested, _) => "requested".to_owned(),
            (Reason::Together(limit), _) => {
                format!("results together > {} {limit}", naming.spell("combinedTokens"))
            }
            (Reason::Images { count, most }, _) => format!("{count} images > images {most}"),
        })
    }

    /// The receipt as the value of `_meta["toolshape/receipt"]`.
    #[doc(hidden)]
    pub fn to_json(&self) -> Value {
        self.named(Naming::Camel)
    }

    /// The same with names in this form.
    #[doc(hidden)]
    pub fn named(&self, naming: Naming) -> Value {
        serde_json::from_str(&self.written(naming)).expect("a receipt is written as JSON")
    }

    fn written(&self, naming: Naming) -> String {
        let mut out = Members::new();
        out.text_or_null("tool", self.tool.as_deref());
        out.texts("steps", &self.step_names());
        if let Some(reason) = self.reason_text(naming) {
            out.text("reason", &reason);
        }
        if let Some(Rows { returned, total }) = self.rows {
            let total = total.map_or_else(|| "null".to_owned(), |total| total.to_string());
            out.json("rows", &format!(r#"{{"returned":{returned},"total":{total}}}"#));
        }
        out.number(&naming.spell("tokensBefore"), self.tokens_before);
        out.flag(&naming.spell("tokensBeforeExact"), self.tokens_before_exact);
        out.number(&naming.spell("tokensAfter"), self.tokens_after);
        match self.budget {
            Some(budget) => out.number("budget", budget),
            None => out.json("budget", "null"),
        }
        out.text("encoding", self.encoding.name());
        out.number("bytes", self.bytes);
        if !self.unmatched_fields.is_empty() {
            out.texts(&naming.spell("unmatchedFields"), &self.unmatched_fields);
        }
        if let Some(failure) = &self.failure {
            out.text("failure", failure);
        }
        out.into_object()
    }
}

/// The receipt as JSON text.
impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written(Naming::Camel))
    }
}

impl Serialize for Receipt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}
