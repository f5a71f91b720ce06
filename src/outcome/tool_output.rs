//! What a tool returned, and the call that it answers.

use crate::base::error::Error;
use crate::request::call::Call;
use crate::request::content_id::Form;
use crate::request::handle::Handle;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::plain_text::PlainText;
use crate::value::source::{FastSource, Kind, Source};

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
    /// Who holds the given text.
    pub(crate) holder: Holder<'a>,
    /// How many blocks of a result are its items or members.
    pub(crate) parts: usize,
}

/// Who holds the text that an output was read from, so that the store may get it without a copy.
#[derive(Clone)]
pub(crate) enum Holder<'a> {
    Nobody,
    /// Whoever gave it.
    Caller,
    /// The host, perhaps: it is the text of this string.
    Host(AnySource<'a>),
}

impl<'a> ToolOutput<'a> {
    /// A value of the host; a string is a text.
    pub fn value<S: Source + 'a>(value: &S, call: &'a Call) -> Self {
        let form = if value.kind() == Kind::String { Form::Text } else { Form::Json };
        Self {
            value: AnySource::new(value.clone()),
            given: None,
            form,
            call,
            snapshot: None,
            holder: Holder::Nobody,
            parts: 0,
        }
    }

    /// A JSON text.
    ///
    /// # Errors
    /// `INVALID_JSON` with line and column; `TOO_DEEP` beyond [`MAX_DEPTH`](crate::MAX_DEPTH) levels.
    pub fn json(text: &'a str, call: &'a Call) -> Result<Self, Error> {
        let value = AnySource::new(JsonText::parse(text)?);
        Ok(Self { value, given: Some(text), form: Form::Json, call, snapshot: None, holder: Holder::Caller, parts: 0 })
    }

    /// A plain text.
    pub fn text(text: &'a str, call: &'a Call) -> Self {
        let value = AnySource::new(PlainText::new(text));
        Self { value, given: Some(text), form: Form::Text, call, snapshot: None, holder: Holder::Caller, parts: 0 }
    }

    /// The same output as plain text: its own text, which whoever held the given text holds.
    pub(crate) fn as_text<'t>(&self, text: &'t str) -> ToolOutput<'t>
    where
        'a: 't,
    {
        let holder = match &self.holder {
            Holder::Host(string) if self.given.is_some() => Holder::Host(AnySource::new(string.clone())),
            Holder::Caller if self.given.is_some() => Holder::Caller,
            _ => Holder::Nobody,
        };
        ToolOutput { holder, snapshot: self.snapshot, ..ToolOutput::text(text, self.call) }
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

    /// Whether someone holds the whole text, so that the store needs no copy of it.
    pub(crate) fn is_held(&self) -> bool {
        match (self.given, &self.holder) {
            (None, _) => holds(&self.value),
            (Some(_), Holder::Host(string)) => holds(string),
            (Some(_), holder) => matches!(holder, Holder::Caller),
        }
    }

    /// Tells the host that the text that it holds is what the store is to have.
    pub(crate) fn keep_held(&self) {
        match (self.given, &self.holder) {
            (None, _) => keep(&self.value, self.is_plain_text()),
            (Some(_), Holder::Host(string)) => keep(string, true),
            (Some(_), Holder::Nobody | Holder::Caller) => {}
        }
    }

    /// Whether the whole of a value is the characters of a string, and not JSON.
    pub(crate) fn is_plain_text(&self) -> bool {
        self.form == Form::Text && self.value.kind() == Kind::String
    }

    /// The output's own text: the given text, a string's characters, or JSON.
    pub(crate) fn own_text(&self) -> Result<String, Error> {
        match (self.given, self.value.kind()) {
            (Some(text), _) => Ok(text.to_owned()),
            (None, Kind::String) => Ok(self.value.text()?.into_owned()),
            (None, _) => Ok(self.value.json()?.into_owned()),
        }
    }
}

fn holds(value: &AnySource<'_>) -> bool {
    value.fast().is_some_and(FastSource::holds_whole)
}

fn keep(value: &AnySource<'_>, is_text: bool) {
    if let Some(host) = value.fast() {
        host.keep_whole(is_text);
    }
}
