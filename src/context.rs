//! What one call is shaped under: the tool's settings, the caller's wishes, and how to measure.

use crate::call::{Call, Controls};
use crate::cursor::{Binding, Cursor, Unit};
use crate::error::Error;
use crate::measure::Measure;
use crate::policy::{Format, Settings};

/// The policy and the call controls as they hold for one result, or for the part of it that is shown.
pub(crate) struct Context<'a> {
    pub settings: &'a Settings,
    pub controls: Controls,
    pub measure: Measure,
    /// The most tokens that the result may have.
    pub budget: usize,
    pub tool: Option<&'a str>,
    /// JSON Pointer to the part that is shown; empty for the whole.
    pub base: String,
    binding: Binding<'a>,
}

impl<'a> Context<'a> {
    /// The context of `call` for the part of its result at `base`.
    pub fn new(settings: &'a Settings, controls: Controls, call: &'a Call, base: String) -> Self {
        Self {
            settings,
            controls,
            measure: Measure { encoding: settings.encoding },
            budget: settings.budget(),
            tool: call.tool(),
            binding: Binding::new(call.tool(), call.arguments(), &base, &settings.cursor_keys),
            base,
        }
    }

    /// How rows are to be written.
    pub fn format(&self) -> Format {
        self.controls.format.unwrap_or(self.settings.format)
    }

    /// The cursor that the caller sent, if it counts in `unit`.
    ///
    /// # Errors
    /// `INVALID_CURSOR` as [`Binding::decode`] says, and for a cursor into another kind of result.
    pub fn cursor(&self, unit: Unit) -> Result<Option<Cursor>, Error> {
        let Some(text) = &self.controls.cursor else { return Ok(None) };
        let cursor = self.binding.decode(text)?;
        if cursor.unit != unit {
            return Err(crate::cursor::refuse("the result is no longer of the kind that it pages"));
        }
        Ok(Some(cursor))
    }

    /// A cursor as text.
    pub fn encode(&self, cursor: &Cursor) -> Option<String> {
        self.binding.encode(cursor)
    }

    /// Renders smaller and smaller until the text fits: `render` gets the tokens that it may spend on
    /// content, and the result is counted as a whole.
    ///
    /// Gives `None` where not even a render with nothing to spend fits.
    pub fn shrink(&self, mut render: impl FnMut(usize) -> Result<String, Error>) -> Result<Option<Fit>, Error> {
        let mut spend = self.budget;
        loop {
            let text = render(spend)?;
            let tokens = self.measure.count(&text);
            if tokens <= self.budget {
                return Ok(Some(Fit { text, tokens }));
            }
            if spend == 0 {
                return Ok(None);
            }
            // What is over now is mostly the frame around the content; a little more each time, so that
            // it ends whatever the content does.
            let over = tokens - self.budget;
            spend = spend.saturating_sub(over.max(spend / 64 + 1));
        }
    }
}

/// A text that fits.
pub(crate) struct Fit {
    pub text: String,
    pub tokens: usize,
}
