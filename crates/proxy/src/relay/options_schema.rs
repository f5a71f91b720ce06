//! The JSON Schema of `toolshape.json`, by which editors complete and check it.

use serde_json::{Value, json};
use toolshape::host::{OF_ALL_TOOLS, OF_TOOL, object_schema, properties};

use super::options::{OF_RELAY, RelayOptions, SCHEMES};

impl RelayOptions {
    /// The JSON Schema (draft 2020-12) of a file with these options.
    ///
    /// ```
    /// let schema = toolshape_proxy::RelayOptions::schema();
    /// assert_eq!(schema["properties"]["maxTokens"]["minimum"], 200);
    /// ```
    pub fn schema() -> Value {
        let mut all = properties(&OF_TOOL);
        all.extend(properties(&OF_ALL_TOOLS));
        all.extend(properties(&OF_RELAY));
        let schemes = SCHEMES.join("|").replace('+', "\\+");
        let address = json!({ "type": "string", "pattern": format!("^({schemes})://.+$") });
        let folder = json!({ "type": "string", "pattern": "^(?![A-Za-z][A-Za-z0-9+.-]+:).+$" });
        let two = json!({ "type": "array", "items": address, "minItems": 2, "maxItems": 2 });
        all["store"]["anyOf"] = json!([{ "type": "boolean" }, address, folder, two]);
        all["storeKey"]["pattern"] = json!("^[0-9A-Fa-f]{64}$");
        all.insert("$schema".to_owned(), json!({ "type": "string" }));
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "toolshape.json",
            "description": "How toolshape shapes the results of an MCP server.",
            "type": "object",
            "properties": all,
            "additionalProperties": false,
            "$defs": { "tool": object_schema(&OF_TOOL) },
        })
    }
}
