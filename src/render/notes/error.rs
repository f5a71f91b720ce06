//! What a caller is to do about an error.

use crate::base::error::{Error, ErrorCode};
use crate::request::call::Call;

/// The hint about a fault in a call; `has_names` says whether the result lists names that are known.
pub(crate) fn hint(error: &Error, has_names: bool, call: &Call) -> String {
    match error.code() {
        ErrorCode::InvalidCursor => {
            format!("Call again without {} to start from the first page.", call.argument("cursor"))
        }
        ErrorCode::InvalidHandle => "Take uri from the result that told of it, and call again.".to_owned(),
        ErrorCode::NotFound => "It has expired or was removed: call the tool again that it came from.".to_owned(),
        ErrorCode::StoreFailed => {
            "Try again; if it fails again, call the tool again that the result came from.".to_owned()
        }
        ErrorCode::UnknownField if error.path() == "/pointer" && has_names => {
            "Call again with pointer set to one of fields.".to_owned()
        }
        ErrorCode::UnknownField if error.path() == "/pointer" => "Correct the pointer and call again.".to_owned(),
        ErrorCode::UnknownField if has_names => "Call again with names from fields.".to_owned(),
        ErrorCode::UnknownField => {
            format!("The result has no fields; call again without {}.", call.argument("fields"))
        }
        _ => "Correct the argument and call again.".to_owned(),
    }
}

/// The hint about a result that is over the budget, where the policy wants an error.
pub(crate) fn over_budget(has_suggestion: bool) -> &'static str {
    match has_suggestion {
        true => "Call again with the same arguments and those in suggest.",
        false => "The result is too large to show; ask the tool for less.",
    }
}

/// The note of a result of which nothing fits.
pub(crate) const NOTHING_FITS: &str = "The result is too large to show any of it.";
