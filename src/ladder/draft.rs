//! One attempt on the ladder: the value that is shown, what it is written under, and what its receipt contains.

use std::rc::Rc;

use crate::base::error::{Error, ErrorCode};
use crate::base::work::Work;
use crate::ladder::job::Job;
use crate::ladder::refusal;
use crate::outcome::receipt::{Reason, Rows, Step, Weight};
use crate::outcome::shaped::{Outcome, Shaped};
use crate::render::elide::{NOTHING_OMITTED, Omitted};
use crate::render::layout::ListLayout;
use crate::render::notes;
use crate::request::call::Controls;
use crate::request::context::{Context, Fit, has_few_rows};
use crate::request::keyset::Keyset;
use crate::request::policy::Settings;
use crate::request::stored::Stored;
use crate::value::source::Source;
use crate::value::token_estimate;

/// One attempt to show a value within the budget.
#[derive(Clone)]
pub(crate) struct Draft<'d, 'v, 'p> {
    /// The tool's output, which the value comes from.
    pub job: &'d Job<'v>,
    /// What the value is written under, with the caller's controls.
    pub ctx: Context<'d>,
    /// The value: the output, some of its fields, a part of it, or the rows of a text.
    pub layout: &'d ListLayout<'p>,
    /// What the default projection omits.
    pub omitted: &'d Omitted,
    /// The estimated tokens of the value as the tool returned it.
    pub weight: usize,
    /// The steps that were taken.
    pub steps: Vec<Step>,
    /// Whether the value as plain JSON is known to be over the budget.
    pub is_over: bool,
    /// The tokens of the output, for the receipt.
    pub before: Weight,
    /// What the call may still spend.
    pub work: Rc<Work>,
    /// Whether the draft only tries a suggestion.
    pub is_trial: bool,
}

impl<'d, 'v> Draft<'d, 'v, 'v> {
    /// The whole output, in at most `budget` tokens.
    pub fn new(job: &'d Job<'v>, budget: usize, controls: Controls) -> Self {
        Self::under(job, Context::new(job.settings, budget, controls, job.output.call))
    }

    /// The whole output, whose pages go by the keys of its rows.
    ///
    /// # Errors
    /// As [`Keyset::read`].
    pub fn of_keyset(job: &'d Job<'v>, keyset: &Keyset) -> Result<Self, Error> {
        let (settings, call, mut controls) = (job.settings, job.output.call, job.controls()?);
        let rows = keyset.read(&job.output.value, &controls, settings, call)?;
        rows.adopt(&mut controls);
        Ok(Self::under(job, Context::new(settings, settings.room(), controls, call).of_keyset(rows)))
    }

    fn under(job: &'d Job<'v>, ctx: Context<'d>) -> Self {
        Self {
            ctx,
            layout: &job.layout,
            omitted: &NOTHING_OMITTED,
            weight: 0,
            steps: Vec::new(),
            is_over: false,
            before: Weight::Exact(0),
            // Longer texts allow more work; the size of other values is unknown before they are read.
            work: Rc::new(Work::over(job.output.value.chars())),
            is_trial: false,
            job,
        }
    }
}

impl<'d, 'v, 'p> Draft<'d, 'v, 'p> {
    /// Estimates the tokens of the output, which the receipt has unless they are counted.
    pub fn weigh(&mut self) -> Result<usize, Error> {
        if self.weight == 0 {
            self.weight = token_estimate::tokens(&self.job.output.value, self.ctx.measure)?;
        }
        if self.before == Weight::Exact(0) {
            self.before = Weight::Estimated(self.weight);
        }
        Ok(self.weight)
    }

    /// Another value under the same controls, of this many estimated tokens.
    pub fn of<'e, 'q>(&self, layout: &'e ListLayout<'q>, weight: usize, steps: Vec<Step>) -> Draft<'e, 'v, 'q>
    where
        'd: 'e,
    {
        self.of_part(layout, weight, steps, self.ctx.clone())
    }

    /// Another value, which is written under `ctx`.
    pub fn of_part<'e, 'q>(
        &self,
        layout: &'e ListLayout<'q>,
        weight: usize,
        steps: Vec<Step>,
        ctx: Context<'e>,
    ) -> Draft<'e, 'v, 'q>
    where
        'd: 'e,
    {
        Draft {
            job: self.job,
            ctx,
            layout,
            omitted: &NOTHING_OMITTED,
            weight,
            steps,
            is_over: false,
            before: self.before,
            work: Rc::clone(&self.work),
            is_trial: self.is_trial,
        }
    }

    /// Where the whole result is stored; `None` without a store, and for the rows of the author's own query, which are
    /// only a part.
    pub fn stored(&self) -> Result<Option<Stored>, Error> {
        if self.ctx.is_of_keyset() && self.ctx.call.store_failure().is_none() {
            return Ok(None);
        }
        self.job.stored()
    }

    /// Whether the call asks for a part of the value: by page for a list or an envelope, by cursor for any value.
    ///
    /// # Errors
    /// `INVALID_CALL` for a page of a value that has no pages.
    pub fn wants_part(&self) -> Result<bool, Error> {
        let Controls { page, page_size, cursor, .. } = &*self.ctx.controls;
        if self.ctx.keyset().is_some_and(|rows| rows.after().is_some()) {
            return Ok(true);
        }
        let later_page = page.is_some_and(|page| page > 1);
        if cursor.is_some() || !(later_page || page_size.is_some()) {
            return Ok(cursor.is_some());
        }
        let has_pages = self.layout.has_pages(&self.ctx)?;
        if later_page && !has_pages {
            let kind = self.layout.value.kind();
            let message = notes::read_back::no_pages(page.unwrap_or_default(), kind, &self.ctx);
            return Err(Error::new(ErrorCode::InvalidCall, message, "/page"));
        }
        Ok(has_pages)
    }

    /// The result that explains an error in the call; `fields` are those that exist.
    pub fn refuse(&self, error: &Error, fields: &[String]) -> Shaped {
        refusal::refuse(self.job.settings, self.ctx.budget, self.ctx.call, self.before, error, fields)
    }

    /// The result of this draft, with its receipt.
    pub fn shaped(&self, fit: Fit, steps: Vec<Step>, outcome: Outcome) -> Shaped {
        let reason = if steps.is_empty() { None } else { self.reason() };
        let shaped = Shaped::new(self.job.settings, self.ctx.call, self.before, fit, steps, outcome);
        let mut shaped = shaped.within(self.ctx.budget);
        shaped.receipt.reason = reason;
        shaped
    }

    /// The same for a page with these rows.
    pub fn shaped_page(&self, (fit, rows): (Fit, Option<Rows>), steps: Vec<Step>) -> Shaped {
        let mut shaped = self.shaped(fit, steps, Outcome::Envelope);
        shaped.receipt.rows = rows;
        shaped
    }

    /// Why the result is not the output as it is; `None` for a series, which the server's author declares.
    fn reason(&self) -> Option<Reason> {
        let (ctx, output) = (&self.ctx, &self.job.layout.value);
        let Settings { paginate_after, .. } = *self.job.settings;
        match has_few_rows(output, paginate_after) {
            _ if ctx.call.asks_for_part() => Some(Reason::Requested),
            _ if self.job.settings.has_summaries() => None,
            // The tokens of a list that fits are counted before it is paged.
            false if self.before.is_exact() && self.before.tokens() <= ctx.budget => {
                Some(Reason::Rows { total: output.len(), paginate_after })
            }
            _ => Some(Reason::Tokens),
        }
    }
}
