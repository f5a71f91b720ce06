//! The cases of `vectors/shared/redaction.json`: what may leave, which every door repeats.

use serde::Deserialize;
use serde_json::{Value, json};
use toolshape::host::{JsonText, Redaction};

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    #[serde(default)]
    fields: Vec<String>,
    #[serde(default)]
    texts: Vec<String>,
    text: String,
    /// What is nowhere in what leaves.
    secrets: Vec<String>,
    /// What is in it still.
    keeps: Vec<String>,
}

/// What is wrong with what is left of a case's text.
fn fault(case: &Case, left: &str) -> Option<String> {
    let shown = case.secrets.iter().find(|secret| left.contains(*secret));
    let lost = case.keeps.iter().find(|kept| !left.contains(*kept));
    (shown.is_some() || lost.is_some()).then(|| format!("{}: shown {shown:?}, lost {lost:?}: {left:?}", case.name))
}

fn names(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

#[test]
fn no_case_leaves_with_its_secret() {
    let cases: Cases = serde_json::from_str(include_str!("../vectors/shared/redaction.json")).unwrap();
    let mut faults = Vec::new();
    for case in &cases.cases {
        let redaction = Redaction::new(&names(&case.fields), &names(&case.texts)).unwrap();
        let left = redaction.of_text(&case.text).unwrap_or_else(|| case.text.clone());
        faults.extend(fault(case, &left));
        // As SDKs report what a tool throws.
        let reported = format!("Error calling tool 'read': {}", case.text);
        let left = redaction.of_text(&reported).unwrap_or_else(|| reported.clone());
        faults.extend(fault(case, &left).map(|fault| format!("behind a prefix, {fault}")));
        // The same as a string of JSON, and once more.
        let inside = json!({ "content": [{ "type": "text", "text": case.text }] }).to_string();
        let left = redaction.of_json(&inside).unwrap_or_else(|| inside.clone());
        assert!(JsonText::parse(&left).is_ok(), "{left}");
        assert_eq!(redaction.of_json(&left), None, "{}: redacted twice", case.name);
        let left: Value = serde_json::from_str(&left).unwrap();
        faults.extend(
            fault(case, left["content"][0]["text"].as_str().unwrap_or_default())
                .map(|fault| format!("in JSON, {fault}")),
        );
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
