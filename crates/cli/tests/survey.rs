//! `measure` and `lint`: where servers are known from, what is printed, and the exit code.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// An empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("survey_{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn file(folder: &Path, name: &str, text: impl ToString) -> String {
    let file = folder.join(name);
    fs::write(&file, text.to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_toolshape"))
        .args(arguments)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap()
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn tools() -> Value {
    json!({ "tools": [
        { "name": "rows", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true } },
        { "name": "erase", "description": "word ".repeat(500), "inputSchema": { "type": "object" } },
    ] })
}

/// A server with these tools, each of whose calls returns 300 rows, and which notes what it is asked. Its answers have the
/// numbers of the requests, which are asked one by one.
fn server(asked: &Path) -> Vec<String> {
    let rows: Vec<Value> = (0..300).map(|id| json!({ "id": id, "name": format!("row {id}") })).collect();
    let rows = json!({ "content": [{ "type": "text", "text": json!(rows).to_string() }] });
    let answer = |result: Value| format!("printf '{{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}}\\n' $id '{result}'");
    let script = format!(
        "id=0; echo no message; while read -r line; do echo \"$line\" >> '{}'; case \"$line\" in \
         *notifications/*) continue;; esac; id=$((id + 1)); case \"$line\" in *'\"initialize\"'*) {};; *tools/list*) {};; \
         *) {};; esac; done",
        asked.display(),
        answer(json!({ "serverInfo": { "name": "of-rows" } })),
        answer(tools()),
        answer(rows),
    );
    vec!["sh".to_owned(), "-c".to_owned(), script]
}

#[test]
fn a_server_is_started_asked_and_measured() {
    let folder = folder("started");
    let (asked, html) = (folder.join("asked"), folder.join("report.html"));
    let server = server(&asked);
    let command: Vec<&str> = ["measure", "--json", "--html", html.to_str().unwrap(), "--"]
        .into_iter()
        .chain(server.iter().map(|word| &**word))
        .collect();
    let output = run(&command);
    let measured: Value = serde_json::from_str(&printed(&output)).unwrap();
    let server = &measured["servers"][0];
    assert_eq!((&server["name"], server["tools"].as_array().unwrap().len()), (&json!("of-rows"), 2));
    let results = server["results"].as_array().unwrap();
    assert_eq!((results.len(), &results[0]["tool"]), (1, &json!("rows")));
    assert!(results[0]["before"]["content"]["tokens"].as_u64() > Some(2000));
    assert!(results[0]["after"]["content"]["tokens"].as_u64() <= Some(2000));
    assert!(!fs::read_to_string(asked).unwrap().contains("erase"), "it says no readOnlyHint");
    assert!(fs::read_to_string(html).unwrap().contains("<h1>What of-rows costs a model</h1>"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no message"));
}

#[test]
fn a_host_s_file_says_servers_and_a_script_says_calls() {
    let folder = folder("host");
    let asked = folder.join("asked");
    let command = server(&asked);
    let servers = json!({
        "first": { "command": command[0], "args": command[1..] },
        "off": { "command": "false", "disabled": true },
        "far": { "url": "http://127.0.0.1:9/mcp" },
        "gone": { "command": "/there/is/no/such/program" },
    });
    let json = file(&folder, ".mcp.json", json!({ "mcpServers": servers }));
    let toml = file(
        &folder,
        "config.toml",
        format!("[mcp_servers.second]\ncommand = \"sh\"\nargs = [\"-c\", '''{}''']\n", command[2]),
    );
    let calls = file(&folder, "calls.json", r#"[{"tool":"erase","arguments":{"all":true}}]"#);
    let output = run(&["measure", "--json", "--servers", &json, "--servers", &toml, "--calls", &calls]);
    let measured: Value = serde_json::from_str(&printed(&output)).unwrap();
    let names: Vec<&Value> = measured["servers"].as_array().unwrap().iter().map(|server| &server["name"]).collect();
    assert_eq!(names, ["first", "second"]);
    assert_eq!(measured["servers"][1]["results"][0]["arguments"], json!({ "all": true }));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("far") && errors.contains("cannot reach http://127.0.0.1:9: ") && errors.contains("gone"),
        "{errors}"
    );
}

#[test]
fn what_is_wrong_is_printed_in_each_format_and_fails_over_so_many_tokens() {
    let folder = folder("lint");
    let tools = file(&folder, "tools.json", tools());
    let lint = |options: &[&str]| run(&[&["lint", "--tools", &tools], options].concat());
    assert!(printed(&lint(&[])).starts_with("error long-description\n"));
    let found: Value = serde_json::from_str(&printed(&lint(&["--format", "json"]))).unwrap();
    assert_eq!((&found["findings"][0]["tool"], found["tools"].as_u64()), (&json!("erase"), Some(2)));
    let sarif: Value = serde_json::from_str(&printed(&lint(&["--format", "sarif"]))).unwrap();
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert!(place.as_str().unwrap().ends_with("tools.json"), "{place}");
    assert!(printed(&lint(&["--format", "github"])).starts_with("::error title=long-description"));
    let cost = found["cost"].as_u64().unwrap();
    assert_eq!(lint(&["--fail-over", &cost.to_string()]).status.code(), Some(0));
    assert_eq!(lint(&["--fail-over", &(cost - 1).to_string()]).status.code(), Some(1));
}

#[test]
fn both_commands_say_what_the_dense_form_saves() {
    let rows: Vec<Value> =
        (0..40).map(|id| json!({ "id": id, "state": "open", "owner": { "type": "User" } })).collect();
    let result = json!({ "content": [{ "type": "text", "text": Value::Array(rows).to_string() }] });
    let lines = [
        json!({ "at": 0, "from": "client", "message": { "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "read_rows" } } }),
        json!({ "at": 0, "from": "server", "message": { "jsonrpc": "2.0", "id": 1, "result": result } }),
    ];
    let talk = file(&folder("dense"), "talk.jsonl", lines.map(|line| line.to_string()).join("\n"));
    let of = |words: &[&str]| -> Value {
        serde_json::from_str(&printed(&run(&[words, &["--recording", &talk]].concat()))).unwrap()
    };
    let (measured, linted) = (of(&["measure", "--json"]), of(&["lint", "--format", "json"]));
    let saves = &measured["servers"][0]["results"][0]["denseSaves"];
    assert!(saves.as_u64() > Some(200) && *saves == linted["denseSaves"], "{measured} {linted}");
}

#[test]
fn a_server_whose_calls_all_fail_is_not_clean() {
    let line = |from: &str, message: Value| json!({ "at": 0, "from": from, "message": message }).to_string() + "\n";
    let call = |id: u64| {
        line("client", json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "rows" } }))
    };
    let failed = line("server", json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32603, "message": "no key" } }));
    let text = json!({ "content": [{ "type": "text", "text": "ok" }] });
    let answered = line("server", json!({ "jsonrpc": "2.0", "id": 2, "result": text }));
    let folder = folder("failed");
    let lint = |talk: String| run(&["lint", "--recording", &file(&folder, "talk.jsonl", talk)]);
    let blind = lint(call(1) + &failed);
    let said = String::from_utf8_lossy(&blind.stderr).into_owned();
    assert!(blind.status.code() == Some(1) && said.contains("no key") && said.contains("every call"), "{said}");
    assert_eq!(lint(call(1) + &failed + &call(2) + &answered).status.code(), Some(0));
}

#[test]
fn a_recording_and_a_list_are_enough() {
    let folder = folder("files");
    let line = |from: &str, message: Value| json!({ "at": 0, "from": from, "message": message }).to_string();
    let recording = [
        line("client", json!({ "id": 1, "method": "tools/call", "params": { "name": "rows" } })),
        line("server", json!({ "id": 1, "result": { "content": [{ "type": "text", "text": "{\n}" }] } })),
    ];
    let recording = file(&folder, "session.jsonl", recording.join("\n"));
    let tools = file(&folder, "mine.json", tools());
    let table = printed(&run(&["measure", "--tools", &tools, "--recording", &recording]));
    assert!(table.starts_with("mine\n2 tools take ") && table.contains("\nrows "), "{table}");
    let wrong = run(&["measure", "--recording", &tools]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("mine.json: line 1 is not a line of a recording"));
    assert_eq!(run(&["measure"]).status.code(), Some(2));
}

#[test]
fn servers_that_say_nothing_or_end_are_told_of_and_nothing_of_them_is_left() {
    let folder = folder("faults");
    let mark = folder.join("alive");
    let script = format!("trap '' TERM; (sleep 30; touch '{}') & sleep 30", mark.display());
    let begin = Instant::now();
    let failed = |arguments: &[&str]| {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    let errors = failed(&["measure", "--timeout", "1", "--", "sh", "-c", &script]);
    assert!(errors.contains("initialize: no answer in 1 seconds"), "{errors}");
    assert!(begin.elapsed() < Duration::from_secs(20));
    let errors = failed(&["lint", "--", "sh", "-c", "exit 3"]);
    assert!(errors.contains("initialize: the server ended with exit code 3"), "{errors}");
}
