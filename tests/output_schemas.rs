//! Structured content stays valid by the tool's output schema, checked by a third-party validator, for generated
//! schemas and large values that each of them allows.

use jsonschema::{Draft, Validator};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolshape::host::{JsonText, Naming, count_tokens};
use toolshape::{Call, Encoding, Policy, Shaper};

use crate::generated_schemas::{self, Generated};

/// Pages that are read of one value.
const MOST_PAGES: usize = 5;

proptest! {
    // The cases of the default seed detect it if a keyword such as `uniqueItems` is ignored.
    #![proptest_config(ProptestConfig {
        cases: 150,
        max_shrink_iters: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_schema_is_preserved_on_every_page(seed in any::<u64>(), depth in 1..4usize, budget in 200..1500usize) {
        let Generated { schema, value, draft } = generated_schemas::large(seed, depth);
        let validator = validator(&schema, draft);
        prop_assume!(validator.is_valid(&value) && count(&value.to_string()) > budget);
        Tool::new("preserve", budget, &schema).read_all(&value, &validator);
    }

    #[test]
    fn a_widened_schema_allows_whatever_is_put_in_place(
        seed in any::<u64>(),
        depth in 1..4usize,
        budget in 200..1500usize,
        policy in policies(),
        controls in controls(),
    ) {
        let Generated { schema, value, draft } = generated_schemas::large(seed, depth);
        prop_assume!(validator(&schema, draft).is_valid(&value));
        let tool = Tool::of(policy, "widen", budget, &schema);
        let validator = validator(&tool.listed(), draft);
        let result = tool.call(&value, controls);
        if result["isError"] != true {
            let structured = &result["structuredContent"];
            let errors: Vec<String> = validator.iter_errors(structured).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{errors:?}: {structured}\nis not of {}", tool.listed());
        }
    }
}

/// Policies that change the form of a result.
fn policies() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({})),
        Just(json!({ "overflow": "error" })),
        Just(json!({ "overflow": "offload" })),
        Just(json!({ "format": "columns" })),
        Just(json!({ "format": "auto" })),
        Just(json!({ "output": "full", "series": {} })),
        Just(json!({ "series": {} })),
        Just(json!({ "paginateAfter": 1, "pageSize": 2 })),
    ]
}

fn controls() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => Just(json!({})),
        1 => Just(json!({ "page": 2 })),
        1 => Just(json!({ "page": 99_999 })),
        1 => Just(json!({ "cursor": "nonsense" })),
        1 => Just(json!({ "fields": ["id"] })),
        1 => Just(json!({ "store": true })),
        1 => Just(json!({ "pageSize": 1 })),
    ]
}

/// A tool with an output schema, under one policy.
struct Tool<'a> {
    shaper: Shaper,
    budget: usize,
    schema: &'a Value,
}

impl<'a> Tool<'a> {
    fn new(mode: &str, budget: usize, schema: &'a Value) -> Self {
        Self::of(json!({}), mode, budget, schema)
    }

    fn of(mut policy: Value, mode: &str, budget: usize, schema: &'a Value) -> Self {
        policy["maxTokens"] = json!(budget);
        policy["schema"] = json!(mode);
        let policy = Policy::new(&policy, Naming::Camel).unwrap_or_else(|error| panic!("{error}: {policy}"));
        Self { shaper: Shaper::new(policy), budget, schema }
    }

    /// The output schema as clients see it.
    fn listed(&self) -> Value {
        let input = json!({ "type": "object" });
        let tool = json!({ "name": "t", "inputSchema": input, "outputSchema": self.schema });
        self.shaper.tool(&tool, false).tool["outputSchema"].clone()
    }

    /// The answer of a call, as a client reads it.
    fn call(&self, value: &Value, controls: Value) -> Value {
        let mut call =
            Map::from_iter([("tool".to_owned(), json!("t")), ("outputSchema".to_owned(), self.schema.clone())]);
        call.extend(controls.as_object().unwrap().clone());
        let call = Call::new(&Value::Object(call), Naming::Camel).unwrap();
        let text = value.to_string();
        let returned = json!({ "content": [{ "type": "text", "text": text }], "structuredContent": value }).to_string();
        let returned = JsonText::parse(&returned).unwrap();
        let shaped = self.shaper.shape_result(&returned, &call).unwrap().to_json(&returned).unwrap();
        let result: Value = serde_json::from_str(&shaped).unwrap();
        for channel in [result["content"][0]["text"].as_str().map(str::to_owned), structured(&result)] {
            let tokens = channel.as_deref().map_or(0, count);
            assert!(tokens <= self.budget, "{tokens} of {}: {channel:?}", self.budget);
        }
        result
    }

    /// Reads the first pages, each of which must be valid and report what it leaves out.
    fn read_all(&self, value: &Value, validator: &Validator) {
        let (mut controls, mut calls) = (json!({}), 0);
        loop {
            let result = self.call(value, controls);
            let text = result["content"][0]["text"].as_str().unwrap();
            let reply: Value = serde_json::from_str(text).unwrap();
            if result["isError"] == true {
                assert_eq!(reply["error"], "OUTPUT_BUDGET_EXCEEDED", "{reply}\n{}", self.schema);
                assert_eq!(result.get("structuredContent"), None);
                return;
            }
            let structured = &result["structuredContent"];
            let errors: Vec<String> = validator.iter_errors(structured).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{errors:?}: {structured}\nis not of {}", self.schema);
            if structured == value {
                return;
            }
            self.is_loud(value, &result, text, &reply);
            let Some(cursor) = reply["_page"]["nextCursor"].as_str() else { return };
            calls += 1;
            if calls == MOST_PAGES {
                return;
            }
            controls = json!({ "cursor": cursor });
        }
    }

    fn is_loud(&self, value: &Value, result: &Value, text: &str, reply: &Value) {
        assert!(text.starts_with("{\"_summarized\":true,"), "{text}");
        let mut structured = result["structuredContent"].clone();
        if let Some(note) = structured.as_object_mut().and_then(|members| members.remove("_note")) {
            assert!(note.as_str().is_some_and(|note| note.len() > 20), "{note}");
        }
        assert_eq!(reply["_value"], structured);
        assert!(reply["_note"].as_str().is_some_and(|note| note.len() > 20), "{text}");
        let page = &reply["_page"];
        let is_paged = page["totalItems"].is_u64() && page.get("nextCursor").is_some();
        let elided = reply["_elisions"].as_array().map_or(0, Vec::len);
        assert!(is_paged || elided > 0, "nothing names what is missing of {value}: {text}");
    }
}

fn structured(result: &Value) -> Option<String> {
    result.get("structuredContent").map(Value::to_string)
}

#[test]
fn a_note_is_added_where_the_schema_allows_it() {
    let items = json!({ "type": "array", "items": { "type": "integer" } });
    let value = json!({ "items": (0..5_000).collect::<Vec<_>>() });
    let note_within = |more: Value| {
        let mut schema = json!({ "type": "object", "properties": { "items": items }, "required": ["items"] });
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let tool = Tool::new("preserve", 600, &schema);
        tool.read_all(&value, &validator(&schema, Draft::Draft202012));
        tool.call(&value, json!({}))["structuredContent"]["_note"].as_str().map(str::to_owned)
    };
    for open in [json!({}), json!({ "additionalProperties": true })] {
        assert!(note_within(open).unwrap().contains("of 5000 rows of /items are shown, from row 0 on."));
    }
    for closed in [
        json!({ "additionalProperties": false }),
        json!({ "additionalProperties": items }),
        json!({ "unevaluatedProperties": false }),
        json!({ "propertyNames": { "maxLength": 5 } }),
        json!({ "patternProperties": { "^_": false } }),
        json!({ "maxProperties": 1 }),
        json!({ "allOf": [{ "properties": { "_note": { "type": "integer" } } }] }),
    ] {
        assert_eq!(note_within(closed), None);
    }
}

#[test]
fn a_value_as_deep_as_its_schema_allows_takes_no_stack() {
    let schema = json!({ "type": "object", "required": ["a"], "properties": { "a": { "$ref": "#" } } });
    let levels = 4_000;
    let text = format!("{}\"{}\"{}", "{\"a\":".repeat(levels), "word ".repeat(2_000), "}".repeat(levels));
    let returned = format!("{{\"content\":[],\"structuredContent\":{text}}}");
    let shape = move || {
        let shaper = Shaper::new(Policy::new(&json!({ "schema": "preserve" }), Naming::Camel).unwrap());
        let call = Call::new(&json!({ "tool": "t", "outputSchema": schema }), Naming::Camel).unwrap();
        shaper.shape_result(&JsonText::parse(&returned).unwrap(), &call).map(|shaped| shaped.is_error)
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(shape).unwrap();
    assert_eq!(thread.join().unwrap(), Ok(true));
}

fn count(text: &str) -> usize {
    count_tokens(text, Encoding::O200kBase)
}

fn validator(schema: &Value, draft: Draft) -> Validator {
    jsonschema::options()
        .with_draft(draft)
        .should_validate_formats(true)
        .build(schema)
        .unwrap_or_else(|error| panic!("{error}: {schema}"))
}
