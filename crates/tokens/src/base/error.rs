//! The only error of the engine: an invalid argument.

use std::fmt;

/// Which argument is invalid, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    message: String,
    path: &'static str,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>, path: &'static str) -> Self {
        Self { message: message.into(), path }
    }

    /// One sentence that names what is wrong and what is allowed.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// JSON Pointer to the argument, for example `/encoding`.
    pub fn path(&self) -> &'static str {
        self.path
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
