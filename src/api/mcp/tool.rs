//! A tool as clients should see it: its arguments include the call controls that are useful for it, unless these are in
//! `read_result` alone, and its output schema allows what shaping returns in place of a result.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::api::shaper::Shaper;
use crate::request::call::{CONTROLS, argument};
use crate::request::choice::Choice;
use crate::request::declared::Output;
use crate::request::policy::{Format, Schema, Settings};
use crate::value::own_page;

use super::widened::widened;

/// The most references that are followed before they count as circular.
const MOST_REFERENCES: usize = 8;
/// The most arguments that are kept because they may take a page.
const MOST_PAGE_ARGUMENTS: usize = 8;
/// The depth to which an output schema is searched for lists and texts.
const SEARCHED_LEVELS: usize = 8;

/// A tool as clients should see it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShapedTool {
    /// The tool in the form of MCP's `tools/list`.
    pub tool: Value,
    /// The arguments that are for shaping, listed or not; the tool itself never gets them.
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

#[doc(hidden)]
impl Shaper {
    /// A tool, in the form of MCP's `tools/list`, as clients should see it.
    ///
    /// Where the policy's `controls` has them in `read_result` alone, as it does by default with a store, the input schema
    /// stays as it is, and controls that come all the same are honoured, unless the schema says that the tool takes
    /// arguments of any name. Strict schemas stay strict for every key except the controls. If the tool has an argument
    /// with the name of a control, the argument stays the tool's own; the control gets another name if parts of a result
    /// could not be reached without it. A tool whose results the policy does not shape stays unchanged.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::Shaper;
    ///
    /// let schema = json!({ "type": "object", "properties": { "cursor": { "type": "string" } } });
    /// let tool = json!({ "name": "list", "inputSchema": schema });
    /// let listed = Shaper::default().tool(&tool, false);
    /// assert_eq!(listed.controls, ["page", "pageSize", "shapeCursor", "fields"]);
    /// assert!(listed.tool["inputSchema"]["properties"]["page"].is_object());
    /// let with_store = Shaper::default().tool(&tool, true);
    /// assert_eq!((with_store.tool, with_store.controls), (tool, listed.controls));
    /// ```
    pub fn tool(&self, tool: &Value, has_store: bool) -> ShapedTool {
        let name = tool.get("name").and_then(Value::as_str);
        let settings = self.policy().settings(name);
        // What is not an object is not a tool: it passes as it is.
        if settings.is_left_alone() || !tool.is_object() {
            return ShapedTool { tool: tool.clone(), controls: Vec::new(), own_arguments: CONTROLS.to_vec() };
        }
        let mut tool = tool.clone();
        let output = tool.get("outputSchema").cloned();
        let useful = useful(settings, output.as_ref());
        let input = inlined(&tool["inputSchema"]);
        let is_listed = settings.lists_controls(has_store);
        let properties = properties(&input);
        let taken = |name: &str| properties.contains(name) || (!is_listed && takes_any(&input));
        let own_arguments: Vec<_> = CONTROLS.into_iter().filter(|name| !useful.contains(name) || taken(name)).collect();
        let named = |control: &'static str| Some((argument(control, &own_arguments)?, control));
        let offered = useful.iter().filter_map(|control| named(control)).filter(|(name, _)| !taken(name));
        let offered: Vec<(&'static str, &'static str)> = offered.collect();
        let schemas: Map<String, Value> =
            offered.iter().map(|(name, control)| (name.to_string(), schema_of(control))).collect();
        if is_listed {
            tool["inputSchema"] = with_properties(input.clone(), &schemas);
        } else if !tool["inputSchema"].is_object() {
            // Every tool has one in MCP.
            tool["inputSchema"] = input.clone();
        }
        if let (Some(schema), Schema::Widen, false) = (output, settings.schema, has_ui(&tool)) {
            tool["outputSchema"] = widened(schema, settings);
        }
        ShapedTool { tool, controls: offered.into_iter().map(|(name, _)| name).collect(), own_arguments }
    }
}

/// The names of a tool's own arguments that may take a page.
pub(super) fn page_arguments(tool: &Value) -> Vec<String> {
    let input = inlined(&tool["inputSchema"]);
    let names = properties(&input).into_iter().filter(|name| own_page::may_take_page(name)).map(str::to_owned);
    names.take(MOST_PAGE_ARGUMENTS).collect()
}

/// Whether a user interface shows what a tool returns (MCP Apps, and the form of OpenAI's apps before it).
pub(super) fn has_ui(tool: &Value) -> bool {
    ["ui", "ui/resourceUri", "openai/outputTemplate"].iter().any(|name| tool["_meta"].get(name).is_some())
}

/// The controls that are useful for a tool with such results.
fn useful(settings: &Settings, output: Option<&Value>) -> Vec<&'static str> {
    let (has_lists, has_parts) = match output {
        None => (true, true),
        Some(schema) => {
            (SchemaSearch::finds(schema, &["array"]), SchemaSearch::finds(schema, &["array", "string", "object"]))
        }
    };
    let is_useful = |control: &&str| match *control {
        "page" | "pageSize" => has_lists,
        "format" => has_lists && settings.format.is_some_and(|format| format != Format::Json),
        "output" => settings.has_summaries(),
        _ => has_parts,
    };
    CONTROLS.into_iter().filter(is_useful).collect()
}

/// Whether a schema allows a value of one of the types anywhere in what it describes; an object counts only if its
/// members are unknown or describe such a value.
struct SchemaSearch<'s> {
    root: &'s Value,
    types: &'static [&'static str],
    /// The schemas that were looked at, by address, and those where that has ended. Nothing was found in these.
    seen: BTreeSet<usize>,
    ended: BTreeSet<usize>,
}

impl<'s> SchemaSearch<'s> {
    fn finds(root: &'s Value, types: &'static [&'static str]) -> bool {
        Self { root, types, seen: BTreeSet::new(), ended: BTreeSet::new() }.says(root, 0)
    }

    fn says(&mut self, schema: &'s Value, level: usize) -> bool {
        let Value::Object(members) = schema else { return schema != &Value::Bool(false) };
        let address = std::ptr::from_ref(schema).addr();
        if self.seen.contains(&address) {
            // What contains itself may have any depth.
            return !self.ended.contains(&address);
        }
        if level > SEARCHED_LEVELS || members.is_empty() {
            return true;
        }
        self.seen.insert(address);
        let found = self.says_members(members, level);
        self.ended.insert(address);
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

/// A schema whose outermost reference is replaced by the referenced schema, so that properties can be added only there. Where
/// both have a keyword of the same name, both hold: the referenced schema is a branch of `allOf`.
fn inlined(schema: &Value) -> Value {
    let mut out = schema.clone();
    for _ in 0..MOST_REFERENCES {
        let Some(target) = out["$ref"].as_str().and_then(|reference| resolve(reference, schema)).cloned() else {
            break;
        };
        let (Value::Object(members), Value::Object(target)) = (&mut out, target) else { break };
        members.shift_remove("$ref");
        let is_same = |(name, value): (&String, &Value)| members.get(name).is_none_or(|own| own == value);
        if target.iter().all(is_same) {
            members.extend(target);
        } else if let Value::Array(branches) = members.entry("allOf").or_insert_with(|| json!([])) {
            branches.push(Value::Object(target));
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

/// Whether a schema of arguments says that arguments of any name are the tool's own. Silence does not count: what most
/// tools are not given they ignore.
fn takes_any(schema: &Value) -> bool {
    let is_said = |word: &str| schema.get(word).is_some_and(|others| others != &Value::Bool(false));
    is_said("additionalProperties") || is_said("patternProperties")
}

/// The schema of a control. It says nothing but the type, because it is in the context of every model that may call the
/// tool; the note of a result says how to use the control when it is needed.
fn schema_of(control: &str) -> Value {
    match control {
        "page" | "pageSize" => json!({ "type": "integer" }),
        "fields" => json!({ "type": "array", "items": { "type": "string" } }),
        "output" => json!({ "enum": Output::ALL.iter().map(|(name, _)| name).collect::<Vec<_>>() }),
        "format" => json!({ "enum": Format::ALL.iter().map(|(name, _)| name).collect::<Vec<_>>() }),
        _ => json!({ "type": "string" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;
    use crate::base::tokens::Encoding;
    use crate::host::Naming;

    fn cost(policy: &Value, tool: &Value, has_store: bool) -> usize {
        let shown = Shaper::new(Policy::new(policy, Naming::Camel).unwrap()).tool(tool, has_store).tool;
        let tokens = |tool: &Value| crate::base::tokens::count_tokens(&tool.to_string(), Encoding::O200kBase);
        tokens(&shown) - tokens(tool)
    }

    #[test]
    fn a_reference_and_what_is_beside_it_both_hold() {
        let beside = json!({ "a": { "type": "string" } });
        let bar = json!({ "properties": { "b": { "type": "string" } }, "required": ["b"] });
        let schema = json!({ "$ref": "#/$defs/bar", "properties": beside, "$defs": { "bar": bar } });
        let written = inlined(&schema);
        assert_eq!((&written["properties"], &written["allOf"], written.get("$ref")), (&beside, &json!([bar]), None));
        let alone = inlined(&json!({ "$ref": "#/$defs/bar", "title": "x", "$defs": { "bar": bar } }));
        assert_eq!((&alone["properties"], alone.get("allOf")), (&bar["properties"], None));
    }

    #[test]
    fn controls_take_few_tokens_on_a_tool_and_none_where_the_reader_has_them() {
        let tool = |input: Value| json!({ "name": "list", "inputSchema": input });
        let taken = json!({ "cursor": { "type": "string" }, "fields": { "type": "string" } });
        for input in [
            json!({ "type": "object" }),
            json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "additionalProperties": false }),
            json!({ "type": "object", "properties": taken }),
        ] {
            let tool = tool(input);
            for policy in [json!({}), json!({ "tools": { "list": { "controls": "tool" } } })] {
                let listed = cost(&policy, &tool, false);
                assert!((1..=45).contains(&listed), "{listed} tokens: {tool}");
            }
            assert_eq!(cost(&json!({}), &tool, true), 0);
            assert_eq!(cost(&json!({ "controls": "result" }), &tool, false), 0);
            assert!(cost(&json!({ "controls": "tool" }), &tool, true) > 0);
        }
    }
}
