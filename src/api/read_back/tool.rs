//! The tool `read_result` as a server lists it, so that every adapter offers the same.

use serde_json::Value;

use crate::base::literal;
use crate::request::call::MAX_FIELDS;
use crate::request::policy::Settings;

use super::arguments::MAX_CONTEXT;

/// Name, description, input schema and annotations of the tool that reads stored results back.
///
/// It is in every conversation before the first question, so it has no word that readers do well without. Limits
/// are in the schema; what has none there is explained by the error.
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
    let mut tool = literal::value_of(TOOL);
    tool["name"] = (*settings.read_tool).into();
    let arguments = &mut tool["inputSchema"]["properties"];
    arguments["fields"]["maxItems"] = MAX_FIELDS.into();
    arguments["pageSize"]["maximum"] = settings.max_page_size.into();
    arguments["context"]["maximum"] = MAX_CONTEXT.into();
    tool
}

/// The tool; its limits are set where it is made.
const TOOL: &str = r#"{
    "name": "read_result",
    "description": "Answers questions about a whole result in SQL; reads its next page or a part; without arguments lists all results. JSON and CSV have rows; texts lines, as columns line, text and what they are (section, path; time, level, message, template; file, kind). All fields are stored.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "handle": { "type": "string", "description": "last 16 letters of its uri" },
            "cursor": { "type": "string", "description": "nextCursor of a tool, alone; of this one, all else unchanged" },
            "sql": {
                "type": "string",
                "description": "SQLite, alone: up to 20 statements with ;. Handles are tables: SELECT a->>'b', count(*), median(c) FROM satytrfebjvszehh GROUP BY 1. Also REGEXP, capture(text, regex), json_each, lines(text)"
            },
            "pointer": { "type": "string", "description": "JSON Pointer" },
            "fields": {
                "type": "array",
                "items": { "type": "string" },
                "maxItems": null,
                "description": "as author.name"
            },
            "page": { "type": "integer" },
            "pageSize": { "type": "integer", "maximum": null },
            "format": { "enum": ["json", "columns", "auto", "text"] },
            "search": { "type": "string", "description": "finds lines, keys and values, in any case" },
            "context": { "type": "integer", "maximum": null, "description": "lines around each hit" },
            "lines": {
                "type": "string",
                "description": "of a text: 100-200, 100-, last -50, under a heading: 1.2 > Fixed"
            },
            "outline": { "type": "boolean", "description": "a text's headings with lines" }
        }
    },
    "annotations": { "readOnlyHint": true, "openWorldHint": false },
    "_meta": { "anthropic/alwaysLoad": true }
}"#;

#[cfg(all(test, feature = "o200k"))]
mod tests {
    use super::*;
    use crate::base::tokens::{Encoding, count_tokens};
    use crate::request::read_tool::READ_RESULT;

    #[test]
    fn the_definition_has_its_name_and_its_limits() {
        let tool = read_result_tool();
        assert_eq!(tool["name"], READ_RESULT);
        let arguments = &tool["inputSchema"]["properties"];
        for (argument, limit) in [("fields", "maxItems"), ("pageSize", "maximum"), ("context", "maximum")] {
            assert!(arguments[argument][limit].as_u64().is_some_and(|most| most > 0), "{argument}");
        }
        assert_eq!(tool.to_string().matches("null").count(), 0);
    }

    #[test]
    fn the_definition_is_short() {
        let mut tool = read_result_tool();
        // Models do not read it.
        tool.as_object_mut().unwrap().remove("_meta");
        let tokens = count_tokens(&tool.to_string(), Encoding::O200kBase);
        // Every conversation pays for it.
        assert!(tokens <= 380, "{tokens}");
    }
}
