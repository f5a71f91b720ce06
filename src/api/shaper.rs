//! The central type: a [`Shaper`] with one policy, which returns [`Shaped`] results.

use std::sync::Arc;

use serde::Serialize;

use crate::api::listings::Listings;
use crate::base::error::{Error, ErrorCode};
use crate::base::tokens::Encoding;
use crate::base::tokens::count_tokens;
use crate::ladder::job::Job;
use crate::ladder::{refusal, shape};
use crate::outcome::receipt::{Step, Weight};
use crate::outcome::shaped::{Outcome, Shaped};
use crate::outcome::tool_output::ToolOutput;
use crate::request::call::{Call, is_callers_fault};
use crate::request::context::Fit;
use crate::request::policy::{Policy, Settings};
use crate::value::rate_limit::{self, Fault, Said};
use crate::value::source::Source;

/// Shapes results by one policy. One serves all calls of a program.
///
/// ```
/// use serde_json::json;
/// use toolshape::{Call, Policy, Shaper};
///
/// let shaper = Shaper::new(Policy::builder().max_tokens(500).build()?);
/// let rows: Vec<_> = (0..1000).map(|id| json!({ "id": id })).collect();
/// let shaped = shaper.shape(&rows, &Call::tool("list_ids").page(2))?;
/// assert!(shaped.text.starts_with(r#"{"paginated":true,"totalItems":1000,"page":2,"#));
/// assert!(shaped.receipt.tokens_after <= 500);
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Shaper {
    policy: Arc<Policy>,
    pub(crate) listings: Arc<Listings>,
    #[cfg(feature = "sql")]
    opened: Arc<crate::api::sql::OpenedTables>,
}

impl Shaper {
    /// A shaper that follows `policy`.
    pub fn new(policy: Policy) -> Self {
        Self { policy: Arc::new(policy), ..Self::default() }
    }

    /// The shaper of a server of that name, whose tool that reads stored results carries it, unless the policy names the tool.
    #[doc(hidden)]
    pub fn for_server(&self, server: &str) -> Self {
        self.with(self.policy.for_server(server))
    }

    /// The shaper of an agent that reads stored results by a command, such as `toolshape read`, instead of a tool.
    #[doc(hidden)]
    pub fn read_by(&self, command: &str) -> Self {
        self.with(self.policy.read_by(command))
    }

    /// The shaper of a result that has at most this many tokens, because others share a limit with it.
    #[doc(hidden)]
    pub fn within(&self, tokens: usize) -> Self {
        self.with(self.policy.within(tokens))
    }

    /// The most tokens of results that are returned together.
    #[doc(hidden)]
    pub fn combined_tokens(&self) -> usize {
        self.policy.combined_tokens()
    }

    /// The same shaper with another policy.
    fn with(&self, policy: Policy) -> Self {
        Self { policy: Arc::new(policy), ..self.clone() }
    }

    /// The name of the tool that reads stored results.
    #[doc(hidden)]
    pub fn read_tool(&self) -> &str {
        self.policy.read_tool()
    }

    /// Shapes a value that serde can write as JSON; a string is shaped as text.
    ///
    /// If a call control is wrong, such as a page that does not exist, the result explains it to the model, with `is_error`
    /// set.
    ///
    /// # Errors
    /// `UNSUPPORTED_VALUE` if the value has no JSON form; `TOO_DEEP` beyond 4,096 levels; `INVALID_CALL` if cursors expire
    /// and the call has no time, or if it has a scope and the policy no `cursorKey`.
    ///
    /// ```
    /// use toolshape::{Call, Shaper};
    /// #[derive(serde::Serialize)]
    /// struct Article {
    ///     title: String,
    /// }
    /// let articles: Vec<_> = (1..=500).map(|n| Article { title: format!("Article {n}") }).collect();
    /// let shaped = Shaper::default().shape(&articles, &Call::tool("search"))?;
    /// assert!(shaped.text.starts_with(r#"{"paginated":true,"totalItems":500,"#));
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn shape<T: Serialize + ?Sized>(&self, value: &T, call: &Call) -> Result<Shaped, Error> {
        let (text, is_json) = Self::text_of(value)?;
        let mut shaped = if is_json { self.shape_json(&text, call) } else { self.shape_text(&text, call) }?;
        // The caller does not have the text that was shaped.
        if let Some(keep) = &mut shaped.keep {
            keep.content.get_or_insert(text);
        }
        Ok(shaped)
    }

    /// What is shaped of a value that serde can write: its JSON text, or a string as it is. The flag says which.
    ///
    /// # Errors
    /// `UNSUPPORTED_VALUE` if the value has no JSON form.
    #[doc(hidden)]
    pub fn text_of<T: Serialize + ?Sized>(value: &T) -> Result<(String, bool), Error> {
        let json = serde_json::to_string(value).map_err(|error| {
            let message = format!("the value has no JSON form: {error}");
            Error::new(ErrorCode::UnsupportedValue, message, "").caused_by(error)
        })?;
        Ok(serde_json::from_str::<String>(&json).map_or_else(|_| (json, true), |text| (text, false)))
    }

    /// Shapes a value of a host; a string is shaped as text.
    ///
    /// # Errors
    /// `UNSUPPORTED_VALUE` and `TOO_DEEP` from reading the value.
    #[doc(hidden)]
    pub fn shape_source<'v, S: Source + 'v>(&self, value: &S, call: &Call) -> Result<Shaped, Error> {
        self.run(ToolOutput::value(value, call))
    }

    /// Shapes JSON text by slicing it, so numbers and keys keep their spelling.
    ///
    /// # Errors
    /// `INVALID_JSON` with line and column, and as [`shape`](Self::shape).
    ///
    /// ```
    /// use toolshape::{Call, Shaper};
    /// let shaped = Shaper::default().shape_json(r#"[{"price":1.50}]"#, &Call::tool("prices"))?;
    /// assert_eq!(shaped.text, r#"[{"price":1.50}]"#);
    /// let error = Shaper::default().shape_json("[1,]", &Call::tool("prices")).unwrap_err();
    /// assert_eq!(error.code(), toolshape::ErrorCode::InvalidJson);
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn shape_json(&self, text: &str, call: &Call) -> Result<Shaped, Error> {
        self.run(ToolOutput::json(text, call)?)
    }

    /// Shapes plain text: logs, tables, documents, and text that has JSON or CSV in it.
    ///
    /// # Errors
    /// `INVALID_CALL`, as [`shape`](Self::shape).
    ///
    /// ```
    /// use toolshape::{Call, Shaper};
    /// let log = "all is well\n".repeat(5_000);
    /// let shaped = Shaper::default().shape_text(&log, &Call::tool("read_log"))?;
    /// assert!(shaped.receipt.tokens_after <= 2000 && !shaped.unchanged);
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn shape_text(&self, text: &str, call: &Call) -> Result<Shaped, Error> {
        self.run(ToolOutput::text(text, call))
    }

    /// The result for an upstream's rate limit, if `error` reports one.
    ///
    /// Its message is that of `error`, not of its causes, without the secrets of URLs; or only `Too Many Requests`, if
    /// `error` is the client's own, because its words may be those of the request or the response. `now` is the time in
    /// seconds since 1970, for a Retry-After that is a date.
    #[doc(hidden)]
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
        let settings = self.policy.settings(call.tool_name());
        let limit = rate_limit::find(error, said, now)?;
        let text = limit.to_json(call.tool_name(), settings.room(), settings.encoding);
        let tokens = count_tokens(&text, settings.encoding);
        let (before, fit) = (Weight::Exact(tokens), Fit { text, tokens });
        Some(Shaped::new(settings, call, before, fit, vec![Step::RateLimit], Outcome::Error))
    }

    /// The result that explains to the caller of the tool the error in the call, if `error` is one: a refused cursor, a
    /// page size out of range. Or that explains why a store could not be read.
    #[doc(hidden)]
    pub fn refusal(&self, error: &Error, call: &Call) -> Option<Shaped> {
        let is_explained = is_callers_fault(error) || error.code() == ErrorCode::StoreFailed;
        is_explained.then(|| self.refused(error, call))
    }

    /// The result that explains an error.
    #[doc(hidden)]
    pub fn refused(&self, error: &Error, call: &Call) -> Shaped {
        let settings = self.policy.settings(call.tool_name());
        let mut shaped = refusal::refuse(settings, settings.room(), call, Weight::Exact(0), error, &[]);
        shaped.receipt.tokens_before = shaped.receipt.tokens_after;
        shaped
    }

    /// Refuses a policy with which calls cannot have a scope, for a host that is going to give them one.
    ///
    /// # Errors
    /// `INVALID_CALL` unless every tool that is shaped has a `cursorKey`.
    #[doc(hidden)]
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
        self.policy.settings(None).budget()
    }

    /// Tables of earlier questions in SQL.
    #[cfg(feature = "sql")]
    pub(crate) fn opened(&self) -> &crate::api::sql::OpenedTables {
        &self.opened
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
    pub fn run<'v>(&'v self, output: ToolOutput<'v>) -> Result<Shaped, Error> {
        let settings = self.settings(output.call)?;
        if settings.is_left_alone() {
            return left_alone(&output, settings);
        }
        let job = Job::new(output, settings);
        let mut shaped = shape::shape(&job, settings.room())?;
        job.deliver(&mut shaped.keep);
        Ok(shaped)
    }
}

/// The output of a tool whose results the policy does not shape: measured only.
pub(crate) fn left_alone(output: &ToolOutput<'_>, settings: &Settings) -> Result<Shaped, Error> {
    let text = output.own_text()?;
    let tokens = count_tokens(&text, settings.encoding);
    Ok(Shaped::unchanged(settings, output.call, Fit { text, tokens }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::request::reader::Naming;

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
