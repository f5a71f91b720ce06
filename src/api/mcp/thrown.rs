//! Turns what a tool threw into a result, if the model should read our text about it.

use serde_json::json;

use crate::api::shaper::Shaper;
use crate::base::error::Error;
use crate::request::call::Call;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::rate_limit::{Fault, Said};

use super::host::Host;
use super::returned::Returned;
use super::shape_result::ResultShaper;
use super::shaped_result::ShapedResult;

/// JSON-RPC's error code for a request that the client first sends its user to a URL.
const URL_ELICITATION_REQUIRED: f64 = -32042.0;

#[doc(hidden)]
impl Shaper {
    /// The result for what a tool threw: for a rate limit, and for an error whose message is too long. `said` is what the
    /// server shows of it: a result never says more.
    ///
    /// `None` for every other error, which the adapter throws again unchanged, and for an error that asks the client
    /// for something.
    ///
    /// # Errors
    /// As [`shape_result`](Self::shape_result).
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
        if let Some(limit) = self.rate_limit_result(error, Said::Shown(said), call, now) {
            return Ok(Some(limit));
        }
        let settings = self.settings(call)?;
        if settings.is_left_alone() {
            return Ok(None);
        }
        let told = json!({ "content": [{ "type": "text", "text": said }], "isError": true }).to_string();
        let value = AnySource::new(JsonText::parse(&told)?);
        let Returned::Result(result) = Returned::read(&value)? else { return Ok(None) };
        // The code above decides whether the error is a rate limit; it uses more than the message.
        let shaped = ResultShaper { settings, call, host: Host::of(call.client()) }.shape_tool_result(&result)?;
        // The tool returned nothing, so no member is the tool's own.
        Ok((!shaped.unchanged).then_some(ShapedResult { is_result: false, ..shaped }))
    }
}
