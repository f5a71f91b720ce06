//! The shared cases in `vectors/`, which every face runs; with `UPDATE_VECTORS` set this run, and no
//! other face's, writes their expectations anew.

use std::path::Path;

use serde_json::{Value, json};
use toolshape::{
    Call, Encoding, Error, JsonText, Keyset, Links, Naming, Policy, Shaper, TextSummary, count_tokens, fits_tokens,
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
fn results_are_described() {
    let ran = run("output_schemas", "expect", |case| {
        let shaper = Shaper::new(Policy::new(&case["policy"], Naming::Camel).unwrap());
        json!(shaper.output_schema(case["tool"].as_str()))
    });
    println!("vectors: {ran} schemas");
}

#[test]
fn tokens_are_counted() {
    let ran = run("tokens", "count", |case| {
        let encoding = Encoding::from_name(case["encoding"].as_str().unwrap()).unwrap();
        let text = expand(&case["text"]);
        let count = count_tokens(&text, encoding);
        assert_eq!(fits_tokens(&text, count, encoding), Some(count));
        assert_eq!(count.checked_sub(1).and_then(|less| fits_tokens(&text, less, encoding)), None);
        json!(count)
    });
    println!("vectors: {ran} counts");
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
        let receipt = &shaped.receipt;
        let mut expect = json!({
            "unchanged": shaped.unchanged,
            "isError": shaped.is_error,
            "steps": receipt.steps,
            "tokensBefore": receipt.tokens_before,
            "tokensAfter": receipt.tokens_after,
        });
        if let Some(keep) = &shaped.keep {
            promises::kept(&source, case.get("text").is_some(), &shaped);
            expect["keep"] = json!(keep.key);
        }
        if !shaped.unchanged {
            expect["text"] = json!(shaped.text);
        }
        if case.get("keyset").is_some() {
            let page: Value = serde_json::from_str(&shaped.text).unwrap();
            expect["after"] = json!(shaper.decode_keyset(page["nextCursor"].as_str(), &call)?);
        }
        Ok(expect)
    };
    attempt().unwrap_or_else(|error| json!({ "error": error.code().as_str(), "path": error.path() }))
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
