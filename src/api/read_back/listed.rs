//! The answer to a call that names no result: what is stored for the caller, a row each.

use std::rc::Rc;

use crate::api::mcp::host::Host;
use crate::api::shaper::Shaper;
use crate::base::error::Error;
use crate::base::members::Members;
use crate::base::utc;
use crate::base::work::Work;
use crate::ladder::draft::Draft;
use crate::ladder::job::Job;
use crate::ladder::{refusal, shape};
use crate::outcome::receipt::{Step, Weight};
use crate::outcome::shaped::Shaped;
use crate::outcome::tool_output::ToolOutput;
use crate::render::notes;
use crate::request::call::Call;
use crate::request::context::HowToAsk;
use crate::request::cursor::Continued;
use crate::request::listing::Listed;
use crate::request::policy::Settings;

use super::ignored::Ignored;
use super::match_list::MatchList;

/// Whether a call of `read_result` names no result, and asks for nothing of one.
pub(crate) fn is_asked_for(call: &Call) -> bool {
    let names_result = call.given_cursor().is_some_and(Continued::is_one);
    !names_result && call.own_arguments().values().all(serde_json::Value::is_null)
}

impl Shaper {
    /// The list of what is stored for the caller, page by page.
    ///
    /// # Errors
    /// `INVALID_CALL` as [`shape`](Self::shape); a caller's mistake is explained in the result.
    pub(crate) fn show_listed(&self, listed: &[&Listed], call: &Call) -> Result<Shaped, Error> {
        let settings = self.reading_settings(call)?;
        Host::of_call(call).fitted(|most| {
            let budget = settings.room().min(most);
            let refused = |error| refusal::refuse(&settings, budget, call, Weight::Exact(0), &error, &[]);
            Ok(show(listed, &settings, budget, call).unwrap_or_else(refused))
        })
    }
}

fn show(listed: &[&Listed], settings: &Settings, budget: usize, call: &Call) -> Result<Shaped, Error> {
    let job = Job::of_stored(ToolOutput::text("", call), settings);
    let whole = Draft { work: Rc::new(Work::over(0)), ..Draft::new(&job, budget, job.controls()?) };
    let mut draft = Draft { ctx: whole.ctx.at(HowToAsk::ReadResult, String::new()), ..whole };
    draft.weigh()?;
    let row = |at: usize| {
        let Listed { handle, tool, at, about, .. } = listed[at];
        let texts = [("handle", handle.as_str()), ("tool", tool), ("stored", &utc::written(*at)), ("about", about)];
        let mut row = Members::new();
        texts.iter().filter(|(_, text)| !text.is_empty()).for_each(|(name, text)| row.text(name, text));
        row
    };
    let list = MatchList::of_rows(listed.len(), false, row).or_say(notes::read_back::NOTHING_STORED);
    let (ignored, source) = (Ignored::default(), list.source());
    let page = shape::page_in(&draft, &source, &list.frame(&ignored, &draft.ctx), &draft.ctx)?;
    let mut shaped = page.map_or_else(|| shape::nothing_fits(&draft), Ok)?;
    shaped.receipt.tokens_before = shaped.receipt.tokens_after;
    shaped.receipt.steps.insert(0, Step::Read);
    Ok(shaped)
}
