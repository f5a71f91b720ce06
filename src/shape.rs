//! The ladder: a result goes down only as far as it must.

use crate::call::Call;
use crate::error::Error;
use crate::json_text::JsonText;
use crate::policy::Policy;
use crate::receipt::Receipt;
use crate::source::{Kind, Source};
use crate::tokens::count_tokens;

/// One result, shaped.
#[derive(Clone, Debug, PartialEq)]
pub struct Shaped {
    /// What the model reads: JSON, unless `unchanged` text that never was.
    pub text: String,
    /// Whether the caller's own value is the result, so that `text` need not be read back.
    pub unchanged: bool,
    /// Whether the result tells of an error instead of carrying data.
    pub is_error: bool,
    pub receipt: Receipt,
}

/// Shapes results under one policy.
#[derive(Clone, Debug, Default)]
pub struct Shaper {
    policy: Policy,
}

impl Shaper {
    pub fn new(policy: Policy) -> Self {
        Self { policy }
    }

    /// Shapes a JSON text.
    pub fn shape_json(&self, text: &str, call: &Call) -> Result<Shaped, Error> {
        self.shape(&JsonText::parse(text)?, call)
    }

    /// Shapes a value of the host; a string is shaped as text.
    pub fn shape<S: Source>(&self, value: &S, call: &Call) -> Result<Shaped, Error> {
        let settings = self.policy.settings(call.tool()).unwrap();
        let _controls = call.controls(settings)?;
        let text = match value.kind() {
            Kind::String => crate::literal::unescape(&value.slice(0, usize::MAX)?),
            _ => value.json()?.into_owned(),
        };
        let tokens = count_tokens(&text, settings.encoding);
        let receipt = Receipt {
            tool: call.tool().map(str::to_owned),
            steps: vec![],
            tokens_before: tokens,
            tokens_before_exact: true,
            tokens_after: tokens,
            budget: settings.budget(),
            encoding: settings.encoding,
            bytes: text.len(),
        };
        Ok(Shaped { text, unchanged: true, is_error: false, receipt })
    }
}
