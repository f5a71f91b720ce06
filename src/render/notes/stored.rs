//! The notes of results that are shown as a handle, and of what is found in stored ones.

use crate::request::content_id::Form;
use crate::request::handle::Handle;

/// The note of a result in whose place its handle is shown.
pub(crate) fn offloaded(tool: &str, handle: Handle, form: Form, has_rows: bool) -> String {
    let ways = match form {
        Form::Json => "pointer, search or page",
        Form::Text if has_rows => "pointer, lines, search or page",
        Form::Text => "lines, search or page",
    };
    format!(
        "Too large to show; stored whole. Call {tool} with sql (the table is {handle}), or with handle set to it and {ways}."
    )
}

/// The start of the note of a result that was shaped before and of which only its facts are left.
pub(crate) fn values_left_out(handle: Handle) -> String {
    format!(
        "The values are left out, because the results of this turn are too large together. Read them by the handle {handle}, with sql, search or page."
    )
}

/// The same of an answer that was read from the store.
pub(crate) const ANSWER_LEFT_OUT: &str =
    "The values are left out, because the results of this turn are too large together. Repeat this call alone.";

/// The note where a search or a query finds nothing.
pub(crate) const NO_MATCH: &str = "Nothing matches.";

/// The end of a note of matches that are not in what is stored, but in what is read of it.
pub(crate) const AS_DATA: &str = " They are in the data as it is read, not in its text.";
pub(crate) const AS_TEXT: &str =
    " They are in the text as it is read, without tags and codes; lines are counted there.";

/// The end of a note where a search or a query was stopped before its end.
pub(crate) const STOPPED: &str =
    " The search was stopped because it asks for too much; there may be more matches. Narrow it.";
