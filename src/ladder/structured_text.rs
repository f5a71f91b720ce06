//! A text that has rows or data in it, and how it is shown.

use std::borrow::Cow;

use toolshape_text::lines;
use toolshape_text::rows::head::HEAD;

use crate::base::error::Error;
use crate::base::json_string;
use crate::request::call::Controls;
use crate::request::context::Context;
use crate::request::policy::ReadAs;
use crate::request::read_text::ReadText;
use crate::value::any_source::AnySource;
use crate::value::own_page::OwnPage;
use crate::value::source::{Kind, Source};
use crate::value::structured_text::{self, Formats, Structure, TextFormat};

/// What surrounds rows or data takes at most 1/n of the budget, so that most of it is left for these.
const AROUND: usize = 8;

/// A text, and what it has in it.
pub(crate) struct StructuredText<'v> {
    text: Cow<'v, str>,
    structure: Structure,
}

impl<'v> StructuredText<'v> {
    /// The structure of a text, if it is to be read by one; `given` is the text, where the core has it.
    ///
    /// # Errors
    /// Whatever reading the text reports.
    pub fn recognize(text: &AnySource<'v>, given: Option<&'v str>, reads: ReadAs) -> Result<Option<Self>, Error> {
        let Some(formats) = formats(reads).filter(|_| text.kind() == Kind::String) else { return Ok(None) };
        let text = match given {
            Some(given) => Cow::Borrowed(given),
            None => {
                // Most texts are excluded by their start, so that they need not be copied.
                let head = lines::with_feeds(json_string::unescape(&text.slice(0, HEAD)?));
                if !structured_text::may_be_structured(&head, formats, text.chars() <= HEAD) {
                    return Ok(None);
                }
                Cow::Owned(text.text()?.into_owned())
            }
        };
        let text = lines::with_feeds(text);
        let structure = structured_text::recognize(&text, formats);
        Ok(structure.map(|structure| Self { text, structure }))
    }

    /// What the text is.
    pub fn format(&self) -> TextFormat {
        self.structure.format
    }

    /// The rows or the data.
    pub fn source(&self) -> AnySource<'_> {
        self.structure.source(&self.text)
    }

    /// The same context, for a result that shows the rows or the data; `None` if there is no room for what surrounds
    /// them.
    pub fn context<'a>(&self, ctx: &Context<'a>) -> Option<Context<'a>> {
        let Structure { format, is_cut, skipped, before, after, .. } = &self.structure;
        let around = [before, after].map(|place| self.text[place.clone()].trim().to_owned());
        let tokens: usize = around.iter().map(|text| ctx.measure.count(text)).sum();
        if tokens > ctx.budget / AROUND {
            return None;
        }
        let Controls { page, cursor, .. } = &*ctx.controls;
        let is_first = cursor.is_none() && page.is_none_or(|page| page == 1);
        let [before, after] = around;
        let own_page = OwnPage::of_text([&before, &after], self.source().len());
        let (chars, around) = (self.text.chars().count(), is_first.then_some((before, after)));
        let (is_cut, skipped) = (*is_cut, *skipped);
        let text = ReadText { format: *format, is_cut, skipped, chars, around, own_page };
        Some(ctx.of_text(text))
    }
}

/// The formats that the settings allow a text to be read as.
fn formats(reads: ReadAs) -> Option<Formats> {
    match reads {
        ReadAs::Auto => Some(Formats::All),
        ReadAs::Csv => Some(Formats::Delimited),
        ReadAs::Plain | ReadAs::Markdown | ReadAs::Html | ReadAs::Log => None,
    }
}
