//! `toolshape hook`: the results of Claude Code's own tools and of its MCP servers, shaped by its hook `PostToolUse`.

mod settings;
mod tool_response;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::arguments::{HookAction, HookArguments};
use crate::input;
use crate::single_calls::SingleCalls;

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
    let response = &mut event["tool_response"];
    tool_response::complete(response);
    let places = tool_response::places(&tool, response);
    if places.is_empty() {
        return Ok(0);
    }
    let texts: Vec<String> = places.iter().map(|place| place.text(response)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let Some(shaped) = SingleCalls::new(asked.kept.read()?)?.shape(&tool, &arguments, &texts)? else { return Ok(0) };
    for (at, place) in places.iter().enumerate() {
        // Texts that were made one are where the first was.
        let text = match shaped.len() == places.len() {
            true => shaped[at].clone(),
            false if at == 0 => shaped.concat(),
            false => String::new(),
        };
        place.put(response, text);
    }
    let output = json!({ "hookEventName": "PostToolUse", "updatedToolOutput": response });
    println!("{}", json!({ "hookSpecificOutput": output }));
    Ok(0)
}
