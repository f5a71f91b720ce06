//! What a tool returned, and the call that it answers.

use crate::base::error::Error;
use crate::request::call::Call;
use crate::request::handle::Handle;
use crate::request::stored_id::Form;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::plain_text::PlainText;
use crate::value::source::{self, Kind, Source};

/// One result as a tool returned it, and the call that it answers.
#[derive(Clone)]
pub struct ToolOutput<'a> {
    pub(crate) value: AnySource<'a>,
    /// The text from which it was read.
    pub(crate) given: Option<&'a str>,
    /// Whether it is plain text or JSON.
    pub(crate) form: Form,
    pub(crate) call: &'a Call,
    /// The handle of the stored result, if it comes from the store and not from the tool.
    pub(crate) snapshot: Option<Handle>,
    /// The caller still holds the text, so `Keep.content` may be `None`.
    pub(crate) is_lent: bool,
}

impl<'a> ToolOutput<'a> {
    /// A value of the host; a string is a text.
    pub fn value<S: Source + 'a>(value: &S, call: &'a Call) -> Self {
        let form = if value.kind() == Kind::String { Form::Text } else { Form::Json };
        Self { value: AnySource::new(value.clone()), given: None, form, call, snapshot: None, is_lent: true }
    }

    /// A JSON text.
    ///
    /// # Errors
    /// `INVALID_JSON` with line and column; `TOO_DEEP` beyond [`MAX_DEPTH`](crate::MAX_DEPTH) levels.
    pub fn json(text: &'a str, call: &'a Call) -> Result<Self, Error> {
        let value = AnySource::new(JsonText::parse(text)?);
        Ok(Self { value, given: Some(text), form: Form::Json, call, snapshot: None, is_lent: true })
    }

    /// A plain text.
    pub fn text(text: &'a str, call: &'a Call) -> Self {
        let value = AnySource::new(PlainText::new(text));
        Self { value, given: Some(text), form: Form::Text, call, snapshot: None, is_lent: true }
    }

    /// A stored content of that form.
    ///
    /// # Errors
    /// As [`json`](Self::json).
    pub(crate) fn stored(form: Form, content: &'a str, call: &'a Call) -> Result<Self, Error> {
        match form {
            Form::Json => Self::json(content, call),
            Form::Text => Ok(Self::text(content, call)),
        }
    }

    /// The output's own text: the given text, a string's characters, or JSON.
    pub(crate) fn own_text(&self) -> Result<String, Error> {
        match (self.given, self.value.kind()) {
            (Some(text), _) => Ok(text.to_owned()),
            (None, Kind::String) => source::text(&self.value),
            (None, _) => Ok(self.value.json()?.into_owned()),
        }
    }
}
