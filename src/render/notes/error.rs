//! What a caller is to do about an error.

use crate::base::error::{Error, ErrorCode};
use crate::request::call::Call;
use crate::request::read_tool::READ_RESULT;

/// The hint about a fault in a call; `has_names` says whether the result lists names that are known.
pub(crate) fn hint(error: &Error, has_names: bool, call: &Call) -> String {
    match error.code() {
        // `read_result` has no first page without a handle.
        ErrorCode::InvalidCursor if call.tool_name() == Some(READ_RESULT) && !call.has_handle() => {
            "Call the tool that returned it again, with the same arguments.".to_owned()
        }
        ErrorCode::InvalidCursor => {
            format!("Call again without {} to start from the first page.", call.argument("cursor"))
        }
        ErrorCode::InvalidHandle => {
            "Set handle to the last 16 letters of a stored result's uri and call again.".to_owned()
        }
        ErrorCode::Forbidden => "Access is denied; do not retry.".to_owned(),
        ErrorCode::NotFound => {
            let again = match error.path() {
                "/cursor" => "again, with the same arguments and this cursor",
                _ => "again",
            };
            format!(
                "It expired, was removed, or is kept by another server: call the tool that its note names. If that is this tool, call the tool that returned it {again}."
            )
        }
        ErrorCode::StoreFailed => "Try again. If that fails, call the tool that returned the result again.".to_owned(),
        ErrorCode::RedactFailed => {
            "The server's operator has to look into it; calling again gives the same.".to_owned()
        }
        ErrorCode::UnknownField if error.path() == "/pointer" && has_names => {
            "Call again with pointer set to one of fields.".to_owned()
        }
        ErrorCode::UnknownField if error.path() == "/pointer" => "Correct the pointer and call again.".to_owned(),
        ErrorCode::UnknownField if error.path() == "/lines" => {
            "Call again with lines set to a heading, or to a range.".to_owned()
        }
        ErrorCode::UnknownField if has_names => "Call again with names from fields.".to_owned(),
        ErrorCode::UnknownField if error.path() == "/fields" => {
            format!("The result has no fields; call again without {}.", call.argument("fields"))
        }
        _ => "Correct the argument and call again.".to_owned(),
    }
}

/// The end of the message about an unknown field with a wildcard.
pub(crate) const NO_WILDCARDS: &str = "; fields have no wildcards, and go through lists without one";

/// The hint about a result that is over the budget, where the policy wants an error.
pub(crate) fn over_budget(has_suggestion: bool) -> &'static str {
    match has_suggestion {
        true => "Repeat this call with the arguments in suggest.",
        false => "The result is too large to show; ask the tool for less.",
    }
}

/// The note of a result of which nothing fits.
pub(crate) const NOTHING_FITS: &str = "No part of the result fits; ask the tool for less.";
