//! `toolshape hook`: the results of Claude Code's own tools and of its MCP servers, shaped by its hook `PostToolUse`.

mod settings;

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;
use toolshape_proxy::{hook_output, hook_texts};

use crate::arguments::{HookAction, HookArguments};
use crate::single_calls::SingleCalls;
use crate::{input, output};

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

/// Prints the result that replaces the tool's; nothing for one that fits.
fn answer(asked: &HookArguments) -> Result<u8> {
    let mut event: Value =
        serde_json::from_str(&input::read(None)?).context("the standard input is not an event of a hook")?;
    let tool = event["tool_name"].as_str().unwrap_or_default().to_owned();
    let arguments = event["tool_input"].take();
    let mut response = event["tool_response"].take();
    complete(&mut response);
    let (pointers, texts): (Vec<String>, Vec<String>) = hook_texts(&tool, &response).into_iter().unzip();
    if texts.is_empty() {
        return Ok(0);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    if let Some(shaped) = SingleCalls::new(asked.kept.read()?)?.shape(&tool, &arguments, &texts)? {
        output::print(format!("{}\n", hook_output(response, &pointers, &shaped)))?;
    }
    Ok(0)
}

/// What a command printed, where Claude Code has put it into a file because it is long.
const IN_FILE: [&str; 2] = ["persistedOutputPath", "persistedOutputSize"];

/// Puts what is in a file into the result.
fn complete(response: &mut Value) {
    let text = response[IN_FILE[0]].as_str().and_then(|file| fs::read(file).ok());
    if let (Some(text), Some(members)) = (text, response.as_object_mut()) {
        members.insert("stdout".to_owned(), String::from_utf8_lossy(&text).into());
        IN_FILE.iter().for_each(|name| _ = members.shift_remove(*name));
    }
}
