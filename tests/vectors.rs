//! The shared cases in `vectors/`, which every face runs; with `UPDATE_VECTORS` set this run, and no
//! other face's, writes their expectations anew.

use std::path::Path;

use serde_json::{Value, json};
use sha2::Digest;
use toolshape::{
    Call, Encoding, Error, JsonText, Keyset, Links, Naming, Policy, Returned, Shaped, Shaper, Side, TextSummary,
    ToSummarize, Together, count_tokens, decode, encode, fits_tokens, infer_schema, truncate_to_tokens,
};

use crate::promises;

#[test]
fn results_are_shaped() {
    let mut names = std::collections::HashSet::new();
    let mut ran = 0;
    for file in [
        "text",
        "lists",
        "objects",
        "fields",
        "columns",
        "cursors",
        "overflow",
        "spelling",
        "policy",
        "calls",
        "keyset",
        "links",
        "offload",
        "store",
        "summarize_text",
        "series",
        "grids",
    ] {
        ran += run(file, "expect", |case| {
            let name = case["name"].as_str().unwrap();
            assert!(names.insert(format!("{file}: {name}")), "{file}: {name} stands twice");
            shape(case)
        });
    }
    println!("vectors: {ran} results");
    assert!(ran >= 100, "only {ran} cases");
}

#[test]
fn results_are_shaped_together() {
    let ran = run("together", "expect", shape_together);
    println!("vectors: {ran} results that come back together");
}

#[test]
fn pages_come_from_the_store() {
    let ran = run("snapshots", "expect", shape_next);
    println!("vectors: {ran} snapshots");
}

#[test]
fn results_are_described() {
    let ran = run("output_schemas", "expect", |case| {
        let shaper = Shaper::new(Policy::new(&case["policy"], Naming::Camel).unwrap());
        json!(shaper.output_schema(case["tool"].as_str()))
    });
    println!("vectors: {ran} schemas");
}

/// Longer texts are told by their counts.
const MOST_SPELLED: usize = 100;

#[test]
fn tokens_are_counted() {
    let ran = run("tokens", "expect", |case| {
        let encoding = Encoding::from_name(case["encoding"].as_str().unwrap()).unwrap();
        let text = expand(&case["text"]);
        let count = count_tokens(&text, encoding);
        assert_eq!(fits_tokens(&text, count, encoding), Some(count));
        assert_eq!(count.checked_sub(1).and_then(|less| fits_tokens(&text, less, encoding)), None);
        let [head, tail] = [Side::Head, Side::Tail].map(|side| truncate_to_tokens(&text, count / 2, encoding, side));
        if let Ok(tokens) = encode(&text, encoding) {
            assert_eq!(decode(&tokens, encoding).unwrap(), text);
        }
        if count > MOST_SPELLED {
            return json!({ "count": count, "headBytes": head.len(), "tailBytes": tail.len() });
        }
        json!({ "count": count, "tokens": encode(&text, encoding).ok(), "head": head, "tail": tail })
    });
    println!("vectors: {ran} counts");
}

#[test]
fn stored_results_are_read_back() {
    let ran = run("read_back", "expect", |case| {
        let policy = case.get("policy").cloned().unwrap_or(json!({}));
        let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).unwrap());
        let (extension, content) = match case.get("json") {
            Some(json) => ("json", expand(json)),
            None => ("txt", expand(&case["text"])),
        };
        let hash: String = sha2::Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
        let mut arguments = case.get("arguments").cloned().unwrap_or(json!({}));
        arguments["handle"] = match (case.get("handle"), case.get("address")) {
            (Some(handle), _) => handle.clone(),
            (None, Some(_)) => json!(format!("toolshape://result/{hash}")),
            (None, None) => json!(hash),
        };
        let call = json!({ "tool": "read_result", "arguments": arguments });
        let call = Call::new(&call, Naming::Camel).unwrap();
        let keys = shaper.read_keys(&call);
        let key = format!(
            "{}.{extension}",
            arguments["handle"].as_str().map_or("", |handle| handle.rsplit('/').next().unwrap())
        );
        let stored = keys.as_ref().ok().filter(|_| case.get("absent").is_none()).map(|keys| {
            assert!(keys.contains(&key), "{key} is none of {keys:?}");
            (key.as_str(), content.as_str())
        });
        let shaped = shaper.read_result(stored, &call).unwrap();
        if !shaped.unchanged {
            promises::whole(&shaped);
        }
        promises::fits(&shaped);
        if let Err(error) = keys {
            assert_eq!(shaper.refusal(&error, &call).unwrap().text, shaped.text);
        }
        json!({
            "unchanged": shaped.unchanged,
            "isError": shaped.is_error,
            "steps": shaped.receipt.steps,
            "tokensAfter": shaped.receipt.tokens_after,
            "text": shaped.text,
        })
    });
    println!("vectors: {ran} read back");
}

#[test]
fn calls_of_summarize_are_answered() {
    let ran = run("summarize_tool", "expect", summarize);
    println!("vectors: {ran} summaries by the tool");
}

#[test]
fn schemas_are_inferred() {
    let ran = run("schema", "expect", |case| match infer_schema(&expand(&case["json"])) {
        Ok(schema) => json!(schema),
        Err(error) => json!({ "error": error.code().as_str(), "path": error.path() }),
    });
    println!("vectors: {ran} schemas");
}

#[test]
fn tool_results_are_shaped() {
    let ran = run("mcp", "expect", |case| {
        let shape = || -> Result<Value, Error> {
            let (shaper, call) = shaper_and_call(case)?;
            let returned = expand(&case["returned"]);
            let returned = JsonText::parse(&returned)?;
            let shaped = shaper.shape_result(&returned, &call)?;
            let result: Value = serde_json::from_str(&shaped.to_json(&returned)?).unwrap();
            promises::result_fits(&result);
            Ok(json!({ "unchanged": shaped.unchanged, "isError": shaped.is_error, "result": result }))
        };
        shape().unwrap_or_else(|error| json!({ "error": error.code().as_str(), "path": error.path() }))
    });
    println!("vectors: {ran} tool results");
}

#[test]
fn tools_are_told_to_clients() {
    let ran = run("mcp_tools", "expect", |case| shaper_and_call(case).unwrap().0.tool(&case["tool"]).to_json());
    println!("vectors: {ran} tools");
}

/// Runs the cases of a file and compares, or writes, what they expect.
fn run(file: &str, expected: &str, mut result: impl FnMut(&Value) -> Value) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(format!("{file}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut contents: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    let cases = contents["cases"].as_array_mut().unwrap();
    assert!(!cases.is_empty(), "{file} has no cases");
    let ran = cases.len();
    let mut wrong = Vec::new();
    for case in cases {
        let result = result(case);
        if case.get(expected) != Some(&result) {
            wrong.push(format!("{file}: {}\n  gives {result}\n  wants {}", case["name"], case[expected]));
            case[expected] = result;
        }
    }
    if std::env::var_os("UPDATE_VECTORS").is_some() {
        std::fs::write(&path, serde_json::to_string_pretty(&contents).unwrap() + "\n").unwrap();
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
    ran
}

fn shaper_and_call(case: &Value) -> Result<(Shaper, Call), Error> {
    let shaper = match case.get("policy").unwrap_or(&Value::Null) {
        Value::Null => Shaper::default(),
        policy => Shaper::new(Policy::new(policy, Naming::Camel)?),
    };
    let call = case.get("call").map_or(Ok(Call::default()), |call| Call::new(call, Naming::Camel))?;
    Ok((shaper, call))
}

fn shape(case: &Value) -> Value {
    let attempt = || -> Result<Value, Error> {
        let (shaper, call) = shaper_and_call(case)?;
        let (source, shaped) = match (case.get("json"), case.get("text")) {
            (Some(json), None) => {
                let source = expand(json);
                let rows = JsonText::parse(&source)?;
                let shaped = match (case.get("keyset"), case.get("links")) {
                    (Some(keyset), None) => shaper.keyset_page(&rows, &Keyset::new(keyset, Naming::Camel)?, &call)?,
                    (None, Some(links)) => shaper.links(&rows, &Links::new(links, Naming::Camel)?, &call)?,
                    _ => shaper.shape_json(&source, &call)?,
                };
                promises::whole(&shaped);
                (source, shaped)
            }
            (None, Some(text)) => {
                let source = expand(text);
                let shaped = match case.get("summary") {
                    None => shaper.shape_text(&source, &call)?,
                    Some(summary) => {
                        let shaped =
                            shaper.summarize_text(&source, &TextSummary::new(summary, Naming::Camel)?, &call)?;
                        promises::extractive(&source, &shaped);
                        shaped
                    }
                };
                (source, shaped)
            }
            _ => panic!("{} needs either json or text", case["name"]),
        };
        promises::fits(&shaped);
        promises::out_of_the_way(&source, &shaped);
        if shaped.keep.is_some() {
            promises::kept(&source, case.get("text").is_some(), &shaped);
        }
        let mut expect = facts(&shaped);
        if case.get("keyset").is_some() {
            let page: Value = serde_json::from_str(&shaped.text).unwrap();
            expect["after"] = json!(shaper.decode_keyset(page["nextCursor"].as_str(), &call)?);
        }
        Ok(expect)
    };
    attempt().unwrap_or_else(|error| fault(&error))
}

/// The facts of a result that every face has to show.
fn facts(shaped: &Shaped) -> Value {
    let receipt = &shaped.receipt;
    let mut facts = json!({
        "unchanged": shaped.unchanged,
        "isError": shaped.is_error,
        "steps": receipt.steps,
        "tokensBefore": receipt.tokens_before,
        "tokensAfter": receipt.tokens_after,
    });
    if let Some(keep) = &shaped.keep {
        facts["keep"] = json!(keep.key);
    }
    if !shaped.unchanged {
        facts["text"] = json!(shaped.text);
    }
    facts
}

fn fault(error: &Error) -> Value {
    json!({ "error": error.code().as_str(), "path": error.path() })
}

fn read_policy(case: &Value) -> Result<Shaper, Error> {
    Ok(Shaper::new(Policy::new(case.get("policy").unwrap_or(&json!({})), Naming::Camel)?))
}

fn shape_together(case: &Value) -> Value {
    let attempt = || -> Result<Value, Error> {
        let shaper = read_policy(case)?;
        let given = case["results"].as_array().unwrap();
        let texts: Vec<String> = given.iter().map(|one| expand(one.get("text").unwrap_or(&one["json"]))).collect();
        let calls = given.iter().map(|one| Call::new(one.get("call").unwrap_or(&json!({})), Naming::Camel));
        let calls = calls.collect::<Result<Vec<_>, _>>()?;
        let results = given.iter().zip(&texts).zip(&calls).enumerate().map(|(at, ((one, text), call))| {
            let json = one.get("json").map(|_| Returned::json(text, call));
            json.unwrap_or_else(|| Ok(Returned::text(text, call))).map_err(|error| error.under(at))
        });
        let together = Together::new(&json!({ "combinedTokens": case.get("combinedTokens") }), Naming::Camel)?;
        let shaped = shaper.shape_together(&results.collect::<Result<Vec<_>, _>>()?, &together)?;
        shaped.iter().for_each(promises::fits);
        Ok(json!({ "results": shaped.iter().map(facts).collect::<Vec<_>>() }))
    };
    attempt().unwrap_or_else(|error| fault(&error))
}

/// The answer to a call of `summarize`, and what a summarizer of the host's is told on the way.
fn summarize(case: &Value) -> Value {
    let shaper = read_policy(case).unwrap();
    let mut arguments = case["arguments"].clone();
    if let Some(text) = case["arguments"].get("text") {
        arguments["text"] = if text.is_object() { json!(expand(text)) } else { text.clone() };
    }
    let extension = if case.get("json").is_some() { "json" } else { "txt" };
    let stored = case.get("json").or(case.get("text")).map(|content| {
        let content = expand(content);
        let hash: String = sha2::Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
        arguments["handle"] = json!(format!("toolshape://result/{hash}"));
        (format!("{hash}.{extension}"), content)
    });
    let stored = stored.as_ref().filter(|_| case.get("absent").is_none());
    let mut call = case.get("call").cloned().unwrap_or(json!({}));
    call["tool"] = json!("summarize");
    call["arguments"] = arguments;
    let call = Call::new(&call, Naming::Camel).unwrap();
    match shaper.to_summarize(stored.map(|(key, content)| (key.as_str(), content.as_str())), &call).unwrap() {
        ToSummarize::Answered(shaped) => {
            promises::fits(&shaped);
            facts(&shaped)
        }
        ToSummarize::Text { text, mut summary, max_tokens } => {
            let told = summary.clone();
            summary
                .as_object_mut()
                .unwrap()
                .extend(case.get("own").and_then(Value::as_object).cloned().unwrap_or_default());
            let options = TextSummary::new(&summary, Naming::Camel).unwrap();
            let shaped = shaper.summarize_text(&text, &options, &call).unwrap();
            promises::fits(&shaped);
            promises::whole(&shaped);
            let mut facts = facts(&shaped);
            facts["summary"] = told;
            facts["maxTokens"] = json!(max_tokens);
            facts
        }
    }
}

/// What follows the cursor of a case's result, from what was stored with it.
fn shape_next(case: &Value) -> Value {
    let shaper = read_policy(case).unwrap();
    let call = |cursor: Option<&str>| {
        let mut call = case["call"].clone();
        call["cursor"] = json!(cursor);
        Call::new(&call, Naming::Camel).unwrap()
    };
    let source = expand(case.get("json").unwrap_or(&case["text"]));
    let first = match case.get("json") {
        Some(_) => shaper.shape_json(&source, &call(None)).unwrap(),
        None => shaper.shape_text(&source, &call(None)).unwrap(),
    };
    let next = &call(Some(cursor_in(&first.text)));
    let keep = first.keep.unwrap();
    let content = keep.content.unwrap_or(source);
    let id = shaper.snapshot(next).unwrap();
    let Some(id) = id else { return json!({ "snapshot": null }) };
    assert_eq!(id, keep.id);
    assert_eq!(shaper.shape_snapshot(&keep.key, &format!("{content} "), next).unwrap(), None);
    let shaped = shaper.shape_snapshot(&keep.key, &content, next).unwrap().unwrap();
    promises::fits(&shaped);
    facts(&shaped)
}

fn cursor_in(text: &str) -> &str {
    text.split_once("ursor\":\"").unwrap().1.split_once('"').unwrap().0
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
