//! `toolshape savings`: what was saved on this machine, or would have been in the sessions that hosts keep.

mod transcripts;

use anyhow::{Context, Result};
use toolshape_account::{Entry, Ledger, Savings, now};

use crate::arguments::SavingsArguments;
use crate::output;

const DAY: u64 = 86_400;

/// Prints the sums of the ledger, or of a replay.
pub fn run(asked: &SavingsArguments) -> Result<u8> {
    let since = asked.days.map_or(0, |days| now().saturating_sub(days.saturating_mul(DAY)));
    let mut entries = match asked.replay {
        true => transcripts::replayed(&asked.policy.read()?)?,
        false => Ledger::of_user().context("this user has no folder")?.entries()?,
    };
    entries.retain(|entry| entry.at >= since);
    let (observed, done): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(|entry| entry.is_observed);
    let (done, observed) = (Savings::of(&done), Savings::of(&observed));
    if asked.json {
        let both = serde_json::json!({ "done": done.to_json(), "observed": observed.to_json() });
        output::print(format!("{both:#}\n"))?;
        return Ok(0);
    }
    if done.is_empty() && observed.is_empty() {
        output::print(match asked.replay {
            true => "no session of Claude Code, Codex, Gemini CLI or opencode is kept here\n",
            false => "nothing was counted yet\n",
        })?;
    }
    for (savings, verb) in [(done, "saved"), (observed, "would have saved")] {
        if !savings.is_empty() {
            output::print(savings.table(verb))?;
        }
    }
    Ok(0)
}
