//! JSON with white space for people, in a text for a model.

use super::rule::{Check, LintEvidence, LintLevel, LintedResult, Rule};
use crate::survey::numbers::{grouped, percent};
use toolshape::host::{JsonText, Measure, Source};

pub(super) const RULE: Rule = Rule {
    id: "pretty-json",
    level: LintLevel::Warning,
    what: "JSON in a text has white space between its values",
    fix: "Write it without white space: JSON.stringify(value), json.dumps(value, separators=(\",\", \":\"))",
    check: Check::Result(check),
};

fn check(result: &LintedResult, measure: Measure) -> Option<LintEvidence> {
    if result.is_document {
        return None;
    }
    let (mut sent, mut needed) = (0, 0);
    for text in &result.channels.texts {
        if let Ok(value) = JsonText::parse(text)
            && value.kind().is_container()
        {
            sent += measure.count(text);
            needed += measure.count(&value.minified());
        }
    }
    let cost = sent.saturating_sub(needed);
    let more = percent(cost, needed);
    let evidence = format!("{} tokens, and {} without white space: {more} more", grouped(sent), grouped(needed));
    (cost > 0).then_some(LintEvidence { evidence, cost })
}
