//! A tool's output that is shaped, in one or more drafts, and where the whole output is stored.

use std::cell::{OnceCell, RefCell};

use crate::base::error::Error;
use crate::base::json_string;
use crate::base::once::once;
use crate::base::text_cuts;
use crate::ladder::structured_text::StructuredText;
use crate::outcome::content::{self, StoredContent};
use crate::outcome::shaped::Shaped;
use crate::outcome::to_store::Keep;
use crate::outcome::tool_output::ToolOutput;
use crate::render::layout::ListLayout;
use crate::render::offload::Description;
use crate::request::call::Controls;
use crate::request::content_id::{self, Form, Namer};
use crate::request::handle::Handle;
use crate::request::policy::Settings;
use crate::request::stored::Stored;

/// The characters of a text's first line that say what it is: a line of a terminal.
const LINE_CHARS: usize = 80;

/// A tool's output that is shaped.
pub(crate) struct Job<'v> {
    pub output: ToolOutput<'v>,
    pub settings: &'v Settings,
    pub layout: ListLayout<'v>,
    /// The output's structure, if it is a text that has one; it is looked for once.
    structured: OnceCell<Option<StructuredText<'v>>>,
    storing: Storing,
}

/// The id and the content of the whole output. Both are read when they are first needed, once for all drafts.
#[derive(Default)]
struct Storing {
    stored: OnceCell<Option<Stored>>,
    content: RefCell<Option<StoredContent>>,
}

impl<'v> Job<'v> {
    pub fn new(output: ToolOutput<'v>, settings: &'v Settings) -> Self {
        let layout = ListLayout::new(output.value.clone());
        Self { output, settings, layout, structured: OnceCell::new(), storing: Storing::default() }
    }

    /// A job whose output is not stored, because it comes from a store or is only a part.
    pub fn of_stored(output: ToolOutput<'v>, settings: &'v Settings) -> Self {
        let storing = Storing { stored: OnceCell::from(None), ..Storing::default() };
        Self { storing, ..Self::new(output, settings) }
    }

    /// The same output as plain text, which is `text`.
    pub fn as_text<'t>(&self, text: &'t str) -> Job<'t>
    where
        'v: 't,
    {
        let stored = match self.storing.stored.get() {
            // It comes from a store, or is only a part.
            Some(None) => OnceCell::from(None),
            _ => OnceCell::new(),
        };
        let storing = Storing { stored, ..Storing::default() };
        Job { storing, ..Job::new(self.output.as_text(text), self.settings) }
    }

    /// What the call asks for.
    ///
    /// # Errors
    /// As [`Call::controls`](crate::Call).
    pub fn controls(&self) -> Result<Controls, Error> {
        self.output.call.controls(self.settings)
    }

    /// The output's structure, if it is a text that has one and the settings allow it to be read by it.
    ///
    /// # Errors
    /// Errors from reading the output.
    pub fn structured(&self) -> Result<Option<&StructuredText<'v>>, Error> {
        let ToolOutput { value, given, form, .. } = &self.output;
        let given = given.filter(|_| *form == Form::Text);
        Ok(once(&self.structured, || StructuredText::recognize(value, given, self.settings.text))?.as_ref())
    }

    /// Where the whole output is stored; `None` without a store.
    ///
    /// # Errors
    /// Errors from reading the output.
    pub fn stored(&self) -> Result<Option<Stored>, Error> {
        once(&self.storing.stored, || self.store()).cloned()
    }

    fn store(&self) -> Result<Option<Stored>, Error> {
        let (call, settings) = (self.output.call, self.settings);
        if let Some(reason) = call.store_failure() {
            return Ok(Some(Stored::Failed(text_cuts::start(reason, text_cuts::REASON_CHARS).to_owned())));
        }
        // The error of a tool is read on without running the tool.
        let is_snapshot = settings.snapshot || call.has_failed();
        if let Some(handle) = self.output.snapshot {
            return Ok(Some(Stored::At { handle, is_source: true, is_snapshot }));
        }
        if !call.has_store() {
            return Ok(None);
        }
        let (scope, keys) = (call.owner(), &settings.cursor_keys);
        let namer = Namer::new(keys.first(), scope, call.host_hash());
        let content = content::read(&self.output, &namer, content_id::owner(scope, keys))?;
        let handle = Handle::of(&content.id);
        self.storing.content.replace(Some(content));
        Ok(Some(Stored::At { handle, is_source: false, is_snapshot }))
    }

    /// Calls `with` with the content to store, if there is any.
    pub fn with_content<T>(&self, with: impl FnOnce(&StoredContent) -> Result<T, Error>) -> Result<Option<T>, Error> {
        self.storing.content.borrow().as_ref().map(with).transpose()
    }

    /// A result that names the stored output, with the content to store. [`deliver`](Self::deliver) adds the text
    /// itself, only to the draft that is returned.
    pub fn keeping(&self, shaped: Shaped) -> Shaped {
        let content = self.storing.content.borrow();
        let keep = content.as_ref().filter(|_| !shaped.is_error).map(StoredContent::keep);
        Shaped { keep, ..shaped }
    }

    /// What the content to store is in a few words, and its size.
    pub fn about(&self, content: &StoredContent) -> String {
        let what = match content.form {
            Form::Text => content.first_line(LINE_CHARS).into_owned(),
            Form::Json => {
                let written = Description::of(&self.output.value, Form::Json).map(|what| what.written(usize::MAX));
                json_string::unescape(&written.unwrap_or_default())
            }
        };
        format!("{what}, {} bytes", content.bytes)
    }

    /// Adds the text to the content to store, if the content is this output's, or tells its host that it is the one it
    /// holds. The text exists only once.
    pub fn deliver(&self, keep: &mut Option<Keep>) {
        let mut content = self.storing.content.borrow_mut();
        if let (Some(keep), Some(content)) = (keep, &mut *content)
            && keep.id == content.id.to_string()
        {
            keep.content = content.take_text();
            keep.about = self.about(content);
            if keep.content.is_none() {
                self.output.keep_held();
            }
        }
    }
}
