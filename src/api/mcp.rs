//! Turns a CallToolResult into a shaped CallToolResult. MCP adapters only pass values in and out.
//!
//! - Texts and structured content are shaped, each within the budget, and have the same content: JSON in a text as
//!   JSON, a list with one block for each item as a list.
//! - Links, and blocks of a form that MCP does not have, are data: they pass if they fit with the rest, and are shaped
//!   otherwise.
//! - As many images pass as the policy says and as fit; a note in place of the others says how to see them.
//! - All other parts pass: audio, blobs, what is annotated for the user alone, annotations, foreign `_meta`, a question to the
//!   client.
//! - If a tool has an output schema, structured content is valid by it or, if it may be widened, by the schema that
//!   [`Shaper::tool`] lists for clients. If it has none, the data is sent once.
//! - A caller that is a program gets the tool's own result, and a user interface the tool's own structured content.
//! - A result that explains an error has no structured content, because that would have to follow the schema.

mod candidate;
pub(crate) mod host;
mod images;
pub(crate) mod over_limit;
mod parts;
mod plan;
mod preserve;
mod replacement;
mod rest;
mod returned;
mod rules;
mod same_content;
mod shape_result;
mod shaped_result;
pub(crate) mod text_size;
mod thrown;
mod tool;
mod widened;

pub(crate) use images::OpenedImage;
pub use parts::Content;
pub use plan::Plan;
pub use replacement::Replacement;
pub use shaped_result::{Block, Channel, Member, ShapedResult};
pub use tool::ShapedTool;

use crate::api::shaper::Shaper;
use crate::api::snapshot;
use crate::base::error::Error;
use crate::outcome::receipt::Receipt;
use crate::outcome::shaped::Shaped;
use crate::outcome::tool_output::ToolOutput;
use crate::request::call::Call;
use crate::request::policy::NoTransform;
use crate::value::any_source::AnySource;
use crate::value::gathered::Gathered;
use crate::value::rate_limit::{self, Fault, Said};
use crate::value::source::Source;
use host::Host;
use parts::ResultPart;
use returned::{Returned, ToolResult};
use shape_result::ResultShaper;

/// The longest error's text that is searched for a rate limit.
const ERROR_CHARS: usize = 2048;

#[doc(hidden)]
impl Shaper {
    /// Shapes what a tool returned: a CallToolResult, or another value, which is put into one.
    ///
    /// # Errors
    /// `UNSUPPORTED_VALUE` and `TOO_DEEP` from reading the value; `INVALID_CALL` if cursors expire and the call has no
    /// time.
    ///
    /// ```
    /// use serde_json::{Value, json};
    /// use toolshape::host::{JsonText, Naming};
    /// use toolshape::{Call, Policy, Shaper};
    ///
    /// let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": 300 }), Naming::Camel)?);
    /// let rows = json!(vec![json!({ "id": 7, "name": "seven" }); 400]).to_string();
    /// let result = json!({ "content": [{ "type": "text", "text": rows }] }).to_string();
    /// let result = JsonText::parse(&result)?;
    /// let shaped = shaper.shape_result(&result, &Call::default())?.to_json(&result)?;
    /// let shaped: Value = serde_json::from_str(&shaped).unwrap();
    /// assert!(shaped["content"][0]["text"].as_str().unwrap().starts_with(r#"{"paginated":true,"totalItems":400,"#));
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn shape_result<'v, S: Source + 'v>(&self, result: &S, call: &Call) -> Result<ShapedResult, Error> {
        self.shape_any_result(&AnySource::new(result.clone()), call)
    }

    /// The result for an upstream's rate limit, if what a tool threw reports one: an error with the text of
    /// [`rate_limit`](Self::rate_limit). `None` for a tool whose results the policy does not shape.
    fn rate_limit_result<F: Fault>(
        &self,
        error: F,
        said: Said<'_>,
        call: &Call,
        now: Option<u64>,
    ) -> Option<ShapedResult> {
        if self.policy().settings(call.tool_name()).is_left_alone() {
            return None;
        }
        self.rate_limit_said(error, said, call, now).map(|shaped| ShapedResult::error(shaped, false))
    }

    /// The result of the stored content under `key`, if it can answer the call: see
    /// [`shape_snapshot`](Self::shape_snapshot).
    ///
    /// # Errors
    /// As [`shape`](Self::shape).
    pub fn shape_snapshot_result(&self, key: &str, content: &str, call: &Call) -> Result<Option<ShapedResult>, Error> {
        let (settings, call) = (self.settings(call)?, call.going_on());
        let call = &*call;
        if let Some(refused) = snapshot::forbidden(settings, call) {
            return Ok(Some(ShapedResult::error(refused, false)));
        }
        let Some((form, handle)) = snapshot::serving(settings, key, content, call) else { return Ok(None) };
        let output = ToolOutput { snapshot: Some(handle), ..ToolOutput::stored(form, content, call)? };
        let part = ResultPart::new(output, settings);
        let mut shaped = ResultShaper { settings, call, host: Host::of_call(call) }.shape_value(&part)?;
        shaped.receipt.iter_mut().for_each(Receipt::count_as_read);
        Ok(Some(shaped))
    }

    /// The result for a call whose controls are known to be wrong before the tool runs: a page or a size out of range, a
    /// cursor that is malformed, expired, or of another call. `None` for every other call.
    ///
    /// # Errors
    /// `INVALID_CALL` as [`shape`](Self::shape).
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::host::Naming;
    /// use toolshape::{Call, Shaper};
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

    /// Shapes a CallToolResult whose only member is `content` with one text: as [`shape_result`](Self::shape_result) does, but
    /// a host need not write the result as JSON, nor is that read.
    ///
    /// # Errors
    /// `INVALID_CALL` as `shape_result`.
    ///
    /// ```
    /// use toolshape::host::JsonText;
    /// use toolshape::{Call, Shaper};
    ///
    /// let (shaper, call) = (Shaper::default(), Call::default());
    /// let result = JsonText::parse(r#"{"content":[{"type":"text","text":"[1, 2]"}]}"#)?;
    /// assert_eq!(shaper.shape_text_result("[1, 2]", &call)?, shaper.shape_result(&result, &call)?);
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn shape_text_result(&self, text: &str, call: &Call) -> Result<ShapedResult, Error> {
        let result = ToolResult::of_text(text)?;
        let settings = self.settings(call)?;
        if settings.is_left_alone() || call.reads_whole(settings) || call.check_redacted().is_err() {
            let content = AnySource::new(Gathered::list(result.blocks));
            return self
                .shape_any_result(&AnySource::new(Gathered::object(vec![("\"content\"".to_owned(), content)])), call);
        }
        ResultShaper { settings, call, host: Host::of_call(call) }.shape_tool_result(&result)
    }

    fn shape_any_result(&self, value: &AnySource<'_>, call: &Call) -> Result<ShapedResult, Error> {
        let settings = self.settings(call)?;
        if settings.is_left_alone() {
            return ShapedResult::left_alone(value);
        }
        if let Err(error) = call.check_redacted() {
            return Ok(ShapedResult::error(self.refused(&error, call), false));
        }
        // What a program reads is not in a model's context, and it would take a page for the whole.
        if call.reads_whole(settings) && !call.asks_for_part() {
            return ShapedResult::left_alone(value);
        }
        let shaping = ResultShaper { settings, call, host: Host::of_call(call) };
        match Returned::read(value)? {
            Returned::Unfinished => ShapedResult::passed(value),
            Returned::Result(result) if result.is_whole && settings.no_transform != NoTransform::None => {
                ShapedResult::passed(value)
            }
            Returned::Value(value) => shaping.shape_value(&ResultPart::new(ToolOutput::value(&value, call), settings)),
            Returned::Result(result) => match self.flattened_rate_limit(&result, call)? {
                Some(limit) => Ok(ShapedResult::error(limit, true)),
                None => shaping.shape_tool_result(&result),
            },
        }
    }

    /// The rate limit that an error's text reports, for SDKs that keep only the text of what was thrown.
    fn flattened_rate_limit(&self, result: &ToolResult<'_>, call: &Call) -> Result<Option<Shaped>, Error> {
        if !result.is_error {
            return Ok(None);
        }
        // A longer text is not a message of a client: it is a report that has a 429 in it, of which nothing may be lost.
        for text in result.texts.iter().filter(|text| text.chars() <= ERROR_CHARS) {
            let start = text.start(ERROR_CHARS)?;
            let body = serde_json::from_str(&start).unwrap_or(serde_json::Value::String(start));
            // A rate limit that was already detected.
            if body["type"] == rate_limit::TYPE {
                return Ok(None);
            }
            if let Some(limit) = self.rate_limit_said(&body, Said::Returned, call, call.now) {
                return Ok(Some(limit));
            }
        }
        Ok(None)
    }
}
