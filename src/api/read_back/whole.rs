//! A stored result, or a value in it, as it is: what is in an argument in its place.

use crate::api::read_back::{ReadTarget, find};
use crate::api::shaper::Shaper;
use crate::base::error::{Error, ErrorCode};
use crate::base::json_pointer;
use crate::base::json_string::quoted;
use crate::request::call::Call;
use crate::request::content_id::Form;
use crate::value::at_pointer::at_pointer;
use crate::value::json_text::JsonText;

impl Shaper {
    /// The whole of the stored result that a call of `read_result` names, or the value at a pointer in it, as JSON text; a
    /// text as a JSON string.
    ///
    /// # Errors
    /// What [`read_result`](Self::read_result) explains; `UNKNOWN_FIELD` for a pointer that does not exist.
    #[doc(hidden)]
    pub fn stored_whole(&self, stored: Option<(&str, &str)>, pointer: &str, call: &Call) -> Result<String, Error> {
        let settings = self.reading_settings(call)?;
        let nowhere = || {
            Error::new(ErrorCode::UnknownField, format!("pointer {pointer} does not exist in this result"), "/pointer")
        };
        let ReadTarget::ByHandle(name) = self.named(call)? else { return Err(nowhere()) };
        let (form, content) = find(stored, &name, &settings, call)?;
        match form {
            Form::Json if pointer.is_empty() => Ok(content.to_owned()),
            Form::Json => {
                let segments = json_pointer::tokens(pointer).ok_or_else(nowhere)?;
                let found = at_pointer(&JsonText::parse(content)?, &segments)?;
                found.map(|value| value.span().to_owned()).ok_or_else(nowhere)
            }
            Form::Text if pointer.is_empty() => Ok(quoted(content)),
            Form::Text => Err(nowhere()),
        }
    }
}
