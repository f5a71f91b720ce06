//! What a tool returned, and the call that it answers.

use crate::base::error::Error;
use crate::ladder::run::Run;
use crate::outcome::shaped::Shaped;
use crate::request::call::Call;
use crate::request::policy::Settings;
use crate::request::stored_id::Id;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::plain_text::PlainText;
use crate::value::source::{Kind, Source};

/// One result as a tool returned it, and the call that it answers.
#[derive(Clone)]
pub struct Returned<'a> {
    pub(crate) value: AnySource<'a>,
    /// The text that it was given as.
    pub(crate) given: Option<&'a str>,
    /// Whether it is a plain text, and no JSON.
    pub(crate) is_text: bool,
    pub(crate) call: &'a Call,
    /// The stored result that it is, if it does not come from the tool.
    pub(crate) snapshot: Option<Id>,
}

impl<'a> Returned<'a> {
    /// A value of the host; a string is a text.
    pub fn value<S: Source + 'a>(value: &S, call: &'a Call) -> Self {
        let is_text = value.kind() == Kind::String;
        Self { value: AnySource::new(value.clone()), given: None, is_text, call, snapshot: None }
    }

    /// A JSON text.
    ///
    /// # Errors
    /// `INVALID_JSON` with line and column; `TOO_DEEP` beyond [`MAX_DEPTH`](crate::MAX_DEPTH) levels.
    pub fn json(text: &'a str, call: &'a Call) -> Result<Self, Error> {
        let value = AnySource::new(JsonText::parse(text)?);
        Ok(Self { value, given: Some(text), is_text: false, call, snapshot: None })
    }

    /// A plain text.
    pub fn text(text: &'a str, call: &'a Call) -> Self {
        let value = AnySource::new(PlainText::new(text));
        Self { value, given: Some(text), is_text: true, call, snapshot: None }
    }

    /// Shapes it under the settings of its tool.
    pub(crate) fn shape(&self, settings: &Settings) -> Result<Shaped, Error> {
        let mut run = self.start(settings);
        let shaped = run.shape(&self.value, self.given);
        run.explained(shaped, &self.value)
    }

    /// Its handle, however small it is: see [`Run::offload`].
    pub(crate) fn offload(&self, settings: &Settings, before: (usize, bool)) -> Result<Option<Shaped>, Error> {
        let mut run = self.start(settings);
        run.before = before;
        run.offload(&self.value, self.given)
    }

    fn start<'s>(&'s self, settings: &'s Settings) -> Run<'s, 'a> {
        Run { is_text: self.is_text, snapshot: self.snapshot, is_lent: true, ..Run::new(settings, self.call) }
    }
}
