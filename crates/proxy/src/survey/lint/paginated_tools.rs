//! A list of tools in several pages.

use super::rule::{Check, LintEvidence, LintLevel, Rule};
use crate::survey::numbers::grouped;
use crate::survey::surveyed::Surveyed;
use toolshape::host::Measure;

pub(super) const RULE: Rule = Rule {
    id: "paginated-tools",
    level: LintLevel::Error,
    what: "The list of tools has several pages, and several hosts read only the first",
    fix: "Return all tools at once, or let the user choose which groups of tools the server has",
    check: Check::Server(check),
};

fn check(server: &Surveyed, measure: Measure) -> Option<LintEvidence> {
    let first = *server.pages.first()?;
    if server.pages.len() < 2 && !server.has_more {
        return None;
    }
    let unseen = server.tools.iter().skip(first).map(|tool| measure.count(&tool.value.to_string()));
    let more = if server.has_more { ", and more" } else { "" };
    let (first, all) = (grouped(first), grouped(server.tools.len()));
    let evidence = format!("the first of {} pages has {first} of {all} tools{more}", server.pages.len());
    Some(LintEvidence { evidence, cost: unseen.sum() })
}
