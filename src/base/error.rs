//! The one error type: a stable code, a message for people, and a pointer to the fault.

use std::fmt;

/// What went wrong, as a stable code that callers may match on.
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
    const ALL: [Self; 13] = [
        Self::InvalidPolicy,
        Self::InvalidCall,
        Self::InvalidCursor,
        Self::InvalidHandle,
        Self::InvalidJson,
        Self::UnknownField,
        Self::UnsupportedValue,
        Self::TooDeep,
        Self::NotFound,
        Self::Forbidden,
        Self::StoreFailed,
        Self::RedactFailed,
        Self::Internal,
    ];

    /// The code with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == name)
    }

    /// The code's name, as results contain it: for example `INVALID_POLICY`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidPolicy => "INVALID_POLICY",
            Self::InvalidCall => "INVALID_CALL",
            Self::InvalidCursor => "INVALID_CURSOR",
            Self::InvalidHandle => "INVALID_HANDLE",
            Self::InvalidJson => "INVALID_JSON",
            Self::UnknownField => "UNKNOWN_FIELD",
            Self::UnsupportedValue => "UNSUPPORTED_VALUE",
            Self::TooDeep => "TOO_DEEP",
            Self::NotFound => "NOT_FOUND",
            Self::Forbidden => "FORBIDDEN",
            Self::StoreFailed => "STORE_FAILED",
            Self::RedactFailed => "REDACT_FAILED",
            Self::Internal => "INTERNAL",
        }
    }
}

/// A fault in a policy, a call or a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: ErrorCode,
    message: String,
    path: String,
}

impl Error {
    /// Builds an error about the value at `path`, a JSON Pointer (RFC 6901); empty for the whole.
    pub fn new(code: ErrorCode, message: impl Into<String>, path: impl Into<String>) -> Self {
        Self { code, message: message.into(), path: path.into() }
    }

    /// The same error, with its path below `key`.
    pub fn under(self, key: impl fmt::Display) -> Self {
        Self { path: format!("/{key}{}", self.path), ..self }
    }

    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// One sentence that names what was wrong and what is allowed.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// JSON Pointer to what was wrong in the policy, the call or the value; empty for the whole.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for Error {}
