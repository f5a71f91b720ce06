//! The error type: a stable code, a message for people, and a pointer to the wrong value.

use std::fmt;
use std::sync::Arc;

/// The kind of an error, as a stable code. [`Display`](fmt::Display) writes it as results contain it.
///
/// ```
/// assert_eq!(toolshape::ErrorCode::InvalidPolicy.to_string(), "INVALID_POLICY");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    InvalidPolicy,
    InvalidCall,
    InvalidCursor,
    InvalidHandle,
    InvalidJson,
    UnknownField,
    UnsupportedValue,
    TooDeep,
    NotFound,
    Forbidden,
    StoreFailed,
    RedactFailed,
    Internal,
}

impl ErrorCode {
    /// All codes, each with its name.
    #[doc(hidden)]
    pub const ALL: [(Self, &str); 13] = [
        (Self::InvalidPolicy, "INVALID_POLICY"),
        (Self::InvalidCall, "INVALID_CALL"),
        (Self::InvalidCursor, "INVALID_CURSOR"),
        (Self::InvalidHandle, "INVALID_HANDLE"),
        (Self::InvalidJson, "INVALID_JSON"),
        (Self::UnknownField, "UNKNOWN_FIELD"),
        (Self::UnsupportedValue, "UNSUPPORTED_VALUE"),
        (Self::TooDeep, "TOO_DEEP"),
        (Self::NotFound, "NOT_FOUND"),
        (Self::Forbidden, "FORBIDDEN"),
        (Self::StoreFailed, "STORE_FAILED"),
        (Self::RedactFailed, "REDACT_FAILED"),
        (Self::Internal, "INTERNAL"),
    ];

    /// The code with this name.
    #[doc(hidden)]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known)| *known == name).map(|(code, _)| code)
    }

    /// The code's name, as results contain it: for example `INVALID_POLICY`.
    pub fn as_str(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// An error in a policy, a call or a value.
///
/// ```
/// use toolshape::{ErrorCode, Policy};
/// let error = Policy::from_json(r#"{ "tools": { "list": { "maxTokens": "many" } } }"#).unwrap_err();
/// assert_eq!(error.code(), ErrorCode::InvalidPolicy);
/// assert_eq!(error.path(), "/tools/list/maxTokens");
/// assert!(error.message().starts_with(r#"maxTokens is "many"; it takes a whole number from 200"#));
/// ```
#[derive(Clone, Debug)]
pub struct Error {
    code: ErrorCode,
    message: String,
    path: String,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// Errors are equal if code, message and path are; a cause has no equality.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        (self.code, &self.message, &self.path) == (other.code, &other.message, &other.path)
    }
}

impl Eq for Error {}

impl Error {
    /// Builds an error about the value at `path`, a JSON Pointer (RFC 6901); empty for the whole.
    pub fn new(code: ErrorCode, message: impl Into<String>, path: impl Into<String>) -> Self {
        Self { code, message: message.into(), path: path.into(), source: None }
    }

    /// The same error with its cause, which [`source`](std::error::Error::source) returns.
    pub fn caused_by(self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Arc::new(source)), ..self }
    }

    /// The same error, with its path below `key`.
    #[doc(hidden)]
    pub fn under(self, key: impl fmt::Display) -> Self {
        Self { path: format!("/{key}{}", self.path), ..self }
    }

    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// One sentence that names what is wrong and what is allowed.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// JSON Pointer to the wrong value in the policy, the call or the result; empty for the whole.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
