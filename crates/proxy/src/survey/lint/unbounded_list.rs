//! A tool that returns a list, and no argument says how much of it.

use serde_json::Value;

use super::rule::{Check, LintEvidence, LintLevel, LintedResult, Rule};
use super::words::words;
use crate::survey::numbers::grouped;
use crate::survey::surveyed::SurveyedTool;
use toolshape::host::quoted;
use toolshape::host::{JsonText, Kind, Measure, Source};

/// The rows of a list that a model rarely needs whole, and the rows of a page.
const MANY: usize = 50;
const PAGE: usize = 20;

/// Words in the names of arguments that say how much is returned.
const BOUNDS: [&str; 22] = [
    "limit", "cursor", "page", "pages", "offset", "max", "maximum", "count", "first", "last", "top", "take", "size",
    "head", "tail", "skip", "num", "n", "k", "rows", "lines", "range",
];

/// Words with which the names of tools that return lists begin.
const VERBS: [&str; 5] = ["list", "search", "find", "query", "all"];

pub(super) const RULE: Rule = Rule {
    id: "unbounded-list",
    level: LintLevel::Warning,
    what: "A tool returns a list, and has no argument for a limit or a cursor",
    fix: "Add limit and cursor to its arguments, with a default that fits, and say in the result how many there are",
    check: Check::Tool(check),
};

fn check(tool: &SurveyedTool, results: &[&LintedResult], _: Measure) -> Option<LintEvidence> {
    let properties = tool.value["inputSchema"]["properties"].as_object();
    let mut names = properties.into_iter().flatten().map(|(name, _)| name);
    if names.any(|name| words(name).iter().any(|word| BOUNDS.contains(&&**word))) {
        return None;
    }
    let longest = results.iter().map(|result| (rows(result), result.size.most().tokens)).max();
    if let Some((rows @ MANY.., tokens)) = longest {
        let page = tokens * PAGE / rows;
        let evidence = format!("{} rows, of which {PAGE} take about {} tokens", grouped(rows), grouped(page));
        return Some(LintEvidence { evidence, cost: tokens - page });
    }
    let evidence = format!("its output schema has the list {}", quoted(promised(tool)?));
    Some(LintEvidence { evidence, cost: 0 })
}

/// A list that the tool only promises: by its name and its output schema.
fn promised(tool: &SurveyedTool) -> Option<&str> {
    let is_list = |schema: &Value| schema["type"] == "array";
    let schema = &tool.value["outputSchema"];
    let words = words(&tool.name);
    if !words.iter().any(|word| VERBS.contains(&&**word)) {
        return None;
    }
    let mut members = schema["properties"].as_object().into_iter().flatten();
    members.find(|(_, schema)| is_list(schema)).map(|(name, _)| &**name)
}

/// The items of the longest list in a result: the whole of a channel, or a member of it.
fn rows(result: &LintedResult) -> usize {
    let texts = result.channels.texts.iter().chain(&result.channels.structured);
    texts.filter_map(|text| JsonText::parse(text).ok()).map(|value| longest(&value)).max().unwrap_or_default()
}

fn longest(value: &JsonText<'_>) -> usize {
    match value.kind() {
        Kind::Array => value.len(),
        Kind::Object => {
            let lists =
                value.entries().unwrap_or_default().into_iter().filter(|(_, value)| value.kind() == Kind::Array);
            lists.map(|(_, list)| list.len()).max().unwrap_or_default()
        }
        _ => 0,
    }
}
