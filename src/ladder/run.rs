//! One draft of a result: what is shaped, what the caller asks of it, and what its receipt contains.

use std::rc::Rc;

use crate::base::error::{Error, ErrorCode};
use crate::base::work::Work;
use crate::ladder::job::Job;
use crate::outcome::receipt::{Step, Weight};
use crate::outcome::shaped::Receipts;
use crate::render::elide::{NOTHING_OMITTED, Omitted};
use crate::render::layout::Layout;
use crate::render::notes;
use crate::request::call::Controls;
use crate::request::keyset::{Keyset, Rows};
use crate::request::policy::Settings;
use crate::request::stored::Stored;
use crate::request::view::{HowToAsk, View};
use crate::value::any_source::AnySource;
use crate::value::source::{Kind, Source};
use crate::value::token_count::Measure;
use crate::value::token_estimate;
/// One draft of a result on the ladder.
pub(crate) struct Run<'a, 'v> {
    pub receipts: Receipts<'a>,
    pub measure: Measure,
    pub job: &'a Job<'v>,
    /// What the caller asks for, including the fields.
    pub controls: Controls,
    /// The rows that the author's own query fetched, if pages go by their keys.
    pub keyset: Option<Rc<Rows>>,
    /// What the call may still spend.
    pub work: Rc<Work>,
    /// Whether the run only tries a suggestion.
    pub is_trial: bool,
}

/// A value that goes down the ladder from the first lossless step on.
pub(crate) struct Descent<'d, 'v> {
    pub layout: &'d Layout<'v>,
    /// What the default projection omits.
    pub omitted: &'d Omitted,
    /// The estimated tokens of the value as the tool returned it.
    pub weight: usize,
    pub steps: Vec<Step>,
    /// Whether the value as plain JSON is known to be over the budget.
    pub is_over: bool,
}

/// The characters of a text, of which more allow more work; of other values their size is not known before they are read.
fn chars_of_text(value: &AnySource<'_>) -> usize {
    if value.kind() == Kind::String { value.chars() } else { 0 }
}

impl<'d, 'v> Descent<'d, 'v> {
    /// A value that is still complete.
    pub fn new(layout: &'d Layout<'v>, weight: usize, steps: Vec<Step>) -> Self {
        Self { layout, omitted: &NOTHING_OMITTED, weight, steps, is_over: false }
    }
}

impl<'a, 'v> Run<'a, 'v> {
    pub fn new(job: &'a Job<'v>, settings: &'a Settings, controls: Controls) -> Self {
        Self {
            receipts: Receipts::new(settings, job.output.call, Weight::Exact(0)),
            measure: Measure { encoding: settings.encoding },
            job,
            controls,
            keyset: None,
            work: Rc::new(Work::over(chars_of_text(&job.output.value))),
            is_trial: false,
        }
    }

    /// The same draft.
    pub fn again(&self) -> Self {
        let Self { receipts, measure, job, ref controls, ref keyset, ref work, is_trial } = *self;
        Self {
            receipts,
            measure,
            job,
            controls: controls.clone(),
            keyset: keyset.clone(),
            work: work.clone(),
            is_trial,
        }
    }

    /// A run whose pages go by the keys of its rows.
    ///
    /// # Errors
    /// As [`Keyset::read`].
    pub fn of_keyset(job: &'a Job<'v>, settings: &'a Settings, keyset: &Keyset) -> Result<Self, Error> {
        let mut controls = job.output.call.controls(settings)?;
        let rows = keyset.read(&job.output.value, &controls, settings, job.output.call)?;
        rows.adopt(&mut controls);
        Ok(Self { keyset: Some(Rc::new(rows)), ..Self::new(job, settings, controls) })
    }

    /// Estimates the tokens of the whole output, if they are not known yet.
    pub fn weigh(&mut self) -> Result<usize, Error> {
        if let Weight::Exact(_) = self.receipts.before {
            let tokens = token_estimate::tokens(&self.job.output.value, self.measure)?;
            self.receipts.before = Weight::Estimated(tokens);
        }
        Ok(self.receipts.before.tokens())
    }

    /// The view of the part at `base`.
    pub fn view(&self, base: &str) -> View<'a> {
        self.view_of(HowToAsk::Tool, base)
    }

    /// The same for a caller who asks for parts in the given way.
    pub fn view_of(&self, how_to_ask: HowToAsk, base: &str) -> View<'a> {
        let Receipts { settings, call, .. } = self.receipts;
        let controls = Controls { fields: Vec::new(), ..self.controls.clone() };
        View::new(settings, controls, call, how_to_ask, self.keyset.clone(), base.to_owned())
    }

    /// Where the whole result is stored; `None` without a store, and for the rows of the author's own query, which are
    /// only a part.
    pub fn stored(&self) -> Result<Option<Stored>, Error> {
        if self.keyset.is_some() && self.receipts.call.store_failure().is_none() {
            return Ok(None);
        }
        self.job.stored(self.receipts.settings)
    }

    /// Whether the call asks for a part of the value: by page for a list or an envelope, by cursor for any value.
    ///
    /// # Errors
    /// `INVALID_CALL` for a page of a value that has no pages.
    pub fn wants_part(&self, layout: &Layout<'_>, cx: &View<'_>) -> Result<bool, Error> {
        let Controls { page, page_size, cursor, .. } = &cx.controls;
        if cx.keyset().is_some_and(|rows| rows.after().is_some()) {
            return Ok(true);
        }
        let later_page = page.is_some_and(|page| page > 1);
        if cursor.is_some() || !(later_page || page_size.is_some()) {
            return Ok(cursor.is_some());
        }
        let has_pages = layout.has_pages(cx)?;
        if later_page && !has_pages {
            let message = notes::read_back::no_pages(page.unwrap_or_default(), layout.value.kind(), cx);
            return Err(Error::new(ErrorCode::InvalidCall, message, "/page"));
        }
        Ok(has_pages)
    }
}
