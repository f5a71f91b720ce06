//! The sessions that hosts keep, read again: each result as the model read it, and as it would have been shaped.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};
use serde_json::Value;
use toolshape::host::{JsonText, Measure};
use toolshape::{Call, Shaper};
use toolshape_account::Entry;
use toolshape_proxy::{Counted, CountedKind, RelayOptions};

use crate::output;

/// The most folders below one of a host.
const DEPTH: usize = 8;

/// A result in a session.
#[derive(Default)]
struct Replayed {
    /// The host's id of the call: a session that goes on in another file has it there again.
    id: String,
    tool: String,
    /// What the model read.
    text: String,
    /// The file with the whole, if the host wrote one.
    file: Option<PathBuf>,
}

/// A host's sessions: its name, their folder in the user's, the start and the end of their names, and how one is read.
type Sessions = (&'static str, PathBuf, &'static str, &'static str, fn(&Path) -> Result<Vec<Replayed>>);

/// The results of all sessions, as a ledger has them.
pub fn replayed(options: &RelayOptions) -> Result<Vec<Entry>> {
    let shaper = Shaper::new(options.policy.clone());
    let measure = Measure { encoding: shaper.encoding() };
    let added: usize = shaper.added_tools(true, false).iter().map(|tool| measure.count(&tool.to_string())).sum();
    let (mut entries, mut known) = (Vec::new(), HashSet::new());
    for (host, folder, start, end, read) in hosts()? {
        for file in files(&folder, start, end) {
            let at = fs::metadata(&file).ok().and_then(|about| about.modified().ok()?.duration_since(UNIX_EPOCH).ok());
            let at = at.map_or(0, |since| since.as_secs());
            let mut results = read(&file).unwrap_or_else(|error| {
                output::say(&format!("toolshape: cannot read {}: {error:#}", file.display()));
                Vec::new()
            });
            results.retain(|one| one.id.is_empty() || known.insert((host, one.id.clone(), one.text.clone())));
            if results.is_empty() {
                continue;
            }
            let counted = |kind, tool: &str, without, with| {
                let (server, tool) = named(tool);
                let (client, handles) = (Some(host.to_owned()), Vec::new());
                let counted = Counted { kind, server, client, tool, without, with, handles, is_observed: true };
                Entry::new(at, host, &counted)
            };
            entries.push(counted(CountedKind::Definitions, "", 0, added));
            for Replayed { tool, text, file, .. } in results {
                let without = measure.count(&text);
                let whole = file.and_then(|file| fs::read_to_string(file).ok()).unwrap_or(text);
                let with = shaped(&shaper, &tool, &whole).map_or(without, |shown| measure.count(&shown));
                entries.push(counted(CountedKind::Result, &tool, without, with));
            }
        }
    }
    Ok(entries)
}

fn hosts() -> Result<[Sessions; 4]> {
    let home = toolshape_account::home().context("this user has no folder")?;
    let set = |name: &str, usual: &str| std::env::var_os(name).map_or_else(|| home.join(usual), PathBuf::from);
    Ok([
        ("claude-code", set("CLAUDE_CONFIG_DIR", ".claude").join("projects"), "", ".jsonl", claude_code),
        ("codex", set("CODEX_HOME", ".codex").join("sessions"), "rollout-", ".jsonl", codex),
        ("gemini-cli", home.join(".gemini/tmp"), "session-", ".jsonl", gemini),
        ("opencode", set("XDG_DATA_HOME", ".local/share").join("opencode"), "opencode", ".db", opencode),
    ])
}

fn files(folder: &Path, start: &str, end: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![(folder.to_path_buf(), 0)]);
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < DEPTH => folders.push((path, depth + 1)),
                Ok(kind) if kind.is_file() && name.starts_with(start) && name.ends_with(end) => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// The text that would be shown; nothing if it cannot be read.
fn shaped(shaper: &Shaper, tool: &str, text: &str) -> Option<String> {
    let call = Call::tool(tool).with_store();
    let shaped = match JsonText::parse(text) {
        Ok(_) => shaper.shape_json(text, &call),
        Err(_) => shaper.shape_text(text, &call),
    };
    shaped.ok().map(|shaped| shaped.text)
}

/// The server and the tool in a host's name for it, such as `mcp__git__log`.
fn named(tool: &str) -> (Option<String>, Option<String>) {
    match tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        Some((server, tool)) => (Some(server.to_owned()), Some(tool.to_owned())),
        None => (None, Some(tool.to_owned())),
    }
}

fn lines(file: &Path) -> Result<Vec<Value>> {
    let text = String::from_utf8_lossy(&fs::read(file)?).into_owned();
    // A session that goes on may end within a line.
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn name_of(names: &HashMap<String, String>, id: &Value) -> String {
    id.as_str().and_then(|id| names.get(id)).cloned().unwrap_or_default()
}

fn claude_code(file: &Path) -> Result<Vec<Replayed>> {
    let (mut names, mut results) = (HashMap::new(), Vec::new());
    for line in lines(file)? {
        let content = &line["message"]["content"];
        for part in list(content).filter(|part| part["type"] == "tool_use") {
            names.insert(text(&part["id"]), text(&part["name"]));
        }
        for part in list(content).filter(|part| part["type"] == "tool_result") {
            let file = line["toolUseResult"]["persistedOutputPath"].as_str().map(PathBuf::from);
            let (id, tool) = (text(&part["tool_use_id"]), name_of(&names, &part["tool_use_id"]));
            results.push(Replayed { id, tool, text: text(&part["content"]), file });
        }
    }
    Ok(results)
}

fn codex(file: &Path) -> Result<Vec<Replayed>> {
    let (mut names, mut results) = (HashMap::new(), Vec::new());
    for line in lines(file)?.iter().filter(|line| line["type"] == "response_item") {
        let item = &line["payload"];
        match item["type"].as_str().unwrap_or_default() {
            kind if kind.ends_with("_call") => {
                let space = item["namespace"].as_str().map_or(String::new(), |space| format!("{space}__"));
                names.insert(text(&item["call_id"]), space + &text(&item["name"]));
            }
            kind if kind.ends_with("_call_output") => {
                let tool = name_of(&names, &item["call_id"]);
                results.push(Replayed { id: text(&item["call_id"]), tool, text: text(&item["output"]), file: None });
            }
            _ => {}
        }
    }
    Ok(results)
}

/// A message is written again when it changes: its last line counts.
fn gemini(file: &Path) -> Result<Vec<Replayed>> {
    let (mut order, mut last) = (Vec::new(), HashMap::new());
    for line in lines(file)?.into_iter().filter(|line| line["type"] == "gemini") {
        let id = text(&line["id"]);
        if last.insert(id.clone(), line).is_none() {
            order.push(id);
        }
    }
    let calls = order.iter().flat_map(|id| list(&last[id]["toolCalls"]));
    let result = |call: &Value| {
        let parts = list(&call["result"]).map(|part| {
            let response = &part["functionResponse"]["response"];
            text(if response["output"].is_null() { response } else { &response["output"] })
        });
        let tool = text(&call["name"]).replacen("mcp_", "mcp__", 1).replacen("___", "__", 1);
        Replayed { id: text(&call["id"]), tool, text: parts.collect::<Vec<_>>().join("\n"), file: None }
    };
    Ok(calls.map(result).collect())
}

fn opencode(file: &Path) -> Result<Vec<Replayed>> {
    let database = rusqlite::Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut parts = database.prepare("SELECT data FROM part ORDER BY time_created, id")?;
    let rows = parts.query_map([], |row| row.get::<_, String>(0))?;
    let mut results = Vec::new();
    for row in rows {
        let part: Value = serde_json::from_str(&row?).unwrap_or_default();
        if part["type"] == "tool" && part["state"]["output"].is_string() {
            let file = part["state"]["metadata"]["outputPath"].as_str().map(PathBuf::from);
            let (tool, text) = (text(&part["tool"]), text(&part["state"]["output"]));
            results.push(Replayed { tool, text, file, ..Replayed::default() });
        }
    }
    Ok(results)
}
