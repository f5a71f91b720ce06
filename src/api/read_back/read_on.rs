//! The next part of a tool's result by its cursor: the cursor names the stored result and the place in it, so `read_result`
//! needs nothing else, and gives what the tool would give for the same cursor.

use serde_json::Value;

use crate::api::shaper::Shaper;
use crate::base::error::{Error, ErrorCode};
use crate::ladder::job::Job;
use crate::ladder::shape;
use crate::outcome::receipt::Step;
use crate::outcome::shaped::Shaped;
use crate::outcome::tool_output::ToolOutput;
use crate::render::notes;
use crate::request::call::{Call, RequestedFields};
use crate::request::cursor::{Continued, refuse};
use crate::request::handle::{self, StoredName};
use crate::request::policy::Settings;

use super::{find, gone_by_cursor};

/// The stored result that a call of `read_result` names.
pub(crate) enum ReadTarget {
    /// By its handle.
    ByHandle(StoredName),
    /// By the cursor of another tool's result.
    ByCursor(Continued),
}

impl ReadTarget {
    pub fn name(self) -> StoredName {
        match self {
            Self::ByHandle(name) => name,
            Self::ByCursor(continued) => StoredName::Handle(continued.handle),
        }
    }
}

/// What the call's argument `handle` names, if it has one.
///
/// # Errors
/// `INVALID_HANDLE`.
pub(crate) fn named_by_handle(call: &Call) -> Result<Option<StoredName>, Error> {
    match call.own_arguments().get("handle") {
        None | Some(Value::Null) => Ok(None),
        // A value that is not a text is refused like any other wrong handle.
        Some(handle) => handle::read(handle.as_str().unwrap_or_default()).map(Some),
    }
}

/// What the call's argument `handle` names.
///
/// # Errors
/// `INVALID_HANDLE`, also where there is none.
pub(crate) fn name_of(call: &Call) -> Result<StoredName, Error> {
    named_by_handle(call)?.map_or_else(|| handle::read(""), Ok)
}

impl Shaper {
    /// What the call's arguments name: by the cursor of another tool's result, with or without its handle, or by a handle.
    ///
    /// # Errors
    /// `INVALID_HANDLE`; `INVALID_CURSOR` for a cursor alone that cannot be used, and for one of another result than that of
    /// the handle; `INVALID_CALL` as [`settings`](Self::settings) has.
    pub(crate) fn named(&self, call: &Call) -> Result<ReadTarget, Error> {
        let name = named_by_handle(call)?;
        // A cursor of `read_result` itself belongs to all of its arguments and names no stored result.
        let cursor = call.given_cursor().filter(|cursor| name.is_none() || Continued::is_one(cursor));
        let Some(cursor) = cursor else { return name_of(call).map(ReadTarget::ByHandle) };
        let continued = Continued::read(cursor, &self.settings(call)?.cursor_keys)?;
        match name {
            Some(name) if name.handle() != continued.handle => Err(refuse("it belongs to another result")),
            _ => Ok(ReadTarget::ByCursor(continued)),
        }
    }

    /// The part of a stored result that the cursor of a tool's result names, in at most this many tokens if the host limits
    /// them.
    ///
    /// # Errors
    /// A mistake in the caller's arguments, and content that is gone.
    pub(super) fn read_on(
        &self,
        stored: Option<(&str, &str)>,
        continued: Continued,
        most: usize,
        settings: &Settings,
        call: &Call,
    ) -> Result<Shaped, Error> {
        let (Continued { handle, bound }, own_tool) = (continued, call.tool_name());
        let beside = |name: &str| {
            let message = notes::read_back::beside_cursor(name);
            Error::new(ErrorCode::InvalidCall, message, format!("/{name}"))
        };
        let own = call.own_arguments();
        if let Some((name, _)) = own.iter().find(|(name, value)| *name != "handle" && !value.is_null()) {
            return Err(beside(name));
        }
        if let RequestedFields::Part(_) = call.controls(settings)?.requested() {
            return Err(beside("fields"));
        }
        let (form, content) = find(stored, &StoredName::Handle(handle), settings, call).map_err(gone_by_cursor)?;
        // The rows are those that the tool shows, as its settings say; a tool that is left alone has none.
        let tool = call.returned_by.last().map(String::as_str).filter(|tool| !tool.is_empty());
        let tool = tool.filter(|tool| !self.policy().settings(Some(tool)).is_left_alone());
        let call = Call { tool: tool.map(str::to_owned), bound_to: Some(bound), ..call.clone() };
        let settings = self.settings(&call)?;
        let output = ToolOutput { snapshot: Some(handle), ..ToolOutput::stored(form, content, &call)? };
        let mut shaped = shape::shape(&Job::new(output, settings), settings.room().min(most))?;
        if !shaped.is_error {
            shaped.receipt.steps.insert(0, Step::Read);
        }
        shaped.receipt.tool = own_tool.map(str::to_owned);
        Ok(shaped)
    }
}
