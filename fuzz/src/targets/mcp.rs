//! CallToolResults and tools: what the model reads fits, structured content is valid by the schema that clients know,
//! and everything else passes byte for byte.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use jsonschema::{Draft, Validator};
use serde_json::{Value, json};
use toolshape::host::{JsonText, Kind, Naming, Source};
use toolshape::{Call, Policy, Shaper};

use super::shape::accepted;
use crate::generated_schemas;
use crate::input::Input;
use crate::{options, promises};

/// A larger generated value is left alone: to validate 18 MB several times takes longer than an input may.
const MOST_BYTES: usize = 1 << 20;
/// With a level more, a generated value may have some hundred megabytes.
const MOST_LEVELS: u64 = 2;

pub fn edit(input: &mut Input, choose: &mut Unstructured<'_>) -> Result<()> {
    match choose.int_in_range(0..=9)? {
        0..=3 => options::edit_policy(input, choose)?,
        4..=6 => options::edit_call(input, choose)?,
        7 => {
            let shape = json!([choose.int_in_range(0..=u32::MAX)?, choose.int_in_range(1..=MOST_LEVELS)?]);
            input.head.insert("generated".to_owned(), shape);
        }
        8 => {
            let schema = input.object("call").get("outputSchema").cloned().unwrap_or(json!({ "type": "object" }));
            let mut schema = Input { head: Default::default(), body: schema.to_string() };
            if let Some(body) = crate::json_edits::edit(&schema.body, choose)? {
                schema.body = body;
            }
            let schema = serde_json::from_str(&schema.body).unwrap_or(Value::Bool(true));
            input.object_mut("call").insert("outputSchema".to_owned(), schema);
        }
        _ => {
            let tool = Value::Object(input.object_mut("tool").clone()).to_string();
            let tool = crate::json_edits::edit(&tool, choose)?.and_then(|tool| serde_json::from_str(&tool).ok());
            input.head.insert("tool".to_owned(), tool.unwrap_or_else(|| json!({ "name": "t", "inputSchema": {} })));
        }
    }
    // The promises count results in one encoding.
    input.object_mut("policy").remove("encoding");
    Ok(())
}

pub fn run(input: &Input) -> Option<()> {
    let (policy, mut call) = accepted(input)?;
    if policy.get("encoding").is_some_and(|name| name != "o200k_base") {
        return None;
    }
    let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).ok()?);
    if let Some(tool) = input.head.get("tool") {
        listed(&shaper, tool);
    }
    let mut returned = input.body.clone();
    if let Some([seed, depth]) = input.head.get("generated").and_then(Value::as_array).map(Vec::as_slice) {
        let made = generated_schemas::large(seed.as_u64()?, depth.as_u64()?.clamp(1, MOST_LEVELS) as usize);
        call["outputSchema"] = made.schema;
        let text = made.value.to_string();
        if text.len() > MOST_BYTES {
            return None;
        }
        returned =
            json!({ "content": [{ "type": "text", "text": text }], "structuredContent": made.value }).to_string();
    }
    result(&shaper, &call, &JsonText::parse(&returned).ok()?);
    Some(())
}

/// A tool as clients see it: JSON again, with valid schemas if its own are valid.
fn listed(shaper: &Shaper, tool: &Value) {
    for has_store in [false, true] {
        let shaped = shaper.tool(tool, has_store).to_json()["tool"].clone();
        assert_eq!(shaped["name"], tool["name"]);
        for schema in ["inputSchema", "outputSchema"] {
            let (Some(own), Some(made)) = (tool.get(schema), shaped.get(schema)) else { continue };
            assert!(!is_schema(own) || is_schema(made), "{own}\nbecomes {made}");
        }
    }
}

fn result(shaper: &Shaper, call: &Value, returned: &JsonText<'_>) {
    let asked = Call::new(call, Naming::Camel).expect("it was accepted before");
    let shaped = shaper.shape_result(returned, &asked).unwrap_or_else(|error| panic!("{error}"));
    let text = shaped.to_json(returned).unwrap_or_else(|error| panic!("{error}"));
    let result = JsonText::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    passed(returned, &result);
    // serde_json refuses lone surrogates, which pass.
    let (Ok(own), Ok(result)) = (serde_json::from_str::<Value>(returned.span()), serde_json::from_str::<Value>(&text))
    else {
        return;
    };
    // It counts the result as it writes it, which is not as the tool did for `-0` and long numbers.
    let written = result.to_string();
    if written == promises::minified(&text) {
        promises::result_fits(&result, shaped.receipt.as_ref());
    }
    // What passes unshaped is not for the model.
    let is_unfinished = result["task"].is_object() || result["resultType"] == "input_required";
    assert!(is_unfinished || shaped.receipt.is_some(), "{own}\npasses as {result}");
    // Another value is shaped as a whole, not what it calls its structured content.
    let is_list = member(returned, "content").is_some_and(|content| content.kind() == Kind::Array);
    let is_result = is_list && is_content(returned) && own.get("resultType").is_none();
    if is_result && own["isError"] == true && shaped.receipt.is_some() {
        assert_eq!(result["isError"], true, "{own}\nbecomes {result}");
    }
    if is_result && result["isError"] != true {
        valid(shaper, call, &own, &result);
    }
}

/// Images and sounds pass byte for byte, except for white space between members, and in order; a note or links say which images are left out.
fn passed(returned: &JsonText<'_>, result: &JsonText<'_>) {
    let (own, made) = (binary_blocks(returned), binary_blocks(result));
    let is_list = member(returned, "content").is_some_and(|content| content.kind() == Kind::Array);
    if is_list && is_content(returned) && !is_data(returned) {
        let mut all = own.iter();
        let are_in_order = made.iter().all(|block| all.any(|one| one == block));
        let is_said = ["imagesLeftOut", "toolshape://result/"].iter().any(|word| result.span().contains(word));
        assert!(are_in_order && (made.len() == own.len() || is_said), "{own:?}\nbecome {}", result.span());
    }
}

/// Whether it is data of a tool that has `content` too: many other members, and none that only a result has.
fn is_data(value: &JsonText<'_>) -> bool {
    let known = ["content", "structuredContent", "isError", "_meta", "resultType"];
    let entries = value.entries().unwrap_or_default();
    let name = |key: &str| serde_json::from_str::<String>(key).unwrap_or_default();
    let others = entries.iter().filter(|(key, _)| !known.contains(&&*name(key))).map(|(_, value)| value.span().len());
    let is_certain = member(value, "isError").is_some_and(|flag| flag.kind() == Kind::Bool)
        || member(value, "structuredContent").is_some();
    !is_certain && others.sum::<usize>() > 1024
}

/// Whether `content` is a list of blocks of the specification.
fn is_content(result: &JsonText<'_>) -> bool {
    let blocks = member(result, "content").and_then(|content| content.items(0, usize::MAX).ok()).unwrap_or_default();
    let types = ["text", "image", "audio", "resource", "resource_link"];
    let is_known =
        |block: &JsonText<'_>| member(block, "type").and_then(text).is_some_and(|kind| types.contains(&&*kind));
    blocks.iter().all(|block| block.kind() == Kind::Object && is_known(block))
}

fn binary_blocks<'a>(result: &JsonText<'a>) -> Vec<String> {
    let blocks = member(result, "content").and_then(|content| content.items(0, usize::MAX).ok()).unwrap_or_default();
    let is_binary = |block: &&JsonText<'a>| {
        let is_media = member(block, "type").and_then(text).is_some_and(|kind| ["image", "audio"].contains(&&*kind));
        is_media && member(block, "data").is_some_and(|data| data.kind() == Kind::String)
    };
    blocks.iter().filter(is_binary).filter_map(|block| block.json().ok().map(Cow::into_owned)).collect()
}

/// The member of that name, of several the last.
fn member<'a>(object: &JsonText<'a>, name: &str) -> Option<JsonText<'a>> {
    let entries = object.entries().ok().filter(|_| object.kind() == Kind::Object)?;
    let mut named =
        entries.into_iter().filter(|(key, _)| serde_json::from_str::<String>(key).is_ok_and(|key| key == name));
    named.next_back().map(|(_, value)| value)
}

/// The text of a string.
fn text(value: JsonText<'_>) -> Option<String> {
    serde_json::from_str(value.span()).ok()
}

/// Structured content that was valid by the tool's schema is valid by the one that clients know.
fn valid(shaper: &Shaper, call: &Value, own: &Value, result: &Value) {
    // As for the SDKs of MCP, null is not structured content.
    let before = own.get("structuredContent").filter(|before| !before.is_null());
    let (Some(schema), Some(before)) = (call.get("outputSchema"), before) else { return };
    let Some(validator) = validator(schema).filter(|validator| validator.is_valid(before)) else { return };
    let Some(structured) = result.get("structuredContent") else {
        panic!("structured content is missing: {own}\nbecomes {result}");
    };
    let name = call.get("tool").and_then(Value::as_str).unwrap_or("t");
    let tool = json!({ "name": name, "inputSchema": { "type": "object" }, "outputSchema": schema });
    let listed = shaper.tool(&tool, false).tool["outputSchema"].clone();
    if &listed == schema {
        assert!(validator.is_valid(structured), "{structured}\nis not of {schema}");
    } else {
        let validator = self::validator(&listed).unwrap_or_else(|| panic!("no schema: {listed}"));
        assert!(validator.is_valid(structured), "{structured}\nis not of {listed}");
    }
}

/// The validator of a schema that refers only to itself.
fn validator(schema: &Value) -> Option<Validator> {
    is_schema(schema).then(|| jsonschema::validator_for(schema).ok())?
}

/// Whether a schema is one by the draft that it names; the validator knows the published ones alone.
fn is_schema(schema: &Value) -> bool {
    Draft::default().detect(schema) != Draft::Unknown && jsonschema::meta::is_valid(schema)
}
