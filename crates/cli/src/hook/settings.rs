//! The settings of Claude Code, with the hook and without it.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use toolshape_proxy::{HOOKED_TOOLS, SERVERS_TOOLS};

use crate::arguments::{HookArguments, KeptOptions};
use crate::{output, program};

/// How the hook's command ends, whatever its options and wherever the program is.
const COMMAND: &str = "hook claude-code";

/// Adds the hook, and says what it does.
pub fn install(asked: &HookArguments) -> Result<u8> {
    let file = file(asked)?;
    let was = original(&file)?;
    let hook = Hook::of(asked)?;
    let with = hook.added_to(was.as_deref()).with_context(|| format!("{} is not changed", file.display()))?;
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    put(&beside(&file), was.as_deref())?;
    put(&file, Some(&with))?;
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
        put(&file, original(&file)?.as_deref())?;
        put(&beside(&file), None)?;
    }
    let done = if is_there { "the hook of toolshape was removed" } else { "the hook of toolshape is not installed" };
    output::print(format!("{}: {done}\n", file.display()))?;
    Ok(0)
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
    /// The hook with the options that are asked for.
    fn of(asked: &HookArguments) -> Result<Self> {
        // A wrong option is refused now, and not by each hook.
        asked.kept.read()?;
        let KeptOptions { policy, store } = &asked.kept;
        let mut options = Vec::new();
        let mut option = |name: &str, value: String| options.extend([format!("--{name}"), value]);
        if let Some(tokens) = policy.max_tokens {
            option("max-tokens", tokens.to_string());
        }
        if let Some(config) = &policy.config {
            option("config", std::path::absolute(config)?.to_string_lossy().into_owned());
        }
        for (name, value) in &policy.set {
            option("set", format!("{name}={value}"));
        }
        if let Some(store) = store {
            option("store", store.clone());
        }
        let options: Vec<String> = options.iter().map(|word| format!(" {}", program::quoted(word))).collect();
        let program = program::spelled().context("toolshape is not on PATH")?;
        Ok(Self { command: format!("{program} {COMMAND}{}", options.concat()) })
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
        self.command.split_once(COMMAND).map_or("", |(program, _)| program.trim_end())
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

fn is_ours(command: &str) -> bool {
    command.contains(COMMAND) && command.contains(program::NAME)
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
    let folder = env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    let folder = folder.or_else(|| env::home_dir().map(|home| home.join(".claude")));
    Ok(folder.context("the user has no home; name the settings with --settings")?.join("settings.json"))
}

/// Where the settings are as they were.
fn beside(file: &Path) -> PathBuf {
    file.with_extension("before-toolshape.json")
}

fn read(file: &Path) -> Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

/// Writes a file, or removes it.
fn put(file: &Path, text: Option<&str>) -> Result<()> {
    let done = match text {
        Some(text) => fs::write(file, text),
        None => {
            fs::remove_file(file).or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
        }
    };
    done.with_context(|| format!("cannot write {}", file.display()))
}
