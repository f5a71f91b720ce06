//! The same data in both channels.

use serde_json::Value;

use super::rule::{Check, LintEvidence, LintLevel, LintedResult, Rule};
use crate::survey::numbers::grouped;
use toolshape::host::Measure;

pub(super) const RULE: Rule = Rule {
    id: "repeated-content",
    level: LintLevel::Warning,
    what: "The text repeats the structured content, and hosts that pass on both pay twice",
    fix: "Write one sentence in the text that says what the structured content has",
    check: Check::Result(check),
};

fn check(result: &LintedResult, _: Measure) -> Option<LintEvidence> {
    let structured: Value = serde_json::from_str(result.channels.structured.as_ref()?).ok()?;
    let texts: Vec<Value> = result.channels.texts.iter().map(|text| read(text)).collect();
    // SDKs put what is not an object into one with a single member, and write one text for each item of a list.
    let wrapped =
        structured.as_object().filter(|members| members.len() == 1).and_then(|members| members.values().next());
    let is_repeated = [Some(&structured), wrapped].into_iter().flatten().any(|value| match &texts[..] {
        [] => false,
        [text] if text == value || is_string(value, &result.channels.texts[0]) => true,
        texts => value.as_array().is_some_and(|items| items == texts),
    });
    let cost = result.size.content.tokens;
    let evidence = format!("{} tokens in the text, the same as in structuredContent", grouped(cost));
    (is_repeated && cost > 0).then_some(LintEvidence { evidence, cost })
}

/// Whether a value is this text as a string.
fn is_string(value: &Value, text: &str) -> bool {
    value.as_str() == Some(text)
}

/// The value that a text is.
fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
