//! The central types: a [`Shaper`] with one policy, and the [`Shaped`] results that it returns.

use crate::base::error::{Error, ErrorCode};
use crate::base::tokens::Encoding;
use crate::base::tokens::count_tokens;
use crate::ladder::job::Job;
use crate::ladder::{refusal, shape};
use crate::outcome::receipt::{Step, Weight};
use crate::outcome::shaped::{Outcome, Receipts, Shaped};
use crate::outcome::tool_output::ToolOutput;
use crate::request::call::{Call, is_callers_fault};
use crate::request::policy::{Policy, Settings};
use crate::request::view::Fit;
use crate::value::rate_limit::{self, Fault, Said};
use crate::value::source::Source;

/// Shapes results by one policy.
///
/// ```
/// use serde_json::json;
/// use toolshape::host::Naming;
/// use toolshape::{Call, Policy, Shaper};
///
/// let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": 500 }), Naming::Camel)?);
/// let rows: Vec<_> = (0..1000).map(|id| json!({ "id": id })).collect();
/// let call = Call::new(&json!({ "tool": "list_ids", "page": 2 }), Naming::Camel)?;
/// let shaped = shaper.shape_json(&json!(rows).to_string(), &call)?;
/// assert!(shaped.text.starts_with(r#"{"paginated":true,"totalItems":1000,"page":2,"pageSize":30,"#));
/// assert!(shaped.receipt.tokens_after <= 500);
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Shaper {
    policy: Policy,
}

impl Shaper {
    /// A shaper that follows `policy`.
    pub fn new(policy: Policy) -> Self {
        Self { policy }
    }

    /// Shapes a value of the host; a string is shaped as text.
    ///
    /// If a call control cannot be followed, the result explains that, with `is_error` set.
    ///
    /// # Errors
    /// `UNSUPPORTED_VALUE` and `TOO_DEEP` from reading the value.
    pub fn shape<'v, S: Source + 'v>(&self, value: &S, call: &Call) -> Result<Shaped, Error> {
        self.run(ToolOutput::value(value, call))
    }

    /// Shapes JSON text by slicing it, so numbers and keys keep their spelling.
    ///
    /// # Errors
    /// `INVALID_JSON` with line and column; `TOO_DEEP` beyond [`MAX_DEPTH`](crate::MAX_DEPTH) levels.
    pub fn shape_json(&self, text: &str, call: &Call) -> Result<Shaped, Error> {
        self.run(ToolOutput::json(text, call)?)
    }

    /// Shapes plain text.
    ///
    /// # Errors
    /// None for any text; a wrong call control gives a result that explains it.
    pub fn shape_text(&self, text: &str, call: &Call) -> Result<Shaped, Error> {
        self.run(ToolOutput::text(text, call))
    }

    /// The result for an upstream's rate limit, if `error` reports one.
    ///
    /// Its message is that of `error`, not of its causes, without the secrets of URLs; or only `Too Many Requests`, if
    /// `error` is the client's own, because its words may be those of the request or the response. `now` is the time in
    /// seconds since 1970, for a Retry-After that is a date.
    pub fn rate_limit<F: Fault>(&self, error: F, call: &Call, now: Option<u64>) -> Option<Shaped> {
        self.rate_limit_said(error, Said::Itself, call, now)
    }

    pub(crate) fn rate_limit_said<F: Fault>(
        &self,
        error: F,
        said: Said<'_>,
        call: &Call,
        now: Option<u64>,
    ) -> Option<Shaped> {
        let settings = self.policy.settings(call.tool());
        let limit = rate_limit::find(error, said, now)?;
        let text = limit.to_json(call.tool(), settings.room(), settings.encoding);
        let tokens = count_tokens(&text, settings.encoding);
        let receipts = Receipts::new(settings, call, Weight::Exact(tokens));
        Some(receipts.shaped(Fit { text, tokens }, vec![Step::RateLimit], Outcome::Error))
    }

    /// The result that explains to the caller of the tool the error in the call, if `error` is one: a refused cursor, a
    /// page size out of range. Or that explains why a store could not be read.
    pub fn refusal(&self, error: &Error, call: &Call) -> Option<Shaped> {
        let is_explained = is_callers_fault(error) || error.code() == ErrorCode::StoreFailed;
        is_explained.then(|| self.refused(error, call))
    }

    /// The result that explains an error.
    #[doc(hidden)]
    pub fn refused(&self, error: &Error, call: &Call) -> Shaped {
        let receipts = Receipts::new(self.policy.settings(call.tool()), call, Weight::Exact(0));
        let mut shaped = refusal::refuse(&receipts, error, &[]);
        shaped.receipt.before = Weight::Exact(shaped.receipt.tokens_after);
        shaped
    }

    /// Refuses a policy with which calls cannot have a scope, for a host that is going to give them one.
    ///
    /// # Errors
    /// `INVALID_CALL` unless every tool that is shaped has a `cursorKey`.
    pub fn check_scope(&self) -> Result<(), Error> {
        self.policy.check_scope()
    }

    /// The encoding of results, unless a tool has one of its own.
    #[doc(hidden)]
    pub fn encoding(&self) -> Encoding {
        self.policy.settings(None).encoding
    }

    /// The most tokens of a result, unless a tool has a budget of its own.
    #[doc(hidden)]
    pub fn budget(&self) -> Option<usize> {
        self.policy.settings(None).budget().limit()
    }

    /// The author's decisions.
    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The settings for a call.
    ///
    /// # Errors
    /// `INVALID_CALL` if cursors expire and the call has no time, and for a scope without a key to protect it.
    pub(crate) fn settings(&self, call: &Call) -> Result<&Settings, Error> {
        self.policy.for_call(call)
    }

    /// Shapes what a tool returned.
    ///
    /// # Errors
    /// As [`shape`](Self::shape).
    #[doc(hidden)]
    pub fn run(&self, output: ToolOutput<'_>) -> Result<Shaped, Error> {
        let settings = self.settings(output.call)?;
        if settings.is_left_alone() {
            return left_alone(&output, settings);
        }
        let job = Job::new(output);
        let mut shaped = shape::shape(&job, settings)?;
        job.deliver(&mut shaped.keep);
        Ok(shaped)
    }
}

/// The output of a tool whose results the policy does not shape: measured only.
pub(crate) fn left_alone(output: &ToolOutput<'_>, settings: &Settings) -> Result<Shaped, Error> {
    let text = output.own_text()?;
    let tokens = count_tokens(&text, settings.encoding);
    Ok(Receipts::new(settings, output.call, Weight::Exact(tokens)).unchanged(Fit { text, tokens }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::request::options::Naming;

    #[test]
    fn a_scope_needs_a_key_wherever_something_is_shaped() {
        let check = |policy| Shaper::new(Policy::new(&policy, Naming::Camel).unwrap()).check_scope();
        let key = "a key of sixteen bytes and more";
        for policy in [
            json!({ "cursorKey": key }),
            json!({ "cursorKey": key, "tools": { "list": { "maxTokens": 500 } } }),
            json!({ "cursorKey": key, "tools": { "list": false } }),
        ] {
            assert_eq!(check(policy), Ok(()));
        }
        for policy in [json!({}), json!({ "tools": { "list": { "cursorKey": key } } })] {
            assert_eq!(check(policy).unwrap_err().code(), ErrorCode::InvalidCall);
        }
    }
}
