//! The shared cases in a browser, through the WebAssembly face: `wasm-pack test --headless --chrome`.

#![cfg(target_arch = "wasm32")]

use include_dir::{Dir, include_dir};
use serde_json::{Value, json};
use sha2::Digest;
use toolshape::wasm;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

static VECTORS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/vectors");

#[wasm_bindgen_test]
fn results_are_shaped() {
    let (mut texts, mut values) = (0, 0);
    for (file, case) in cases(|file| {
        ![
            "tokens",
            "rate_limit",
            "keyset",
            "links",
            "together",
            "snapshots",
            "schema",
            "read_back",
            "summarize_tool",
            "mcp",
            "mcp_tools",
            "output_schemas",
        ]
        .contains(&file)
    }) {
        let name = format!("{file}: {}", case["name"]);
        let is_text = case.get("text").is_some();
        let input = expand(if is_text { &case["text"] } else { &case["json"] });
        let mut wanted = case["expect"].clone();
        if wanted["unchanged"] == json!(true) {
            wanted["text"] = json!(input);
        }
        let result = match case.get("summary") {
            Some(options) => {
                result(&case, |shaper, call| wasm::summarize_text(shaper, &input, &options.to_string(), call))
            }
            None => shape(&case, &input, is_text),
        };
        assert_eq!(result, wanted, "{name}");
        texts += 1;
        if !is_text && case["spelling"] != json!(true) && wanted.get("error").is_none() {
            values += usize::from(same_from_value(&case, &input, &name));
        }
    }
    assert!(texts > 0 && values > 0);
    console_log!("vectors: {texts} results, {values} of them from values too");
}

#[wasm_bindgen_test]
fn rows_become_pages_and_links() {
    let mut ran = 0;
    for (file, case) in cases(|file| ["keyset", "links"].contains(&file)) {
        if case["spelling"] == json!(true) {
            continue;
        }
        let rows = parse(&expand(&case["json"]));
        let options = case[&file].to_string();
        let result = result(&case, |shaper, call| match file.as_str() {
            "keyset" => wasm::keyset_page(shaper, &rows, &options, call),
            _ => wasm::links(shaper, &rows, &options, call),
        });
        let mut wanted = case["expect"].clone();
        if wanted["unchanged"] == json!(true) {
            wanted["text"] = json!(stringify(&rows));
        }
        for (key, value) in result.as_object().unwrap().iter().filter(|(key, _)| *key != "tokensBefore") {
            assert_eq!(*value, wanted[key], "{file}: {} {key}", case["name"]);
        }
        ran += 1;
    }
    assert!(ran > 0);
    console_log!("vectors: {ran} of rows");
}

#[wasm_bindgen_test]
fn results_are_shaped_together() {
    let mut ran = 0;
    for (_, case) in cases(|file| file == "together") {
        let given = case["results"].as_array().unwrap();
        let texts: Vec<String> = given.iter().map(|one| expand(one.get("text").unwrap_or(&one["json"]))).collect();
        let values = texts.iter().map(JsValue::from).collect();
        let json = |(one, text): (&Value, &String)| one.get("json").map_or(JsValue::UNDEFINED, |_| text.into());
        let calls = given.iter().map(|one| text_of(one, "call")).collect();
        let limit = json!({ "combinedTokens": case.get("combinedTokens") }).to_string();
        let json = given.iter().zip(&texts).map(json).collect();
        let result = read(wasm::shape_together(shaper(&case), values, json, calls, &limit));
        if result.get("code").is_some() {
            assert_eq!(fault(&result), case["expect"], "{}", case["name"]);
        } else {
            for ((result, wanted), text) in result.as_array().unwrap().iter().zip(results(&case)).zip(&texts) {
                let mut wanted = wanted.clone();
                if wanted["unchanged"] == json!(true) {
                    wanted["text"] = json!(text);
                }
                assert_eq!(facts(result), wanted, "{}", case["name"]);
            }
        }
        ran += 1;
    }
    assert!(ran > 0);
    console_log!("vectors: {ran} results that come back together");
}

#[wasm_bindgen_test]
fn pages_come_from_the_store() {
    let mut ran = 0;
    for (_, case) in cases(|file| file == "snapshots") {
        let (shaper, call) = (shaper(&case), text_of(&case, "call"));
        let input = expand(case.get("json").unwrap_or(&case["text"]));
        let first = read(match case.get("json") {
            Some(_) => wasm::shape_json(shaper, &input, &call),
            None => wasm::shape(shaper, &JsValue::from(&input), &call),
        });
        let mut next = case["call"].clone();
        let cursor = first["text"].as_str().unwrap().split_once("ursor\":\"").unwrap().1.split_once('"').unwrap().0;
        next["cursor"] = json!(cursor);
        let (next, keep) = (next.to_string(), &first["keep"]);
        let id = read(wasm::snapshot(shaper, &next));
        if !id.is_null() {
            // What was handed in is not handed back.
            let (key, content) = (keep["key"].as_str().unwrap(), keep["content"].as_str().unwrap_or(&input));
            let facts = facts(&read(wasm::shape_snapshot(shaper, key, content, &next)));
            assert_eq!((&id, &facts), (&keep["id"], &case["expect"]), "{}", case["name"]);
        } else {
            assert_eq!(case["expect"], json!({ "snapshot": null }), "{}", case["name"]);
        }
        ran += 1;
    }
    assert!(ran > 0);
    console_log!("vectors: {ran} snapshots");
}

#[wasm_bindgen_test]
fn results_are_described() {
    let mut ran = 0;
    for (_, case) in cases(|file| file == "output_schemas") {
        let schema = read(wasm::output_schema(shaper(&case), case["tool"].as_str().map(str::to_owned)));
        assert_eq!(schema, case["expect"], "{}", case["name"]);
        ran += 1;
    }
    assert!(ran > 0);
    console_log!("vectors: {ran} schemas");
}

#[wasm_bindgen_test]
fn tokens_are_counted() {
    let mut ran = 0;
    for (_, case) in cases(|file| file == "tokens") {
        let text = expand(&case["text"]);
        let encoding = read(wasm::encoding(case["encoding"].as_str().unwrap())).as_u64().unwrap() as usize;
        let count = wasm::count_tokens(&text, encoding);
        let (expect, name) = (&case["expect"], case["name"].as_str().unwrap());
        assert_eq!(json!(count), expect["count"], "{name}");
        if let Some(tokens) = expect["tokens"].as_array() {
            let tokens: Vec<u32> = tokens.iter().map(|token| token.as_u64().unwrap() as u32).collect();
            let encoded: js_sys::Uint32Array = wasm::encode(&text, encoding, false).into();
            assert_eq!(encoded.to_vec(), tokens, "{name}");
            assert_eq!(wasm::decode(&tokens, encoding).as_string().as_ref(), Some(&text), "{name}");
        }
        let units = text.encode_utf16().count();
        let text = js_sys::JsString::from(text);
        for side in ["head", "tail"] {
            let length = read(wasm::truncated_length(&text, count / 2, encoding, side)).as_u64().unwrap() as usize;
            let kept = if side == "head" {
                text.slice(0, length as u32)
            } else {
                text.slice((units - length) as u32, units as u32)
            };
            let kept = String::from(kept);
            match expect[side].as_str() {
                Some(expected) => assert_eq!(kept, expected, "{name}"),
                None => assert_eq!(json!(kept.len()), expect[format!("{side}Bytes")], "{name}"),
            }
        }
        assert_eq!(wasm::fits_tokens(&text, count, encoding), Some(count));
        if count > 0 {
            assert_eq!(wasm::fits_tokens(&text, count - 1, encoding), None);
        }
        ran += 1;
    }
    assert!(ran > 0);
    console_log!("vectors: {ran} counts");
}

#[wasm_bindgen_test]
fn stored_results_are_read_back() {
    let mut ran = 0;
    for (_, case) in cases(|file| file == "read_back") {
        let is_json = case.get("json").is_some();
        let content = expand(if is_json { &case["json"] } else { &case["text"] });
        let hash: String = sha2::Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
        let mut arguments = case.get("arguments").cloned().unwrap_or(json!({}));
        arguments["handle"] = match (case.get("handle"), case.get("address")) {
            (Some(handle), _) => handle.clone(),
            (None, Some(_)) => json!(format!("toolshape://result/{hash}")),
            (None, None) => json!(hash),
        };
        let call = json!({ "tool": "read_result", "arguments": arguments }).to_string();
        let keys = read(wasm::read_keys(shaper(&case), &call));
        let stored = keys.is_array() && case.get("absent").is_none();
        let key = stored.then(|| keys[usize::from(!is_json)].as_str().unwrap().to_owned());
        let result = facts(&read(wasm::read_result(shaper(&case), key, stored.then_some(content), &call)));
        for (name, wanted) in case["expect"].as_object().unwrap() {
            assert_eq!(result[name], *wanted, "{}: {name}", case["name"]);
        }
        ran += 1;
    }
    assert!(ran > 0);
    console_log!("vectors: {ran} read back");
}

#[wasm_bindgen_test]
fn calls_of_summarize_are_answered() {
    let mut ran = 0;
    for (_, case) in cases(|file| file == "summarize_tool") {
        let mut arguments = case["arguments"].clone();
        if arguments["text"].is_object() {
            arguments["text"] = json!(expand(&arguments["text"]));
        }
        let extension = if case.get("json").is_some() { "json" } else { "txt" };
        let stored = case.get("json").or(case.get("text")).map(expand).map(|content| {
            let hash: String = sha2::Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
            arguments["handle"] = json!(format!("toolshape://result/{hash}"));
            (format!("{hash}.{extension}"), content)
        });
        let (key, content) = stored.filter(|_| case.get("absent").is_none()).unzip();
        let mut call = case.get("call").cloned().unwrap_or(json!({}));
        call["tool"] = json!("summarize");
        call["arguments"] = arguments;
        let call = call.to_string();
        let asked = read(wasm::to_summarize(shaper(&case), key, content, &call));
        let mut result = match asked["summary"].as_str() {
            None => facts(&asked),
            Some(summary) => {
                let told: Value = serde_json::from_str(summary).unwrap();
                let mut options = told.clone();
                options.as_object_mut().unwrap().extend(case["own"].as_object().cloned().unwrap_or_default());
                let text = asked["text"].as_str().unwrap();
                let mut result = facts(&read(wasm::summarize_text(shaper(&case), text, &options.to_string(), &call)));
                (result["summary"], result["maxTokens"]) = (told, asked["maxTokens"].clone());
                result
            }
        };
        if result["unchanged"] == json!(true) {
            result.as_object_mut().unwrap().remove("text");
        }
        assert_eq!(result, case["expect"], "{}", case["name"]);
        ran += 1;
    }
    assert!(ran > 0);
    console_log!("vectors: {ran} summaries by the tool");
}

#[wasm_bindgen_test]
fn schemas_are_inferred() {
    let mut ran = 0;
    for (_, case) in cases(|file| file == "schema") {
        let json = expand(&case["json"]);
        let of_text = read(wasm::infer_schema_json(&json));
        let wanted = &case["expect"];
        if wanted.get("error").is_some() {
            assert_eq!(fault(&of_text), *wanted, "{}", case["name"]);
        } else {
            assert_eq!(of_text, *wanted, "{}", case["name"]);
            // By the host, which reads lone surrogates too.
            let parsed = |schema: &Value| stringify(&parse(schema.as_str().unwrap()));
            if case["spelling"] != json!(true) {
                assert_eq!(parsed(&read(wasm::infer_schema(&parse(&json)))), parsed(wanted), "{}", case["name"]);
            }
        }
        ran += 1;
    }
    assert!(ran > 0);
    console_log!("vectors: {ran} schemas");
}

#[wasm_bindgen_test]
fn rate_limits_are_told() {
    let mut ran = 0;
    for (_, case) in cases(|file| file == "rate_limit") {
        let error = parse(&case["error"].to_string());
        let now = case["now"].as_f64().unwrap();
        let result = read(wasm::rate_limit(shaper(&case), &error, &text_of(&case, "call"), now));
        assert_eq!(result["text"], case["expect"]["text"], "{}", case["name"]);
        ran += 1;
    }
    assert!(ran > 0);
    console_log!("vectors: {ran} rate limits");
}

#[wasm_bindgen_test]
fn tool_results_are_shaped() {
    let mut ran = 0;
    for (_, case) in cases(|file| file == "mcp") {
        let returned = parse(&expand(&case["returned"]));
        let outcome = read(wasm::shape_result(shaper(&case), &returned, &text_of(&case, "call")));
        let (name, expect) = (&case["name"], &case["expect"]);
        assert_eq!((&outcome["unchanged"], &outcome["isError"]), (&expect["unchanged"], &expect["isError"]), "{name}");
        let written = |value: &Value| value.as_str().map(|json| serde_json::from_str::<Value>(json).unwrap());
        let receipt = written(&outcome["receipt"]).unwrap_or_default();
        assert_eq!(receipt, expect["result"]["_meta"]["toolshape/receipt"], "{name}");
        for (at, block) in outcome["content"].as_array().unwrap().iter().enumerate() {
            if let Some(block) = written(block) {
                assert_eq!(block, expect["result"]["content"][at], "{name}");
            }
        }
        if let Some(structured) = written(&outcome["structured"]) {
            assert_eq!(structured, expect["result"]["structuredContent"], "{name}");
        }
        ran += 1;
    }
    for (_, case) in cases(|file| file == "mcp_tools") {
        let tool = read(wasm::tool(shaper(&case), &case["tool"].to_string()));
        assert_eq!(serde_json::from_str::<Value>(tool.as_str().unwrap()).unwrap(), case["expect"], "{}", case["name"]);
        ran += 1;
    }
    assert!(ran > 0);
    console_log!("vectors: {ran} tool results and tools");
}

/// What a case gives, in the form of its expectation.
fn shape(case: &Value, input: &str, is_text: bool) -> Value {
    result(case, |shaper, call| match is_text {
        true => measured(wasm::shape(shaper, &JsValue::from_str(input), call), shaper, call),
        false => match wasm::shape_json(shaper, input, call) {
            passed if passed.is_null() => measured(input.into(), shaper, call),
            shaped => shaped,
        },
    })
}

/// What was shaped, or a text that passed with the receipt that is made when it is asked for.
fn measured(shaped: JsValue, shaper: usize, call: &str) -> JsValue {
    let Some(text) = shaped.as_string() else { return shaped };
    let receipt = read(wasm::receipt(shaper, &text, call));
    let outcome = json!({ "text": text, "unchanged": true, "isError": false, "receipt": receipt, "keep": null });
    parse(&outcome.to_string())
}

/// What a call gives under the policy and with the call of a case, in the form of its expectation.
fn result(case: &Value, run: impl FnOnce(usize, &str) -> JsValue) -> Value {
    let shaper = read(wasm::shaper(&text_of(case, "policy")));
    let Some(handle) = shaper.as_u64() else { return fault(&shaper) };
    let result = read(run(handle as usize, &text_of(case, "call")));
    if result.get("code").is_some() { fault(&result) } else { facts(&result) }
}

/// Compares the result for the same value in JavaScript's own form, unless that is shaped as text.
fn same_from_value(case: &Value, input: &str, name: &str) -> bool {
    let value = parse(input);
    if value.is_string() {
        return false;
    }
    let expect = &case["expect"];
    let (shaper, call) = (shaper(case), text_of(case, "call"));
    let result = facts(&read(measured(wasm::shape(shaper, &value, &call), shaper, &call)));
    // Values have no white space that could be left out, nor is it what they cost.
    let steps: Vec<&Value> = expect["steps"].as_array().unwrap().iter().filter(|step| **step != "minify").collect();
    assert_eq!(result["steps"], json!(steps), "{name}");
    assert_eq!(result["isError"], expect["isError"], "{name}");
    assert_eq!(result["keep"], expect["keep"], "{name}");
    if expect["unchanged"] == json!(true) || steps.is_empty() {
        assert_eq!(result["text"], json!(stringify(&value)), "{name}");
    } else {
        assert_eq!(result["text"], expect["text"], "{name}");
        assert_eq!(result["tokensAfter"], expect["tokensAfter"], "{name}");
    }
    true
}

fn facts(result: &Value) -> Value {
    let receipt: Value = serde_json::from_str(result["receipt"].as_str().unwrap()).unwrap();
    let mut facts = json!({
        "text": result["text"],
        "unchanged": result["unchanged"],
        "isError": result["isError"],
        "steps": receipt["steps"],
        "tokensBefore": receipt["tokensBefore"],
        "tokensAfter": receipt["tokensAfter"],
    });
    if !result["keep"].is_null() {
        facts["keep"] = result["keep"]["key"].clone();
    }
    facts
}

/// What a case wants of each of its results.
fn results(case: &Value) -> &[Value] {
    case["expect"]["results"].as_array().unwrap()
}

fn fault(result: &Value) -> Value {
    json!({ "error": result["code"], "path": result["path"] })
}

/// The cases of the chosen files; fails where there are none.
fn cases(chosen: impl Fn(&str) -> bool) -> Vec<(String, Value)> {
    let mut cases = Vec::new();
    for file in VECTORS.files().filter(|file| file.path().extension().is_some_and(|end| end == "json")) {
        let name = file.path().file_stem().unwrap().to_str().unwrap();
        if chosen(name) {
            let contents: Value = serde_json::from_str(file.contents_utf8().unwrap()).unwrap();
            cases.extend(contents["cases"].as_array().unwrap().iter().map(|case| (name.to_owned(), case.clone())));
        }
    }
    assert!(!cases.is_empty(), "no vectors");
    cases
}

fn shaper(case: &Value) -> usize {
    read(wasm::shaper(&text_of(case, "policy"))).as_u64().unwrap() as usize
}

/// The JSON text of a part of a case; of an empty object where it has none.
fn text_of(case: &Value, part: &str) -> String {
    case.get(part).map_or("{}".to_owned(), Value::to_string)
}

fn parse(json: &str) -> JsValue {
    js_sys::JSON::parse(json).unwrap()
}

fn stringify(value: &JsValue) -> String {
    js_sys::JSON::stringify(value).unwrap().into()
}

fn read(result: JsValue) -> Value {
    serde_wasm_bindgen::from_value(result).unwrap()
}

/// A text of a case: itself, or what its `repeat` stands for.
fn expand(text: &Value) -> String {
    if let Some(text) = text.as_str() {
        return text.to_owned();
    }
    let part = |name: &str| text["repeat"][name].as_str().unwrap_or_default();
    let times = text["repeat"]["times"].as_u64().unwrap();
    let items: Vec<String> = (0..times).map(|i| part("item").replace("${i}", &i.to_string())).collect();
    format!("{}{}{}", part("prefix"), items.join(part("separator")), part("suffix"))
}
