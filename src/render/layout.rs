//! What a value is to whoever shows it: a list, an object that mostly is one list, or something else.

use std::cell::OnceCell;

use crate::base::error::Error;
use crate::render::envelope::Envelope;
use crate::value::any_source::AnySource;
use crate::value::source::{Kind, Source};

/// A value, with the list that it mostly is. The list is looked for once, when it is first asked for.
pub(crate) struct Layout<'v> {
    pub value: AnySource<'v>,
    envelope: OnceCell<Option<Envelope<'v>>>,
}

impl<'v> Layout<'v> {
    pub fn new(value: AnySource<'v>) -> Self {
        Self { value, envelope: OnceCell::new() }
    }

    /// The object with the list that it mostly is; `None` for any other value.
    ///
    /// # Errors
    /// Whatever reading the value reports.
    pub fn envelope(&self) -> Result<Option<&Envelope<'v>>, Error> {
        if self.envelope.get().is_none() {
            let found = match self.value.kind() {
                Kind::Object => Envelope::find(&self.value)?,
                _ => None,
            };
            // Nobody else can have set it meanwhile.
            let _ = self.envelope.set(found);
        }
        Ok(self.envelope.get().and_then(Option::as_ref))
    }

    /// Whether the value has pages of rows.
    ///
    /// # Errors
    /// Whatever reading the value reports.
    pub fn has_pages(&self) -> Result<bool, Error> {
        Ok(self.value.kind() == Kind::Array || self.envelope()?.is_some())
    }
}
