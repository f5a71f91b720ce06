//! What a result in MCP's form costs: the heavier of its texts and its structured content, each with links of ours.

use serde_json::Value;

/// The weight of a result, by a function that weighs a text.
pub fn heaviest(result: &Value, weigh: &dyn Fn(&str) -> usize) -> usize {
    let blocks = result["content"].as_array().into_iter().flatten();
    let is_ours = |block: &&Value| block["uri"].as_str().is_some_and(|uri| uri.starts_with("toolshape://result/"));
    let links: usize = blocks.clone().filter(is_ours).map(|link| weigh(&link.to_string())).sum();
    let texts = blocks.filter_map(|block| block["text"].as_str().or(block["resource"]["text"].as_str()));
    let structured = result.get("structuredContent").map_or(0, |value| weigh(&value.to_string()) + links);
    structured.max(texts.map(weigh).sum::<usize>() + links)
}
