//! Strings of an opening that are the JSON text of an object or an array, and what pages and logs say: opened like these, under a
//! sign.

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

use crate::base::error::Error;
use crate::render::elide;
use crate::request::context::Context;
use crate::value::json_in_text;
use crate::value::source::{Kind, Source};
use crate::value::structured_text::TextFormat;

use super::ends::TextEnds;
use super::{Opening, ROOT, ValueForm};

/// This much of the strings of one result is read to find out what is in them: a longer one is shown as text.
const TEXT_BYTES: usize = 1 << 22;

/// The bytes of strings that may still be read to find out what is in them, for all openings of one result.
#[derive(Clone, Debug)]
pub(crate) struct TextBytes(Rc<Cell<usize>>);

impl TextBytes {
    /// As many as a result may have; none if its strings are not to be read by what they contain.
    pub fn of(ctx: &Context<'_>) -> Self {
        Self(Rc::new(Cell::new(if ctx.reads_texts() { TEXT_BYTES } else { 0 })))
    }

    /// The object or the array that a string is the JSON text of, if that much may still be read.
    ///
    /// # Errors
    /// Whatever reading the string reports.
    pub fn data_in<S: Source>(&self, string: &S) -> Result<Option<S>, Error> {
        if self.0.get() == 0 { Ok(None) } else { string.data_in_text(&self.0) }
    }

    /// The text of a string, if that much may still be read.
    pub(super) fn text_of<'s, S: Source>(&self, string: &'s S) -> Result<Option<Cow<'s, str>>, Error> {
        json_in_text::text_within(string, &self.0)
    }

    /// What a string says that is a page or a log, if that much may still be read.
    fn reading_of<S: Source>(&self, string: &S) -> Result<Option<(TextFormat, S)>, Error> {
        if self.0.get() == 0 { Ok(None) } else { string.reading_of_text(&self.0) }
    }
}

impl<S: Source> Opening<S> {
    /// Whether a node is a string that is the JSON text of an object or an array, or a page or a log.
    pub(super) fn has_data(&mut self, at: usize) -> Result<bool, Error> {
        if self.nodes[at].data.is_none() {
            let mut data = self.text_bytes.data_in(self.value(at))?;
            if data.is_none()
                && !self.is_in_reading(at)
                && let Some((format, reading)) = self.text_bytes.reading_of(self.value(at))?
            {
                self.nodes[at].reading = Some(format);
                data = Some(reading);
            } else if data.is_none() && !self.is_in_reading(at) {
                self.nodes[at].ends = TextEnds::of(self.value(at), &self.text_bytes)?.map(Rc::new);
            }
            let node = &mut self.nodes[at];
            node.len = data.as_ref().map_or(node.len, Source::len);
            node.data = Some(data);
        }
        Ok(self.data(at).is_some())
    }

    /// Whether a node is in what a page or a log says, which the original does not contain.
    pub(super) fn is_in_reading(&self, mut at: usize) -> bool {
        while at != ROOT {
            at = self.nodes[at].parent;
            if self.nodes[at].reading.is_some() {
                return true;
            }
        }
        false
    }

    /// The object or the array that a node is the JSON text of, if that was found.
    pub(super) fn data(&self, at: usize) -> Option<&S> {
        self.nodes[at].data.as_ref()?.as_ref()
    }

    /// The value that has a node's children: its own, or the one in its text.
    pub(super) fn inside(&self, at: usize) -> &S {
        self.data(at).unwrap_or_else(|| self.value(at))
    }

    /// The kind of the value that has a node's children.
    pub(super) fn inside_kind(&self, at: usize) -> Kind {
        self.nodes[at].value.as_ref().map_or(Kind::Object, |_| self.inside(at).kind())
    }

    /// What is before data that is a text in the original; nothing before any other value.
    pub(super) fn sign(&self, at: usize) -> String {
        let key = |_| format!("{{{}:", elide::text_key(self.value(at), self.nodes[at].reading));
        self.data(at).map_or_else(String::new, key)
    }

    pub(super) fn sign_tokens(&self, at: usize) -> usize {
        if self.data(at).is_some() { self.measure.count(&self.sign(at)) + 1 } else { 0 }
    }

    /// Shows a text that is open as it is, if it fits into what it takes now and some more tokens.
    pub(super) fn close(&mut self, at: usize, share: &mut usize) -> Result<bool, Error> {
        if self.data(at).is_none() {
            return Ok(false);
        }
        let (mut inside, mut next) = (vec![at], 0);
        while let Some(&node) = inside.get(next) {
            if self.nodes[node].form == ValueForm::Open {
                inside.extend(&self.nodes[node].children[..self.nodes[node].shown]);
            }
            next += 1;
        }
        let room = *share + inside.iter().map(|&node| self.nodes[node].cost).sum::<usize>();
        let Some(tokens) = self.whole(at, room)? else { return Ok(false) };
        for node in inside {
            (self.nodes[node].form, self.nodes[node].cost) = (ValueForm::Hidden, 0);
        }
        (self.nodes[at].form, self.nodes[at].cost) = (ValueForm::Whole, tokens);
        *share = room - tokens;
        Ok(true)
    }
}
