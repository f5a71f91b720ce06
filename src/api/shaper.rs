//! What a program calls: a [`Shaper`] under one policy, and the [`Shaped`] results that it gives.

use crate::base::error::{Error, ErrorCode};
use crate::ladder::run::{Run, own_text};
use crate::outcome::shaped::Outcome;
use crate::outcome::shaped::Shaped;
use crate::outcome::tool_output::Returned;
use crate::request::call::{Call, is_callers_fault};
use crate::request::policy::{Policy, Settings};
use crate::value::any_source::AnySource;
use crate::value::rate_limit::{self, Fault};
use crate::value::source::Source;

/// Shapes results under one policy.
///
/// ```
/// use serde_json::json;
/// use toolshape::{Call, Naming, Policy, Shaper};
///
/// let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": 500 }), Naming::Camel)?);
/// let rows: Vec<_> = (0..1000).map(|id| json!({ "id": id })).collect();
/// let call = Call::new(&json!({ "tool": "list_ids", "page": 2 }), Naming::Camel)?;
/// let shaped = shaper.shape_json(&json!(rows).to_string(), &call)?;
/// assert!(shaped.text.starts_with(r#"{"paginated":true,"totalItems":1000,"page":2,"pageSize":20,"#));
/// assert!(shaped.receipt.tokens_after <= 500);
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Shaper {
    policy: Policy,
}

impl Shaper {
    /// A shaper under `policy`.
    pub fn new(policy: Policy) -> Self {
        Self { policy }
    }

    /// Shapes a value of the host; a string is shaped as text.
    ///
    /// A call control that cannot be followed gives a result that explains it, with `is_error` set.
    ///
    /// # Errors
    /// `UNSUPPORTED_VALUE` and `TOO_DEEP` from reading the value.
    pub fn shape<'v, S: Source + 'v>(&self, value: &S, call: &Call) -> Result<Shaped, Error> {
        self.run(&Returned::value(value, call))
    }

    /// Shapes JSON text, which is sliced and never rebuilt: numbers and keys keep their spelling.
    ///
    /// # Errors
    /// `INVALID_JSON` with line and column; `TOO_DEEP` beyond [`MAX_DEPTH`](crate::MAX_DEPTH) levels.
    pub fn shape_json(&self, text: &str, call: &Call) -> Result<Shaped, Error> {
        self.run(&Returned::json(text, call)?)
    }

    /// Shapes plain text.
    ///
    /// # Errors
    /// None that a text could cause; a wrong call control gives a result that explains it.
    pub fn shape_text(&self, text: &str, call: &Call) -> Result<Shaped, Error> {
        self.run(&Returned::text(text, call))
    }

    /// The result for an upstream's rate limit, if `error` tells of one.
    ///
    /// `now` is the time in seconds since 1970, for a Retry-After that is a date.
    pub fn rate_limit<F: Fault>(&self, error: F, call: &Call, now: Option<u64>) -> Option<Shaped> {
        let settings = self.policy.settings(call.tool()).cloned().unwrap_or_default();
        let limit = rate_limit::find(error, now)?;
        let text = limit.to_json(call.tool(), settings.budget(), settings.encoding);
        let mut run = Run::new(&settings, call);
        let tokens = run.measure.count(&text);
        run.before = (tokens, true);
        Some(run.finish(text, tokens, vec!["rateLimit"], Outcome::Error))
    }

    /// The result that tells the caller of the tool what was wrong with the call, if that is what `error`
    /// is about: a cursor that was refused, a page size out of range. Or why a store could not be read.
    pub fn refusal(&self, error: &Error, call: &Call) -> Option<Shaped> {
        let settings = self.policy.settings(call.tool()).cloned().unwrap_or_default();
        let mut run = Run::new(&settings, call);
        let is_told = is_callers_fault(error) || error.code() == ErrorCode::StoreFailed;
        let shaped = is_told.then(|| run.refuse(error, &[]))?;
        run.before = (shaped.receipt.tokens_after, true);
        Some(run.refuse(error, &[]))
    }

    /// What the author decided.
    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The settings that hold for a call; `None` if its tool is left alone.
    ///
    /// # Errors
    /// `INVALID_CALL` where cursors expire and the call does not say what time it is, and for a scope without
    /// a key that could hold it.
    pub(crate) fn settings(&self, call: &Call) -> Result<Option<&Settings>, Error> {
        let settings = self.policy.settings(call.tool());
        if settings.is_some_and(|settings| settings.cursor_ttl.is_some()) && call.now().is_none() {
            let message = "cursors expire, so the call has to say the time: now, in seconds since 1970";
            return Err(Error::new(ErrorCode::InvalidCall, message, "/now"));
        }
        if call.scope().is_some() && settings.is_some_and(|settings| settings.cursor_keys.is_empty()) {
            let message = "a scope is kept by a cursorKey, and the policy has none";
            return Err(Error::new(ErrorCode::InvalidCall, message, "/scope"));
        }
        Ok(settings)
    }

    pub(crate) fn run(&self, returned: &Returned<'_>) -> Result<Shaped, Error> {
        match self.settings(returned.call)? {
            Some(settings) => returned.shape(settings),
            None => left_alone(&returned.value, returned.given, returned.call),
        }
    }
}

/// A tool that the policy leaves alone: its value passes, measured but not shaped.
fn left_alone(value: &AnySource<'_>, given: Option<&str>, call: &Call) -> Result<Shaped, Error> {
    let settings = Settings::default();
    let text = own_text(value, given)?;
    let mut run = Run::new(&settings, call);
    let tokens = run.measure.count(&text);
    run.before = (tokens, true);
    let mut shaped = run.finish(text, tokens, Vec::new(), Outcome::Unchanged);
    shaped.receipt.budget = None;
    Ok(shaped)
}
