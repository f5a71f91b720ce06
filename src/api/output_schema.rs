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

/// The properties of an object, each with its type; `?` before the name of an optional one.
type Properties = &'static [(&'static str, Is)];

/// The type of a member.
#[derive(Clone, Copy)]
enum Is {
    Text,
    Count,
    Truth,
    Anything,
    Object,
    List,
    Counts,
    Texts,
    Elisions,
    Goal,
    Aggregates,
    /// A text, or null.
    Cursor,
}

const SERIES: Properties = &[("?value", Is::Text), ("?at", Is::Text), ("aggregates", Is::Aggregates)];
const SERIES_SUMMARY: Properties = &[("totalItems", Is::Count), ("returned", Is::Count), ("indices", Is::Counts)];
const SUMMARY: Properties = &[("note", Is::Text)];
const ENTRIES: Properties = &[("entries", Is::List)];
const GRID: Properties = &[
    ("totalCells", Is::Count),
    ("feasibleCells", Is::Count),
    ("columns", Is::Count),
    ("rows", Is::Count),
    ("x", Is::Text),
    ("y", Is::Text),
    ("value", Is::Text),
    ("goal", Is::Goal),
    ("best", Is::Anything),
];
const GRID_SUMMARY: Properties = &[("topCells", Is::List), ("asciiSummary", Is::Text)];
const GRID_FULL: Properties = &[("?asciiSummary", Is::Text), ("?cells", Is::List), ("?matrix", Is::List)];
/// The members of a paged full result; a full result that fits has only the total.
const PAGE: Properties = &[
    ("totalItems", Is::Count),
    ("?paginated", Is::Truth),
    ("?page", Is::Count),
    ("?pageSize", Is::Count),
    ("?totalPages", Is::Count),
    ("?returned", Is::Count),
    ("?hasMore", Is::Truth),
    ("?nextCursor", Is::Cursor),
    ("?shifted", Is::Truth),
    ("?source", Is::Text),
    ("?note", Is::Text),
];
const AROUND: Properties = &[
    ("?omittedFields", Is::Texts),
    ("?uri", Is::Text),
    ("?storeFailed", Is::Text),
    ("?moreElisions", Is::Count),
    ("?elisions", Is::Elisions),
    ("?around", Is::Object),
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
        properties.insert(name.to_owned(), schema(*is));
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn schema(is: Is) -> Value {
    literal::value_of(match is {
        Is::Text => r#"{ "type": "string" }"#,
        Is::Count => r#"{ "type": "integer", "minimum": 0 }"#,
        Is::Truth => r#"{ "type": "boolean" }"#,
        Is::Anything => "{}",
        Is::Object => r#"{ "type": "object" }"#,
        Is::List => r#"{ "type": "array" }"#,
        Is::Counts => r#"{ "type": "array", "items": { "type": "integer", "minimum": 0 } }"#,
        Is::Texts => r#"{ "type": "array", "items": { "type": "string" } }"#,
        Is::Cursor => r#"{ "type": ["string", "null"] }"#,
        Is::Goal => r#"{ "enum": ["max", "min"] }"#,
        Is::Elisions => {
            r#"{
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "pointer": { "type": "string" },
                        "kind": { "type": "string" },
                        "size": { "type": "integer", "minimum": 0 }
                    }
                }
            }"#
        }
        // A value may be a number's spelling, and so a text.
        Is::Aggregates => {
            r#"{
                "type": ["object", "null"],
                "properties": {
                    "count": { "type": "integer", "minimum": 0 },
                    "nulls": { "type": "integer", "minimum": 0 },
                    "min": {
                        "type": ["object", "null"],
                        "properties": {
                            "index": { "type": "integer", "minimum": 0 },
                            "at": {},
                            "value": { "type": ["number", "string"] }
                        },
                        "required": ["index", "value"]
                    },
                    "max": {
                        "type": ["object", "null"],
                        "properties": {
                            "index": { "type": "integer", "minimum": 0 },
                            "at": {},
                            "value": { "type": ["number", "string"] }
                        },
                        "required": ["index", "value"]
                    },
                    "mean": { "type": ["number", "null"] },
                    "first": {},
                    "last": {}
                },
                "required": ["count", "nulls", "min", "max", "mean", "first", "last"]
            }"#
        }
    })
}
