//! The account beside a recount: what was saved, from what each side of a conversation wrote.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolshape::count_tokens;

const PROGRAM: &str = env!("CARGO_BIN_EXE_toolshape");
/// Answers each request with the next line of a file.
const SERVER: &str =
    r#"while read -r line; do case "$line" in *'"id"'*) read -r answer <&3 && printf '%s\n' "$answer";; esac; done"#;

struct Session {
    folder: PathBuf,
    heard: Vec<Value>,
}

impl Session {
    /// A conversation of a client with this name: the calls, and what the server answers to each.
    fn new(name: &str, client: &str, options: &[&str], calls: &[(Value, Option<Value>)]) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("account").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let mut session = Self { folder, heard: Vec::new() };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": client, "version": "1" } });
        let listed =
            json!({ "tools": [{ "name": "rows", "description": "Lists rows", "inputSchema": { "type": "object" } }] });
        let known = json!({ "result": { "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "serverInfo": { "name": "s", "version": "1" } } });
        let mut answers = vec![known, json!({ "result": listed })];
        answers.extend(calls.iter().filter_map(|(_, answer)| answer.clone()));
        let mut requests = vec![json!({ "method": "initialize", "params": hello }), json!({ "method": "tools/list" })];
        requests.extend(calls.iter().map(|(call, _)| json!({ "method": "tools/call", "params": call })));
        let (mut ids, mut lines) = ((1..=requests.len()).collect::<Vec<_>>(), String::new());
        ids.retain(|id| *id <= 2 || calls[id - 3].1.is_some());
        for (id, mut answer) in ids.into_iter().zip(answers) {
            (answer["id"], answer["jsonrpc"]) = (json!(id), json!("2.0"));
            lines += &format!("{answer}\n");
        }
        fs::write(session.folder.join("answers"), lines).unwrap();
        fs::write(session.folder.join("server.sh"), format!("exec 3<'{}'\n{SERVER}", session.path("answers"))).unwrap();
        session.run(options, requests);
        session
    }

    fn path(&self, file: &str) -> String {
        self.folder.join(file).to_string_lossy().into_owned()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(PROGRAM);
        command.env("XDG_STATE_HOME", self.folder.join("state")).env("XDG_CACHE_HOME", self.folder.join("cache"));
        command.env("HOME", &self.folder).current_dir(&self.folder);
        command
    }

    fn run(&mut self, options: &[&str], requests: Vec<Value>) {
        let (record, server) = (self.path("recording"), self.path("server.sh"));
        let words = [options, &["--record", &record, "--", "sh", &server]].concat();
        let mut program = self
            .command()
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(self.path("errors")).unwrap())
            .spawn()
            .unwrap();
        let (mut input, mut output) = (program.stdin.take().unwrap(), BufReader::new(program.stdout.take().unwrap()));
        for (at, mut request) in requests.into_iter().enumerate() {
            (request["id"], request["jsonrpc"]) = (json!(at + 1), json!("2.0"));
            // A handle is that of the result before.
            let text = request.to_string().replace("HANDLE", &self.last_handle());
            writeln!(input, "{text}").unwrap();
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            self.heard.push(serde_json::from_str(&line).unwrap());
        }
        drop(input);
        program.wait().unwrap();
    }

    fn last_handle(&self) -> String {
        let text = self.heard.iter().rev().find_map(|heard| {
            let text = heard["result"]["content"][0]["text"].as_str()?;
            text.split_once("toolshape://result/").map(|(_, rest)| rest[..16].to_owned())
        });
        text.unwrap_or_default()
    }

    fn savings(&self) -> Value {
        let output = self.command().args(["savings", "--json"]).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The results that the server wrote, as they were recorded.
    fn recorded(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("recording")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["from"] == "server").map(|line| line["message"].clone()).collect()
    }
}

fn count(text: &str) -> f64 {
    count_tokens(text) as f64
}

fn text_of(answer: &Value) -> String {
    let blocks = answer["result"]["content"].as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
}

fn definitions(answer: &Value) -> f64 {
    let tools = answer["result"]["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| {
            let text = |name: &str| tool[name].as_str().map_or(0.0, count);
            text("name") + text("description") + count(&tool["inputSchema"].to_string())
        })
        .sum()
}

fn result(text: &str) -> Option<Value> {
    Some(json!({ "result": { "content": [{ "type": "text", "text": text }] } }))
}

fn rows(rows: usize) -> String {
    let rows: Vec<Value> =
        (0..rows).map(|id| json!({ "id": id, "name": format!("row {}", id * 7919), "state": if id % 3 == 0 { "open" } else { "closed" } })).collect();
    json!(rows).to_string()
}

/// Large and small results, the same result twice, reads of one of them in each way, an error, a mistake of the model.
fn calls() -> Vec<(Value, Option<Value>)> {
    let call = |arguments: Value| json!({ "name": "rows", "arguments": arguments });
    let read = |arguments: Value| json!({ "name": "read_result_s", "arguments": arguments });
    let failed = json!({ "result": { "isError": true, "content": [{ "type": "text", "text": "no such table. ".repeat(2_000) }] } });
    vec![
        (call(json!({})), result(&rows(20_000))),
        (read(json!({ "handle": "HANDLE", "sql": "SELECT state, count(*) FROM result GROUP BY 1" })), None),
        (read(json!({ "handle": "HANDLE", "pointer": "/7" })), None),
        (call(json!({ "q": 1 })), result("three rows")),
        (call(json!({ "q": 2 })), result(&rows(3_000))),
        (call(json!({ "q": 2 })), result(&rows(3_000))),
        (call(json!({ "q": 3 })), Some(failed)),
        (read(json!({ "handle": "no handle" })), None),
        (call(json!({ "q": 4 })), Some(json!({ "error": { "code": -32000, "message": "gone" } }))),
    ]
}

/// Whether two figures differ by at most two percent.
fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 0.02 * other.abs().max(1.0)
}

#[test]
fn the_account_is_that_of_a_recount() {
    let session = Session::new("whole", "somebody", &[], &calls());
    let all = &session.savings()["done"]["all"];
    let number = |name: &str| all[name].as_f64().unwrap();
    let (recorded, heard) = (session.recorded(), &session.heard);
    let without: f64 = recorded[2..].iter().map(|answer| count(&text_of(answer))).sum();
    let is_read = |at: &usize| [3, 4, 9].contains(at);
    let sum = |reads: bool| -> f64 {
        (2..heard.len()).filter(|at| is_read(at) == reads).map(|at| count(&text_of(&heard[at]))).sum()
    };
    let (with, read_back, added) = (sum(false), sum(true), definitions(&heard[1]) - definitions(&recorded[1]));
    assert!(is_near(number("without"), without), "{all} {without}");
    assert!(is_near(number("with"), with), "{all} {with}");
    assert!(is_near(number("readBack"), read_back), "{all} {read_back}");
    assert!(is_near(number("definitions"), added), "{all} {added}");
    assert!(is_near(number("saved"), without - with - read_back - added), "{all}");
    println!(
        "without {without} {}, saved {} {}",
        number("without"),
        without - with - read_back - added,
        number("saved")
    );
    // The error without a result passes, and was not shaped.
    assert_eq!((number("results"), number("reads")), (5.0, 3.0));
    // Of the large results one was read; the same content has one handle.
    assert_eq!((number("handles"), number("handlesRead")), (3.0, 1.0));
    let ledger = fs::read_dir(session.folder.join("state/toolshape/account")).unwrap();
    let text: String = ledger.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    assert!(!text.contains("open") && !text.contains(&session.last_handle()), "{text}");
}

#[test]
fn what_the_host_would_not_have_shown_is_not_saved() {
    let large = rows(20_000);
    let session =
        Session::new("host", "claude-code", &[], &[(json!({ "name": "rows", "arguments": {} }), result(&large))]);
    let all = &session.savings()["done"]["all"];
    assert_eq!(all["without"].as_f64().unwrap(), count(&large[..2_000]));
    let table = session.command().args(["savings"]).output().unwrap();
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(table.contains("s/rows") && table.contains("in 1 results"), "{table}");
}

/// A relay before a server in Claude Code, whose hook sees what the relay has shaped.
#[test]
fn a_hook_leaves_what_a_relay_has_shaped() {
    let session = Session::new("both", "claude-code", &["--max-tokens", "4000"], &calls()[..1]);
    let shown = text_of(&session.heard[2]);
    let hooked = |tool: &str, input: Value, text: &str| {
        let event =
            json!({ "tool_name": tool, "tool_input": input, "tool_response": [{ "type": "text", "text": text }] });
        let mut program = session
            .command()
            .args(["hook", "claude-code", "--max-tokens", "500"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        program.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
        String::from_utf8(program.wait_with_output().unwrap().stdout).unwrap()
    };
    assert_eq!(hooked("mcp__s__rows", json!({}), &shown), "");
    let other = shown.replace(&session.last_handle(), "abcdefghijklmnop");
    assert!(hooked("mcp__s__rows", json!({}), &other).contains("updatedToolOutput"));
    let before = session.savings();
    assert_eq!(hooked("Bash", json!({ "command": "/a/toolshape read abcdefghijklmnop" }), &other), "");
    assert_eq!(session.savings(), before, "what read prints is counted by it");
}

/// Several relays have one server that reads.
#[test]
fn one_server_reads_what_others_keep() {
    let mut session = Session::new("reader", "somebody", &["--set", "addReader=false"], &calls()[..1]);
    let names = |answer: &Value| {
        answer["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&session.heard[1]), ["rows"]);
    let (text, handle) = (text_of(&session.heard[2]), session.last_handle());
    assert!(text.contains("read_result ") && !text.contains("read_result_s"), "{text}");
    let mut program = session.command().arg("reader").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (program.stdin.take().unwrap(), BufReader::new(program.stdout.take().unwrap()));
    let arguments = json!({ "handle": handle, "sql": "SELECT count(*) FROM result" });
    session.heard.clear();
    for (id, (method, params)) in [
        ("initialize", json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } })),
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "read_result", "arguments": arguments })),
        ("prompts/list", json!({})),
    ]
    .into_iter()
    .enumerate()
    {
        writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        session.heard.push(serde_json::from_str(&line).unwrap());
    }
    drop(input);
    assert!(program.wait().unwrap().success());
    assert_eq!(names(&session.heard[1]), ["read_result"]);
    assert!(text_of(&session.heard[2]).contains("20000"), "{}", session.heard[2]);
    assert_eq!(session.heard[3]["error"]["code"], -32601);
    let all = &session.savings()["done"]["all"];
    assert_eq!((&all["results"], &all["reads"], &all["handlesRead"]), (&json!(1), &json!(1), &json!(1)));
    let saved = session.command().args(["save", &handle, "rows.json"]).output().unwrap();
    assert!(saved.status.success(), "{saved:?}");
    assert_eq!(fs::read_to_string(session.folder.join("rows.json")).unwrap(), rows(20_000));
    assert_eq!(
        session.command().args(["save", &handle, "rows.json"]).output().unwrap().status.code(),
        Some(1),
        "it is there"
    );
}

#[test]
fn a_misspelt_tool_is_said() {
    let session = Session::new("misspelt", "c", &["--set", r#"tools={"row":false,"other":false}"#], &[]);
    let errors = fs::read_to_string(session.path("errors")).unwrap();
    assert!(errors.contains("a tool row, which is not in the list of tools; did you mean rows?"), "{errors}");
    assert!(!errors.contains("other"), "{errors}");
}

#[test]
fn who_only_observes_changes_nothing() {
    let session = Session::new("observed", "somebody", &["--observe"], &calls()[3..7]);
    for (heard, recorded) in session.heard.iter().zip(session.recorded()) {
        assert_eq!(*heard, recorded);
    }
    let both = session.savings();
    assert_eq!(both["done"]["all"]["results"], 0);
    let all = &both["observed"]["all"];
    assert!(all["results"] == 4 && all["saved"].as_i64().unwrap() > 50_000, "{all}");
    assert!(!session.folder.join("cache/toolshape").join("results").exists());
}

#[test]
fn a_session_that_goes_on_in_another_file_counts_each_result_once() {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("account/replay");
    let _ = fs::remove_dir_all(&home);
    let sessions = home.join(".claude/projects/p");
    fs::create_dir_all(&sessions).unwrap();
    let result = |id: &str, text: &str| {
        let made = json!({ "message": { "content": [{ "type": "tool_use", "id": id, "name": "mcp__s__rows" }] } });
        let read = json!({ "message": { "content": [{ "type": "tool_result", "tool_use_id": id, "content": text }] } });
        format!("{made}\n{read}\n")
    };
    let (first, second) = (result("a", &rows(3_000)), result("b", "few"));
    fs::write(sessions.join("one.jsonl"), &first).unwrap();
    fs::write(sessions.join("two.jsonl"), first + &second).unwrap();
    fs::create_dir_all(home.join(".local/share/opencode")).unwrap();
    fs::write(home.join(".local/share/opencode/opencode.db"), "no database").unwrap();
    let mut command = Command::new(PROGRAM);
    for variable in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
        command.env_remove(variable);
    }
    let output =
        command.args(["savings", "--replay", "--json"]).env("HOME", &home).current_dir(&home).output().unwrap();
    let all = &serde_json::from_slice::<Value>(&output.stdout).unwrap()["observed"]["all"];
    assert_eq!(all["results"], 2, "{all}");
    assert_eq!(all["without"].as_f64().unwrap(), count(&rows(3_000)) + count("few"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot read"), "{output:?}");
}
