//! What a value is to whoever shows it: a list, an object that mostly is one list, or something else.

use std::cell::OnceCell;

use crate::base::error::Error;
use crate::base::once::once;
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
        Ok(self.found()?.0.as_ref())
    }

    /// The object with the list whose pages are shown: as [`envelope`](Self::envelope), or in a string that is JSON text.
    ///
    /// # Errors
    /// Whatever reading the value reports.
    pub fn paged(&self, ctx: &Context<'_>) -> Result<Option<&Envelope<'v>>, Error> {
        let (envelope, is_mostly_text) = self.found()?;
        let find = || if *is_mostly_text { Envelope::in_text(&self.value, ctx) } else { Ok(None) };
        Ok(once(&self.in_text, find)?.as_ref().or(envelope.as_ref()))
    }

    /// The list that the value mostly is, and whether it is mostly a text.
    fn found(&self) -> Result<&(Option<Envelope<'v>>, bool), Error> {
        once(&self.envelope, || match self.value.kind() {
            Kind::Object => Envelope::find(&self.value),
            Kind::Array => {
                let (found, is_mostly_text) = Envelope::find(&self.value)?;
                Ok((found.filter(|found| !found.is_list_itself()), is_mostly_text))
            }
            _ => Ok((None, false)),
        })
    }

    /// Whether the value has pages of rows.
    ///
    /// # Errors
    /// Whatever reading the value reports.
    pub fn has_pages(&self, ctx: &Context<'_>) -> Result<bool, Error> {
        Ok(self.value.kind() == Kind::Array || self.paged(ctx)?.is_some())
    }
}
