//! One result, as the core returns it.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::outcome::receipt::{Receipt, Step, Weight};
use crate::outcome::to_store::Keep;
use crate::request::call::Call;
use crate::request::context::Fit;
use crate::request::policy::Settings;

/// One shaped result. Serde writes `text`, `unchanged`, `isError` and `receipt`.
///
/// ```
/// use toolshape::{Call, Shaper};
/// let shaped = Shaper::default().shape_json(r#"{ "id": 7 }"#, &Call::tool("read"))?;
/// assert!(shaped.unchanged && !shaped.is_error && shaped.keep.is_none());
/// assert_eq!(shaped.text, r#"{ "id": 7 }"#);
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Shaped {
    /// What the model reads: JSON, or the tool's own text if it passed unchanged.
    pub text: String,
    /// Whether the result is the tool's own value, so that the caller need not parse `text`.
    pub unchanged: bool,
    /// Whether the result explains an error and has no data.
    pub is_error: bool,
    /// What was done and the size of the result; for operators, not for the model.
    pub receipt: Receipt,
    /// What must be stored before the result is sent, because the result names it.
    pub keep: Option<Keep>,
    /// The block of a stored image that `read_result` shows, as JSON: an MCP result has it in place of the text, which only
    /// describes it. Its tokens are those of the image.
    pub image: Option<String>,
    pub(crate) outcome: Outcome,
}

/// What the text of a result contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The tool's own value, unchanged.
    Unchanged,
    /// The tool's own value, minified or with fewer fields.
    Value,
    /// One of our envelopes: a page, a summary, an excerpt, columns.
    Envelope,
    /// The handle of the stored result, in place of the result.
    Handle,
    /// An error and what to do about it.
    Error,
}

impl Serialize for Shaped {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Shaped", 4)?;
        out.serialize_field("text", &self.text)?;
        out.serialize_field("unchanged", &self.unchanged)?;
        out.serialize_field("isError", &self.is_error)?;
        out.serialize_field("receipt", &self.receipt)?;
        out.end()
    }
}

impl Shaped {
    /// A result with its receipt; `before` is the tokens of what the tool returned.
    pub(crate) fn new(
        settings: &Settings,
        call: &Call,
        before: Weight,
        fit: Fit,
        steps: Vec<Step>,
        outcome: Outcome,
    ) -> Self {
        let Fit { text, tokens } = fit;
        let (tool, size) = (call.tool_name(), (tokens, text.len()));
        let receipt = Receipt {
            steps,
            tokens_before: before.tokens(),
            tokens_before_exact: before.is_exact(),
            failure: if outcome == Outcome::Unchanged { None } else { call.failure() },
            ..Receipt::unchanged(tool, size, settings.budget(), settings.encoding, settings.receipt)
        };
        let (unchanged, is_error) = (outcome == Outcome::Unchanged, outcome == Outcome::Error);
        Self { text, unchanged, is_error, receipt, keep: None, image: None, outcome }
    }

    /// The same, of a result that had this many tokens to spend.
    pub(crate) fn within(mut self, budget: usize) -> Self {
        self.receipt.budget = self.receipt.budget.map(|_| budget);
        self
    }

    /// The tool's own text, unchanged.
    pub(crate) fn unchanged(settings: &Settings, call: &Call, fit: Fit) -> Self {
        Self::new(settings, call, Weight::Exact(fit.tokens), fit, Vec::new(), Outcome::Unchanged)
    }
}
