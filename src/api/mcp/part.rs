//! A part of a result that the model reads, and its whole content.

use std::rc::Rc;

use crate::base::error::Error;
use crate::ladder::job::Job;
use crate::outcome::tool_output::{Holder, ToolOutput};
use crate::request::call::Call;
use crate::request::stored_id::Form;
use crate::value::any_source::AnySource;
use crate::value::source::Source;

use super::tool_result::Text;

/// The whole of what a tool returned, or of a part of it, as `redact` sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    pub text: String,
    /// Whether it is JSON, then minified; otherwise it is plain text.
    pub is_json: bool,
}

/// A part that the model reads: the text of a block, a link or a block of an unknown form, or the structured content.
#[derive(Clone)]
pub(super) struct Part<'s> {
    /// The index of the block in `content`; `None` for the structured content.
    pub block: Option<usize>,
    /// Whether the value is the block itself, not its text.
    pub is_block: bool,
    pub job: Rc<Job<'s>>,
}

impl<'s> Part<'s> {
    /// A part that is in no block.
    pub fn new(output: ToolOutput<'s>) -> Self {
        Self { block: None, is_block: false, job: Rc::new(Job::new(output)) }
    }

    /// A JSON value that is in no block; it may be a string.
    pub fn of<'v: 's>(value: &AnySource<'v>, call: &'s Call) -> Self {
        let value = AnySource::new(value.clone());
        Self::new(ToolOutput { form: Form::Json, ..ToolOutput::value(&value, call) })
    }

    /// A block that is read as it is.
    pub fn of_block<'v: 's>(at: usize, block: &AnySource<'v>, call: &'s Call) -> Self {
        Self { block: Some(at), is_block: true, ..Self::of(block, call) }
    }

    /// A text: data if it is JSON and not to be read as plain text, otherwise a string.
    ///
    /// # Errors
    /// Whatever reading the text reports.
    pub fn of_text<'v: 's>(text: &'s Text<'v>, is_plain: bool, call: &'s Call) -> Result<Self, Error> {
        let json = match text.may_be_json && !is_plain {
            true => ToolOutput::json(text.whole()?, call).ok(),
            false => None,
        };
        let output = json.map(|json| ToolOutput { holder: Holder::Host(AnySource::new(text.value.clone())), ..json });
        let part = Self::new(output.unwrap_or_else(|| ToolOutput::value(&text.value, call)));
        Ok(Self { block: Some(text.block), ..part })
    }

    pub fn value(&self) -> &AnySource<'s> {
        &self.job.output.value
    }

    /// The whole of it as a text, and whether that is JSON.
    pub fn content(&self) -> Result<Content, Error> {
        let is_json = self.job.output.form == Form::Json;
        let text = if is_json { self.value().json()?.into_owned() } else { self.job.output.own_text()? };
        Ok(Content { text, is_json })
    }

    /// The text as the tool wrote it, if it is available.
    pub fn given(&self) -> Option<&'s str> {
        self.job.output.given
    }
}
