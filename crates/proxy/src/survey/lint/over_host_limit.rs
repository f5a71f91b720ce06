//! A result that is over a host's limit.

use super::rule::{Check, LintEvidence, LintLevel, LintedResult, Rule};
use crate::channels::Over;
use crate::survey::numbers::grouped;

pub(super) const RULE: Rule = Rule {
    id: "over-host-limit",
    level: LintLevel::Error,
    what: "A result is over the limit of a host, which shows a part of it",
    fix: "Return less by default, with limit, cursor and fields as arguments; or put toolshape before the server",
    check: Check::Result(|result, _| check(result)),
};

fn check(result: &LintedResult) -> Option<LintEvidence> {
    let over = result.size.over();
    let size = result.size.most();
    let least = over.iter().map(|over| over.shown).min()?;
    let lines = if size.lines > 1 { format!(", {} lines", grouped(size.lines)) } else { String::new() };
    let (bytes, tokens) = (grouped(size.bytes), grouped(size.tokens));
    let evidence = format!("{bytes} bytes, {tokens} tokens{lines}; it is over {}", said(&over));
    Some(LintEvidence { evidence, cost: size.tokens - size.tokens * least / 1000 })
}

/// The hosts, the first with its limit.
fn said(over: &[Over]) -> String {
    let limits = over[0].host.limit.units().into_iter().filter(|(most, _)| *most != usize::MAX);
    let limits: Vec<String> = limits.map(|(most, unit)| format!("{} {unit}", grouped(most))).collect();
    let others: Vec<&str> = over[1..].iter().map(|over| over.host.title).collect();
    let others = if others.is_empty() { String::new() } else { format!(", and of {}", others.join(", ")) };
    format!("the {} of {}{others}", limits.join(" or "), over[0].host.title)
}
