//! The JSON Schema of `toolshape.json`, by which editors complete and check it.

use serde_json::{Map, Value, json};

use super::options::RelayOptions;

/// What a policy has for all tools and for each.
fn of_tool() -> Vec<(&'static str, Value, &'static str)> {
    let whole = |least: u64, most: u64| json!({ "type": "integer", "minimum": least, "maximum": most });
    let words = |words: &[&str]| json!({ "enum": words });
    let text = json!({ "type": "string", "minLength": 1 });
    let secret = json!({ "type": "string", "minLength": 16 });
    let object = |members: Value| json!({ "type": "object", "properties": members, "additionalProperties": false });
    let (tokens, rows) = (10_000_000, 1_000_000_000);
    let series = json!({
        "list": text, "value": text, "at": text, "points": whole(2, 1000), "extremes": { "type": "boolean" },
    });
    let grid = json!({
        "list": text, "x": text, "y": text, "value": text, "goal": words(&["max", "min"]), "feasible": text,
    });
    let declared = |members| json!({ "anyOf": [{ "const": false }, object(members)] });
    let fields = json!({ "anyOf": [{ "const": "auto" }, { "type": "array", "items": text }] });
    let secrets = json!({ "anyOf": [secret, { "type": "array", "items": secret, "minItems": 1 }] });
    vec![
        ("maxTokens", whole(200, tokens), "The most tokens of one result: 2000 by default."),
        ("encoding", text.clone(), "How tokens are counted: o200k_base (the default), cl100k_base or estimate."),
        (
            "margin",
            json!({ "type": "number", "minimum": 0, "maximum": 0.5 }),
            "The share of the budget that stays free.",
        ),
        ("paginateAfter", whole(1, rows), "Lists with more rows are paged even if they fit: 50 by default."),
        ("pageSize", whole(1, rows), "Rows of a page; chosen from the size of the rows by default."),
        ("maxPageSize", whole(1, rows), "The most rows of a page that a caller may ask for: 1000 by default."),
        ("fields", fields, "The fields of a result that does not fit whole, as author.name; or auto."),
        ("format", words(&["json", "columns", "auto"]), "How the rows of a list are written: json by default."),
        (
            "overflow",
            words(&["shape", "error", "offload"]),
            "What becomes of a result that does not fit: shape by default.",
        ),
        ("offloadOver", whole(1, tokens), "With overflow offload: results with more tokens are stored and not shown."),
        (
            "snapshot",
            json!({ "type": "boolean" }),
            "Whether later pages come from the stored first result: true by default.",
        ),
        ("preview", words(&["head", "tail", "headTail"]), "The part of a long text that is shown: head by default."),
        (
            "text",
            words(&["auto", "plain", "csv", "markdown", "html", "log"]),
            "How a text over budget is read: by the structure that is recognized (auto, the default), as plain text, or as this.",
        ),
        (
            "schema",
            words(&["widen", "preserve"]),
            "A tool's output schema: widen (the default) also allows what replaces a result; preserve shrinks results within it.",
        ),
        (
            "controls",
            words(&["auto", "result", "tool"]),
            "Where callers find page, cursor and fields: in read_result alone, in the tools too, or as it suits (auto, the default).",
        ),
        ("cursorKey", secrets, "A secret that signs cursors and handles; to rotate it, a list with the newest first."),
        ("cursorTtl", whole(1, 3_153_600_000), "How long a cursor is valid, in seconds: for ever by default."),
        ("output", words(&["summary", "full"]), "What is shown of a series or a grid: summary by default."),
        ("series", declared(series), "The tool returns a series."),
        ("grid", declared(grid), "The tool returns a grid."),
        (
            "detect",
            json!({ "type": "boolean" }),
            "Whether series and grids are found in results over budget: false by default.",
        ),
    ]
}

fn described(options: Vec<(&'static str, Value, &'static str)>) -> Map<String, Value> {
    let option = |(name, mut schema, about): (&str, Value, &str)| {
        schema["description"] = about.into();
        (name.to_owned(), schema)
    };
    options.into_iter().map(option).collect()
}

impl RelayOptions {
    /// The JSON Schema (draft 2020-12) of a file with these options.
    ///
    /// ```
    /// let schema = toolshape_proxy::RelayOptions::schema();
    /// assert_eq!(schema["properties"]["maxTokens"]["minimum"], 200);
    /// ```
    pub fn schema() -> Value {
        let each = json!({ "anyOf": [{ "const": false }, { "$ref": "#/$defs/tool" }] });
        let text = json!({ "type": "string", "minLength": 1 });
        let own = vec![
            (
                "combinedTokens",
                json!({ "type": "integer", "minimum": 200, "maximum": 10_000_000 }),
                "The most tokens of results that come back together: 6000 by default.",
            ),
            (
                "tools",
                json!({ "type": "object", "additionalProperties": each }),
                "The options of single tools, by their names; false leaves a tool alone.",
            ),
            (
                "store",
                json!({ "anyOf": [{ "type": "boolean" }, { "type": "string", "pattern": "^(rediss?://.+|(?!.*://).+)$" }] }),
                "Where whole results are kept: true (the default) in memory, false nowhere, a folder, or redis://host:port.",
            ),
            (
                "resultArguments",
                json!({ "type": "array", "items": text }),
                "Tools whose arguments may name a stored result, as {\"$result\": \"<handle>\"}.",
            ),
        ];
        let mut properties = described(of_tool());
        properties.extend(described(own));
        properties.insert("$schema".to_owned(), json!({ "type": "string" }));
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "toolshape.json",
            "description": "How toolshape shapes the results of an MCP server.",
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
            "$defs": {
                "tool": { "type": "object", "properties": described(of_tool()), "additionalProperties": false },
            },
        })
    }
}
