//! `toolshape run`, `read` and `hook`: what an agent sees of commands and of its own tools.

#![cfg(unix)]

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_toolshape");

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("commands").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn toolshape(cache: &Path, arguments: &[&str], input: &str) -> Output {
    let mut program = Command::new(PROGRAM)
        .args(arguments)
        .current_dir(cache)
        .env("XDG_CACHE_HOME", cache.join("cache"))
        .env("XDG_STATE_HOME", cache.join("state"))
        .env("CLAUDE_CONFIG_DIR", cache.join("claude"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = program.stdin.take().unwrap();
    to.write_all(input.as_bytes()).unwrap();
    drop(to);
    program.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The first handle in a text.
fn handle(text: &str) -> String {
    let is_handle = |word: &&str| word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| *word != "toolshape").find(is_handle).unwrap_or_else(|| panic!("{text}")).to_owned()
}

#[test]
fn a_command_that_prints_little_passes_with_its_code() {
    let folder = folder("little");
    let ran = toolshape(&folder, &["run", "--", "sh", "-c", r"cat; printf 'a\377b' >&2; exit 7"], "in\n");
    assert_eq!((ran.status.code(), &ran.stdout[..], text(&ran.stderr)), (Some(7), &b"in\na\xffb"[..], String::new()));
    let ended = toolshape(&folder, &["run", "--", "sh", "-c", "echo before; kill -TERM $$"], "");
    assert_eq!((ended.status.code(), text(&ended.stdout)), (Some(128 + 15), "before\n".to_owned()));
    let none = toolshape(&folder, &["run", "--", "no-such-program"], "");
    assert_eq!(none.status.code(), Some(127));
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let cache = folder("left");
    for (arguments, code) in [
        (&["run", "--", "sh", "-c", "echo out; exit 3"][..], 3),
        (&["shape"], 0),
        (&["count"], 0),
        (&["completions", "bash"], 0),
        (&["--print-schema"], 0),
        (&["read", "abcdefghijklmnop"], 1),
    ] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut program = Command::new(PROGRAM);
        program.args(arguments).env("XDG_CACHE_HOME", cache.join("cache")).stdin(Stdio::null());
        let ended = program.stdout(writer.try_clone().unwrap()).stderr(writer).status().unwrap();
        assert_eq!(ended.code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn what_a_command_prints_is_shaped_and_read_back() {
    let folder = folder("shaped");
    let ran = toolshape(&folder, &["run", "--max-tokens", "500", "--", "sh", "-c", "seq 1 30000; exit 3"], "");
    let shown = text(&ran.stdout);
    assert!(ran.status.code() == Some(3) && shown.len() < 3000, "{shown}");
    // The note names the program that can read it.
    assert!(shown.contains(&format!("{PROGRAM} read")), "{shown}");
    let handle = handle(&shown);
    let read = toolshape(&folder, &["read", &handle, "--lines", "15000-15001"], "");
    assert!(read.status.success() && text(&read.stdout).contains(r"15000\n15001"), "{}", text(&read.stdout));
    let asked = json!({ "handle": handle, "search": "29999" }).to_string();
    assert!(text(&toolshape(&folder, &["read", &asked], "").stdout).contains("29999"));
    let wrong = toolshape(&folder, &["read", "abcdefghijklmnop"], "");
    assert_eq!(wrong.status.code(), Some(1));
}

#[test]
fn tokens_are_estimated_unless_an_encoding_is_named() {
    let folder = folder("estimated");
    let shown = |options: &[&str]| {
        let command = [&["run", "--max-tokens", "500"], options, &["--", "seq", "1", "30000"]].concat();
        text(&toolshape(&folder, &command, "").stdout)
    };
    assert_eq!(shown(&[]), shown(&["--set", "encoding=estimate"]));
    assert_ne!(shown(&[]), shown(&["--set", "encoding=o200k_base"]));
}

#[test]
fn all_is_printed_where_nothing_can_be_kept() {
    let folder = folder("nowhere");
    fs::write(folder.join("cache"), "is a file, and no folder").unwrap();
    let ran = toolshape(&folder, &["run", "--max-tokens", "500", "--", "seq", "1", "30000"], "");
    let all: String = (1..=30_000).map(|line| format!("{line}\n")).collect();
    assert!(ran.status.success() && text(&ran.stdout) == all, "{}", ran.stdout.len());
}

#[test]
fn a_command_that_leaves_something_running_ends() {
    let folder = folder("left");
    let ran = toolshape(&folder, &["run", "--", "sh", "-c", "sleep 60 & echo started"], "");
    assert_eq!((ran.status.code(), text(&ran.stdout)), (Some(0), "started\n".to_owned()));
}

/// The result that the hook replaces, if it does.
fn hooked(folder: &Path, tool: &str, response: &Value) -> Option<Value> {
    let event =
        json!({ "hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": {}, "tool_response": response });
    let answer = toolshape(folder, &["hook", "claude-code"], &event.to_string());
    assert_eq!(answer.status.code(), Some(0), "{}", text(&answer.stderr));
    let answer = text(&answer.stdout);
    (!answer.is_empty()).then(|| {
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer["hookSpecificOutput"]["updatedToolOutput"].clone()
    })
}

#[test]
fn a_result_keeps_the_form_of_its_tool() {
    let folder = folder("hooked");
    let large: String = (0..40_000).map(|line| format!("line {line}\n")).collect();
    let names: Vec<String> = (0..20_000).map(|name| format!("src/file{name}.rs")).collect();
    let rows: Vec<Value> = (0..20_000).map(|id| json!({ "id": id, "name": format!("row {id}") })).collect();
    let image = json!({ "type": "image", "source": { "data": large } });
    for (tool, at, response) in [
        ("Bash", "/stdout", json!({ "stdout": large, "stderr": "few", "interrupted": false })),
        ("Bash", "/stderr", json!({ "stdout": "", "stderr": large, "interrupted": true })),
        ("Read", "/file/content", json!({ "type": "text", "file": { "content": large, "filePath": "a" } })),
        ("Grep", "/content", json!({ "mode": "content", "content": large, "filenames": [], "numFiles": 0 })),
        ("Grep", "/filenames/0", json!({ "mode": "files_with_matches", "filenames": names, "numFiles": 20_000 })),
        ("Glob", "/filenames/0", json!({ "filenames": names, "durationMs": 1 })),
        ("WebFetch", "/result", json!({ "result": large, "code": 200 })),
        ("mcp__db__query", "", json!(json!(rows).to_string())),
        ("mcp__db__query", "/1/text", json!([image, { "type": "text", "text": large }])),
        ("mcp__db__query", "/content/0/text", json!({ "content": [{ "type": "text", "text": large }] })),
    ] {
        let updated = hooked(&folder, tool, &response).unwrap_or_else(|| panic!("{tool} {at}"));
        let shaped = updated.pointer(at).and_then(Value::as_str).unwrap();
        assert!(shaped.len() < 12_000, "{tool} {at}: {}", shaped.len());
        assert!(text(&toolshape(&folder, &["read", &handle(shaped), "--lines", "3"], "").stdout).len() > 20);
        // All else is as it was.
        let (mut one, mut other) = (response.clone(), updated.clone());
        let place = at.strip_suffix("/0").unwrap_or(at);
        for value in [&mut one, &mut other] {
            *value.pointer_mut(place).unwrap() = Value::Null;
        }
        assert_eq!(one, other, "{tool} {at}");
    }
    for (tool, response) in [
        ("Bash", json!({ "stdout": "few", "stderr": "", "interrupted": false })),
        ("Bash", json!({ "stdout": large, "stderr": "", "isImage": true })),
        ("Read", json!({ "type": "image", "file": { "base64": large } })),
        ("Edit", json!({ "originalFile": large })),
        ("mcp__db__query", json!([image])),
    ] {
        assert_eq!(hooked(&folder, tool, &response), None, "{tool}");
    }
    // What Claude Code has put into a file is read from there.
    let of_host = folder.join("claude/projects/one/session/tool-results");
    fs::create_dir_all(&of_host).unwrap();
    let file = of_host.join("printed.txt");
    fs::write(&file, &large).unwrap();
    let cut = json!({ "stdout": large[..30_000], "stderr": "", "persistedOutputPath": file, "persistedOutputSize": 9 });
    let updated = hooked(&folder, "Bash", &cut).unwrap();
    assert_eq!(updated.as_object().unwrap().keys().collect::<Vec<_>>(), ["stdout", "stderr"]);
    assert!(updated["stdout"].as_str().unwrap().contains("line 39999"), "{updated}");
    let wrong = toolshape(&folder, &["hook", "claude-code"], "no event");
    assert_eq!(wrong.status.code(), Some(1), "2 would report a failed tool to the model");
}

/// A page is in the dense form, and what fits where the command line says so, through each door of the program.
#[test]
fn what_fits_is_dense_where_somebody_says_so() {
    let folder = folder("dense");
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "x", "arguments": {} } });
    for (count, options, is_dense) in [
        (400, &[][..], true),
        (400, &["--set", "format=json"], false),
        (20, &[], false),
        (20, &["--dense"], true),
        (20, &["--set", "format=auto"], true),
    ] {
        let row =
            |id: usize| json!({ "id": id, "state": "open", "owner": { "login": format!("user{id}"), "type": "User" } });
        let rows = Value::Array((0..count).map(row).collect()).to_string();
        let event = json!({
            "hook_event_name": "PostToolUse", "tool_name": "mcp__db__query", "tool_input": {}, "tool_response": rows,
        });
        let result = json!({ "content": [{ "type": "text", "text": rows }] });
        fs::write(folder.join("answer"), json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string() + "\n")
            .unwrap();
        for (door, before, after, input) in [
            ("run", &["run"][..], &["--", "cat"][..], &rows),
            ("shape", &["shape"], &[], &rows),
            ("hook", &["hook", "claude-code"], &[], &event.to_string()),
            ("relay", &[], &["--", "sh", "-c", "read -r line; cat answer; cat"], &format!("{call}\n")),
        ] {
            let shown = text(&toolshape(&folder, &[before, options, after].concat(), input).stdout);
            assert_eq!(shown.contains("_form"), is_dense, "{door} {options:?} {count}: {shown}");
            // A hook says nothing of what passes.
            assert_eq!(shown.is_empty(), door == "hook" && count == 20 && !is_dense, "{door} {options:?} {count}");
        }
    }
}

#[test]
fn several_texts_of_a_result_share_its_budget() {
    let folder = folder("several");
    let line = "words and more words about nothing\n".repeat(150);
    let blocks: Vec<Value> = (0..6).map(|at| json!({ "type": "text", "text": format!("{at} {line}") })).collect();
    let updated = hooked(&folder, "mcp__notes__all", &json!(blocks)).unwrap();
    let all: usize = updated.as_array().unwrap().iter().map(|block| block["text"].as_str().unwrap().len()).sum();
    assert!(updated.as_array().unwrap().len() == 6 && all < 12_000, "{all}");
}

#[test]
fn settings_are_as_they_were_after_the_hook_is_taken_back() {
    for (at, before) in [
        None,
        Some("{}"),
        Some(""),
        Some("{\n\t\"model\": \"opus\",   \"hooks\": {} }"),
        Some("{\"permissions\":{\"allow\":[],\"deny\":[\"Bash(rm:*)\"]},\r\n \"hooks\":{\"PostToolUse\":[{\"matcher\":\"Edit\",\"hooks\":[{\"type\":\"command\",\"command\":\"fmt\"}]}]}}\n\n"),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = folder(&format!("settings{at}"));
        let file = folder.join("claude/settings.json");
        if let Some(before) = before {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, before).unwrap();
        }
        let installed = toolshape(&folder, &["hook", "install"], "");
        if before == Some("") {
            assert_eq!((installed.status.code(), fs::read(&file).unwrap()), (Some(1), Vec::new()));
            continue;
        }
        assert!(text(&installed.stdout).contains("hook uninstall"), "{installed:?}");
        // Twice is once; with other options.
        assert!(toolshape(&folder, &["hook", "install", "--max-tokens", "3000"], "").status.success());
        let with: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let groups = with["hooks"]["PostToolUse"].as_array().unwrap();
        let command = groups.last().unwrap()["hooks"][0]["command"].as_str().unwrap();
        assert_eq!(command, format!("{PROGRAM} hook claude-code --max-tokens 3000"));
        assert_eq!(with.to_string().matches("hook claude-code").count(), 1);
        assert_eq!(with["env"]["MAX_MCP_OUTPUT_TOKENS"], "100000000");
        assert_eq!(with["permissions"]["allow"], json!([format!("Bash({PROGRAM} read:*)")]));
        assert!(toolshape(&folder, &["hook", "uninstall"], "").status.success());
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), before, "byte for byte");
        let beside = fs::read_dir(file.parent().unwrap()).map_or(0, Iterator::count);
        assert_eq!(beside, usize::from(before.is_some()));
    }
}

#[test]
fn what_others_changed_meanwhile_stays() {
    let folder = folder("meanwhile");
    let file = folder.join("settings.json");
    fs::write(&file, r#"{"model":"opus"}"#).unwrap();
    let settings = ["--settings", file.to_str().unwrap()];
    assert!(toolshape(&folder, &["hook", "install", settings[0], settings[1]], "").status.success());
    let mut with: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    with["model"] = json!("sonnet");
    with["permissions"]["allow"].as_array_mut().unwrap().push(json!("Bash(ls)"));
    fs::write(&file, with.to_string()).unwrap();
    assert!(toolshape(&folder, &["hook", "uninstall", settings[0], settings[1]], "").status.success());
    let after: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(after, json!({ "model": "sonnet", "permissions": { "allow": ["Bash(ls)"] } }));
    let again = toolshape(&folder, &["hook", "uninstall", settings[0], settings[1]], "");
    assert!(text(&again.stdout).contains("is not installed"));
}
