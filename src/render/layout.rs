//! What a value is to whoever shows it: a list, an object that mostly is one list, or something else.

use std::cell::OnceCell;

use crate::base::error::Error;
use crate::render::envelope::Envelope;
use crate::request::context::Context;
use crate::value::any_source::AnySource;
use crate::value::source::{Kind, Source};

/// A value, with the list that it mostly is. The list is looked for once, when it is first asked for.
pub(crate) struct ListLayout<'v> {
    pub value: AnySource<'v>,
    /// The list, and if there is none whether a string is most of the object.
    envelope: OnceCell<(Option<Envelope<'v>>, bool)>,
    in_text: OnceCell<Option<Envelope<'v>>>,
}

impl<'v> ListLayout<'v> {
    pub fn new(value: AnySource<'v>) -> Self {
        Self { value, envelope: OnceCell::new(), in_text: OnceCell::new() }
    }

    /// The object, or the short list, with the list that it mostly is; `None` for any other value.
    ///
    /// # Errors
    /// Whatever reading the value reports.
    pub fn envelope(&self) -> Result<Option<&Envelope<'v>>, Error> {
        if self.envelope.get().is_none() {
            let found = match self.value.kind() {
                Kind::Object => Envelope::find(&self.value)?,
                Kind::Array => {
                    let (found, is_mostly_text) = Envelope::find(&self.value)?;
                    (found.filter(|found| !found.is_list_itself()), is_mostly_text)
                }
                _ => (None, false),
            };
            // Nobody else can have set it meanwhile.
            let _ = self.envelope.set(found);
        }
        Ok(self.envelope.get().and_then(|(found, _)| found.as_ref()))
    }

    /// The object with the list whose pages are shown: as [`envelope`](Self::envelope), or in a string that is JSON text.
    ///
    /// # Errors
    /// Whatever reading the value reports.
    pub fn paged(&self, ctx: &Context<'_>) -> Result<Option<&Envelope<'v>>, Error> {
        let envelope = self.envelope()?;
        if self.in_text.get().is_none() {
            let is_mostly_text = self.envelope.get().is_some_and(|(_, is_mostly_text)| *is_mostly_text);
            let found = if is_mostly_text { Envelope::in_text(&self.value, ctx)? } else { None };
            let _ = self.in_text.set(found);
        }
        Ok(self.in_text.get().and_then(Option::as_ref).or(envelope))
    }

    /// Whether the value has pages of rows.
    ///
    /// # Errors
    /// Whatever reading the value reports.
    pub fn has_pages(&self, ctx: &Context<'_>) -> Result<bool, Error> {
        Ok(self.value.kind() == Kind::Array || self.paged(ctx)?.is_some())
    }
}
