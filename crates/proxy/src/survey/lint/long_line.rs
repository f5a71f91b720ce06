//! A text with a line of which opencode shows nothing.

use super::rule::{Check, LintEvidence, LintLevel, LintedResult, Rule};
use crate::survey::numbers::grouped;
use toolshape::host::Measure;

/// The bytes of whole lines that opencode shows.
const SHOWN: usize = 51_200;

pub(super) const RULE: Rule = Rule {
    id: "long-line",
    level: LintLevel::Error,
    what: "A text has a line of more than 51,200 bytes; opencode shows whole lines, and nothing of this one",
    fix: "Return less, or put each row on a line of its own",
    check: Check::Result(check),
};

fn check(result: &LintedResult, measure: Measure) -> Option<LintEvidence> {
    let lines = result.channels.texts.iter().flat_map(|text| text.lines());
    let longest = lines.max_by_key(|line| line.len()).filter(|line| line.len() > SHOWN)?;
    Some(LintEvidence { evidence: format!("a line of {} bytes", grouped(longest.len())), cost: measure.count(longest) })
}
