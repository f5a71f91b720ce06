//! Options of what the host itself does: how long a store keeps results, and how long the host waits for a store or a
//! summarizer.

use serde_json::{Value, json};

use crate::base::error::{Error, ErrorCode};
use crate::request::options::{Naming, Reader};

/// One day.
const TTL_SECONDS: f64 = 24.0 * 60.0 * 60.0;
const STORE_SECONDS: f64 = 5.0;
const SUMMARIZER_SECONDS: f64 = 30.0;

/// How long an archive keeps results and waits for its store.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ArchiveOptions {
    pub ttl_seconds: f64,
    pub timeout_seconds: f64,
}

impl ArchiveOptions {
    /// Reads `ttlSeconds` (a day by default) and `timeoutSeconds` (5 by default).
    ///
    /// # Errors
    /// `INVALID_CALL` unless each is a number greater than 0.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::{ArchiveOptions, Naming};
    /// assert_eq!(ArchiveOptions::new(&json!({}), Naming::Camel)?.ttl_seconds, 86_400.0);
    /// assert!(ArchiveOptions::new(&json!({ "timeoutSeconds": 0 }), Naming::Camel).is_err());
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn new(options: &Value, naming: Naming) -> Result<Self, Error> {
        let reader =
            Reader::new(options, &["ttlSeconds", "timeoutSeconds"], ErrorCode::InvalidCall, String::new(), naming)?;
        let seconds = |name, default| over_zero(options, &reader, name, default);
        Ok(Self {
            ttl_seconds: seconds("ttlSeconds", TTL_SECONDS)?,
            timeout_seconds: seconds("timeoutSeconds", STORE_SECONDS)?,
        })
    }

    /// As JSON: `ttlSeconds`, `timeoutSeconds`, and `late`, the reason for the failure of a store that did not answer
    /// in time.
    pub fn to_json(&self) -> Value {
        let Self { ttl_seconds, timeout_seconds } = self;
        let late = format!("the store did not answer within {timeout_seconds} seconds");
        json!({ "ttlSeconds": ttl_seconds, "timeoutSeconds": timeout_seconds, "late": late })
    }
}

/// How long the host's own summarizer may take.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SummarizerOptions {
    pub timeout_seconds: f64,
}

impl SummarizerOptions {
    /// Reads `timeoutSeconds` (30 by default).
    ///
    /// # Errors
    /// `INVALID_CALL` unless it is a number greater than 0.
    pub fn new(options: &Value, naming: Naming) -> Result<Self, Error> {
        let reader = Reader::new(options, &["timeoutSeconds"], ErrorCode::InvalidCall, String::new(), naming)?;
        Ok(Self { timeout_seconds: over_zero(options, &reader, "timeoutSeconds", SUMMARIZER_SECONDS)? })
    }

    /// As JSON: `timeoutSeconds`, and the reasons why there is no summary: `late`, `empty` for a summary that is no
    /// text, and `failed`, which the host completes with the error.
    pub fn to_json(&self) -> Value {
        let Self { timeout_seconds } = self;
        let late = format!("it took over {timeout_seconds} seconds");
        json!({ "timeoutSeconds": timeout_seconds, "late": late, "empty": "it gave no text", "failed": "it failed" })
    }
}

/// A number greater than 0; `None` for null.
fn over_zero(options: &Value, reader: &Reader<'_>, name: &str, default: f64) -> Result<f64, Error> {
    let Some(value) = options.get(&*reader.spell(name)) else { return Ok(default) };
    let seconds = value.as_f64().filter(|seconds| *seconds > 0.0);
    seconds.ok_or_else(|| reader.error(name, value, "a number over 0"))
}
