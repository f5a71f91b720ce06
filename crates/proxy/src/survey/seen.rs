//! What the model of a host reads of the results that a survey has.

use toolshape::host::{Host, JsonText, Measure, Redaction};
use toolshape::{Error, Shaper};

use super::measured::shaped;
use super::surveyed::{Surveyed, SurveyedCall};
use crate::account::{shown_text, tokens};

/// A result as a model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub tool: String,
    pub text: String,
    /// Its tokens, and those that the host would show without toolshape.
    pub with: usize,
    pub without: usize,
}

impl Surveyed {
    /// What a host shows of each result behind the relay, without secrets; `now` is the time in seconds since 1970.
    ///
    /// # Errors
    /// `TOO_DEEP` for a result that cannot be read.
    pub fn seen_by(&self, host: &Host, shaper: &Shaper, redaction: &Redaction, now: u64) -> Result<Vec<Seen>, Error> {
        let measure = Measure { encoding: shaper.encoding() };
        let seen = |call: &SurveyedCall| {
            let redacted = redaction.of_json(&call.result).map(|result| SurveyedCall { result, ..call.clone() });
            let call = redacted.as_ref().unwrap_or(call);
            let own = JsonText::parse(&call.result)?;
            let shaped = shaped(call, self, shaper, Some(host.name), now)?;
            let text = shown_text(&JsonText::parse(&shaped)?, host, measure)?;
            let (with, without) = (tokens(&text, measure), tokens(&shown_text(&own, host, measure)?, measure));
            Ok(Seen { tool: call.tool.clone(), text, with, without })
        };
        self.calls.iter().map(seen).collect()
    }
}
