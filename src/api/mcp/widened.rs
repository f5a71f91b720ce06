//! An output schema that also allows what shaping returns in place of a result, in as few tokens as that takes: clients
//! read it with every list of tools.

use serde_json::{Map, Value, json};

use crate::request::policy::{Format, Settings};

/// How FastMCP marks the schema of an object that it puts around a value that is not an object, and the value's key.
const WRAPS: &str = "x-fastmcp-wrap-result";
const WRAPPED: &str = "result";
/// The dialect that MCP reads a schema in that names none.
const OWN_DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
const DRAFT_7: &str = "http://json-schema.org/draft-07/schema";
/// Where schemas keep others that they refer to.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// A schema that also allows what shaping returns in place of a result.
pub(super) fn widened(mut schema: Value, settings: &Settings) -> Value {
    if schema[WRAPS] == Value::Bool(true) && is_wrapper(&schema) {
        return widened_wrapper(schema, settings);
    }
    let mut out = Map::new();
    let named = schema.as_object_mut().and_then(|members| members.shift_remove("$schema"));
    let needed = named.filter(|dialect| !is_read_alike(dialect, &schema));
    out.extend(needed.map(|dialect| ("$schema".to_owned(), dialect)));
    // If the root is not an object, which clients accept since 2026, envelope and original have no common type.
    let is_object = schema["type"] == "object";
    if is_object {
        out.insert("type".to_owned(), json!("object"));
    }
    // If the schema has its own `$id`, its references start at its own root wherever it is.
    let definitions: Vec<(String, Value)> = match &mut schema {
        Value::Object(members) if !members.get("$id").is_some_and(Value::is_string) => {
            DEFINITIONS.iter().filter_map(|&name| Some((name.to_owned(), members.shift_remove(name)?))).collect()
        }
        _ => Vec::new(),
    };
    let mut both = definitions.into_iter().collect::<Map<_, _>>();
    if !schema["$id"].is_string() {
        move_references(&mut schema);
        both.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut).for_each(move_references);
    }
    if let (true, Value::Object(members)) = (is_object && !refers_to_itself(&schema), &mut schema) {
        members.shift_remove("type");
    }
    let mut branches = vec![schema];
    branches.extend(marks(settings, is_object));
    out.insert("anyOf".to_owned(), Value::Array(branches));
    out.extend(both);
    Value::Object(out)
}

/// Whether a schema that was moved may refer to itself as a whole: then it says the type of what it describes wherever that is.
fn refers_to_itself(schema: &Value) -> bool {
    schema["$id"].is_string() || schema.to_string().contains("\"#/anyOf/0\"")
}

/// The schemas of what shaping returns in place of a result: each says that a member is there by which it is known. What
/// leaves something out has a note.
fn marks(settings: &Settings, is_object: bool) -> Vec<Value> {
    let mut marks = vec![vec!["note"], vec!["_note"], vec!["_value"]];
    if settings.format.is_some_and(|format| format != Format::Json) {
        marks.push(vec!["_form"]);
    }
    if settings.has_summaries() {
        marks.push(vec!["output", "kind"]);
    }
    let schema = |names| match is_object {
        true => json!({ "required": names }),
        // To a value that is not an object `required` says nothing.
        false => json!({ "type": "object", "required": names }),
    };
    marks.into_iter().map(schema).collect()
}

/// Whether a schema means the same in MCP's own dialect as in the one that it names.
fn is_read_alike(dialect: &Value, schema: &Value) -> bool {
    match dialect.as_str().map(|name| name.trim_end_matches('#')) {
        Some(OWN_DIALECT) => true,
        Some(DRAFT_7) => means_the_same(schema),
        _ => false,
    }
}

/// Whether a schema of draft 7 has no keyword with another meaning in later drafts. Names of members that look like one count as
/// one.
fn means_the_same(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            let changed = ["additionalItems", "dependencies", "$anchor", "$dynamicRef", "prefixItems"];
            let later = ["dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems"];
            let is_tuple = members.get("items").is_some_and(Value::is_array);
            // Draft 7 ignores the siblings of a reference.
            let has_ignored = members.contains_key("$ref") && members.len() > 1;
            let has_changed = changed.iter().chain(&later).any(|&word| members.contains_key(word));
            !is_tuple && !has_ignored && !has_changed && members.values().all(means_the_same)
        }
        Value::Array(items) => items.iter().all(means_the_same),
        _ => true,
    }
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
        // Clients make a type of the properties that drops what it does not know, unless it is declared.
        members.insert("additionalProperties".to_owned(), json!(true));
        let branches = [required].into_iter().chain(marks(settings, true)).collect();
        members.insert("anyOf".to_owned(), Value::Array(branches));
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

/// Changes references to the root so that they lead to the schema's new place. Definitions stay at the root.
fn move_references(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match (name.as_str(), value) {
                    ("$ref", Value::String(reference)) => {
                        let stays =
                            |rest: &str| DEFINITIONS.iter().any(|name| rest[1..].split('/').next() == Some(name));
                        match reference.strip_prefix('#') {
                            Some("") => *reference = "#/anyOf/0".to_owned(),
                            Some(rest) if rest.starts_with('/') && !stays(rest) => {
                                *reference = format!("#/anyOf/0{rest}");
                            }
                            _ => {}
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
