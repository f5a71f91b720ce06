//! A page of rows that the author's own query fetched, continued by sort keys.

use crate::api::shaper::Shaper;
use crate::base::error::Error;
use crate::ladder::job::Job;
use crate::ladder::shape;
use crate::outcome::shaped::Shaped;
use crate::outcome::tool_output::ToolOutput;
use crate::request::call::Call;
use crate::request::keyset::{self, Keyset};
use crate::request::stored_id::Form;
use crate::value::json_text::JsonText;
use crate::value::source::Source;

impl Shaper {
    /// A page of rows that the author's own query fetched: `limit` of them, and one more if more follow.
    ///
    /// The page is shaped as any list is; where fewer rows fit, its cursor stands after the last one shown.
    /// How many rows there are in all is unknown, so the page tells `returned` and `hasMore` alone.
    ///
    /// # Errors
    /// `INVALID_CALL` naming the row, for rows that lack a sort key, have one that is a list, an object or
    /// over 512 bytes long, are not in the order of their keys, or are not told apart by them;
    /// `UNSUPPORTED_VALUE` and `TOO_DEEP` from reading the rows.
    pub fn keyset_page<'v, S: Source + 'v>(&self, rows: &S, keyset: &Keyset, call: &Call) -> Result<Shaped, Error> {
        let settings = self.settings(call)?;
        // A list, whatever the host has it as.
        let output = ToolOutput { form: Form::Json, ..ToolOutput::value(rows, call) };
        let job = Job::new(output);
        shape::shape_keyset(&job, keyset, settings)
    }

    /// The sort keys of the row after which the next rows begin, each as JSON text; `None` for the first.
    ///
    /// # Errors
    /// `INVALID_CURSOR` with the reason; [`refusal`](Self::refusal) makes a result of it.
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

    /// How many rows a page of this call takes: what the caller asks, within the policy.
    ///
    /// # Errors
    /// `INVALID_CALL` for a page size out of range.
    pub fn page_size(&self, call: &Call) -> Result<usize, Error> {
        let settings = self.settings(call)?;
        Ok(keyset::page_size(&call.controls(settings)?, settings))
    }
}
