//! The tool `read_result` as a server lists it, so that every adapter offers the same.

use serde_json::{Value, json};

use crate::request::call::MAX_FIELDS;
use crate::request::policy::Settings;
use crate::value::json_path;

use super::arguments::MAX_CONTEXT;

/// The tool's name.
pub(crate) const READ_RESULT: &str = "read_result";

/// Name, description, input schema and annotations of the tool that reads stored results back.
///
/// It stands in every conversation before the first question, so it has no word that readers do well without. Limits
/// stand in the schema; what has none there is explained by the error.
///
/// ```
/// let tool = toolshape::read_result_tool();
/// assert_eq!(tool["name"], "read_result");
/// assert!(tool["inputSchema"]["properties"]["handle"].is_object());
/// ```
pub fn read_result_tool() -> Value {
    read_result_within(&Settings::default())
}

/// The same with the limits of a policy's settings.
pub(crate) fn read_result_within(settings: &Settings) -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let texts = |about: &str| json!({ "type": "array", "items": { "type": "string" }, "description": about });
    let flag = |about: &str| json!({ "type": "boolean", "description": about });
    json!({
        "name": READ_RESULT,
        "description": "Answers questions about all of a stored result (JSON, or text, where CSV and the like are rows), or \
            reads a part. pointer or jsonPath chooses rows for group, aggregate, sort and fields; for text, search, lines and \
            outline go together instead. All fields are stored.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "handle": text("16 letters, the end of its uri"),
                "cursor": text("nextCursor of a tool, alone; of read_result, all else unchanged"),
                "pointer": text("JSON Pointer"),
                "jsonPath": {
                    "type": "string",
                    "maxLength": json_path::MAX_BYTES,
                    "description": "as $.items[?@['a b'] < 10]; rows of CSV are $[*]"
                },
                "group": texts("fields; most frequent first"),
                "aggregate": texts("count, count:?@.price < 10, sum:price, mean:, median:, min:, max:, distinct:; of each group or all; count also of a search"),
                "sort": texts("as -price, -sum:price for descending"),
                "fields": {
                    "type": "array",
                    "items": { "type": "string" },
                    "maxItems": MAX_FIELDS,
                    "description": "as author.name"
                },
                "page": { "type": "integer" },
                "pageSize": { "type": "integer", "maximum": settings.max_page_size },
                "format": { "enum": ["json", "columns", "auto", "text"] },
                "search": text("finds lines of text, keys and values of JSON, in any case"),
                "case": { "type": "boolean" },
                "word": { "type": "boolean" },
                "regex": { "type": "boolean" },
                "context": { "type": "integer", "maximum": MAX_CONTEXT, "description": "lines around each hit" },
                "lines": text("of a text: 100-200, 100-, -50 for the last, or under a heading: 1.2 > Fixed"),
                "outline": flag("a text's headings with lines"),
                "schema": flag("JSON Schema")
            }
        },
        "annotations": { "readOnlyHint": true, "openWorldHint": false }
    })
}

#[cfg(all(test, feature = "o200k"))]
mod tests {
    use super::*;
    use crate::{Encoding, count_tokens};

    /// What it costs every conversation.
    const MOST: usize = 475;

    #[test]
    fn the_definition_is_short() {
        let tokens = count_tokens(&read_result_tool().to_string(), Encoding::O200kBase);
        assert!(tokens <= MOST, "{tokens}");
    }
}
