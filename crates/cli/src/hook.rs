//! `toolshape hook`: the results of a host's own tools and of its MCP servers, shaped by its hook after a tool.

mod event;
mod form;
mod printed;
pub mod settings;

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use crate::arguments::HookArguments;
use crate::install::{Ledger, named_servers};
use crate::settings::kept;
use crate::single_calls::SingleCalls;
use crate::{input, output, program};
use event::HookEvent;
pub use form::HookForm;

/// Answers one hook, or changes the settings.
pub fn run(asked: &HookArguments) -> Result<u8> {
    match HookForm::of(&asked.what) {
        Some(form) => answer(asked, form),
        None if asked.what == "install" => settings::install(asked),
        None => settings::uninstall(asked),
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

/// Prints what replaces the tool's result; nothing for one that fits. Options are those of the command that `install` wrote.
fn answer(asked: &HookArguments, form: &'static HookForm) -> Result<u8> {
    let Some(HookEvent { id, tool, arguments, mut response }) = HookEvent::read(&input::read(None)?, form.members)?
    else {
        return Ok(0);
    };
    // A broken ledger leaves nobody without results.
    let is_off = Ledger::open().is_ok_and(|ledger| ledger.off().any(|name| form::is_named(name, &tool)));
    if is_off || is_ours(&arguments) || tool.contains("read_result") {
        return Ok(0);
    }
    printed::complete(&tool, &mut response);
    let (pointers, given): (Vec<String>, Vec<String>) = form.texts(id.as_deref(), &tool, &response).into_iter().unzip();
    if given.is_empty() {
        return Ok(0);
    }
    let whole: Vec<Option<String>> = given.iter().map(|text| form.whole(text)).collect();
    let texts: Vec<&str> =
        whole.iter().zip(&given).map(|(whole, given)| whole.as_ref().unwrap_or(given).as_str()).collect();
    let named = asked.policy.named()?;
    let mut calls = SingleCalls::of_hook(&kept(&named, named.clone())?, form)?;
    if calls.were_shaped(&texts) {
        return Ok(0);
    }
    // What the host has cut is what it would show.
    calls.is_of(form::names(&tool, || named_servers(form.host)));
    calls.would_show(&given.join("\n"), &tool);
    if let Some(shaped) = calls.shape(&tool, &arguments, &texts)? {
        output::print(format!("{}\n", form.answer(response, &pointers, &shaped)))?;
    }
    Ok(0)
}
