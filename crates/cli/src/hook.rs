//! `toolshape hook`: the results of Claude Code's own tools and of its MCP servers, shaped by its hook `PostToolUse`.

mod event;
mod printed;
mod private_file;
mod settings;

pub use printed::host_folder;
pub use settings::is_installed;

use std::path::Path;

use anyhow::Result;
use serde_json::Value;
use toolshape_proxy::{hook_output, hook_texts};

use crate::arguments::{HookAction, HookArguments};
use crate::settings::kept;
use crate::single_calls::{HOOK, SingleCalls};
use crate::{input, output, program};
use event::HookEvent;

/// Answers one hook, or changes the settings.
pub fn run(asked: &HookArguments) -> Result<u8> {
    match asked.what {
        HookAction::ClaudeCode => answer(asked),
        HookAction::Install => settings::install(asked),
        HookAction::Uninstall => settings::uninstall(asked),
    }
    // Claude Code takes 2, the code of a mistake, for a tool that failed.
    .map_err(|error| anyhow::anyhow!("{error:#}"))
}

/// Whether a command starts this program, which shapes and counts what it prints itself.
fn is_ours(arguments: &Value) -> bool {
    let mut words = arguments["command"].as_str().unwrap_or_default().split(' ').map(|word| word.trim_matches('\''));
    let [first, command] = [words.next(), words.next()].map(Option::unwrap_or_default);
    Path::new(first).file_stem().is_some_and(|name| name == program::NAME) && ["read", "run"].contains(&command)
}

/// Prints the result that replaces the tool's; nothing for one that fits. Options are those of the command that `install` wrote.
fn answer(asked: &HookArguments) -> Result<u8> {
    let Some(HookEvent { tool, arguments, mut response }) = HookEvent::read(&input::read(None)?)? else { return Ok(0) };
    if is_ours(&arguments) {
        return Ok(0);
    }
    printed::complete(&tool, &mut response);
    let (pointers, texts): (Vec<String>, Vec<String>) = hook_texts(&tool, &response).into_iter().unzip();
    if texts.is_empty() {
        return Ok(0);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let named = asked.policy.named()?;
    let mut calls = SingleCalls::new(&kept(&named, named.clone())?, HOOK)?;
    if calls.were_shaped(&texts) {
        return Ok(0);
    }
    if let Some(shaped) = calls.shape(&tool, &arguments, &texts)? {
        output::print(format!("{}\n", hook_output(response, &pointers, &shaped)))?;
    }
    Ok(0)
}
