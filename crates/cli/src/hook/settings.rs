//! The settings of Claude Code, with the hook and without it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use toolshape_proxy::{HOOKED_TOOLS, SERVERS_TOOLS};

use super::printed::host_folder;
use super::private_file::{access, put, read};
use crate::arguments::HookArguments;
use crate::settings::kept;
use crate::{output, program};

/// What follows the program in the hook's command, before its options.
const COMMAND: [&str; 2] = ["hook", "claude-code"];

/// Adds the hook, and says what it does.
pub fn install(asked: &HookArguments) -> Result<u8> {
    let file = file(asked)?;
    let was = original(&file)?;
    let hook = Hook::of(asked)?;
    let with = hook.added_to(was.as_deref()).with_context(|| format!("{} is not changed", file.display()))?;
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let access = access(&file);
    put(&beside(&file), was.as_deref(), &access)?;
    put(&file, Some(&with), &access)?;
    output::print(format!(
        "{}: after {} and the tools of MCP servers, whose limit is raised, Claude Code runs\n  {}\n\
         Results over the budget are shortened for the model. The whole is kept for\n  {}\n\
         which Claude may run without asking. To take it back: {} hook uninstall\n",
        file.display(),
        HOOKED_TOOLS.map(|(name, _)| name).join(", "),
        hook.command,
        hook.reader(),
        hook.program(),
    ))?;
    Ok(0)
}

/// Takes the hook back: settings that nobody has changed since are byte for byte as they were.
pub fn uninstall(asked: &HookArguments) -> Result<u8> {
    let file = file(asked)?;
    let is_there = read(&file)?.is_some_and(|text| Hook::find(&text).is_some());
    if is_there {
        put(&file, original(&file)?.as_deref(), &access(&file))?;
        put(&beside(&file), None, &None)?;
    }
    let done = if is_there { "the hook of toolshape was removed" } else { "the hook of toolshape is not installed" };
    output::print(format!("{}: {done}\n", file.display()))?;
    Ok(0)
}

/// Whether the hook is in the user's settings.
pub fn is_installed() -> Result<bool> {
    let Some(folder) = host_folder() else { return Ok(false) };
    Ok(read(&folder.join("settings.json"))?.is_some_and(|text| Hook::find(&text).is_some()))
}

/// The settings without the hook; nothing if there was no file before it.
fn original(file: &Path) -> Result<Option<String>> {
    let Some(current) = read(file)? else { return Ok(None) };
    let Some(hook) = Hook::find(&current) else { return Ok(Some(current)) };
    let before = read(&beside(file))?;
    match hook.added_to(before.as_deref()).is_ok_and(|with| with == current) {
        true => Ok(before),
        false => hook.removed_from(&current).map(Some),
    }
}

/// A hook of ours.
struct Hook {
    command: String,
}

impl Hook {
    /// The hook with the options that are asked for, those of a file included: the hook reads no file that others may change.
    fn of(asked: &HookArguments) -> Result<Self> {
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
        let options: Vec<String> = options.iter().map(|word| format!(" {}", program::quoted(word))).collect();
        let program = program::whole().context("the program toolshape has no path of its own here")?;
        Ok(Self { command: format!("{program} {}{}", COMMAND.join(" "), options.concat()) })
    }

    /// The hook that settings have.
    fn find(settings: &str) -> Option<Self> {
        let settings: Value = serde_json::from_str(settings).ok()?;
        let groups = settings["hooks"][EVENT].as_array()?;
        let hooks = groups.iter().filter_map(|group| group["hooks"].as_array()).flatten();
        let mut commands = hooks.filter_map(|hook| hook["command"].as_str());
        commands.find(|command| is_ours(command)).map(|command| Self { command: command.to_owned() })
    }

    fn program(&self) -> &str {
        self.command.split_once(&format!(" {}", COMMAND.join(" "))).map_or("", |(program, _)| program)
    }

    /// The command by which the model reads what was kept.
    fn reader(&self) -> String {
        format!("{} read", self.program())
    }

    fn permission(&self) -> String {
        format!("Bash({}:*)", self.reader())
    }

    /// Settings with the hook.
    fn added_to(&self, settings: Option<&str>) -> Result<String> {
        let mut settings: Value = serde_json::from_str(settings.unwrap_or("{}")).context("it is not JSON")?;
        let mut matcher: Vec<String> = HOOKED_TOOLS.iter().map(|(name, _)| (*name).to_owned()).collect();
        matcher.push(format!("{SERVERS_TOOLS}.*"));
        let hook = json!({ "type": "command", "command": self.command });
        list(&mut settings, "hooks", EVENT)?.push(json!({ "matcher": matcher.join("|"), "hooks": [hook] }));
        list(&mut settings, "permissions", ALLOWED)?.push(self.permission().into());
        let environment = object(&mut settings, "env")?;
        environment.entry(MCP_LIMIT).or_insert_with(|| NO_LIMIT.into());
        Ok(format!("{settings:#}\n"))
    }

    /// Settings without it, and without what it would leave empty.
    fn removed_from(&self, settings: &str) -> Result<String> {
        let mut settings: Value = serde_json::from_str(settings)?;
        for group in list(&mut settings, "hooks", EVENT)? {
            if let Some(hooks) = group["hooks"].as_array_mut() {
                hooks.retain(|hook| !hook["command"].as_str().is_some_and(is_ours));
            }
        }
        list(&mut settings, "hooks", EVENT)?.retain(|group| group["hooks"] != json!([]));
        let permission = self.permission();
        list(&mut settings, "permissions", ALLOWED)?.retain(|allowed| *allowed != permission.as_str());
        for (outer, inner, empty) in
            [("hooks", EVENT, json!([])), ("permissions", ALLOWED, json!([])), ("env", MCP_LIMIT, json!(NO_LIMIT))]
        {
            let members = object(&mut settings, outer)?;
            if members.get(inner) == Some(&empty) {
                members.shift_remove(inner);
            }
            if members.is_empty() {
                settings.as_object_mut().map(|settings| settings.shift_remove(outer));
            }
        }
        Ok(format!("{settings:#}\n"))
    }
}

const EVENT: &str = "PostToolUse";
const ALLOWED: &str = "allow";

/// The environment variable over whose tokens a result of an MCP server goes into a file before the hook; what is long after the hook
/// goes into a file in any case.
const MCP_LIMIT: &str = "MAX_MCP_OUTPUT_TOKENS";
const NO_LIMIT: &str = "100000000";

/// Whether `install` writes such a command: this program with options, and nothing more.
fn is_ours(command: &str) -> bool {
    let words = program::words(command).unwrap_or_default();
    let [program, first, second, options @ ..] = &words[..] else { return false };
    let is_named = Path::new(program).file_stem().is_some_and(|name| name == program::NAME);
    let is_option = |pair: &[String]| pair.len() == 2 && pair[0].starts_with("--");
    is_named && [first, second] == COMMAND && options.chunks(2).all(is_option)
}

/// A list in settings, which is made if it is not there.
fn list<'s>(settings: &'s mut Value, outer: &str, inner: &str) -> Result<&'s mut Vec<Value>> {
    let wrong = || format!("{outer}.{inner} is not a list");
    let inner = object(settings, outer)?.entry(inner).or_insert_with(|| json!([]));
    inner.as_array_mut().with_context(wrong)
}

/// An object in settings, which is made if it is not there.
fn object<'s>(settings: &'s mut Value, name: &str) -> Result<&'s mut Map<String, Value>> {
    let settings = settings.as_object_mut().context("it is not an object")?;
    let object = settings.entry(name).or_insert_with(|| json!({}));
    object.as_object_mut().with_context(|| format!("{name} is not an object"))
}

fn file(asked: &HookArguments) -> Result<PathBuf> {
    if let Some(file) = &asked.settings {
        return Ok(file.clone());
    }
    Ok(host_folder().context("the user has no home; name the settings with --settings")?.join("settings.json"))
}

/// Where the settings are as they were.
fn beside(file: &Path) -> PathBuf {
    file.with_extension("before-toolshape.json")
}
