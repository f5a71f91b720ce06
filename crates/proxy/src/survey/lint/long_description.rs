//! A description that is longer than what Claude Code shows.

use super::rule::{Check, LintEvidence, LintLevel, Rule};
use crate::survey::numbers::grouped;
use crate::survey::surveyed::SurveyedTool;
use toolshape::host::Measure;

/// The characters of a description that Claude Code shows.
const SHOWN: usize = 2048;

pub(super) const RULE: Rule = Rule {
    id: "long-description",
    level: LintLevel::Error,
    what: "A description is longer than 2,048 characters, where Claude Code cuts it without a word",
    fix: "Say first what a model must know to call the tool, and move the rest into the descriptions of its arguments",
    check: Check::Tool(|tool, _, measure| check(tool, measure)),
};

fn check(tool: &SurveyedTool, measure: Measure) -> Option<LintEvidence> {
    let description = tool.value["description"].as_str()?;
    let (cut, _) = description.char_indices().nth(SHOWN)?;
    let chars = grouped(description.chars().count());
    Some(LintEvidence { evidence: format!("{chars} characters"), cost: measure.count(&description[cut..]) })
}
