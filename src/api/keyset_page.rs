//! A page of rows from the author's own query, continued by sort keys.

use crate::api::shaper::Shaper;
use crate::base::error::Error;
use crate::ladder::job::Job;
use crate::ladder::shape;
use crate::outcome::shaped::Shaped;
use crate::outcome::tool_output::ToolOutput;
use crate::request::call::Call;
use crate::request::content_id::Form;
use crate::request::keyset::{self, Keyset};
use crate::value::json_text::JsonText;
use crate::value::source::Source;

#[doc(hidden)]
impl Shaper {
    /// A page of rows from the author's own query: `limit` rows, and one more row if more follow.
    ///
    /// The page is shaped like any list. If fewer rows fit, its cursor is after the last shown row. The total number of
    /// rows is unknown, so the page contains only `returned` and `hasMore`.
    ///
    /// # Errors
    /// `INVALID_CALL` with the row's number, for rows that lack a sort key, have a sort key that is a list, an object
    /// or longer than 512 bytes, are not sorted by their keys, or have the same keys as another row;
    /// `UNSUPPORTED_VALUE` and `TOO_DEEP` from reading the rows.
    pub fn keyset_page<'v, S: Source + 'v>(&self, rows: &S, keyset: &Keyset, call: &Call) -> Result<Shaped, Error> {
        let settings = self.settings(call)?;
        // A list, in whatever type the host has it.
        let output = ToolOutput { form: Form::Json, ..ToolOutput::value(rows, call) };
        shape::shape_keyset(&Job::new(output, settings), keyset)
    }

    /// The sort keys of the row before the next rows, each as JSON text; `None` for the first page.
    ///
    /// # Errors
    /// `INVALID_CURSOR` with the reason; [`refusal`](Self::refusal) turns it into a result.
    pub fn decode_keyset(&self, cursor: Option<&str>, call: &Call) -> Result<Option<Vec<String>>, Error> {
        let Some(cursor) = cursor else { return Ok(None) };
        let settings = self.settings(call)?;
        let after = keyset::decode(cursor, &call.controls(settings)?, settings, call)?.after;
        let values = match &after {
            Some(after) => {
                JsonText::parse(&after.values)?.items(0, usize::MAX)?.iter().map(|v| v.span().to_owned()).collect()
            }
            None => Vec::new(),
        };
        Ok(Some(values).filter(|values| !values.is_empty()))
    }

    /// How many rows a page of this call has: what the caller asks for, within the policy.
    ///
    /// # Errors
    /// `INVALID_CALL` for a page size out of range.
    pub fn page_size(&self, call: &Call) -> Result<usize, Error> {
        let settings = self.settings(call)?;
        Ok(keyset::page_size(&call.controls(settings)?, settings))
    }
}
