//! The findings, by rule.

use super::html::{text, text_within};
use crate::survey::lint::{Finding, Lint};

/// The most findings of a rule that are listed.
const LISTED: usize = 12;

/// The characters of a sentence of ours, with what it quotes.
const SENTENCE: usize = 400;

pub(super) fn section(lint: &Lint) -> String {
    let mut out = "<section>\n<h2>Findings</h2>\n".to_owned();
    if lint.findings.is_empty() {
        out += "<p>None.</p>\n";
    }
    for rule in lint.broken() {
        let found: Vec<&Finding> = lint.findings.iter().filter(|finding| finding.rule.id == rule.id).collect();
        let level = rule.level.name();
        out += &format!(
            "<article>\n<h3><span class=\"{level}\">{level}</span> {}</h3>\n<p>{}. {}.</p>\n<ul>\n",
            rule.id,
            text_within(rule.what, SENTENCE),
            text_within(rule.fix, SENTENCE),
        );
        for finding in found.iter().take(LISTED) {
            let evidence = text_within(&finding.evidence(), SENTENCE);
            out += &format!("<li><code>{}</code> {evidence}</li>\n", text(lint.place(finding)));
        }
        if found.len() > LISTED {
            out += &format!("<li>and {} more</li>\n", found.len() - LISTED);
        }
        out += "</ul>\n</article>\n";
    }
    out + "</section>\n"
}
