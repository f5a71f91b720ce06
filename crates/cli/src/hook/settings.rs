//! The files of hosts, with the hook and without it.

use std::path::PathBuf;

use anyhow::{Context, Result};
use toolshape_hosts::{Hook, hooks};

use crate::arguments::HookArguments;
use crate::install::{Ledger, Place, program_words};
use crate::output;
use crate::settings::kept;

const CLAUDE_CODE: &str = "claude-code";

/// Adds the hook of Claude Code with the options that are asked for, those of a file included: the hook reads no file that others may
/// change.
pub fn install(asked: &HookArguments) -> Result<u8> {
    let named = asked.policy.named()?;
    // A wrong option is refused now, and not by each hook.
    kept(&named, named.clone())?;
    let mut options = Vec::new();
    for (name, value) in named.iter().filter(|(name, _)| *name != "$schema") {
        options.extend(match name.as_str() {
            "maxTokens" => ["--max-tokens".to_owned(), value.to_string()],
            name => ["--set".to_owned(), format!("{name}={value}")],
        });
    }
    let (hook, place) = of_claude_code(asked)?;
    add(hook, &place, &options, &mut Ledger::open()?)?;
    output::print(format!(
        "{}: after its tools and those of MCP servers, Claude Code runs toolshape, which shortens results over the budget. \
         The whole is kept for toolshape read, which Claude may run without asking. To take it back: toolshape hook uninstall\n",
        place.shown()
    ))?;
    Ok(0)
}

/// Takes the hook back.
pub fn uninstall(asked: &HookArguments) -> Result<u8> {
    let (hook, place) = of_claude_code(asked)?;
    let done = match remove(hook, &place, &mut Ledger::open()?)? {
        Removed::Nothing => "the hook of toolshape is not installed",
        Removed::Whole | Removed::Words => "the hook of toolshape was removed",
    };
    output::print(format!("{}: {done}\n", place.shown()))?;
    Ok(0)
}

/// Puts a hook into the file of a host.
///
/// # Errors
/// A file that cannot be read as it should, and what the system reports.
pub fn add(hook: &Hook, place: &Place, options: &[String], ledger: &mut Ledger) -> Result<()> {
    let words = [program_words()?, words(hook), options.to_vec()].concat();
    let unchanged = || format!("{} is not changed", place.shown());
    let with = hook.add(place.text.as_deref(), &words).with_context(unchanged)?;
    let without = place.text.as_deref().map(|text| hook.remove(text)).transpose()?.flatten();
    ledger.write(place, without, &with)
}

/// What `remove` has done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Removed {
    Nothing,
    /// The file is as it was, byte for byte.
    Whole,
    /// Somebody has changed it since.
    Words,
}

/// Takes a hook out of the file of a host.
///
/// # Errors
/// What the system reports.
pub fn remove(hook: &Hook, place: &Place, ledger: &mut Ledger) -> Result<Removed> {
    let Some(text) = place.text.as_deref().filter(|text| hook.words_in(text).is_some()) else {
        return Ok(Removed::Nothing);
    };
    match ledger.original(place)? {
        Some(original) => {
            ledger.take_back(place, original.as_deref())?;
            Ok(Removed::Whole)
        }
        None => {
            ledger.take_back(place, hook.remove(text)?.as_deref())?;
            Ok(Removed::Words)
        }
    }
}

fn words(hook: &Hook) -> Vec<String> {
    ["hook", hook.host].map(str::to_owned).to_vec()
}

fn of_claude_code(asked: &HookArguments) -> Result<(&'static Hook, Place)> {
    let hook = hooks().iter().find(|hook| hook.host == CLAUDE_CODE).context("Claude Code has no hook")?;
    let place = match &asked.settings {
        Some(file) => Place::at(CLAUDE_CODE, PathBuf::from(file)),
        None => Place::open(CLAUDE_CODE, hook.path),
    };
    Ok((hook, place?))
}
