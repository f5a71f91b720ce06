//! A tool as clients should see it: its arguments include the call controls that are useful for it, and its output
//! schema allows what shaping returns in place of a result.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::api::shaper::Shaper;
use crate::request::call::{CONTROLS, argument};
use crate::request::declared::Output;
use crate::request::policy::{Format, Schema, Settings};

/// The most references that are followed before they count as circular.
const MOST_REFERENCES: usize = 8;
/// The depth to which an output schema is searched for lists and texts.
const SEARCHED_LEVELS: usize = 8;

/// How FastMCP marks the schema of an object that it puts around a value that is no object, and the value's key.
const WRAPS: &str = "x-fastmcp-wrap-result";
const WRAPPED: &str = "result";

/// A tool as clients should see it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShapedTool {
    /// The tool in the form of MCP's `tools/list`.
    pub tool: Value,
    /// The arguments that are for shaping; the tool itself never gets them.
    pub controls: Vec<&'static str>,
    /// The controls that are the tool's own arguments or are not useful for it: the value of `ownArguments` in its
    /// calls.
    pub own_arguments: Vec<&'static str>,
}

impl ShapedTool {
    /// As JSON: `tool`, `controls`, `ownArguments`.
    pub fn to_json(&self) -> Value {
        json!({ "tool": self.tool, "controls": self.controls, "ownArguments": self.own_arguments })
    }
}

impl Shaper {
    /// A tool, in the form of MCP's `tools/list`, as clients should see it.
    ///
    /// Strict schemas stay strict for every key except the controls. If the tool has an argument with the name of a
    /// control, the argument stays the tool's own; the control gets another name if parts of a result could not be
    /// reached without it. A tool whose results the policy does not shape stays unchanged.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::Shaper;
    ///
    /// let schema = json!({ "type": "object", "properties": { "cursor": { "type": "string" } } });
    /// let listed = Shaper::default().tool(&json!({ "name": "list", "inputSchema": schema }));
    /// assert_eq!(listed.controls, ["page", "pageSize", "shapeCursor", "fields"]);
    /// assert!(listed.tool["inputSchema"]["properties"]["page"].is_object());
    /// ```
    pub fn tool(&self, tool: &Value) -> ShapedTool {
        let name = tool.get("name").and_then(Value::as_str);
        let settings = self.policy().settings(name);
        // What is no object is no tool: it passes as it is.
        if settings.is_left_alone() || !tool.is_object() {
            return ShapedTool { tool: tool.clone(), controls: Vec::new(), own_arguments: CONTROLS.to_vec() };
        }
        let mut tool = tool.clone();
        let output = tool.get("outputSchema").cloned();
        let useful = useful(settings, output.as_ref());
        let input = inlined(&tool["inputSchema"]);
        let properties = properties(&input);
        let taken = |name: &str| properties.contains(name);
        let own_arguments: Vec<_> = CONTROLS.into_iter().filter(|name| !useful.contains(name) || taken(name)).collect();
        let named = |control: &'static str| Some((argument(control, &own_arguments)?, control));
        let offered = useful.iter().filter_map(|control| named(control)).filter(|(name, _)| !taken(name));
        let offered: Vec<(&'static str, &'static str)> = offered.collect();
        let schemas: Map<String, Value> =
            offered.iter().map(|(name, control)| (name.to_string(), schema_of(control, settings))).collect();
        tool["inputSchema"] = with_properties(input.clone(), &schemas);
        if let (Some(schema), Schema::Widen) = (output, settings.schema) {
            tool["outputSchema"] = widened(schema, settings);
        }
        ShapedTool { tool, controls: offered.into_iter().map(|(name, _)| name).collect(), own_arguments }
    }
}

/// The controls that are useful for a tool with such results.
fn useful(settings: &Settings, output: Option<&Value>) -> Vec<&'static str> {
    let (has_lists, has_parts) = match output {
        None => (true, true),
        Some(schema) => (Search::finds(schema, &["array"]), Search::finds(schema, &["array", "string", "object"])),
    };
    let is_useful = |control: &&str| match *control {
        "page" | "pageSize" => has_lists,
        "format" => has_lists && settings.format != Format::Json,
        "output" => settings.has_summaries(),
        _ => has_parts,
    };
    CONTROLS.into_iter().filter(is_useful).collect()
}

/// Whether a schema allows a value of one of the types anywhere in what it describes; an object counts only if its
/// members are unknown or describe such a value.
struct Search<'s> {
    root: &'s Value,
    types: &'static [&'static str],
    /// The schemas that were looked at, by address, and whether that has ended. Nothing was found in those where it has.
    seen: BTreeMap<usize, bool>,
}

impl<'s> Search<'s> {
    fn finds(root: &'s Value, types: &'static [&'static str]) -> bool {
        Self { root, types, seen: BTreeMap::new() }.says(root, 0)
    }

    fn says(&mut self, schema: &'s Value, level: usize) -> bool {
        let Value::Object(members) = schema else { return schema != &Value::Bool(false) };
        let address = std::ptr::from_ref(schema).addr();
        if let Some(has_ended) = self.seen.get(&address) {
            // What contains itself may have any depth.
            return !has_ended;
        }
        if level > SEARCHED_LEVELS || members.is_empty() {
            return true;
        }
        self.seen.insert(address, false);
        let found = self.says_members(members, level);
        self.seen.insert(address, true);
        found
    }

    fn says_members(&mut self, members: &'s Map<String, Value>, level: usize) -> bool {
        if members.contains_key("const") || members.contains_key("enum") {
            return false;
        }
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            return resolve(reference, self.root).is_none_or(|schema| self.says(schema, level + 1));
        }
        let branches = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|word| members.get(word)?.as_array());
        let branches: Vec<&Value> = branches.flatten().collect();
        let kinds: Vec<&str> = match members.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if kinds.is_empty() && branches.is_empty() {
            return true;
        }
        if kinds.iter().any(|kind| *kind != "object" && self.types.contains(kind))
            || branches.into_iter().any(|branch| self.says(branch, level + 1))
        {
            return true;
        }
        let is_open =
            members.get("additionalProperties") != Some(&Value::Bool(false)) && !members.contains_key("properties");
        let properties = members.get("properties").and_then(Value::as_object);
        let mut properties = properties.into_iter().flat_map(Map::values);
        kinds.contains(&"object") && (is_open || properties.any(|schema| self.says(schema, level + 1)))
    }
}

/// The schema that a local reference names.
fn resolve<'s>(reference: &str, root: &'s Value) -> Option<&'s Value> {
    root.pointer(reference.strip_prefix('#')?)
}

/// A schema whose outermost reference is replaced by the referenced schema, so that properties can be added only there.
fn inlined(schema: &Value) -> Value {
    let mut out = schema.clone();
    for _ in 0..MOST_REFERENCES {
        let Some(target) = out["$ref"].as_str().and_then(|reference| resolve(reference, schema)).cloned() else {
            break;
        };
        let (Value::Object(members), Value::Object(target)) = (&mut out, target) else { break };
        members.shift_remove("$ref");
        for (name, value) in target {
            members.entry(name).or_insert(value);
        }
    }
    match out {
        Value::Object(_) => out,
        _ => json!({ "type": "object" }),
    }
}

/// The names of the arguments that a schema describes, including its branches; each schema is looked at once.
fn properties(root: &Value) -> BTreeSet<&str> {
    let (mut names, mut seen, mut waiting) = (BTreeSet::new(), BTreeSet::new(), vec![root]);
    while let Some(schema) = waiting.pop() {
        if !seen.insert(std::ptr::from_ref(schema).addr()) {
            continue;
        }
        names.extend(schema["properties"].as_object().into_iter().flat_map(Map::keys).map(String::as_str));
        waiting.extend(schema["$ref"].as_str().and_then(|reference| resolve(reference, root)));
        waiting.extend(["anyOf", "oneOf", "allOf"].iter().filter_map(|word| schema[word].as_array()).flatten());
    }
    names
}

/// A schema of arguments with added properties, also in those of its branches that allow no others.
fn with_properties(mut schema: Value, added: &Map<String, Value>) -> Value {
    let Value::Object(members) = &mut schema else { return schema };
    if added.is_empty() {
        return schema;
    }
    let properties = members.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        properties.extend(added.clone());
    }
    for word in ["anyOf", "oneOf", "allOf"] {
        for branch in members.get_mut(word).and_then(Value::as_array_mut).into_iter().flatten() {
            if branch["additionalProperties"] == Value::Bool(false) {
                *branch = with_properties(branch.take(), added);
            }
        }
    }
    schema
}

/// The schema of a control. It is short, because it is in the context of every model that may call the tool.
fn schema_of(control: &str, settings: &Settings) -> Value {
    match control {
        "page" => json!({ "type": "integer", "minimum": 1, "description": "Page of the result" }),
        "pageSize" => json!({
            "type": "integer",
            "minimum": 1,
            "maximum": settings.max_page_size,
            "description": "Rows of a page",
        }),
        "cursor" => json!({ "type": "string", "description": "nextCursor of the result before" }),
        "fields" => json!({
            "type": "array",
            "items": { "type": "string" },
            "description": "Only these fields of the result: names, dotted paths or JSON Pointers",
        }),
        "output" => json!({
            "enum": Output::CHOICES.map(|(name, _)| name),
            "default": settings.output.name(),
            "description": "How much of the result",
        }),
        _ => json!({ "enum": Format::ASKED.map(|(name, _)| name), "description": "How rows are written" }),
    }
}

/// A schema that also allows what shaping returns in place of a result.
fn widened(mut schema: Value, settings: &Settings) -> Value {
    if schema[WRAPS] == Value::Bool(true) && is_wrapper(&schema) {
        return widened_wrapper(schema, settings);
    }
    let dialect = schema.as_object_mut().and_then(|members| members.shift_remove("$schema"));
    // If the schema has its own `$id`, its references start at its own root wherever it is.
    if !schema["$id"].is_string() {
        move_references(&mut schema);
    }
    let mut out = Map::new();
    out.extend(dialect.map(|dialect| ("$schema".to_owned(), dialect)));
    // If the root is no object, which clients accept since 2026, envelope and original have no common type.
    if schema["type"] == "object" {
        out.insert("type".to_owned(), json!("object"));
    }
    out.insert("anyOf".to_owned(), json!([schema, envelope(settings)]));
    Value::Object(out)
}

/// The schema of what shaping returns in place of a result.
fn envelope(settings: &Settings) -> Value {
    let marks = ["paginated", "truncated", "_summarized", "offloaded", "columns", "error", "_value"];
    let mut marks: Vec<Value> = marks.iter().map(|mark| json!({ "required": [mark] })).collect();
    marks.push(json!({ "required": ["text", "value"] }));
    if settings.has_summaries() {
        marks.push(json!({ "required": ["output", "kind"] }));
    }
    json!({ "description": "In place of a result that is too large", "type": "object", "anyOf": marks })
}

/// Whether a schema describes an object with one member, `result`, and says nothing about others.
fn is_wrapper(schema: &Value) -> bool {
    let known = ["$schema", "$defs", "definitions", "title", "description", "type", "properties", "required", WRAPS];
    let is_known = schema.as_object().is_some_and(|schema| schema.keys().all(|key| known.contains(&key.as_str())));
    let only_result =
        schema["properties"].as_object().is_some_and(|named| named.len() == 1 && named.contains_key(WRAPPED));
    is_known && only_result && schema["type"] == "object"
}

/// The schema of a value that FastMCP wraps. Its clients unwrap a result that says so in `_meta`, and read the type of the
/// value at this one place. What shaping returns is not wrapped, so the schema no longer says that all results are.
fn widened_wrapper(mut schema: Value, settings: &Settings) -> Value {
    let inner = schema["properties"][WRAPPED].take();
    // A shaped object may have a member of this name, too.
    schema["properties"][WRAPPED] = if is_no_object(&inner) { inner } else { json!({ "anyOf": [inner, {}] }) };
    let required = json!({ "required": [WRAPPED] });
    if let Value::Object(members) = &mut schema {
        members.shift_remove(WRAPS);
        members.shift_remove("required");
        // Clients make a type of the properties that drops what it does not know, unless it is told of.
        members.insert("additionalProperties".to_owned(), json!(true));
        members.insert("anyOf".to_owned(), json!([required, envelope(settings)]));
    }
    schema
}

/// Whether a schema clearly accepts no object.
fn is_no_object(schema: &Value) -> bool {
    match (&schema["type"], &schema["anyOf"]) {
        (Value::String(kind), _) => kind != "object",
        (_, Value::Array(branches)) => branches.iter().all(is_no_object),
        _ => false,
    }
}

/// Changes references to the root so that they lead to the schema's new place.
fn move_references(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match (name.as_str(), value) {
                    ("$ref", Value::String(reference)) => {
                        if let Some(rest) = reference.strip_prefix('#').filter(|rest| !rest.starts_with(|c| c != '/')) {
                            *reference = format!("#/anyOf/0{rest}");
                        }
                    }
                    // These keys are names of members, not keywords of a schema.
                    ("properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas", value) => {
                        value.as_object_mut().into_iter().flatten().for_each(|(_, value)| move_references(value));
                    }
                    ("const" | "enum" | "default" | "examples", _) => {}
                    (_, value) => move_references(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(move_references),
        _ => {}
    }
}
