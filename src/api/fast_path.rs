//! Results that certainly pass unchanged: their tokens are counted only when the receipt is needed.

use crate::api::shaper::Shaper;
use crate::base::tokens::{Encoding, count_tokens, surely_fits};
use crate::outcome::receipt::Receipt;
use crate::outcome::tool_output::ToolOutput;
use crate::request::policy::Settings;
use crate::request::view::has_few_rows;
use crate::value::source::Source;

/// Texts with more bytes per token of the budget are skipped: the cheap check almost never succeeds on them.
const MOST_BYTES: usize = 2;

/// A result that passes unchanged.
#[derive(Clone, Debug)]
pub struct Passed {
    text: String,
    tool: Option<String>,
    budget: usize,
    encoding: Encoding,
}

impl Passed {
    /// The tool's own text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The receipt; computed now.
    pub fn receipt(&self) -> Receipt {
        let tokens = count_tokens(&self.text, self.encoding);
        Receipt::unchanged(self.tool.as_deref(), (tokens, self.text.len()), self.budget, self.encoding)
    }
}

#[doc(hidden)]
impl Shaper {
    /// A result that passes unchanged, if that is certain without counting its tokens.
    ///
    /// `None` says nothing about the result, which may not even be readable: shape it to find out.
    ///
    /// ```
    /// use toolshape::host::ToolOutput;
    /// use toolshape::{Call, Shaper};
    ///
    /// let call = Call::default();
    /// let passed = Shaper::default().pass(&ToolOutput::json(r#"{"id": 1}"#, &call)?).unwrap();
    /// assert_eq!((passed.text(), passed.receipt().tokens_after), (r#"{"id": 1}"#, 6));
    /// assert!(Shaper::default().pass(&ToolOutput::text(&"word ".repeat(1000), &call)).is_none());
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn pass(&self, output: &ToolOutput<'_>) -> Option<Passed> {
        let ToolOutput { value, given, call, .. } = output;
        let settings = self.passing_settings(output)?;
        let (budget, encoding) = (settings.room(), settings.encoding);
        let most = budget.saturating_mul(MOST_BYTES);
        if given.map_or_else(|| value.min_bytes(most), str::len) > most {
            return None;
        }
        let text = output.own_text().ok()?;
        let tool = call.tool_name().map(str::to_owned);
        surely_fits(&text, budget, encoding).then_some(Passed { text, tool, budget, encoding })
    }

    /// The settings for an output that passes unchanged if it fits; `None` if more than its size decides.
    fn passing_settings(&self, output: &ToolOutput<'_>) -> Option<&Settings> {
        let ToolOutput { value, call, .. } = output;
        let settings = self.settings(call).ok().filter(|settings| passes_what_fits(settings))?;
        let is_plain = call.check_redacted().is_ok() && !call.asks_for_part() && output.snapshot.is_none();
        (is_plain && has_few_rows(value, settings.paginate_after)).then_some(settings)
    }
}

/// Whether what fits passes, unless a call asks for another form of it.
pub(super) fn passes_what_fits(settings: &Settings) -> bool {
    !settings.is_left_alone() && settings.declared.is_none()
}
