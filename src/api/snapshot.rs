//! Pages from a stored result without running the tool again, so that later changes of the data do not matter.

use crate::api::read_back;
use crate::api::shaper::Shaper;
use crate::base::error::Error;
use crate::ladder::refusal;
use crate::outcome::receipt::Weight;
use crate::outcome::shaped::Shaped;
use crate::outcome::tool_output::ToolOutput;
use crate::request::call::{Call, Controls, RequestedFields};
use crate::request::content_id::Form;
use crate::request::cursor::{Binding, Continued, Cursor};
use crate::request::handle::Handle;
use crate::request::policy::Settings;

#[doc(hidden)]
impl Shaper {
    /// Shapes the stored content under `key` for a call that it can answer, so that the tool need not run: [`lookup`](Self::lookup) finds it.
    ///
    /// `None` if it is not the content that the call's cursor names, because it was changed or belongs to another
    /// scope. Then the tool runs. To a call that says `forbidden`, the result is the refusal, whatever the content is.
    ///
    /// # Errors
    /// As [`shape`](Self::shape).
    pub fn shape_snapshot(&self, key: &str, content: &str, call: &Call) -> Result<Option<Shaped>, Error> {
        let (settings, call) = (self.settings(call)?, call.going_on());
        let call = &*call;
        if let Some(refused) = forbidden(settings, call) {
            return Ok(Some(refused));
        }
        let Some((form, handle)) = serving(settings, key, content, call) else { return Ok(None) };
        let output = ToolOutput { snapshot: Some(handle), ..ToolOutput::stored(form, content, call)? };
        let mut shaped = self.run(output)?;
        shaped.receipt.count_as_read();
        Ok(Some(shaped))
    }
}

/// The refusal of a page from a stored result that the caller may not read.
pub(crate) fn forbidden(settings: &Settings, call: &Call) -> Option<Shaped> {
    let refused =
        || refusal::refuse(settings, settings.room(), call, Weight::Exact(0), &read_back::forbidden("/cursor"), &[]);
    call.is_forbidden.then(refused)
}

/// The form and the handle of the stored content under `key`, if the call's cursor names it.
pub(crate) fn serving(settings: &Settings, key: &str, content: &str, call: &Call) -> Option<(Form, Handle)> {
    let ((form, id), handle) = (Form::of_key(key)?, named(settings, call)?);
    let is_named =
        handle == Handle::of(&id) && id.is_of(content, call.owner(), &settings.cursor_keys, call.host_hash());
    is_named.then_some((form, handle))
}

/// The stored result that a call's cursor names.
pub(crate) fn named(settings: &Settings, call: &Call) -> Option<Handle> {
    let own = call;
    let call = own.going_on();
    let controls = call.controls(settings).ok().filter(|_| settings.snapshot && !settings.is_left_alone())?;
    match cursor(settings, &controls, &call) {
        Ok(cursor) => cursor?.snapshot,
        // In the tool's own argument: what is stored explains what is wrong, and the tool does not receive it.
        Err(_) if own.given_cursor().is_none() => {
            Some(Continued::read(controls.cursor.as_deref()?, &settings.cursor_keys).ok()?.handle)
        }
        Err(_) => None,
    }
}

/// What the cursor of a call contains; `None` if it has none.
///
/// # Errors
/// `INVALID_CURSOR` as [`Binding::decode`] has.
pub(crate) fn cursor(settings: &Settings, controls: &Controls, call: &Call) -> Result<Option<Cursor>, Error> {
    let Some(cursor) = controls.cursor.as_deref() else { return Ok(None) };
    let read = |part: &str| Binding::new(call, part, settings).decode(cursor);
    match controls.requested() {
        // A cursor may belong to the part that the call asks for, or to the whole result.
        RequestedFields::Part(pointer) => read(pointer.written()).or_else(|_| read("")),
        RequestedFields::All | RequestedFields::Fields => read(""),
    }
    .map(Some)
}
