//! The inputs that a corpus begins with: the cases in `vectors/`, in the form that [`crate::input`] describes.

use std::path::Path;
use std::{fs, io};

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Writes the seeds of a target into its corpus, except for longer ones; those that are there stay.
///
/// # Errors
/// Those of reading `vectors/` and of writing the corpus.
pub fn write(target: &str, corpus: &Path, longest: usize) -> io::Result<()> {
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors"))? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let file: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
        let runner = file["runner"].as_str().unwrap_or_default();
        for case in file["cases"].as_array().into_iter().flatten() {
            let Some(seed) = seed(target, runner, case).filter(|seed| seed.len() <= longest) else { continue };
            let hash: String = Sha256::digest(&seed).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            let file = corpus.join(format!("seed-{hash}"));
            if !file.exists() {
                fs::write(&file, seed)?;
            }
        }
    }
    Ok(())
}

/// A case as an input of a target; `None` if the target has no use for it.
fn seed(target: &str, runner: &str, case: &Value) -> Option<String> {
    if (target, runner) == ("relay", "conversation") {
        return conversation(case);
    }
    let mut head = Map::new();
    let (body, members): (Option<&Value>, &[&str]) = match (target, runner) {
        ("shape" | "cursors", "shape" | "shape_snapshot" | "keyset_page" | "links") => {
            (case.get("json").or(case.get("text")), &["policy", "call"])
        }
        ("dense", "shape" | "shape_snapshot" | "read_result" | "read_result_sql") if case.get("json").is_some() => {
            (case.get("json"), &[])
        }
        ("read_result", "read_result" | "read_result_sql") => {
            (case.get("json").or(case.get("text")), &["policy", "arguments"])
        }
        ("tokens", "count_tokens") => (case.get("text"), &["encoding"]),
        ("mcp", "shape_result") => (case.get("returned"), &["policy", "call"]),
        ("mcp", "tool" | "output_schema") if case.get("tool").is_some_and(Value::is_object) => {
            (None, &["policy", "tool"])
        }
        ("summaries", "summarize_text") => (case.get("text"), &["policy", "call", "summary"]),
        ("summaries", "shape") if ["series", "grid"].iter().any(|name| case["policy"].get(name).is_some()) => {
            (case.get("json"), &["policy", "call"])
        }
        _ => return None,
    };
    for name in members {
        if let Some(value) = case.get(*name) {
            head.insert((*name).to_owned(), value.clone());
        }
    }
    if case.get("text").is_some() && target != "tokens" {
        head.insert("text".to_owned(), json!(true));
    }
    let body = body.map_or(Some("{}".to_owned()), expand)?;
    Some(format!("{}\n{body}", Value::Object(head)))
}

/// A conversation, whose lines that are JSON are in the body unchanged, until the server ends.
fn conversation(case: &Value) -> Option<String> {
    let mut head = Map::new();
    for name in ["policy", "store", "resultArguments"] {
        head.extend(case.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    let mut steps = Vec::new();
    for step in case["steps"].as_array()? {
        let (side, line) = step.as_object()?.iter().next()?;
        if side == "serverEnded" {
            break;
        }
        let line = expand(line)?;
        let is_json = serde_json::from_str::<Value>(&line).is_ok();
        steps.push(format!("{{\"{side}\":{}}}", if is_json { line } else { Value::from(line).to_string() }));
    }
    Some(format!("{}\n[{}]", Value::Object(head), steps.join(",")))
}

/// A text of a case: itself, or its expanded `repeat`.
fn expand(text: &Value) -> Option<String> {
    if let Some(text) = text.as_str() {
        return Some(text.to_owned());
    }
    let repeat = text.get("repeat")?;
    let part = |name: &str| repeat[name].as_str().unwrap_or_default();
    let times = repeat["times"].as_u64()?;
    let items: Vec<String> = (0..times).map(|i| part("item").replace("${i}", &i.to_string())).collect();
    Some(format!("{}{}{}", part("prefix"), items.join(part("separator")), part("suffix")))
}
