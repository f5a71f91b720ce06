//! One result as it leaves the core.

use crate::outcome::receipt::{Receipt, Step, Weight};
use crate::outcome::to_store::Keep;
use crate::request::call::Call;
use crate::request::context::Fit;
use crate::request::policy::Settings;

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
    /// What has to be stored before the result may be shown, because the result names it.
    pub keep: Option<Keep>,
    pub(crate) outcome: Outcome,
}

/// What the text of a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The tool's own value, as it was.
    Unchanged,
    /// The tool's own value, minified or with fewer fields.
    Value,
    /// An envelope of ours: a page, a summary, an excerpt, columns.
    Envelope,
    /// The handle of the stored result, in place of it.
    Handle,
    /// An error and what to do about it.
    Error,
}

/// What all receipts of one call have in common.
#[derive(Clone, Copy)]
pub(crate) struct Receipts<'a> {
    pub settings: &'a Settings,
    pub call: &'a Call,
    /// The weight of what the tool returned.
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
            tool: self.call.tool().map(str::to_owned),
            steps,
            before: self.before,
            tokens_after: tokens,
            budget: self.settings.budget().limit(),
            encoding: self.settings.encoding,
            bytes: text.len(),
        };
        let (unchanged, is_error) = (outcome == Outcome::Unchanged, outcome == Outcome::Error);
        Shaped { text, unchanged, is_error, receipt, keep: None, outcome }
    }

    /// The tool's own value, which passes as it is.
    pub fn unchanged(&self, fit: Fit) -> Shaped {
        self.shaped(fit, Vec::new(), Outcome::Unchanged)
    }
}
