//! What callers get that are not a model: programs, which compute with a result, and user interfaces, which show it.

use serde_json::{Value, json};
use toolshape::host::{JsonText, Naming};
use toolshape::{Call, Policy, Shaper};

/// The result of a tool that returned this, as a caller gets it.
fn received(returned: &Value, call: &Value, policy: &Value) -> Value {
    let shaper = Shaper::new(Policy::new(policy, Naming::Camel).unwrap());
    let returned = returned.to_string();
    let returned = JsonText::parse(&returned).unwrap();
    let shaped = shaper.shape_result(&returned, &Call::new(call, Naming::Camel).unwrap()).unwrap();
    serde_json::from_str(&shaped.to_json(&returned).unwrap()).unwrap()
}

fn rows(count: usize) -> Vec<Value> {
    (0..count).map(|id| json!({ "id": id, "name": format!("row {id}"), "open": id % 3 == 0 })).collect()
}

fn results() -> Vec<Value> {
    let rows = rows(3_000);
    let text = |text: String| json!([{ "type": "text", "text": text }]);
    vec![
        json!({ "content": text(json!(rows).to_string()) }),
        json!({ "content": text(json!({ "rows": rows }).to_string()), "structuredContent": { "rows": rows } }),
        json!({ "content": rows.iter().map(|row| json!({ "type": "text", "text": row.to_string() })).collect::<Vec<_>>() }),
        json!({ "content": text("a line of a log\n".repeat(5_000)) }),
        json!({ "content": text("it failed\n".repeat(5_000)), "isError": true }),
    ]
}

#[test]
fn a_program_gets_what_the_tool_returned() {
    let meta = json!({ "callId": "exec-12", "x-codex-turn-metadata": { "model": "gpt-6.2" } });
    for policy in
        [json!({}), json!({ "maxTokens": 200, "fields": ["id"], "format": "columns" }), json!({ "schema": "preserve" })]
    {
        for returned in results() {
            let call = json!({ "tool": "list", "client": "codex-mcp-client", "meta": meta, "outputSchema": true, "store": true });
            assert_eq!(received(&returned, &call, &policy), returned);
            // The same call of a model is shaped.
            for meta in [json!({ "callId": "call-12" }), json!({ "callId": 5 }), json!({}), Value::Null] {
                let call = json!({ "tool": "list", "client": "codex-mcp-client", "meta": meta, "store": true });
                assert!(received(&returned, &call, &policy).to_string().len() < 20_000, "{policy}");
            }
        }
    }
    // A program that asks for a page gets it.
    let call = json!({ "tool": "list", "meta": meta, "page": 2 });
    let page = received(&results()[0], &call, &json!({}));
    assert!(page["content"][0]["text"].as_str().unwrap().contains(r#""page":2"#));
}

#[test]
fn what_cannot_be_redacted_is_hidden_from_programs_too() {
    let call = json!({ "tool": "list", "meta": { "callId": "exec-1" }, "redactFailure": "no rules" });
    let hidden = received(&results()[0], &call, &json!({}));
    assert_eq!(hidden["isError"], true);
    assert!(!hidden.to_string().contains("row 7"), "{hidden}");
}

#[test]
fn a_user_interface_gets_its_structured_content() {
    let image = json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" });
    for name in ["ui", "ui/resourceUri", "openai/outputTemplate"] {
        let tool = json!({ "name": "board", "_meta": { name: "ui://board" }, "inputSchema": { "type": "object" },
            "outputSchema": { "type": "object", "properties": { "rows": { "type": "array" } } } });
        let plan = Shaper::default().plan(&tool, true, Naming::Camel);
        assert_eq!((plan.call["hasUi"] == true, &plan.tool["outputSchema"]), (true, &tool["outputSchema"]), "{name}");
        let data = json!({ "rows": rows(900) });
        let text = json!({ "type": "text", "text": data.to_string() });
        for content in [json!([text]), json!([]), json!([image]), json!([text, image])] {
            let mut call = plan.call.clone();
            call["store"] = json!(true);
            let returned = json!({ "content": content, "structuredContent": data, "_meta": { "theirs": 1 } });
            let received = received(&returned, &call, &json!({ "maxTokens": 500 }));
            assert_eq!((&received["structuredContent"], &received["_meta"]), (&data, &returned["_meta"]), "{content}");
            let blocks = received["content"].as_array().unwrap();
            let read: String = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
            assert!(read.contains("900") && read.len() < 4_000, "{read}");
            assert_eq!(blocks.contains(&image), content.as_array().unwrap().contains(&image));
        }
    }
    let plain = Shaper::default().plan(&json!({ "name": "list", "_meta": { "theirs": 1 } }), true, Naming::Camel);
    assert!(plain.call.get("hasUi").is_none());
}

#[test]
fn structured_content_fits_where_nobody_draws_a_user_interface() {
    let rule = json!({ "type": "array", "items": { "type": "object" } });
    let schema = json!({ "type": "object", "properties": { "rows": rule }, "required": ["rows"] });
    let data = json!({ "rows": rows(900) });
    let returned = json!({ "content": [{ "type": "text", "text": data.to_string() }], "structuredContent": data, "isError": false });
    for client in ["claude-code", "codex-mcp-client", "copilot-cli", "@cline/core"] {
        let call = json!({ "tool": "board", "client": client, "hasUi": true, "outputSchema": schema, "store": true });
        let received = received(&returned, &call, &json!({ "maxTokens": 500 }));
        let structured = &received["structuredContent"];
        let shown = structured["rows"].as_array().unwrap().len();
        assert!(shown > 0 && shown < 60, "{client}: {shown} rows");
        assert!(structured["_note"].as_str().unwrap().contains("of 900 rows"), "{client}: {structured}");
    }
}
