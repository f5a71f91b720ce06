//! What one call is shaped under: the tool's settings, the caller's wishes, and how to measure.

use std::rc::Rc;

use crate::base::error::Error;
use crate::base::members::Members;
use crate::request::call::{Call, Controls};
use crate::request::cursor::{After, Binding, Cursor, Mark, Unit, refuse};
use crate::request::keyset::Rows;
use crate::request::policy::{Format, Settings};
use crate::request::stored::Stored;
use crate::value::source::{Kind, Source};
use crate::value::token_count::Measure;

/// How the caller asks for a part of the result that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HowToAsk {
    /// By the argument `fields` of the tool.
    Tool,
    /// By the argument `pointer` of `read_result`, since the result is a stored one.
    ReadResult,
}

/// The policy and the call controls as they hold for one result, or for the part of it that is shown.
#[derive(Clone)]
pub(crate) struct Context<'a> {
    pub settings: &'a Settings,
    pub controls: Controls,
    pub measure: Measure,
    /// The most tokens that the result may have.
    pub budget: usize,
    pub tool: Option<&'a str>,
    pub call: &'a Call,
    /// JSON Pointer to the part that is shown; empty for the whole.
    pub base: String,
    /// Where the whole result is stored, if it is to be told.
    pub stored: Option<Stored>,
    pub how_to_ask: HowToAsk,
    /// The rows that the author's own query gave, of which the result or the part of it is.
    keyset: Option<Rc<Rows>>,
    binding: Binding<'a>,
}

impl<'a> Context<'a> {
    /// The context of `call` for the part of its result at `base`.
    pub fn new(
        settings: &'a Settings,
        controls: Controls,
        call: &'a Call,
        how_to_ask: HowToAsk,
        keyset: Option<Rc<Rows>>,
        base: String,
    ) -> Self {
        Self {
            settings,
            controls,
            measure: Measure { encoding: settings.encoding },
            budget: settings.room(),
            tool: call.tool(),
            call,
            binding: Binding::new(call, &base, settings),
            stored: None,
            how_to_ask,
            keyset,
            base,
        }
    }

    /// The same with a word about where the whole result is stored.
    pub fn telling(&self, stored: Option<Stored>) -> Self {
        Self { stored, ..self.clone() }
    }

    /// How rows are to be written.
    pub fn format(&self) -> Format {
        self.controls.format.unwrap_or(self.settings.format)
    }

    /// The place that the caller's cursor names, whatever it counts.
    ///
    /// # Errors
    /// `INVALID_CURSOR` as [`Binding::decode`] says, and for a cursor that marks no place in a result.
    pub fn place(&self) -> Result<Option<Cursor>, Error> {
        let Some(text) = &self.controls.cursor else { return Ok(None) };
        match self.binding.decode(text)? {
            Mark { place: Some(place), after, .. } if after.as_ref() == self.after() => Ok(Some(place)),
            _ => Err(another_kind()),
        }
    }

    /// The place that the caller's cursor names, which has to count in `unit`.
    ///
    /// # Errors
    /// As [`place`](Self::place), and `INVALID_CURSOR` for a cursor into another kind of result.
    pub fn cursor(&self, unit: Unit) -> Result<Option<Cursor>, Error> {
        match self.place()? {
            Some(place) if place.unit != unit => Err(another_kind()),
            place => Ok(place),
        }
    }

    /// A cursor to a place as text.
    pub fn encode(&self, place: Cursor) -> Option<String> {
        let snapshot = self.stored.as_ref().and_then(Stored::snapshot);
        self.binding.encode(&Mark { place: Some(place), after: self.after().cloned(), snapshot })
    }

    /// A cursor to the rows after one as text.
    pub fn encode_after(&self, after: After) -> Option<String> {
        self.binding.encode(&Mark { place: None, after: Some(after), snapshot: None })
    }

    /// The member with the address of the whole result, if there is one; `prefix` begins its name.
    pub fn uri(&self, prefix: &str, has_cursor: bool) -> Option<String> {
        let stored = self.stored.as_ref()?;
        stored.tells_uri(has_cursor, self.budget).then(|| format!("{prefix}uri"))
    }

    /// Writes where the whole result is stored, if it is to be told: see [`Stored::write`].
    pub fn write_stored(&self, has_cursor: bool, out: &mut Members) {
        if let Some(stored) = &self.stored {
            stored.write(has_cursor, self.budget, out);
        }
    }

    /// The row after which the rows begin, if the call went on from one.
    fn after(&self) -> Option<&After> {
        self.keyset.as_ref()?.after()
    }

    /// The rows that are paged by their keys, if those are what is shown.
    pub fn keyset(&self) -> Option<&Rc<Rows>> {
        self.keyset.as_ref().filter(|_| self.base.is_empty())
    }

    /// Whether the caller goes on with what a page before has shown.
    pub fn goes_on(&self) -> bool {
        self.controls.cursor.is_some() || self.after().is_some()
    }

    /// The same as [`has_few_rows`], where rows may be paged by their keys.
    pub fn has_few_rows<S: Source>(&self, value: &S) -> bool {
        match self.keyset() {
            Some(rows) => !rows.has_more(),
            None => has_few_rows(value, self.settings),
        }
    }

    /// Renders smaller and smaller until the text fits: `render` gets the tokens that it may spend on
    /// content, and the result is counted as a whole.
    ///
    /// Gives `None` where not even a render with nothing to spend fits.
    pub fn shrink(&self, render: impl FnMut(usize) -> Result<String, Error>) -> Result<Option<Fit>, Error> {
        self.shrink_from(self.budget, 0, self.counted(render))
    }

    /// The same for content whose frame is alike whatever stands in it: the frame is weighed by itself
    /// first, so that the content is rendered and counted only once.
    pub fn shrink_in_frame(
        &self,
        mut render: impl FnMut(usize) -> Result<String, Error>,
    ) -> Result<Option<Fit>, Error> {
        let frame = self.measure.count(&render(0)?);
        self.shrink_from(self.budget.saturating_sub(frame), 0, self.counted(render))
    }

    fn counted<'r>(
        &self,
        mut render: impl FnMut(usize) -> Result<String, Error> + 'r,
    ) -> impl FnMut(usize) -> Result<Fit, Error> + 'r {
        let measure = self.measure;
        move |spend| {
            let text = render(spend)?;
            Ok(Fit { tokens: measure.count(&text), text })
        }
    }

    /// The same from `spend` tokens down to `least`, for whoever counts the text himself.
    pub fn shrink_from(
        &self,
        mut spend: usize,
        least: usize,
        mut render: impl FnMut(usize) -> Result<Fit, Error>,
    ) -> Result<Option<Fit>, Error> {
        loop {
            let Fit { text, tokens } = render(spend)?;
            if tokens <= self.budget {
                return Ok(Some(Fit { text, tokens }));
            }
            if spend <= least {
                return Ok(None);
            }
            // What is over now is mostly the frame around the content; a little more each time, so that
            // it ends whatever the content does.
            let over = tokens - self.budget;
            spend = spend.saturating_sub(over.max(spend / 64 + 1)).max(least);
        }
    }
}

/// Whether a value is no list, or one that need not be paged for its rows.
pub(crate) fn has_few_rows<S: Source>(value: &S, settings: &Settings) -> bool {
    value.kind() != Kind::Array || value.len() <= settings.paginate_after
}

fn another_kind() -> Error {
    refuse("the result is no longer of the kind that it pages")
}

/// A text that fits.
#[derive(Debug)]
pub(crate) struct Fit {
    pub text: String,
    pub tokens: usize,
}
