//! The command line and the configuration file: what they do, and what they say when they are wrong.

#![cfg(unix)]

mod talk;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use talk::{Talk, call};
use toolshape::host::expand;

/// An empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A server whose tools return 300 rows.
fn rows() -> [String; 3] {
    let rows: Vec<Value> = (0..300).map(|id| json!({ "id": id, "name": format!("row {id}") })).collect();
    let text = json!(rows).to_string();
    let result = json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": [{ "type": "text", "text": text }] } });
    ["sh", "-c", &format!("while read -r line; do printf '%s\\n' '{result}'; done")].map(str::to_owned)
}

fn with(options: &[&str]) -> Talk {
    let options = options.iter().map(|&option| option.to_owned());
    Talk::new(options.chain(["--".to_owned()]).chain(rows()).collect())
}

/// The page that the client gets of the rows.
fn page(talk: &mut Talk) -> Value {
    talk.say(&call(1, "list"));
    let message: Value = serde_json::from_str(&talk.hear()).unwrap();
    serde_json::from_str(&expand(message["result"]["content"][0]["text"].as_str().unwrap()).unwrap()).unwrap()
}

fn outcome(options: &[&str]) -> (i32, String) {
    let talk = with(options);
    let ended = talk.end();
    (ended.code, ended.errors)
}

#[test]
fn a_result_is_stored_unless_said() {
    assert!(page(&mut with(&[])).get("uri").is_some());
    assert!(page(&mut with(&["--no-store"])).get("uri").is_none());
}

#[test]
fn the_file_and_the_command_line_say_the_budget() {
    let file = folder("budget").join("own.json");
    fs::write(&file, json!({ "$schema": "x", "maxTokens": 300, "store": false }).to_string()).unwrap();
    let file = file.to_str().unwrap();
    let few = page(&mut with(&["--config", file]));
    let more = page(&mut with(&["--policy", file, "--max-tokens", "2000"]));
    let rows = |page: &Value| page["items"].as_array().unwrap().len();
    assert!(rows(&few) < rows(&more) && few.get("uri").is_none(), "{few} {more}");
}

#[test]
fn a_process_for_each_call_finds_what_an_earlier_one_kept() {
    let first = page(&mut with(&[]));
    let handle = first["uri"].as_str().unwrap().rsplit('/').next().unwrap();
    let cache = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache/toolshape");
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&fs::metadata(&cache).unwrap()) & 0o777, 0o700);
    let mut another = with(&[]);
    let asked = json!({ "handle": handle, "pointer": "/70" });
    another.say(&json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": { "name": "read_result", "arguments": asked } }).to_string());
    let answer = another.hear();
    assert!(answer.contains(r#"{\"id\":70,\"name\":\"row 70\"}"#), "{answer}");
}

#[test]
fn a_folder_keeps_results_for_another_process() {
    let folder = folder("kept");
    let place = folder.join("results");
    let first = page(&mut with(&["--store", place.to_str().unwrap()]));
    let handle = first["uri"].as_str().unwrap().rsplit('/').next().unwrap();
    let mut names: Vec<String> = fs::read_dir(&place)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| name.rsplit('.').next().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["handle", "handle", "json", "toolshape-store"]);
    let mut other = with(&["--store", place.to_str().unwrap()]);
    let asked = json!({ "handle": handle, "sql": "SELECT count(*), max(id) FROM result" });
    other.say(&json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": { "name": "read_result", "arguments": asked } }).to_string());
    assert!(other.hear().contains(r#"\"rows\":[[300,299]]"#));
}

#[test]
fn the_relay_answers_sql_over_several_results() {
    let mut talk = with(&["--no-store"]);
    let kept = page(&mut talk);
    assert!(kept.get("uri").is_none());
    let mut talk = with(&[]);
    let handle = page(&mut talk)["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let mut ask = |arguments: Value| -> Value {
        talk.say(&json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": { "name": "read_result", "arguments": arguments } }).to_string());
        let message: Value = serde_json::from_str(&talk.hear()).unwrap();
        serde_json::from_str(&expand(message["result"]["content"][0]["text"].as_str().unwrap()).unwrap()).unwrap()
    };
    let joined =
        ask(json!({ "sql": format!("SELECT count(*), max(a.id) FROM {handle} a JOIN {handle} b ON a.id = b.id + 1") }));
    assert_eq!(joined["rows"], json!([[299, 299]]), "{joined}");
    assert_eq!(ask(json!({ "sql": "SELECT 7" }))["rows"], json!([[7]]));
    let missing = ask(json!({ "sql": format!("SELECT 1 FROM {handle}, abcdefghijklmnop") }));
    assert_eq!(missing["error"], "NOT_FOUND", "{missing}");
}

#[test]
fn a_file_is_asked_in_sql() {
    let file = folder("asked").join("rows.csv");
    let rows: String = (0..50).map(|id| format!("{id},name {},{}.5\n", id % 5, id)).collect();
    fs::write(&file, format!("id,name,price\n{rows}")).unwrap();
    let asked = ["shape", "--sql", "SELECT name, sum(price) FROM result GROUP BY 1 LIMIT 1", file.to_str().unwrap()];
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_toolshape")).args(asked).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["rows"], json!([["name 0", 230.0]]), "{answer}");
}

#[test]
fn a_folder_of_others_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("others");
    fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
    let (code, open) = outcome(&["--store", folder.to_str().unwrap()]);
    assert!(code == 1 && open.contains("(0700)"), "{open}");
    fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).unwrap();
    fs::write(folder.join("mine.txt"), "x").unwrap();
    let (_, other) = outcome(&["--store", folder.to_str().unwrap()]);
    assert!(other.contains("is not empty"), "{other}");
}

#[test]
fn a_redis_that_is_not_there_is_said_and_the_call_succeeds() {
    let page = page(&mut with(&["--store", "redis://127.0.0.1:1"]));
    assert_eq!(page["totalItems"], 300);
    assert!(page.get("uri").is_none() && page["storeFailed"].is_string(), "{page}");
}

#[test]
fn a_recording_has_what_both_sides_wrote() {
    let file = folder("recorded").join("talk.jsonl");
    let mut talk = with(&["--record", file.to_str().unwrap()]);
    page(&mut talk);
    let lines: Vec<Value> =
        fs::read_to_string(&file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["from"], "client");
    assert_eq!(lines[0]["message"]["method"], "tools/call");
    assert_eq!(lines[1]["from"], "server");
    let whole: Value =
        serde_json::from_str(lines[1]["message"]["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(whole.as_array().unwrap().len(), 300);
    assert!(lines[1]["at"].as_u64().unwrap() > 1_700_000_000_000);
}

#[test]
fn a_file_of_options_may_have_comments() {
    let file = folder("comments").join("toolshape.json");
    fs::write(&file, "{ // a comment\n  \"maxTokens\": 300, /* and one more */\n}").unwrap();
    let file = file.to_str().unwrap();
    let rows = |page: &Value| page["items"].as_array().unwrap().len();
    let few = page(&mut with(&["--config", file]));
    assert!(rows(&few) < rows(&page(&mut with(&["--config", file, "--set", "maxTokens=2000"]))));
}

#[test]
fn an_option_of_one_tool_is_set_by_its_name() {
    assert!(page(&mut with(&["--set", "tools.list=false"])).is_array());
    assert!(page(&mut with(&["--set", "tools.my.list={\"maxTokens\":300}"])).is_object());
    let (code, said) = outcome(&["--set", "tools.list=no"]);
    assert!(code == 2 && said.contains("tools.list takes an object of options, or false"), "{said}");
}

#[test]
fn a_recording_is_its_owner_s() {
    use std::os::unix::fs::PermissionsExt;
    let file = folder("private").join("talk.jsonl");
    page(&mut with(&["--record", file.to_str().unwrap()]));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_wrong_option_is_named_with_what_is_allowed() {
    let file = folder("wrong").join("toolshape.json");
    fs::write(&file, r#"{ "maxToken": 300 }"#).unwrap();
    let (code, wrong) = outcome(&["--config", file.to_str().unwrap()]);
    assert!(
        code == 2 && wrong.ends_with("toolshape.json: unknown option maxToken; did you mean maxTokens?\n"),
        "{wrong}"
    );
    fs::write(&file, "{ 1 }").unwrap();
    let (_, no_json) = outcome(&["--config", file.to_str().unwrap()]);
    assert!(no_json.contains("is not JSON") && no_json.contains("line 1 column 3"), "{no_json}");
    let (code, budget) = outcome(&["--max-tokens", "20"]);
    assert_eq!((code, &*budget), (2, "toolshape: maxTokens is 20; it takes a whole number from 200 to 10000000\n"));
    let (code, bytes) = outcome(&["--max-line-bytes", "5"]);
    assert!(code == 2 && bytes.contains("maxLineBytes is 5"), "{bytes}");
    for wrong in ["preview=tial", "prview=tail", "preview"] {
        let (code, said) = outcome(&["--set", wrong]);
        assert!(code == 2 && said.contains("review"), "{said}");
    }
    let (code, no_number) = outcome(&["--max-tokens", "2k"]);
    assert!(code == 2 && no_number.contains("'2k'") && no_number.contains("must be a whole number"), "{no_number}");
    let (code, unknown) = outcome(&["--max-token", "300"]);
    assert!(code == 2 && unknown.contains("--max-tokens"), "{unknown}");
    let (_, store) = outcome(&["--store", "http://h"]);
    assert!(store.contains("redis://"), "{store}");
}

#[test]
fn options_end_at_the_command_with_and_without_dashes() {
    let echo = ["sh", "-c", r#"printf '{"args":"%s %s"}\n' "$1" "$2""#, "x", "--max-tokens", "--no-store"];
    for dashes in [&["--"][..], &[]] {
        let arguments = dashes.iter().chain(&echo).map(|&part| part.to_owned()).collect();
        assert_eq!(Talk::new(arguments).hear(), r#"{"args":"--max-tokens --no-store"}"#);
    }
}

#[test]
fn the_schema_is_printed() {
    let ended = Talk::new(vec!["--print-schema".to_owned()]).end();
    let schema: Value = serde_json::from_slice(&ended.rest).unwrap();
    assert_eq!((ended.code, &schema["title"]), (0, &json!("toolshape.json")));
}

/// `UPDATE_COMMANDS=1` writes the answers.
#[test]
fn mistakes_are_answered() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/shared/command_lines.json");
    let known: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let mut answered = known.clone();
    for case in answered["cases"].as_array_mut().unwrap() {
        let arguments = case["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned());
        let ended = Talk::new(arguments.collect()).end();
        (case["code"], case["errors"]) = (json!(ended.code), json!(ended.errors));
    }
    if std::env::var_os("UPDATE_COMMANDS").is_some() {
        fs::write(&file, format!("{answered:#}\n")).unwrap();
    }
    assert_eq!(answered, known);
}

#[test]
fn a_result_is_explained() {
    let file = folder("explained").join("rows.json");
    let rows: Vec<Value> = (0..400).map(|id| json!({ "id": id })).collect();
    fs::write(&file, json!(rows).to_string()).unwrap();
    let asked = |more: &[&str]| {
        let words = ["shape", "--max-tokens", "300"].iter().chain(more).map(|word| (*word).to_owned());
        Talk::new(words.chain([file.to_str().unwrap().to_owned()]).collect()).end().errors
    };
    let explained = asked(&["--explain"]);
    assert!(explained.starts_with("The result has about "), "{explained}");
    assert!(explained.contains("\nReason: about ") && explained.contains(" tokens > budget 300.\n"), "{explained}");
    assert!(explained.contains("\npaginate: ") && explained.contains(" of 400 rows.\n"), "{explained}");
    let line = asked(&[]);
    assert!(line.starts_with("toolshape: about ") && line.ends_with(" ms\n"), "{line}");
}
