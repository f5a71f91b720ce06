//! What a result in MCP's form costs: the heavier of its content and its structured content, each with links of ours.

use serde_json::Value;

/// The weight of a result, by a function that weighs a text.
pub fn heaviest(result: &Value, weigh: &dyn Fn(&str) -> usize) -> usize {
    let blocks = || result["content"].as_array().into_iter().flatten();
    let is_ours = |block: &&Value| block["uri"].as_str().is_some_and(|uri| uri.starts_with("toolshape://result/"));
    let links: usize = blocks().filter(is_ours).map(|link| weigh(&link.to_string())).sum();
    let text_of = |block: &Value| match block["type"].as_str() {
        Some("text") => block["text"].as_str().map(str::to_owned),
        Some("resource") => block["resource"]["text"].as_str().map(str::to_owned),
        _ => None,
    };
    let texts = blocks().filter_map(text_of).map(|text| weigh(&text)).sum::<usize>();
    let is_media = |block: &&Value| {
        let has_blob = block["type"] == "resource" && block["resource"]["blob"].is_string();
        has_blob || matches!(block["type"].as_str(), Some("image" | "audio")) && block["data"].is_string()
    };
    // Links of the tool, and blocks that MCP does not have, as a list of them is written.
    let is_data = |block: &&Value| !is_ours(block) && !is_media(block) && text_of(block).is_none();
    let data: Vec<String> = blocks().filter(is_data).map(Value::to_string).collect();
    // As for the SDKs of MCP, null is not structured content.
    let structured = result.get("structuredContent").filter(|value| !value.is_null());
    let structured = structured.map_or(0, |value| weigh(&value.to_string()) + links);
    structured.max(texts + weigh(&data.join(",")) + links)
}
