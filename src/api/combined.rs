//! Results that are returned together: each fits its own budget, and all of them must fit a combined limit.
//!
//! The largest result is replaced by its handle first, then the next one, until the sum is within the limit, so that
//! the smallest results stay unchanged. A result that was shaped before keeps the handle of its whole. Without a store, or if handles are not enough, the largest results get less
//! room, each the same amount.

use serde_json::Value;

use crate::api::shaper::{self, Shaper};
use crate::base::error::{Error, ErrorCode};
use crate::base::json_pointer;
use crate::base::sorting::{order_of, sort_by_key};
use crate::base::text_cuts;
use crate::ladder::job::Job;
use crate::ladder::shape;
use crate::outcome::receipt::Reason;
use crate::outcome::shaped::{Outcome, Shaped};
use crate::outcome::tool_output::ToolOutput;
use crate::request::call;
use crate::request::policy::{MAX_BUDGET, MIN_BUDGET, Settings};
use crate::request::reader::{Naming, Reader};

/// The limit for all results together.
#[derive(Clone, Debug, Default)]
pub struct Together {
    combined_tokens: Option<usize>,
}

impl Together {
    /// Reads `combinedTokens`, the most tokens of all results together (by default the policy's).
    ///
    /// # Errors
    /// `INVALID_CALL` for an unknown option, a wrong type or a value out of range.
    pub fn new(options: &Value, naming: Naming) -> Result<Self, Error> {
        let reader = Reader::new(options, &["combinedTokens"], ErrorCode::InvalidCall, String::new(), naming)?;
        let combined_tokens = reader.integer("combinedTokens", MIN_BUDGET as u64, MAX_BUDGET)?.map(|n| n as usize);
        Ok(Self { combined_tokens })
    }
}

/// Checks the keys of one of several results that are returned together: `value` or `json`, and `call`.
///
/// # Errors
/// `INVALID_CALL`; the path begins with the result's index.
///
/// ```
/// assert!(toolshape::host::check_returned(0, &["value", "call"]).is_ok());
/// let error = toolshape::host::check_returned(1, &["value", "tool"]).unwrap_err();
/// assert_eq!(error.path(), "/1/tool");
/// ```
pub fn check_returned(index: usize, keys: &[&str]) -> Result<(), Error> {
    const KEYS: [&str; 3] = ["value", "json", "call"];
    let Some(key) = keys.iter().find(|key| !KEYS.contains(key)) else { return Ok(()) };
    let key = text_cuts::clipped(key, text_cuts::SHOWN_CHARS);
    let hint = if call::is_option(&key) { format!("; write call: {{ {key}: … }}") } else { String::new() };
    let message = format!("unknown key {key}; a result has value or json, and call{hint}");
    Err(Error::new(ErrorCode::InvalidCall, message, format!("/{}", json_pointer::escape(&key))).under(index))
}

#[doc(hidden)]
impl Shaper {
    /// Shapes results that are returned together so that their sum is within the limit, but gives none of them less
    /// than 200 tokens. Returns them in their order.
    ///
    /// # Errors
    /// As [`shape`](Self::shape); the path begins with the result's index.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::host::{Naming, Together, ToolOutput};
    /// use toolshape::{Call, Shaper};
    ///
    /// let shaper = Shaper::default();
    /// let call = Call::new(&json!({ "tool": "read_file", "store": true }), Naming::Camel)?;
    /// let (long, short) = ("word ".repeat(1500), "a few words");
    /// let results = [ToolOutput::text(&long, &call), ToolOutput::text(short, &call), ToolOutput::text(&long, &call)];
    /// let together = Together::new(&json!({ "combinedTokens": 2000 }), Naming::Camel)?;
    /// let shaped = shaper.shape_together(&results, &together)?;
    /// assert!(shaped[0].keep.is_some() && shaped[1].unchanged && shaped[2].unchanged);
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn shape_together<'v>(&'v self, outputs: &[ToolOutput<'v>], together: &Together) -> Result<Vec<Shaped>, Error> {
        let limit = together.combined_tokens.unwrap_or(self.policy().combined_tokens());
        let mut all = Vec::new();
        for (index, output) in outputs.iter().enumerate() {
            all.push(One::shape(index, output, self.settings(output.call)).map_err(|error| error.under(index))?);
        }
        store_largest(&mut all, limit)?;
        narrow_largest(&mut all, limit)?;
        Ok(all.into_iter().map(One::delivered).collect())
    }
}

/// One of the results.
struct One<'v> {
    index: usize,
    job: Job<'v>,
    shaped: Shaped,
}

impl<'v> One<'v> {
    fn shape(index: usize, output: &ToolOutput<'v>, settings: Result<&'v Settings, Error>) -> Result<Self, Error> {
        let settings = settings?;
        let job = Job::new(output.clone(), settings);
        let shaped = match settings.is_left_alone() {
            true => shaper::left_alone(output, settings)?,
            false => shape::shape(&job, settings.room())?,
        };
        Ok(Self { index, job, shaped })
    }

    fn tokens(&self) -> usize {
        self.shaped.receipt.tokens_after
    }

    fn is_offloaded(&self) -> bool {
        self.shaped.outcome == Outcome::Handle
    }

    /// Replaces the result by another form, if there is one and it is smaller, because all have `limit` tokens together.
    fn take(&mut self, shaped: Option<Shaped>, limit: usize) {
        if let Some(mut shaped) = shaped.filter(|shaped| shaped.receipt.tokens_after < self.tokens()) {
            shaped.receipt.reason = Some(Reason::Together(limit));
            self.shaped = shaped;
        }
    }

    /// The handle of the result.
    fn handle(&self, budget: usize) -> Result<Option<Shaped>, Error> {
        let handle = match self.without_values(budget)? {
            None => shape::offload(&self.job, budget, self.shaped.receipt.before()),
            shaped => Ok(shaped),
        };
        handle.map_err(|error| error.under(self.index))
    }

    /// A result that was shaped before, with the handle that it has.
    fn without_values(&self, budget: usize) -> Result<Option<Shaped>, Error> {
        shape::without_values(&self.job, budget, self.shaped.receipt.before()).map_err(|error| error.under(self.index))
    }

    /// The result with less room.
    fn narrower(&self, budget: usize) -> Result<Option<Shaped>, Error> {
        if self.is_offloaded() {
            return self.handle(budget);
        }
        match self.without_values(budget)? {
            None => shape::shape(&self.job, budget).map(Some).map_err(|error| error.under(self.index)),
            shaped => Ok(shaped),
        }
    }

    /// The result with the content to store.
    fn delivered(mut self) -> Shaped {
        self.job.deliver(&mut self.shaped.keep);
        self.shaped
    }
}

fn sum(together: &[One<'_>]) -> usize {
    together.iter().map(One::tokens).sum()
}

/// Replaces the largest results by handles, the first of equals first, until the sum is within the limit.
fn store_largest(together: &mut [One<'_>], limit: usize) -> Result<(), Error> {
    let order = order_of(together.len(), &|a, b| together[b].tokens().cmp(&together[a].tokens()));
    for at in order {
        if sum(together) <= limit {
            break;
        }
        let one = &mut together[at];
        if one.job.settings.is_left_alone() || one.shaped.is_error || one.is_offloaded() {
            continue;
        }
        let handle = one.handle(one.job.settings.room())?;
        one.take(handle, limit);
    }
    Ok(())
}

/// Shapes the largest results again with less room, the same for each, so that the sum is within the limit.
fn narrow_largest(together: &mut [One<'_>], limit: usize) -> Result<(), Error> {
    if sum(together) <= limit {
        return Ok(());
    }
    let mut smallest_first: Vec<&mut One<'_>> = together.iter_mut().collect();
    // Results that cannot be made smaller come first.
    sort_by_key(&mut smallest_first, |one| (!one.job.settings.is_left_alone(), one.tokens()));
    let (mut left, mut others) = (limit, smallest_first.len());
    for one in smallest_first {
        let share = left / others;
        if one.tokens() > share && !one.job.settings.is_left_alone() {
            let narrower = one.narrower(share.max(MIN_BUDGET))?;
            one.take(narrower, limit);
        }
        left = left.saturating_sub(one.tokens());
        others -= 1;
    }
    Ok(())
}
