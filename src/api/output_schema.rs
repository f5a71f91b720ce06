//! The JSON Schema (draft 2020-12) of the results of a tool that returns series or grids: summary and full,
//! distinguished by `output`.

use serde_json::{Map, Value, json};

use crate::api::shaper::Shaper;
use crate::base::literal;
use crate::request::declared::Declared;

#[doc(hidden)]
impl Shaper {
    /// The JSON Schema of a tool's results, if the policy declares them as series or grids.
    ///
    /// It does not describe results that explain an error, and results that are not series or grids in spite of the
    /// declaration.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::host::Naming;
    /// use toolshape::{Policy, Shaper};
    ///
    /// let policy = json!({ "tools": { "prices": { "series": { "value": "price" } } } });
    /// let shaper = Shaper::new(Policy::new(&policy, Naming::Camel)?);
    /// let schema = shaper.output_schema(Some("prices")).unwrap();
    /// assert_eq!(schema["oneOf"][1]["properties"]["output"], json!({ "const": "full" }));
    /// assert_eq!(shaper.output_schema(Some("list")), None);
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn output_schema(&self, tool: Option<&str>) -> Option<Value> {
        let branches = match self.policy().settings(tool).declared.as_ref()? {
            Declared::Series(_) => [
                object("summary", "series", &[SERIES, SUMMARY, SERIES_SUMMARY, AROUND, ENTRIES]),
                object("full", "series", &[SERIES, PAGE, AROUND, ENTRIES]),
            ],
            Declared::Grid(_) => [
                object("summary", "grid", &[GRID, SUMMARY, GRID_SUMMARY, AROUND]),
                object("full", "grid", &[GRID, PAGE, GRID_FULL, AROUND]),
            ],
        };
        Some(json!({ "type": "object", "required": ["output", "kind"], "oneOf": branches }))
    }
}

/// The properties of an object, each with its schema; `?` before the name of an optional one.
type Properties = &'static [(&'static str, &'static str)];

const TEXT: &str = r#"{ "type": "string" }"#;
const COUNT: &str = r#"{ "type": "integer", "minimum": 0 }"#;
const TRUTH: &str = r#"{ "type": "boolean" }"#;
const ANYTHING: &str = "{}";
const OBJECT: &str = r#"{ "type": "object" }"#;
const LIST: &str = r#"{ "type": "array" }"#;
const COUNTS: &str = r#"{ "type": "array", "items": { "type": "integer", "minimum": 0 } }"#;
const TEXTS: &str = r#"{ "type": "array", "items": { "type": "string" } }"#;
const CURSOR: &str = r#"{ "type": ["string", "null"] }"#;
const GOAL: &str = r#"{ "enum": ["max", "min"] }"#;
const ELISIONS: &str = r#"{ "type": "array", "items": { "type": "object", "properties": {
    "pointer": { "type": "string" }, "kind": { "type": "string" }, "size": { "type": "integer", "minimum": 0 }
} } }"#;
// A value may be a number's spelling, and so a text.
const AGGREGATES: &str = r#"{
    "type": ["object", "null"],
    "properties": {
        "count": { "type": "integer", "minimum": 0 },
        "nulls": { "type": "integer", "minimum": 0 },
        "min": { "type": ["object", "null"], "properties": {
            "index": { "type": "integer", "minimum": 0 }, "at": {}, "value": { "type": ["number", "string"] }
        }, "required": ["index", "value"] },
        "max": { "type": ["object", "null"], "properties": {
            "index": { "type": "integer", "minimum": 0 }, "at": {}, "value": { "type": ["number", "string"] }
        }, "required": ["index", "value"] },
        "mean": { "type": ["number", "null"] },
        "first": {},
        "last": {}
    },
    "required": ["count", "nulls", "min", "max", "mean", "first", "last"]
}"#;

const SERIES: Properties = &[("?value", TEXT), ("?at", TEXT), ("aggregates", AGGREGATES)];
const SERIES_SUMMARY: Properties = &[("totalItems", COUNT), ("returned", COUNT), ("indices", COUNTS)];
const SUMMARY: Properties = &[("note", TEXT)];
const ENTRIES: Properties = &[("entries", LIST)];
const GRID: Properties = &[
    ("totalCells", COUNT),
    ("feasibleCells", COUNT),
    ("columns", COUNT),
    ("rows", COUNT),
    ("x", TEXT),
    ("y", TEXT),
    ("value", TEXT),
    ("goal", GOAL),
    ("best", ANYTHING),
];
const GRID_SUMMARY: Properties = &[("topCells", LIST), ("asciiSummary", TEXT)];
const GRID_FULL: Properties = &[("?asciiSummary", TEXT), ("?cells", LIST), ("?matrix", LIST)];
/// The members of a paged full result; a full result that fits has only the total.
const PAGE: Properties = &[
    ("totalItems", COUNT),
    ("?paginated", TRUTH),
    ("?page", COUNT),
    ("?pageSize", COUNT),
    ("?totalPages", COUNT),
    ("?returned", COUNT),
    ("?hasMore", TRUTH),
    ("?nextCursor", CURSOR),
    ("?shifted", TRUTH),
    ("?source", TEXT),
    ("?note", TEXT),
];
const AROUND: Properties = &[
    ("?omittedFields", TEXTS),
    ("?uri", TEXT),
    ("?storeFailed", TEXT),
    ("?moreElisions", COUNT),
    ("?elisions", ELISIONS),
    ("?around", OBJECT),
];

fn object(output: &str, kind: &str, groups: &[Properties]) -> Value {
    let mut properties = Map::new();
    properties.insert("output".to_owned(), json!({ "const": output }));
    properties.insert("kind".to_owned(), json!({ "const": kind }));
    let mut required = vec!["output", "kind"];
    for (name, is) in groups.iter().copied().flatten() {
        let name = name.strip_prefix('?').unwrap_or_else(|| {
            required.push(name);
            name
        });
        properties.insert(name.to_owned(), literal::value_of(is));
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}
