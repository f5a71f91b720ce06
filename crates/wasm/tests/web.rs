//! The shared cases in a browser, through the WebAssembly face: `wasm-pack test --headless --chrome`.

#![cfg(target_arch = "wasm32")]

use include_dir::{Dir, include_dir};
use sentences::Sentences;
use serde_json::{Value, json};
use sha2::Digest;
use toolshape_wasm as wasm;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};
use weight::heaviest;

#[path = "../../../tests/vectors/conversation.rs"]
mod conversation;
#[path = "../../../tests/vectors/sentences.rs"]
mod sentences;
#[path = "../../../tests/vectors/weight.rs"]
mod weight;

wasm_bindgen_test_configure!(run_in_browser);

static VECTORS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../vectors");

/// Runs a case and compares the outcome.
type Runner = fn(&Value);

/// The runners that a file of vectors may name.
const RUNNERS: &[(&str, Runner)] = &[
    ("conversation", conversation),
    ("count_tokens", count),
    ("keyset_page", keyset_page),
    ("links", links),
    ("output_schema", output_schema),
    ("rate_limit", rate_limit),
    ("read_result", read_result),
    // SQLite is in a module of its own, which the tests in Node run.
    ("read_result_sql", |_| ()),
    ("shape", shape),
    ("shape_result", shape_result),
    ("shape_snapshot", shape_snapshot),
    ("shape_together", shape_together),
    ("summarize", summarize),
    ("summarize_text", summarize_text),
    ("tool", tool),
];

#[wasm_bindgen_test]
fn every_case_gives_what_it_expects() {
    let files: Vec<_> =
        VECTORS.files().filter(|file| file.path().extension().is_some_and(|end| end == "json")).collect();
    assert!(!files.is_empty(), "no vectors");
    let sentences = VECTORS.get_file("shared/sentences.json").expect("sentences").contents_utf8().unwrap();
    let sentences = Sentences::read(sentences);
    for file in files {
        let name = file.path().file_stem().unwrap().to_str().unwrap();
        let contents: Value = serde_json::from_str(&sentences.put_in(file.contents_utf8().unwrap())).unwrap();
        let named = RUNNERS.iter().find(|(runner, _)| contents["runner"] == *runner);
        let names = || RUNNERS.iter().map(|(runner, _)| *runner).collect::<Vec<_>>().join(", ");
        let (_, run) = named.unwrap_or_else(|| panic!("{name}: runner {} is none of {}", contents["runner"], names()));
        let cases = contents["cases"].as_array().unwrap();
        assert!(!cases.is_empty(), "{name}: no cases");
        for case in cases {
            let mut case = case.clone();
            case["name"] = json!(format!("{name}: {}", case["name"].as_str().unwrap()));
            run(&case);
        }
        console_log!("vectors: {} of {name}", cases.len());
    }
}

/// The relay as WebAssembly; what JavaScript sees of it is tested in Node.
fn conversation(case: &Value) {
    assert_eq!(conversation::run(case, expand), case["expect"], "{}", case["name"]);
}

fn count(case: &Value) {
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
}

/// What a page of rows shows, from values in JavaScript's own form.
fn of_rows(case: &Value, page: impl FnOnce(usize, &JsValue, &str) -> JsValue) {
    if case["spelling"] == json!(true) {
        return;
    }
    let rows = parse(&expand(&case["json"]));
    let result = result(case, |shaper, call| page(shaper, &rows, call));
    let mut wanted = case["expect"].clone();
    if wanted["unchanged"] == json!(true) {
        wanted["text"] = json!(stringify(&rows));
    }
    for (key, value) in result.as_object().unwrap().iter().filter(|(key, _)| *key != "tokensBefore") {
        assert_eq!(*value, wanted[key], "{} {key}", case["name"]);
    }
}

fn keyset_page(case: &Value) {
    of_rows(case, |shaper, rows, call| wasm::keyset_page(shaper, rows, &case["keyset"].to_string(), call));
}

fn links(case: &Value) {
    of_rows(case, |shaper, rows, call| wasm::links(shaper, rows, &case["links"].to_string(), call));
}

fn output_schema(case: &Value) {
    let schema = ask("outputSchema", &json!({ "shaper": shaper(case), "tool": case["tool"] }), &[]);
    assert_eq!(schema, case["expect"], "{}", case["name"]);
}

fn rate_limit(case: &Value) {
    let error = parse(&case["error"].to_string());
    let now = case["now"].as_f64().unwrap();
    let result = read(wasm::rate_limit(shaper(case), &error, &text_of(case, "call"), now));
    assert_eq!(result["text"], case["expect"]["text"], "{}", case["name"]);
}

fn read_result(case: &Value) {
    let is_json = case.get("json").is_some();
    let content = expand(if is_json { &case["json"] } else { &case["text"] });
    let hash: String = sha2::Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
    let mut arguments = case.get("arguments").cloned().unwrap_or(json!({}));
    let extension = if is_json { "json" } else { "txt" };
    arguments["handle"] = match (case.get("handle"), case["named"].as_str().unwrap_or("id")) {
        (Some(handle), _) => handle.clone(),
        (None, "id") => json!(hash),
        (None, "file") => json!(format!("{hash}.{extension}")),
        (None, "address of the id") => json!(format!("toolshape://result/{hash}")),
        (None, "handle") => json!(handle_of(&hash)),
        (None, "address") => json!(format!("toolshape://result/{}", handle_of(&hash))),
        (None, other) => panic!("{other} does not name a result"),
    };
    let mut call = json!({ "tool": "read_result", "arguments": arguments });
    call.as_object_mut().unwrap().extend(case["call"].as_object().cloned().unwrap_or_default());
    let keys = ask("readKeys", &json!({ "shaper": shaper(case), "call": call }), &[]);
    let stored = keys.is_array() && case.get("absent").is_none();
    let key = stored.then(|| match keys.as_array().map(Vec::len) {
        Some(1) => {
            assert_eq!(keys[0], format!("{}.handle", handle_of(&hash)));
            let ticket = ask("ticket", &json!({ "shaper": shaper(case), "key": format!("{hash}.{extension}") }), &[]);
            let open = json!({ "shaper": shaper(case), "purpose": "read", "ticket": ticket, "call": call });
            let opened = ask("open", &open, &[]);
            opened["key"].as_str().unwrap().to_owned()
        }
        _ => keys[usize::from(!is_json)].as_str().unwrap().to_owned(),
    });
    let content = stored.then_some(&*content);
    let request = json!({ "shaper": shaper(case), "key": key, "content": content.map(|_| 1), "call": call });
    let result = facts(&ask("readResult", &request, &content.into_iter().collect::<Vec<_>>()));
    for (name, wanted) in case["expect"].as_object().unwrap() {
        assert_eq!(result[name], *wanted, "{}: {name}", case["name"]);
    }
}

/// The handle of the content with that id, computed digit by digit.
fn handle_of(id: &str) -> String {
    let mut number = u128::from_str_radix(&id[..32], 16).unwrap();
    let mut letters = String::new();
    for _ in 0..16 {
        letters.insert(0, (b'a' + (number % 26) as u8) as char);
        number /= 26;
    }
    letters
}

fn shape(case: &Value) {
    let is_text = case.get("text").is_some();
    let input = expand(if is_text { &case["text"] } else { &case["json"] });
    compare(case, &input, shaped(case, &input, is_text));
    if !is_text && case["spelling"] != json!(true) && case["expect"].get("error").is_none() {
        same_from_value(case, &input);
    }
}

fn summarize_text(case: &Value) {
    let text = expand(&case["text"]);
    let summary = |shaper: usize, call: &str| {
        let call: Value = serde_json::from_str(call).unwrap();
        let request = json!({ "shaper": shaper, "text": 1, "summary": case["summary"], "call": call });
        wasm::call("summarizeText", &request.to_string(), vec![text.as_str().into()])
    };
    compare(case, &text, result(case, summary));
}

/// Compares a result with the expectation of a case; a result that passed is the input.
fn compare(case: &Value, input: &str, result: Value) {
    let mut wanted = case["expect"].clone();
    if wanted["unchanged"] == json!(true) {
        wanted["text"] = json!(input);
    }
    assert_eq!(result, wanted, "{}", case["name"]);
}

fn shape_result(case: &Value) {
    let returned = expand(&case["returned"]);
    let call = text_of(case, "call");
    compare_result(case, read(wasm::shape_result(shaper(case), &parse(&returned), &call)));
    if let Some(text) = sole_text(&returned) {
        compare_result(case, read(wasm::shape_text_result(shaper(case), &text, &call)));
    }
}

/// The text of a result that has one text block and nothing else.
fn sole_text(returned: &str) -> Option<String> {
    let returned: Value = serde_json::from_str(returned).ok()?;
    let [block] = &returned.get("content")?.as_array()?[..] else { return None };
    let text = block.get("text")?.as_str()?;
    let is_sole = returned == json!({ "content": [{ "type": "text", "text": text }] });
    is_sole.then(|| text.to_owned())
}

fn compare_result(case: &Value, mut outcome: Value) {
    if outcome.is_string() {
        // Of a single text that passes only the receipt is returned.
        outcome =
            json!({ "unchanged": true, "isError": false, "receipt": outcome, "content": [0], "structured": true });
    }
    let (name, expect) = (&case["name"], &case["expect"]);
    assert_eq!((&outcome["unchanged"], &outcome["isError"]), (&expect["unchanged"], &expect["isError"]), "{name}");
    let written = |value: &Value| value.as_str().map(|json| serde_json::from_str::<Value>(json).unwrap());
    let mut receipt = written(&outcome["receipt"]).unwrap_or_default();
    if let Some(receipt) = receipt.as_object_mut() {
        // The reported size is compared with the size that is measured here.
        let encoding = read(wasm::encoding(receipt["encoding"].as_str().unwrap())).as_u64().unwrap() as usize;
        let tokens = heaviest(&expect["result"], &|text| wasm::count_tokens(text, encoding));
        let weight = (json!(tokens), json!(heaviest(&expect["result"], &str::len)));
        let has_image = |block: &Value| block["type"] == "image";
        // Images have tokens too, of which this knows nothing.
        if !expect["result"]["content"].as_array().into_iter().flatten().any(has_image) {
            assert_eq!((&receipt["tokensAfter"], &receipt["bytes"]), (&weight.0, &weight.1), "{name}");
        }
        receipt.retain(|name, _| !["tokensAfter", "bytes"].contains(&name.as_str()));
    }
    assert_eq!(receipt, expect["result"]["_meta"]["toolshape/receipt"], "{name}");
    for (at, block) in outcome["content"].as_array().unwrap().iter().enumerate() {
        if let Some(block) = written(block) {
            assert_eq!(block, expect["result"]["content"][at], "{name}");
        }
    }
    if let Some(structured) = written(&outcome["structured"]) {
        assert_eq!(structured, expect["result"]["structuredContent"], "{name}");
    }
}

fn shape_snapshot(case: &Value) {
    let (shaper, call) = (shaper(case), text_of(case, "call"));
    let input = expand(case.get("json").unwrap_or(&case["text"]));
    let first = read(match case.get("json") {
        Some(_) => wasm::shape_json(shaper, &input, &call),
        None => wasm::shape(shaper, &JsValue::from(&input), &call),
    });
    let mut next = case["call"].clone();
    let cursor = first["text"].as_str().unwrap().split_once("ursor\":\"").unwrap().1.split_once('"').unwrap().0;
    next["cursor"] = json!(cursor);
    let keep = &first["keep"];
    let id = ask("snapshot", &json!({ "shaper": shaper, "call": next }), &[]);
    if !id.is_null() {
        // Content that the caller passed in is not returned.
        let (key, content) = (keep["key"].as_str().unwrap(), keep["content"].as_str().unwrap_or(&input));
        let request = json!({ "shaper": shaper, "key": key, "content": 1, "call": next });
        let mut facts = facts(&ask("shapeSnapshot", &request, &[content]));
        let mut asked = case["call"].clone();
        for name in ["store", "arguments", "ownArguments"] {
            asked.as_object_mut().unwrap().remove(name);
        }
        asked["returnedBy"] = json!([asked["tool"].as_str().unwrap_or_default()]);
        (asked["tool"], asked["cursor"]) = (json!("read_result"), json!(cursor));
        let request = json!({ "shaper": shaper, "key": key, "content": 1, "call": asked });
        let alone = ask("readResult", &request, &[content])["text"].clone();
        facts["read"] = if alone == facts["text"] { json!("the same") } else { alone };
        let handle = handle_of(keep["id"].as_str().unwrap());
        assert_eq!((id, &facts), (json!(handle), &case["expect"]), "{}", case["name"]);
        let ticket = ask("ticket", &json!({ "shaper": shaper, "key": key, "call": case["call"] }), &[]);
        let open = json!({ "shaper": shaper, "purpose": "snapshot", "ticket": ticket, "call": next });
        let opened = ask("open", &open, &[]);
        assert_eq!(opened["key"], keep["key"], "{}", case["name"]);
    } else {
        assert_eq!(case["expect"], json!({ "snapshot": null }), "{}", case["name"]);
    }
}

fn shape_together(case: &Value) {
    let given = case["results"].as_array().unwrap();
    let texts: Vec<String> = given.iter().map(|one| expand(one.get("text").unwrap_or(&one["json"]))).collect();
    let values = texts.iter().map(JsValue::from).collect();
    let json = |(one, text): (&Value, &String)| one.get("json").map_or(JsValue::UNDEFINED, |_| text.into());
    let calls = given.iter().map(|one| text_of(one, "call")).collect();
    let limit = json!({ "combinedTokens": case.get("combinedTokens") }).to_string();
    let json = given.iter().zip(&texts).map(json).collect();
    let result = read(wasm::shape_together(shaper(case), values, json, calls, &limit));
    if result.get("toolshapeError").is_some() {
        assert_eq!(fault(&result), case["expect"], "{}", case["name"]);
    } else {
        for ((result, wanted), text) in result.as_array().unwrap().iter().zip(results(case)).zip(&texts) {
            let mut wanted = wanted.clone();
            if wanted["unchanged"] == json!(true) {
                wanted["text"] = json!(text);
            }
            assert_eq!(facts(result), wanted, "{}", case["name"]);
        }
    }
}

fn summarize(case: &Value) {
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
    let request = json!({ "shaper": shaper(case), "key": key, "content": content.as_ref().map(|_| 1), "call": call });
    let asked = ask("toSummarize", &request, &content.iter().map(|content| &**content).collect::<Vec<_>>());
    let mut result = match asked.get("summary") {
        None => facts(&asked),
        Some(summary) => {
            let text = asked["text"].as_str().unwrap();
            let request = json!({ "shaper": shaper(case), "text": 1, "summary": summary, "call": call });
            let mut result = facts(&ask("summarizeText", &request, &[text]));
            result["summary"] = summary.clone();
            result
        }
    };
    if result["unchanged"] == json!(true) {
        result.as_object_mut().unwrap().remove("text");
    }
    assert_eq!(result, case["expect"], "{}", case["name"]);
}

fn tool(case: &Value) {
    let request = json!({ "shaper": shaper(case), "tool": case["tool"], "hasStore": case["store"] == true });
    assert_eq!(ask("tool", &request, &[]), case["expect"], "{}", case["name"]);
}

/// The outcome of a case, in the form of its expectation.
fn shaped(case: &Value, input: &str, is_text: bool) -> Value {
    result(case, |shaper, call| match is_text {
        true => measured(wasm::shape(shaper, &JsValue::from_str(input), call), shaper, call),
        false => match wasm::shape_json(shaper, input, call) {
            passed if passed.is_null() => measured(input.into(), shaper, call),
            shaped => shaped,
        },
    })
}

/// A shaped result, or a text that passed, with its receipt on request.
fn measured(shaped: JsValue, shaper: usize, call: &str) -> JsValue {
    let Some(text) = shaped.as_string() else { return shaped };
    let receipt = read(wasm::receipt(shaper, &text, call));
    let outcome = json!({ "text": text, "unchanged": true, "isError": false, "receipt": receipt, "keep": null });
    parse(&outcome.to_string())
}

/// The outcome of a call with the policy and the call of a case, in the form of its expectation.
fn result(case: &Value, run: impl FnOnce(usize, &str) -> JsValue) -> Value {
    let shaper = ask("shaper", &json!({ "policy": case["policy"] }), &[]);
    let Some(handle) = shaper.as_u64() else { return fault(&shaper) };
    let result = read(run(handle as usize, &text_of(case, "call")));
    if result.get("toolshapeError").is_some() { fault(&result) } else { facts(&result) }
}

/// The same value in JavaScript's own form gives the same result, unless that is shaped as text.
fn same_from_value(case: &Value, input: &str) {
    let value = parse(input);
    if value.is_string() {
        return;
    }
    let (expect, name) = (&case["expect"], &case["name"]);
    let (shaper, call) = (shaper(case), text_of(case, "call"));
    let result = facts(&read(measured(wasm::shape(shaper, &value, &call), shaper, &call)));
    // Values contain no white space, so there is nothing to minify and it costs nothing.
    let steps: Vec<&Value> = expect["steps"].as_array().unwrap().iter().filter(|step| **step != "minify").collect();
    assert_eq!(result["steps"], json!(steps), "{name}");
    assert_eq!(result["isError"], expect["isError"], "{name}");
    assert_eq!(result["keep"], expect["keep"], "{name}");
    if expect["unchanged"] == json!(true) || steps.is_empty() {
        assert_eq!(result["text"], json!(stringify(&value)), "{name}");
    } else {
        assert_eq!(result["text"], expect["text"], "{name}");
    }
}

fn facts(result: &Value) -> Value {
    let receipt: Value = serde_json::from_str(result["receipt"].as_str().unwrap()).unwrap();
    // The tokens and bytes of a result follow from its text, so no case contains them.
    let text = result["text"].as_str().unwrap();
    let encoding = read(wasm::encoding(receipt["encoding"].as_str().unwrap())).as_u64().unwrap() as usize;
    let image = result["image"].as_str();
    // An image has the tokens of its pixels.
    if image.is_none() {
        assert_eq!(receipt["tokensAfter"], json!(wasm::count_tokens(text, encoding)), "{text}");
        assert_eq!(receipt["bytes"], json!(text.len()), "{text}");
    }
    let mut facts = json!({
        "text": result["text"],
        "unchanged": result["unchanged"],
        "isError": result["isError"],
        "steps": receipt["steps"],
        "tokensBefore": receipt["tokensBefore"],
    });
    if let Some(image) = image {
        facts["image"] = json!(image);
    }
    if !result["keep"].is_null() {
        facts["keep"] = result["keep"]["key"].clone();
    }
    facts
}

/// The expectations of a case for each of its results.
fn results(case: &Value) -> &[Value] {
    case["expect"]["results"].as_array().unwrap()
}

fn fault(result: &Value) -> Value {
    json!({ "error": result["toolshapeError"], "path": result["path"] })
}

fn shaper(case: &Value) -> usize {
    ask("shaper", &json!({ "policy": case["policy"] }), &[]).as_u64().unwrap() as usize
}

/// What a method that all faces share returns.
fn ask(method: &str, members: &Value, parts: &[&str]) -> Value {
    read(wasm::call(method, &members.to_string(), parts.iter().map(|part| JsValue::from(*part)).collect()))
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

/// A text of a case: itself, or its expanded `repeat`.
fn expand(text: &Value) -> String {
    if let Some(text) = text.as_str() {
        return text.to_owned();
    }
    let part = |name: &str| text["repeat"][name].as_str().unwrap_or_default();
    let times = text["repeat"]["times"].as_u64().unwrap();
    let items: Vec<String> = (0..times).map(|i| part("item").replace("${i}", &i.to_string())).collect();
    format!("{}{}{}", part("prefix"), items.join(part("separator")), part("suffix"))
}
