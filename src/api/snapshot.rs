//! Pages from a stored result without running the tool again, so that later changes of the data do not matter.

use crate::api::shaper::Shaper;
use crate::base::error::Error;
use crate::outcome::shaped::Shaped;
use crate::outcome::tool_output::ToolOutput;
use crate::request::call::{Asked, Call};
use crate::request::cursor::Binding;
use crate::request::policy::Settings;
use crate::request::stored_id::{Form, Id};

impl Shaper {
    /// The handle of the stored result that can answer this call, so that the tool need not run.
    ///
    /// `None` if the call has no cursor, or a cursor that names no stored result or cannot be used. Then the tool runs,
    /// and [`shape`](Self::shape) reports the error.
    ///
    /// # Errors
    /// `INVALID_CALL` as [`shape`](Self::shape).
    pub fn snapshot(&self, call: &Call) -> Result<Option<String>, Error> {
        Ok(named(self.settings(call)?, call).map(|id| id.to_string()))
    }

    /// Shapes the stored content under `key` for a call that it can answer: see [`snapshot`](Self::snapshot).
    ///
    /// `None` if it is not the content that the call's cursor names, because it was changed or belongs to another
    /// scope. Then the tool runs.
    ///
    /// # Errors
    /// As [`shape`](Self::shape).
    pub fn shape_snapshot(&self, key: &str, content: &str, call: &Call) -> Result<Option<Shaped>, Error> {
        let settings = self.settings(call)?;
        let Some((form, id)) = serving(settings, key, content, call) else { return Ok(None) };
        let output = ToolOutput { snapshot: Some(id), ..ToolOutput::stored(form, content, call)? };
        self.run(output).map(Some)
    }
}

/// The form and the id of the stored content under `key`, if the call's cursor names it.
pub(crate) fn serving(settings: &Settings, key: &str, content: &str, call: &Call) -> Option<(Form, Id)> {
    let (form, id) = Form::of_key(key)?;
    let is_named = named(settings, call) == Some(id) && id.is_of(content, call.scope(), &settings.cursor_keys);
    is_named.then_some((form, id))
}

/// The stored result that a call's cursor names.
fn named(settings: &Settings, call: &Call) -> Option<Id> {
    let controls = call.controls(settings).ok().filter(|_| settings.snapshot && !settings.is_left_alone())?;
    let cursor = controls.cursor.as_deref()?;
    let read = |part: &str| Binding::new(call, part, settings).decode(cursor).ok();
    let mark = match controls.asked() {
        // A cursor may belong to the part that the call asks for, or to the whole result.
        Asked::Part(pointer) => read(pointer.written()).or_else(|| read("")),
        Asked::All | Asked::Fields => read(""),
    };
    mark?.snapshot
}
