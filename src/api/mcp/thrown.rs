//! What a tool threw, as a result where a model is to read it in our words.

use serde_json::json;

use crate::api::shaper::Shaper;
use crate::base::error::Error;
use crate::request::call::Call;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::rate_limit::Fault;

use super::Shaping;
use super::host::Host;
use super::result::ShapedResult;
use super::tool_result::Returned;

/// JSON-RPC's code of an error that asks the client to send its user to an address first.
const URL_ELICITATION_REQUIRED: f64 = -32042.0;

impl Shaper {
    /// The result for what a tool threw: for a rate limit, and for an error whose message, `said`, is too long.
    ///
    /// `None` for every other error, which is thrown on as it is; so is one that asks the client for something.
    ///
    /// # Errors
    /// As [`shape_result`](Self::shape_result) has.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::{Call, Shaper};
    /// let (shaper, call, long) = (Shaper::default(), Call::default(), "no ".repeat(5000));
    /// assert!(shaper.thrown_result(&json!({}), "no", &call, None)?.is_none());
    /// assert!(shaper.thrown_result(&json!({}), &long, &call, None)?.is_some());
    /// assert!(shaper.thrown_result(&json!({ "status": 429 }), "no", &call, None)?.is_some());
    /// assert!(shaper.thrown_result(&json!({ "code": -32042 }), &long, &call, None)?.is_none());
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn thrown_result<F: Fault>(
        &self,
        error: F,
        said: &str,
        call: &Call,
        now: Option<u64>,
    ) -> Result<Option<ShapedResult>, Error> {
        if error.get("code").and_then(|code| code.number()) == Some(URL_ELICITATION_REQUIRED) {
            return Ok(None);
        }
        if let Some(limit) = self.rate_limit_result(error, call, now) {
            return Ok(Some(limit));
        }
        let settings = self.settings(call)?;
        if settings.is_left_alone() {
            return Ok(None);
        }
        let told = json!({ "content": [{ "type": "text", "text": said }], "isError": true }).to_string();
        let value = AnySource::new(JsonText::parse(&told)?);
        let Returned::Result(result) = Returned::read(&value)? else { return Ok(None) };
        // Whether the error is a rate limit is decided above, by more than what its message mentions.
        let shaped = Shaping { settings, call, host: Host::of(call.client()) }.shape_tool_result(&result)?;
        // Nothing of it is a member of what the tool returned: it returned nothing.
        Ok((!shaped.unchanged).then_some(ShapedResult { is_result: false, ..shaped }))
    }
}
