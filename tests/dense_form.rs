//! The dense form: pages in it are the same pages, what fits comes back byte for byte, and data of others is as small as it was
//! measured.

use allocation_counter::measure;
use serde_json::{Value, json};
use toolshape::host::{JsonText, Measure, Naming, Source, dense, expand};
use toolshape::{Call, Encoding, Policy, Shaped, Shaper, Step};

use crate::reader::Reader;

const MEASURE: Measure = Measure { encoding: Encoding::O200kBase };

fn shape(policy: Value, json: &str, call: Value) -> Shaped {
    let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).unwrap());
    shaper.shape_json(json, &Call::new(&call, Naming::Camel).unwrap()).unwrap()
}

fn issues(count: usize) -> String {
    let issue = |number: usize| {
        let user = json!({ "login": format!("user{}", number % 7), "id": number % 7, "type": "User" });
        json!({
            "url": format!("https://host.example/repositories/a/issues/{number}"), "number": number, "state": "open",
            "title": format!("Something is wrong with part {number}"), "user": user, "assignee": null, "labels": [],
        })
    };
    Value::Array((1000..1000 + count).map(issue).collect()).to_string()
}

#[test]
fn a_dense_page_is_the_page() {
    let list = issues(300);
    for (wrapped, json) in [("", list.clone()), ("data", format!(r#"{{"total":300,"data":{list}}}"#))] {
        let shaper = |format: &str| {
            let policy = json!({ "format": format, "pageSize": 200, "fields": "all" });
            shape(policy, &json, json!({ "tool": "t" }))
        };
        let page = shaper("auto");
        let returned = page.receipt.rows.unwrap().returned;
        let plain = shaper("json");
        assert!(page.receipt.steps.contains(&Step::Columns) && page.receipt.tokens_after <= 2000, "{wrapped}");
        assert!(2 * returned > 3 * plain.receipt.rows.unwrap().returned, "{returned}");
        let expanded: Value = serde_json::from_str(&expand(&page.text).unwrap()).unwrap();
        let rows = if wrapped.is_empty() { &expanded["items"] } else { &expanded[wrapped] };
        let original: Value = serde_json::from_str(&list).unwrap();
        assert_eq!(rows.as_array().unwrap()[..], original.as_array().unwrap()[..returned]);
    }
}

#[test]
fn a_reader_of_dense_pages_rebuilds_the_original() {
    for json in [issues(200), format!(r#"{{"total":300,"data":{}}}"#, issues(120))] {
        let shaper = Shaper::new(Policy::new(&json!({ "format": "auto", "maxTokens": 900 }), Naming::Camel).unwrap());
        assert_eq!(Reader::new(&shaper, &json).rebuild(), json);
    }
}

#[test]
fn what_fits_is_dense_only_where_the_author_or_the_caller_says() {
    let json = issues(12);
    let is_dense = |policy: Value, call: Value| {
        let shaped = shape(policy, &json, call);
        let is_dense = shaped.text.starts_with("{\"_form\":");
        assert_eq!(is_dense, shaped.receipt.steps == [Step::Columns]);
        assert_eq!(expand(&shaped.text).unwrap(), json);
        is_dense
    };
    assert!(is_dense(json!({ "format": "auto" }), json!({ "tool": "t" })));
    assert!(is_dense(json!({ "tools": { "t": { "format": "auto" } } }), json!({ "tool": "t" })));
    assert!(is_dense(json!({}), json!({ "tool": "t", "format": "auto" })));
    assert!(!is_dense(json!({}), json!({ "tool": "t" })));
    assert!(!is_dense(json!({ "format": "auto", "text": "plain" }), json!({ "tool": "t" })));
    assert!(!is_dense(json!({ "format": "auto" }), json!({ "tool": "t", "format": "json" })));
}

#[test]
fn pages_are_dense_unless_someone_says_otherwise() {
    let json = issues(300);
    for (policy, call, is_dense) in [
        (json!({}), json!({}), true),
        (json!({}), json!({ "page": 2 }), true),
        (json!({}), json!({ "fields": ["number", "title", "user.login"] }), true),
        (json!({ "fields": ["number", "title"] }), json!({}), true),
        (json!({}), json!({ "client": "opencode" }), true),
        (json!({}), json!({ "client": "copilot-cli" }), true),
        (json!({ "format": "json" }), json!({ "format": "auto" }), true),
        (json!({ "tools": { "other": { "format": "json" } } }), json!({}), true),
        (json!({}), json!({ "format": "json" }), false),
        (json!({ "format": "json" }), json!({}), false),
        (json!({ "tools": { "t": { "format": "json" } } }), json!({}), false),
        (json!({ "text": "plain" }), json!({}), false),
        (json!({ "text": "plain", "format": "auto" }), json!({}), false),
        (json!({ "overflow": "error", "maxTokens": 300 }), json!({}), false),
        (json!({ "overflow": "offload", "offloadOver": 1 }), json!({ "store": true }), false),
        (json!({ "tools": { "t": false } }), json!({}), false),
    ] {
        let mut asked = json!({ "tool": "t" });
        asked.as_object_mut().unwrap().extend(call.as_object().unwrap().clone());
        let shaped = shape(policy.clone(), &json, asked);
        assert_eq!(shaped.text.contains("\"_form\":"), is_dense, "{policy} {call}");
        assert_eq!(shaped.receipt.steps.contains(&Step::Columns), is_dense, "{policy} {call}");
    }
}

#[test]
fn a_member_named_as_ours_is_not_read_as_ours() {
    let json = format!(r#"{{"_form":"columns name the cells of each row.","total":300,"data":{}}}"#, issues(300));
    let page = shape(json!({}), &json, json!({ "tool": "t" }));
    let expanded: Value = serde_json::from_str(&expand(&page.text).unwrap()).unwrap();
    let original: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(expanded["_value"]["_form"], original["_form"]);
    assert_eq!(expanded["_value"]["data"][0], original["data"][0]);
    assert!(page.text.matches("\"_form\":").count() == 2);
}

#[test]
fn both_channels_are_dense_or_neither() {
    let rows: Value = serde_json::from_str(&issues(300)).unwrap();
    let schema = json!({
        "type": "object", "properties": { "rows": { "type": "array", "items": { "type": "object" } } },
        "required": ["rows"],
    });
    let result = |policy: Value, returned: Value, call: Value| -> Value {
        let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).unwrap());
        let returned = returned.to_string();
        let returned = JsonText::parse(&returned).unwrap();
        let shaped = shaper.shape_result(&returned, &Call::new(&call, Naming::Camel).unwrap()).unwrap();
        serde_json::from_str(&shaped.to_json(&returned).unwrap()).unwrap()
    };
    let data = json!({ "rows": rows });
    let returned = json!({ "content": [{ "type": "text", "text": data.to_string() }], "structuredContent": data });
    let call = json!({ "tool": "t", "outputSchema": schema });
    let widened = result(json!({}), returned.clone(), call.clone());
    let text = widened["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("\"_form\":"));
    assert_eq!(widened["structuredContent"], serde_json::from_str::<Value>(text).unwrap());

    let preserved = result(json!({ "schema": "preserve", "format": "auto" }), returned.clone(), call.clone());
    assert!(preserved["structuredContent"]["rows"][0]["number"].is_u64());
    assert!(!preserved.to_string().contains("_form"));
    let whole = json!({ "content": returned["content"], "_meta": { "toolshape/noTransform": true } });
    assert_eq!(result(json!({ "format": "auto" }), whole.clone(), json!({ "tool": "t" }))["content"], whole["content"]);
    let failed = json!({ "content": [{ "type": "text", "text": issues(300) }], "isError": true });
    let failed = result(json!({}), failed, json!({ "tool": "t" }));
    assert!(!failed.to_string().contains("_form"));
}

#[test]
fn what_is_read_back_is_of_the_original() {
    let json = issues(300);
    let original: Value = serde_json::from_str(&json).unwrap();
    let shaper = Shaper::new(Policy::new(&json!({}), Naming::Camel).unwrap());
    let first = shape(json!({}), &json, json!({ "tool": "t", "store": true }));
    let page: Value = serde_json::from_str(&expand(&first.text).unwrap()).unwrap();
    let shown = page["items"].as_array().unwrap().len();
    let reader = Reader::of_stored(&shaper, &json, true, None);
    let ask = |arguments: Value| {
        let shaped = reader.ask(&arguments);
        let value: Value = serde_json::from_str(&expand(&shaped.text).unwrap()).unwrap();
        (shaped.text.contains("\"_form\":"), value)
    };
    let (is_dense, next) = ask(json!({ "cursor": page["nextCursor"] }));
    assert!(is_dense && next["items"][0] == original[shown]);
    assert_eq!(ask(json!({ "pointer": "/150" })).1, original[150]);
    assert_eq!(ask(json!({ "pointer": "/150/user/login" })).1, original[150]["user"]["login"]);
    let (is_dense, few) = ask(json!({ "fields": ["number", "user.login"], "page": 2 }));
    assert!(is_dense && few["items"][0]["user"]["login"].is_string() && few["items"][0].get("title").is_none());
    assert!(!ask(json!({ "page": 2, "format": "json" })).0);
}

/// The kinds of difference that a form must keep, each in enough rows.
#[test]
fn nothing_is_changed() {
    for rows in [
        r#"{"id":12345678901234567890,"x":1.0},{"id":9007199254740993,"x":2.50},{"id":4,"x":1E+22},{"id":-0,"x":-0.0}"#,
        r#"{"x":true,"y":1},{"x":1,"y":"1"},{"x":"true","y":1.0},{"x":null,"y":"null"}"#,
        r#"{"a":1,"b":2,"c":3},{"a":1,"b":2,"c":4},{"c":7,"b":8,"a":9},{"a":1,"b":2}"#,
        r#"{"id":1,"v":null,"w":1},{"id":2,"w":2},{"id":3,"v":5,"w":3},{"id":4,"u":6,"v":null,"w":4}"#,
        r#"{"a":1,"a":2,"b":3},{"a":1,"b":3},{"a":2,"b":4},{"a":3,"b":5}"#,
        r#"{"a.b":1,"c[]":2,"d?":3},{"a.b":4,"c[]":5,"d?":6},{"a.b":7,"c[]":8,"d?":9}"#,
        r#"{"a":{},"b":[],"c":""},{"a":{},"b":[],"c":""},{"a":{"x":1},"b":[1],"c":"y"}"#,
        r#"{"t":"caf\u00e9","u":"\/"},{"t":"x\ny","u":"\u2028"},{"t":"😀","u":"a\"b"}"#,
        r#"{"columns":["a"],"rows":[[1]]},{"columns":["b"],"rows":[[2]]},{"=":"a","_form":1}"#,
        r#"{"n":11111,"u":"https://h.example/${n}"},{"n":22222,"u":"https://h.example/${n}"},{"n":3,"u":"https://h.example/3"}"#,
        r#"{"a":1,"b":2},"text",null,{"a":3,"b":4},5"#,
    ] {
        let json = format!("[{}]", vec![rows; 30].join(","));
        if let Some((text, tokens)) = dense(&json, MEASURE) {
            assert!(tokens < MEASURE.count(&json));
            assert_eq!(expand(&text).unwrap(), json);
        }
    }
}

#[test]
fn deep_lists_take_a_few_times_their_bytes() {
    let deep = format!("{}{}", "[".repeat(400), "]".repeat(400));
    let json = format!("[{}]", vec![deep; 500].join(","));
    let taken = measure(|| assert!(dense(&json, Measure { encoding: Encoding::Estimate }).is_none()));
    assert!(taken.bytes_max < 6 * json.len() as u64, "{} of {}", taken.bytes_max, json.len());
}

#[test]
fn other_texts_are_minified_and_wrong_ones_refused() {
    assert_eq!(expand(" {\"_form\" : \"mine\", \"a\" : [ 1.0 ] } ").unwrap(), r#"{"_form":"mine","a":[1.0]}"#);
    assert_eq!(expand("[1").unwrap_err().code().as_str(), "INVALID_JSON");
    let (text, _) = dense(&issues(30), MEASURE).unwrap();
    let short = text.replacen("[1000,", "[", 1);
    assert_ne!(short, text);
    assert_eq!(expand(&short).unwrap_err().code().as_str(), "INVALID_JSON");
}

/// `DENSE_DATA` names a folder of JSON files that are not kept here: each comes back, and the tokens of all are printed.
#[test]
fn data_of_others_comes_back() {
    let Some(folder) = std::env::var_os("DENSE_DATA") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut all, mut saved) = (0, 0);
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "json")) {
        let text = std::fs::read_to_string(file).unwrap();
        let json = JsonText::parse(&text).unwrap().json().unwrap().into_owned();
        let plain = MEASURE.count(&json);
        let tokens = dense(&json, MEASURE).map_or(plain, |(text, tokens)| {
            assert_eq!(expand(&text).unwrap(), json, "{}", file.display());
            tokens
        });
        assert!(tokens <= plain);
        println!("{plain:>8} {tokens:>8}  {}", file.file_name().unwrap().to_string_lossy());
        (all, saved) = (all + plain, saved + plain - tokens);
    }
    println!("{all:>8} {:>8}  {:.1} % fewer", all - saved, 100.0 * saved as f64 / all as f64);
}
