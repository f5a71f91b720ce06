//! What keeps toolshape from working where it is installed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use toolshape_hosts::{Hook, Server, Trust, trust};

use super::ledger::Ledger;
use super::place::{Place, what_stays};
use super::probe;
use crate::output;

const CODEX: &str = "codex";
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
        // Codex itself would write into its folder.
        let configuration = fs::read_to_string(place.path.with_file_name("config.toml")).unwrap_or_default();
        let of = |path: &Path| trust(hook, &path.to_string_lossy(), text, &configuration);
        let all = [of(&place.path), of(&place.real)];
        let why = match all[usize::from(all[0] == Some(Trust::Missing))] {
            Some(Trust::Missing) => "is not trusted",
            Some(Trust::Outdated) => "has changed since it was trusted",
            Some(Trust::SwitchedOff) => "is switched off",
            Some(Trust::Given) | None => "",
        };
        if !why.is_empty() {
            wrong.push(format!("Codex does not run it: it {why}; trust it in /hooks"));
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
                let (count, s) = (answer.tools.len(), if answer.tools.len() == 1 { "" } else { "s" });
                output::print(match server.is_reader() {
                    true => "  it was started\n".to_owned(),
                    false => format!("  it was started, and has {count} tool{s}\n"),
                })?;
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
