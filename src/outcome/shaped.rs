//! One result, as the core returns it.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::outcome::receipt::{Receipt, Step, Weight};
use crate::outcome::to_store::Keep;
use crate::request::call::Call;
use crate::request::policy::Settings;
use crate::request::view::Fit;

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

/// What all receipts of one call have in common.
#[derive(Clone, Copy)]
pub(crate) struct Receipts<'a> {
    pub settings: &'a Settings,
    pub call: &'a Call,
    /// The tokens of what the tool returned.
    pub before: Weight,
}

impl<'a> Receipts<'a> {
    pub fn new(settings: &'a Settings, call: &'a Call, before: Weight) -> Self {
        Self { settings, call, before }
    }

    /// A result with its receipt.
    pub fn shaped(&self, fit: Fit, steps: Vec<Step>, outcome: Outcome) -> Shaped {
        let Fit { text, tokens } = fit;
        let receipt = Receipt {
            tool: self.call.tool_name().map(str::to_owned),
            steps,
            tokens_before: self.before.tokens(),
            tokens_before_exact: self.before.is_exact(),
            tokens_after: tokens,
            budget: self.settings.budget().limit(),
            encoding: self.settings.encoding,
            bytes: text.len(),
            work: 0,
        };
        let (unchanged, is_error) = (outcome == Outcome::Unchanged, outcome == Outcome::Error);
        Shaped { text, unchanged, is_error, receipt, keep: None, outcome }
    }

    /// The tool's own value, unchanged.
    pub fn unchanged(&self, fit: Fit) -> Shaped {
        self.shaped(fit, Vec::new(), Outcome::Unchanged)
    }
}
