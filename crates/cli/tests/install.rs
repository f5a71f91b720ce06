//! `toolshape install` and what takes it back, in a user's folder with the files of several hosts.
#![cfg(unix)]

mod home;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use home::Home;
use serde_json::{Value, json};

fn furnished(name: &str) -> Home {
    let home = Home::new(name);
    home.put(
        ".cursor/mcp.json",
        "\u{feff}{\r\n\t\"mcpServers\": { // mine\r\n\t\t\"good\": {\"command\": \"sh\", \"args\": [\"SERVER\"]},\r\n\t\t\"bad\": \
         {\"command\": \"/no/such/program\"},\r\n\t\t\"far\": {\"url\": \"https://mcp.example.com\"},\r\n\t}\r\n}",
    );
    home.put(
        ".config/goose/config.yaml",
        "# mine\nextensions:\n  good: # here\n    cmd: sh\n    args:\n      - SERVER\n    available_tools: [list]\n",
    );
    home.put(".codex/config.toml", "# mine\n[mcp_servers.good]\ncommand = 'sh' # here\nargs = [\"SERVER\"]\n");
    let real =
        home.put("dotfiles/gemini.json", r#"{"mcpServers":{"good":{"command":"sh","args":["SERVER"]}},"n":1e400}"#);
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    fs::create_dir_all(home.0.join(".gemini")).unwrap();
    symlink(&real, home.0.join(".gemini/settings.json")).unwrap();
    home.put(".kiro/settings/mcp.json", "{\"mcpServers\": ");
    home
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).unwrap().is_symlink()
}

#[test]
fn what_is_installed_runs_and_is_taken_out_byte_for_byte() {
    let home = furnished("whole");
    let before = home.files();
    home.run(&["install", "--dry-run"]);
    assert_eq!(home.files(), before, "a dry run writes nothing");
    let unasked = home.run(&["install"]);
    assert_eq!((unasked.status.code(), home.files()), (Some(2), before.clone()), "nobody was asked");

    let output = home.run(&["install", "--yes"]);
    let said = String::from_utf8_lossy(&output.stderr);
    // One server does not start, and one file cannot be read.
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("bad stays as it was") && said.contains(".kiro/settings/mcp.json"), "{said}");
    let cursor = home.read(".cursor/mcp.json");
    assert!(cursor.contains("\"--\", \"sh\", ") && cursor.contains("\"command\": \"/no/such/program\""), "{cursor}");
    assert!(home.read(".config/goose/config.yaml").contains("available_tools: [\"read_result_s\", list]"));
    let codex = home.read(".codex/config.toml");
    assert!(codex.contains("command = 'sh' # here") && codex.contains("[mcp_servers.toolshape]"), "{codex}");
    assert!(home.read(".codex/hooks.json").contains("hook codex"));
    assert!(is_link(&home.0.join(".gemini/settings.json")));
    let mode = fs::metadata(home.0.join("dotfiles/gemini.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let state = fs::metadata(home.0.join(".local/state/toolshape")).unwrap().permissions().mode();
    assert_eq!(state & 0o777, 0o700);

    let installed = home.files();
    home.run(&["install", "--yes"]);
    assert_eq!(home.files(), installed, "a second run changes nothing");
    let status = home.run(&["status"]);
    let status = String::from_utf8(status.stdout).unwrap();
    for line in [
        "cursor): good: relay", "cursor): bad: without", "cursor): far: at an address", "goose): good: relay",
        "hooks.json (codex): hook", "codex): good: by the hook", "codex): toolshape: reads",
    ] {
        assert!(status.contains(line), "{line}: {status}");
    }
    let doctor = String::from_utf8(home.run(&["doctor"]).stdout).unwrap();
    let healthy = "gemini): good: relay\n  it was started, and has 1 tool\n";
    assert!(doctor.contains(healthy) && !doctor.contains("does not start"), "{doctor}");
    assert!(doctor.contains("Codex does not run it: it is not trusted"), "{doctor}");

    home.run(&["uninstall"]);
    assert_eq!(home.files(), before);
    fs::remove_file(home.0.join(".kiro/settings/mcp.json")).unwrap();
    let again = home.done(&["uninstall"]);
    assert!(again.ends_with("nothing of toolshape is installed\n") && !again.contains("as it was"), "{again}");
    assert!(home.done(&["status"]).contains("codex): good: without toolshape\n"));
}

#[test]
fn servers_of_one_host_have_one_that_reads() {
    let home = Home::new("several");
    let two =
        r#"{"mcpServers": {"a": {"command": "sh", "args": ["SERVER"]}, "b": {"command": "sh", "args": ["SERVER"]}}}"#;
    let hosts = [".cursor/mcp.json", ".gemini/settings.json", ".kiro/settings/mcp.json"];
    for file in hosts {
        home.put(file, two);
    }
    let listed = "mcpServers:\n  - name: a\n    command: sh\n    args: [SERVER]\n  - name: b\n    command: sh\n    args:\n      - SERVER\n";
    home.put(".continue/config.yaml", listed);
    fs::set_permissions(home.0.join(".kiro/settings/mcp.json"), fs::Permissions::from_mode(0o400)).unwrap();
    let before = home.files();
    home.done(&["install", "--yes", "--observe", "cursor"]);
    let observed = home.read(".cursor/mcp.json");
    assert!(observed.matches("--observe").count() == 2 && !observed.contains("eader"), "{observed}");
    home.done(&["uninstall"]);
    assert_eq!(home.files(), before);
    home.done(&["install", "--yes"]);
    for file in hosts.into_iter().chain([".continue/config.yaml"]) {
        let text = home.read(file);
        assert_eq!(text.matches("addReader=false").count(), 2, "{text}");
        assert_eq!(text.matches("\"reader\"").count(), 1, "{text}");
    }
    let mode = fs::metadata(home.0.join(".kiro/settings/mcp.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o400);
    let doctor = home.done(&["doctor"]);
    assert_eq!(doctor.matches("toolshape: reads what the others keep\n").count(), 4, "{doctor}");
    home.put(".cursor/mcp.json", &home.read(".cursor/mcp.json").replace("\"b\"", "\"c\""));
    home.done(&["uninstall"]);
    let after = home.files();
    for (file, text) in before.iter().filter(|(file, _)| !file.ends_with(".cursor/mcp.json")) {
        assert_eq!(after.get(file), Some(text), "{}", file.display());
    }
    let cursor: String = home.read(".cursor/mcp.json").split_whitespace().collect();
    let wanted: String = two
        .replace("SERVER", &home.0.join("server.sh").to_string_lossy())
        .replace("\"b\"", "\"c\"")
        .split_whitespace()
        .collect();
    assert_eq!(cursor, wanted);
}

#[test]
fn after_a_change_only_our_words_go() {
    let home = furnished("changed");
    home.run(&["install", "--yes"]);
    let with = home.read(".config/goose/config.yaml");
    home.put(".config/goose/config.yaml", &format!("{with}GOOSE_MODE: auto\n"));
    let codex = home.read(".codex/config.toml");
    home.put(".codex/config.toml", &format!("{codex}\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n"));
    let said = String::from_utf8(home.run(&["uninstall", "codex", "goose"]).stdout).unwrap();
    assert_eq!(said.matches("changed since; without toolshape").count(), 2, "{said}");
    let server = home.0.join("server.sh");
    let wanted = "# mine\nextensions:\n  good: # here\n    cmd: sh\n    args:\n      - SERVER\n    available_tools: [list]\nGOOSE_MODE: auto\n";
    assert_eq!(home.read(".config/goose/config.yaml"), wanted.replace("SERVER", &server.to_string_lossy()));
    let wanted = format!(
        "# mine\n[mcp_servers.good]\ncommand = 'sh' # here\nargs = [\"{}\"]\n\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n",
        server.display()
    );
    assert_eq!(home.read(".codex/config.toml"), wanted);
    assert!(!home.0.join(".codex/hooks.json").exists());
    assert!(home.read(".cursor/mcp.json").contains("\"--\""), "other hosts keep it");
}

/// What a user has written since is theirs, also where toolshape writes the file once more.
#[test]
fn a_changed_file_is_not_called_as_it_was() {
    let home = Home::new("edited");
    let text = |more: &str| {
        let own = "    \"a\": {\"command\": \"SERVER\"},\n    \"b\": {\"command\": \"SERVER\", \"args\": []}";
        format!("{{\n  \"mcpServers\": {{\n{own}\n  }}{more}\n}}\n")
    };
    let file = home.put(".gemini/settings.json", &text(""));
    let mut server = fs::read_to_string(home.0.join("server.sh")).unwrap();
    server.insert_str(0, "#!/bin/sh\n");
    fs::write(home.0.join("server.sh"), server).unwrap();
    fs::set_permissions(home.0.join("server.sh"), fs::Permissions::from_mode(0o700)).unwrap();
    for steps in [&[][..], &["off", "on"]] {
        home.put(".gemini/settings.json", &text(""));
        home.done(&["install", "--yes"]);
        let with = home.read(".gemini/settings.json");
        assert_eq!(with.matches("\"--\"").count(), 2, "{with}");
        fs::write(&file, with.strip_suffix("\n}\n").unwrap().to_owned() + ", \"theme\": 1\n}\n").unwrap();
        for step in steps {
            home.done(&[step, "a"]);
        }
        let said = home.done(&["uninstall"]);
        assert!(said.contains("changed since") && !said.contains("byte for byte"), "{steps:?}: {said}");
        let wanted = text(", \"theme\": 1").replace("SERVER", &home.0.join("server.sh").to_string_lossy());
        assert_eq!(home.read(".gemini/settings.json"), wanted, "{steps:?}");
    }
}

/// A server that calls itself `s` is `good` in the hosts.
#[test]
fn a_server_has_one_name() {
    let home = furnished("named");
    fs::remove_file(home.0.join(".kiro/settings/mcp.json")).unwrap();
    home.run(&["install", "--yes", "codex", "gemini"]);
    let command: Value = serde_json::from_str(&home.read("dotfiles/gemini.json").replace("1e400", "1")).unwrap();
    let words = command["mcpServers"]["good"]["args"].as_array().unwrap().clone();
    let about =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
    let asked =
        [("initialize", about), ("tools/list", json!({}))].into_iter().enumerate().map(|(at, (method, params))| {
            json!({ "jsonrpc": "2.0", "id": at + 1, "method": method, "params": params }).to_string() + "\n"
        });
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    home.given(&words, &asked.collect::<String>());
    let rows: Vec<Value> = (0..5_000).map(|id| json!({ "id": id })).collect();
    let text = json!(rows).to_string();
    for (host, tool, response) in [
        ("codex", "mcp__plug__find", json!([{ "type": "text", "text": text }])),
        ("opencode", "good_list", json!([text])),
    ] {
        home.put(".config/opencode/opencode.json", r#"{"mcp":{"good":{"type":"local","command":["sh","SERVER"]}}}"#);
        let event = json!({ "tool_name": tool, "tool_input": {}, "tool_response": response });
        assert!(!home.given(&["hook", host], &event.to_string()).stdout.is_empty(), "{host}");
    }
    let sums: Value = serde_json::from_str(&home.done(&["savings", "--json"])).unwrap();
    let names = |by: &str| sums["done"][by].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        (names("server"), names("tool")),
        (vec!["good".to_owned(), "plug".to_owned()], vec!["good/list".to_owned(), "plug/find".to_owned()])
    );

    let installed = home.files();
    for (name, known) in
        [("s", "bad, far, good, plug"), ("god/list", "bad, far, good, plug"), ("good/lst", "it has: list")]
    {
        let refused = home.run(&["off", name]);
        let why = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(1) && why.contains(known), "{name}: {why}");
    }
    let refused = home.run(&["on", "good/lst"]);
    assert!(
        refused.status.code() == Some(2)
            && String::from_utf8_lossy(&refused.stderr).contains("is not off; what is off: nothing")
    );
    assert_eq!(home.files(), installed);
    for name in ["good/list", "plug/find", "plug", "bad/any"] {
        home.done(&["off", name]);
    }
}

#[test]
fn a_server_and_a_tool_are_off_until_they_are_on() {
    let home = furnished("off");
    fs::remove_file(home.0.join(".kiro/settings/mcp.json")).unwrap();
    home.run(&["install", "--yes", "codex", "goose", "gemini"]);
    let relayed = home.read("dotfiles/gemini.json");
    // The hook leaves alone what is off, whatever its name is there.
    let is_shaped = |tool: &str| {
        let rows: Vec<Value> = (0..5_000).map(|id| json!({ "id": id, "name": format!("row {id}") })).collect();
        let event = json!({ "tool_name": tool, "tool_input": {}, "tool_response": { "content": [{ "type": "text", "text": json!(rows).to_string() }] } });
        !home.given(&["hook", "codex"], &event.to_string()).stdout.is_empty()
    };
    assert!(is_shaped("mcp__good__list") && is_shaped("mcp__other__list"));
    home.done(&["off", "good/list"]);
    assert!(home.read("dotfiles/gemini.json").contains(r#""--set", "tools.list=false", "--""#));
    assert!(home.read(".config/goose/config.yaml").contains("      - \"tools.list=false\"\n"));
    assert!(!is_shaped("mcp__good__list") && is_shaped("mcp__good__other") && is_shaped("mcp__other__list"));
    assert!(home.done(&["status", "goose"]).contains("good: relay, without list\n"));
    home.done(&["on", "good/list"]);
    assert_eq!(home.read("dotfiles/gemini.json"), relayed);
    home.done(&["off", "good"]);
    let has_relay = |path: &str| home.read(path).contains("\"--\"");
    assert!(!has_relay(".config/goose/config.yaml") && !has_relay("dotfiles/gemini.json"));
    assert!(!is_shaped("mcp__good__list") && is_shaped("mcp__other__list"));
    home.run(&["install", "--yes", "goose"]);
    assert!(!has_relay(".config/goose/config.yaml"), "off is remembered");
    assert!(home.done(&["status", "goose"]).contains("good: off"));
    home.done(&["on", "good"]);
    assert!(has_relay(".config/goose/config.yaml") && is_shaped("mcp__good__list"));
    assert_eq!(home.run(&["on", "other"]).status.code(), Some(2));
    assert_eq!(home.run(&["status", "emacs"]).status.code(), Some(1));
}

#[test]
fn only_what_a_host_has_is_left_alone() {
    let home = furnished("unknown");
    fs::remove_file(home.0.join(".kiro/settings/mcp.json")).unwrap();
    home.run(&["install", "--yes", "goose"]);
    for name in ["list", "nosuch/list", "toolshape"] {
        let refused = home.run(&["off", name]);
        assert_eq!(refused.status.code(), Some(1));
        let why = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(why.contains("no host has a server") && why.contains("good") && !why.contains(", toolshape"), "{why}");
    }
    home.done(&["off", "good"]);
    home.done(&["off", "good/list"]);
    assert!(home.done(&["on", "good/list"]).contains("once good is on"));
}

/// A project's files name no path of this machine, and are taken back from anywhere.
#[test]
fn a_project_has_a_portable_command() {
    let home = Home::new("project");
    let own = r#"{"mcpServers": {"a": {"command": "sh", "args": ["SERVER"]}}}"#;
    home.put(".mcp.json", own);
    let before = home.files();
    home.done(&["install", "--yes", "--project"]);
    let with = home.read(".mcp.json");
    assert!(with.contains(r#""command": "npx", "args": ["-y", "toolshape-cli@"#) && !with.contains("target"), "{with}");
    home.done(&["uninstall"]);
    assert_eq!(home.files(), before);
}

#[test]
fn a_hook_answers_as_its_host_reads() {
    let home = Home::new("hooks");
    let rows: Vec<Value> = (0..5_000).map(|id| json!({ "id": id, "name": format!("row {id}") })).collect();
    let (text, few) = (json!(rows).to_string(), "few");
    let answer = |host: &str, event: Value| -> Value {
        let output = home.given(&["hook", host], &event.to_string());
        assert!(output.status.success() && output.stderr.is_empty(), "{host}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    };
    let codex = |id: &str, response: Value| {
        answer(
            "codex",
            json!({ "tool_name": "mcp__s__t", "tool_input": {}, "tool_use_id": id, "tool_response": response }),
        )
    };
    let blocks = json!({ "content": [{ "type": "text", "text": text }] });
    let shaped = codex("call_1", blocks.clone());
    assert_eq!(shaped["continue"], false);
    let shown = shaped["reason"].as_str().unwrap();
    assert!(shown.chars().count() < 10_000 && shown.contains("read_result"), "{shown}");
    assert_eq!(codex("exec-1", blocks), Value::Null, "a program reads it");
    assert_eq!(codex("call_1", json!(few)), Value::Null);
    let image = json!({ "content": [{ "type": "text", "text": text }, { "type": "image", "data": "" }] });
    assert_eq!(codex("call_1", image), Value::Null, "a reason has no image");
    assert_eq!(codex("call_1", json!(shown)), Value::Null, "what was shaped is left");

    let result = json!({ "textResultForLlm": text, "resultType": "success" });
    let shaped = answer("copilot", json!({ "toolName": "s-t", "toolArgs": "{}", "toolResult": result }));
    assert_eq!(shaped["modifiedResult"]["resultType"], "success");
    assert!(shaped["modifiedResult"]["textResultForLlm"].as_str().unwrap().len() < 20_000);
    for host in ["opencode", "kilo", "cline", "pi"] {
        let shaped = answer(host, json!({ "tool_name": "s_t", "tool_input": {}, "tool_response": [few, text] }));
        let all: usize = shaped["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().len()).sum();
        assert!(all < 12_000, "{host}: {all}");
        let own = json!({ "tool_name": "toolshape_read_result", "tool_input": {}, "tool_response": [text] });
        assert_eq!(answer(host, own), Value::Null, "{host}");
    }
}

/// A server that a user adds later shares the reader, and the first then has none of its own.
#[test]
fn a_server_that_comes_later_shares_the_reader() {
    let home = Home::new("later");
    home.put(".cursor/mcp.json", r#"{"mcpServers":{"one":{"command":"sh","args":["SERVER"]}}}"#);
    home.done(&["install", "--yes"]);
    assert!(!home.read(".cursor/mcp.json").contains("addReader"));
    let with = home.read(".cursor/mcp.json").replacen(
        "{\"one\":",
        &format!("{{\"two\":{{\"command\":\"sh\",\"args\":[{:?}]}},\"one\":", home.0.join("server.sh")),
        1,
    );
    fs::write(home.0.join(".cursor/mcp.json"), with).unwrap();
    assert!(home.done(&["status"]).contains("cursor): two: without toolshape"));
    home.done(&["install", "--yes"]);
    let text = home.read(".cursor/mcp.json");
    assert_eq!(text.matches("addReader=false").count(), 2, "{text}");
    assert!(text.contains("\"toolshape\":"), "{text}");
    let settled = home.files();
    home.done(&["install", "--yes"]);
    assert_eq!(home.files(), settled);
    home.done(&["uninstall"]);
    let left: Value = serde_json::from_str(&home.read(".cursor/mcp.json")).unwrap();
    let names: Vec<&String> = left["mcpServers"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["two", "one"]);
    assert!(!home.read(".cursor/mcp.json").contains("addReader"));
}

#[test]
fn what_is_deleted_is_said() {
    let home = furnished("deleted");
    home.run(&["install", "--yes"]);
    let said = String::from_utf8(home.run(&["uninstall"]).stdout).unwrap();
    assert!(said.contains(".local/state/toolshape is deleted") && said.contains("the account"), "{said}");
    assert!(!home.0.join(".local/state/toolshape").exists());
}
