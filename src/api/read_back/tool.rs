//! The tool `read_result` as a server lists it, so that every adapter offers the same.

use serde_json::{Value, json};

/// Name, title, description and input schema of the tool that reads stored results back.
///
/// ```
/// let tool = toolshape::read_result_tool();
/// assert_eq!(tool["name"], "read_result");
/// assert!(tool["inputSchema"]["properties"]["handle"].is_object());
/// ```
pub fn read_result_tool() -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let texts = |about: &str| json!({ "type": "array", "items": { "type": "string" }, "description": about });
    let flag = |about: &str| json!({ "type": "boolean", "description": about });
    let count = |about: &str| json!({ "type": "integer", "minimum": 1, "description": about });
    json!({
        "name": "read_result",
        "title": "Read a stored result",
        "description": "Reads a result that was stored because it is large: all of it page by page, or a part. \
            Give handle, and one of jsonPath, lines, search, outline and schema if you do not want the value itself; \
            pointer narrows each of them to a part. sort, group and aggregate answer about all rows, or about all matches \
            of jsonPath.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "handle": text("16 letters: the end of the uri of the stored result"),
                "pointer": text("JSON Pointer (RFC 6901) to a part of a JSON result, as /items/0/name"),
                "jsonPath": text("JSONPath (RFC 9535), as $.items[?@.price < 10].name: pointer and value of each match"),
                "lines": text("lines of a text from 1: 100-200, 100, 100- or the last -100"),
                "search": text(
                    "text to look for in any case: lines of a text with the heading above; keys, strings and numbers of JSON"
                ),
                "case": flag("search in exact case"),
                "word": flag("whole word"),
                "regex": flag("regular expression, for each line"),
                "context": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 20,
                    "description": "lines around each line found, 2 by default"
                },
                "outline": flag("headings of a text, stages of a log, with their lines; with search those that match, with lines those within"),
                "schema": flag("true for the JSON Schema"),
                "sort": texts("rows by these fields, as -price for descending; of groups also by aggregates, as -sum:price"),
                "group": texts("one row for each value of these fields, with its count; the largest first"),
                "aggregate": texts(
                    "of all rows or of each group: count, count:FIELD (not null), count:?@.price < 10 (that pass a filter), \
                    sum:FIELD, mean:FIELD, median:FIELD, min:FIELD, max:FIELD, distinct:FIELD (different values)"
                ),
                "fields": texts("only these fields, as author.name; also of each match"),
                "page": count("page of a list"),
                "pageSize": count("rows of a page"),
                "cursor": text("nextCursor: of a tool's result, alone; of the answer before, all else unchanged"),
                "format": {
                    "enum": ["json", "columns", "auto", "text"],
                    "description": "how rows are written; text: not read as rows, the text itself"
                }
            },
            "additionalProperties": false
        },
        "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false }
    })
}
