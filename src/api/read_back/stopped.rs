//! What becomes of an argument that asks for too much work.

use crate::base::error::{Error, ErrorCode};
use crate::base::work::Going;
use crate::render::notes;

/// The outcome of work for an argument.
///
/// # Errors
/// `INVALID_CALL` if it was stopped.
pub(super) fn stop_at<T>(argument: &str, going: Going<T>) -> Result<T, Error> {
    match going {
        Going::Continue(done) => Ok(done),
        Going::Break(()) => Err(stopped(argument)),
    }
}

/// The error where an argument asks for too much.
pub(super) fn stopped(argument: &str) -> Error {
    Error::new(ErrorCode::InvalidCall, notes::read_back::stopped(argument), format!("/{argument}"))
}
