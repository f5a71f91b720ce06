//! Results of calls for which the tool need not run: a later page from the store, and controls that are wrong.

use crate::api::shaper::Shaper;
use crate::api::snapshot;
use crate::base::error::Error;
use crate::outcome::tool_output::ToolOutput;
use crate::request::call::Call;

use super::Shaping;
use super::host::Host;
use super::result::ShapedResult;
use super::tool_result::Part;

impl Shaper {
    /// The result of the stored content under `key`, if it can answer the call: see
    /// [`shape_snapshot`](Self::shape_snapshot).
    ///
    /// # Errors
    /// As [`shape`](Self::shape).
    pub fn shape_snapshot_result(&self, key: &str, content: &str, call: &Call) -> Result<Option<ShapedResult>, Error> {
        let settings = self.settings(call)?;
        if let Some(refused) = snapshot::forbidden(settings, call) {
            return Ok(Some(ShapedResult::error(refused, false)));
        }
        let Some((form, handle)) = snapshot::serving(settings, key, content, call) else { return Ok(None) };
        let part = Part::new(ToolOutput { snapshot: Some(handle), ..ToolOutput::stored(form, content, call)? });
        Shaping { settings, call, host: Host::of(call.client()) }.shape_value(&part).map(Some)
    }

    /// The result for a call whose controls are known to be wrong before the tool runs: a page or a size out of range, a
    /// cursor that is malformed, expired, or of another call. `None` for every other call.
    ///
    /// # Errors
    /// `INVALID_CALL` as [`shape`](Self::shape).
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::{Call, Naming, Shaper};
    /// let call = |page| Call::new(&json!({ "tool": "list", "arguments": { "page": page } }), Naming::Camel);
    /// assert!(Shaper::default().check_call(&call(0)?)?.is_some_and(|refused| refused.is_error));
    /// assert_eq!(Shaper::default().check_call(&call(2)?)?, None);
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn check_call(&self, call: &Call) -> Result<Option<ShapedResult>, Error> {
        let settings = self.settings(call)?;
        if settings.is_left_alone() {
            return Ok(None);
        }
        let controls = call.controls(settings);
        let wrong = controls.and_then(|controls| snapshot::cursor(settings, &controls, call)).err();
        Ok(wrong.and_then(|error| self.refusal(&error, call)).map(|refused| ShapedResult::error(refused, false)))
    }
}
