//! What keeps toolshape from working where it is installed.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};
use toolshape_hosts::{Hook, Server};

use super::ledger::Ledger;
use super::place::{Place, what_stays};
use super::probe;
use crate::output;

const CODEX: &str = "codex";
/// How long Codex is waited for.
const LONGEST: Duration = Duration::from_secs(20);
/// Settings of an administrator, and the members that concern hooks and commands of servers.
const MANAGED: [(&str, &[&str]); 4] = [
    ("/etc/claude-code/managed-settings.json", &["allowManagedHooksOnly", "disableAllHooks", "allowedMcpServers"]),
    (
        "/Library/Application Support/ClaudeCode/managed-settings.json",
        &["allowManagedHooksOnly", "disableAllHooks", "allowedMcpServers"],
    ),
    (
        "C:\\Program Files\\ClaudeCode\\managed-settings.json",
        &["allowManagedHooksOnly", "disableAllHooks", "allowedMcpServers"],
    ),
    ("/etc/codex/requirements.toml", &["mcp_servers", "allow_managed_hooks_only"]),
];

/// What a user does after a hook is written.
pub fn to_do(hook: &Hook) -> &'static str {
    if hook.host == CODEX { "; Codex runs it after you trust it once, in /hooks" } else { "" }
}

/// Says what is wrong with a hook, and returns how much.
///
/// # Errors
/// An output that cannot be written.
pub fn of_hook(hook: &Hook, place: &Place) -> Result<u32> {
    let Some(text) = &place.text else { return Ok(0) };
    let mut wrong = Vec::new();
    let Some(words) = hook.words_in(text) else { return Ok(0) };
    if let Some(program) = words.first().filter(|program| !Path::new(program).is_file()) {
        wrong.push(format!("{program} is not there; toolshape install writes another"));
    }
    if hook.host == CODEX {
        match codex_trust() {
            Some(trust) if trust == "trusted" || trust == "managed" => {}
            Some(trust) => wrong.push(format!("Codex does not run it: it is {trust}; trust it in /hooks")),
            None => output::print("  Codex cannot be asked whether it trusts the hook\n")?,
        }
    }
    for other in hook.others(text) {
        output::print(format!(
            "  another hook after tools: {other}; of two that replace a result, the last one wins\n"
        ))?;
    }
    say(&wrong)
}

/// The same of a server.
///
/// # Errors
/// As [`of_hook`].
pub fn of_server(shown: &str, server: &Server) -> Result<u32> {
    let mut wrong = Vec::new();
    if server.is_wrapped() || server.is_reader() {
        match probe::start(&[], server) {
            Err(why) => wrong.push(format!("does not start: {why:#}")),
            Ok(answer) => {
                if let (Some(reader), Some(tools)) = (answer.reader, server.shown_tools())
                    && !tools.iter().any(|tool| *tool == reader || tool == "*")
                {
                    wrong.push(format!("the filter of tools does not name {reader}: {shown}"));
                }
            }
        }
    }
    if server.is_wrapped_twice() {
        wrong.push("toolshape is before it twice".to_owned());
    }
    say(&wrong)
}

/// The same of what concerns all hosts.
///
/// # Errors
/// As [`of_hook`].
pub fn of_machine(ledger: &Ledger, is_whole: bool) -> Result<u32> {
    for (file, members) in MANAGED {
        let text = fs::read_to_string(file).unwrap_or_default();
        for member in members.iter().filter(|member| text.contains(*member)) {
            output::print(format!(
                "{file} has {member}: an administrator may have forbidden hooks or other commands\n"
            ))?;
        }
    }
    if is_whole {
        let is_installed = |file: &PathBuf| file.canonicalize().is_ok_and(|real| ledger.files().any(|own| own == real));
        for left in what_stays().iter().filter(|file| !is_installed(file)) {
            output::print(format!("{} is toolshape's, or names it\n", left.display()))?;
        }
    }
    Ok(0)
}

fn say(wrong: &[String]) -> Result<u32> {
    for one in wrong {
        output::print(format!("  {one}\n"))?;
    }
    Ok(u32::try_from(wrong.len()).unwrap_or(u32::MAX))
}

/// What Codex says of the hook: it runs those alone that the user trusts.
fn codex_trust() -> Option<String> {
    let mut child = Command::new(CODEX)
        .arg("app-server")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let (mut input, output) = (child.stdin.take()?, child.stdout.take()?);
    let (to, answers) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let Ok(mut message) = serde_json::from_str::<Value>(&line) else { continue };
            if message["id"] == 1 {
                let _ = to.send(message["result"].take());
            }
        }
    });
    let about = json!({ "clientInfo": { "name": "toolshape", "version": env!("CARGO_PKG_VERSION") } });
    let folder = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    for message in [
        json!({ "id": 0, "method": "initialize", "params": about }),
        json!({ "method": "initialized" }),
        json!({ "id": 1, "method": "hooks/list", "params": { "cwds": [folder] } }),
    ] {
        writeln!(input, "{message}").ok()?;
    }
    let answer = answers.recv_timeout(LONGEST).ok();
    drop(input);
    let _ = child.kill();
    let _ = child.wait();
    let lists = answer?;
    let hooks = lists["data"].as_array()?.iter().flat_map(|list| list["hooks"].as_array().cloned().unwrap_or_default());
    let ours = hooks.filter(|hook| hook["command"].as_str().is_some_and(|command| command.contains(" hook codex")));
    ours.filter_map(|hook| hook["trustStatus"].as_str().map(str::to_owned)).next_back()
}
