//! A receipt as one line for a log.

use serde_json::Value;

/// The line for a receipt from `_meta`, which may have a `durationMs`.
///
/// ```
/// use serde_json::json;
/// let receipt = json!({
///     "tool": "list", "steps": ["paginate"], "tokensBefore": 900, "tokensBeforeExact": false,
///     "tokensAfter": 180, "budget": 200, "durationMs": 1.26,
/// });
/// let line = toolshape::receipt_line(&receipt);
/// assert_eq!(line, "toolshape list: about 900 tokens, 180 of 200 shown (paginate), 1.3 ms");
/// ```
pub fn receipt_line(receipt: &Value) -> String {
    let count = |name: &str| receipt[name].as_u64().unwrap_or_default();
    let about = if receipt["tokensBeforeExact"] == true { "" } else { "about " };
    let steps: Vec<&str> = receipt["steps"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let how = if steps.is_empty() { "as it was".to_owned() } else { steps.join(", ") };
    // A tool whose results are not shaped has no budget.
    let of = receipt["budget"].as_u64().map_or(String::new(), |budget| format!(" of {budget}"));
    format!(
        "toolshape {}: {about}{} tokens, {}{of} shown ({how}), {:.1} ms",
        receipt["tool"].as_str().unwrap_or_default(),
        count("tokensBefore"),
        count("tokensAfter"),
        receipt["durationMs"].as_f64().unwrap_or_default(),
    )
}
