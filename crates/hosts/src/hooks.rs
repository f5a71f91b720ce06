//! Hooks after a tool, in the hosts where one replaces cleanly what a model reads of a result.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};

use crate::Refusal;
use crate::edit::quoted;
use crate::server::is_toolshape;
use crate::shell;

/// The hook of a host.
#[derive(Clone, Copy, Debug)]
pub struct Hook {
    /// The host's name on the command line.
    pub host: &'static str,
    /// The path below the user's folder.
    pub path: &'static str,
    form: Form,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    /// A member of a file with other settings, which also says what may run without asking.
    Settings,
    /// A file with hooks.
    Hooks,
    /// A file of JSON of its own, which is a command of a shell.
    Command,
    /// A file of JavaScript of its own, which starts the program.
    Plugin(&'static str),
}

const COMMON: &str = include_str!("plugins/common.js");
const OPENCODE: &str = include_str!("plugins/opencode.js");

/// The hooks of all hosts.
pub const fn hooks() -> &'static [Hook] {
    const HOOKS: [Hook; 7] = [
        Hook { host: "claude-code", path: ".claude/settings.json", form: Form::Settings },
        Hook { host: "codex", path: ".codex/hooks.json", form: Form::Hooks },
        Hook { host: "copilot", path: ".copilot/hooks/toolshape.json", form: Form::Command },
        Hook { host: "opencode", path: ".config/opencode/plugin/toolshape.js", form: Form::Plugin(OPENCODE) },
        Hook { host: "kilo", path: ".config/kilo/plugin/toolshape.js", form: Form::Plugin(OPENCODE) },
        Hook {
            host: "cline",
            path: ".cline/plugins/toolshape.js",
            form: Form::Plugin(include_str!("plugins/cline.js")),
        },
        Hook {
            host: "pi",
            path: ".pi/agent/extensions/toolshape.js",
            form: Form::Plugin(include_str!("plugins/pi.js")),
        },
    ];
    &HOOKS
}

/// The event after a tool, in the files of Claude Code and Codex.
const EVENT: &str = "PostToolUse";
const HOOK: &str = "hook";
/// Claude Code's own tools, and those of its servers.
const MATCHER: &str = "Bash|Read|Grep|Glob|WebFetch|mcp__.*";
/// The environment variable over whose tokens a result of an MCP server goes into a file before Claude Code's hook; what is long after
/// the hook goes into a file in any case.
const MCP_LIMIT: &str = "MAX_MCP_OUTPUT_TOKENS";
const NO_LIMIT: &str = "100000000";
/// The line of a plug-in that has its command.
const PLUGIN_COMMAND: &str = "const [program, ...words] = ";
/// How long Copilot CLI waits.
const SECONDS: usize = 60;

impl Hook {
    /// The text of the file with the hook, which runs these words; the options after them may be others than before.
    ///
    /// # Errors
    /// A text that is not of the file's format, and a file of its own that somebody else wrote.
    pub fn add(&self, text: Option<&str>, words: &[String]) -> Result<String, Refusal> {
        let command = words.iter().map(|word| shell::quoted_word(word)).collect::<Vec<_>>().join(" ");
        let member = |name: &str, text: &str| (name.to_owned(), CstInputValue::String(text.to_owned()));
        let entry = CstInputValue::Object(vec![member("type", "command"), member("command", &command)]);
        match self.form {
            Form::Settings | Form::Hooks => {
                let without = text.map(|text| self.remove(text)).transpose()?.flatten();
                let root = parsed(without.as_deref().unwrap_or("{}\n"))?;
                let object = root.object_value().ok_or_else(|| Refusal("it is not a JSON object".to_owned()))?;
                let hooks = CstInputValue::Array(vec![entry]);
                let mut group = vec![("hooks".to_owned(), hooks)];
                if matches!(self.form, Form::Settings) {
                    group.insert(0, member("matcher", MATCHER));
                }
                list(&object, "hooks", EVENT)?.append(CstInputValue::Object(group));
                if matches!(self.form, Form::Settings) {
                    list(&object, "permissions", "allow")?.append(CstInputValue::String(permission(words)));
                    let environment = object.object_value_or_create("env");
                    let environment = environment.ok_or_else(|| Refusal("env is not an object".to_owned()))?;
                    if environment.get(MCP_LIMIT).is_none() {
                        environment.append(MCP_LIMIT, CstInputValue::String(NO_LIMIT.to_owned()));
                    }
                }
                Ok(root.to_string())
            }
            Form::Command | Form::Plugin(_) if text.is_some_and(|text| self.words_in(text).is_none()) => {
                Err(Refusal("somebody else wrote it".to_owned()))
            }
            Form::Command => Ok(format!(
                "{{\n  \"version\": 1,\n  \"hooks\": {{\n    \"postToolUse\": [\n      {{ \"type\": \"command\", \"bash\": {0}, \
                 \"powershell\": {1}, \"timeoutSec\": {SECONDS} }}\n    ]\n  }}\n}}\n",
                quoted(&command),
                quoted(&format!("& {command}")),
            )),
            Form::Plugin(own) => {
                let list: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                Ok(COMMON.replacen("COMMAND", &format!("[{}]", list.join(", ")), 1) + "\n" + own)
            }
        }
    }

    /// The text without the hook, and without what it would leave empty; nothing if the file is the hook's own.
    ///
    /// # Errors
    /// A text that is not of the file's format.
    pub fn remove(&self, text: &str) -> Result<Option<String>, Refusal> {
        let Some(words) = self.words_in(text) else { return Ok(Some(text.to_owned())) };
        if matches!(self.form, Form::Command | Form::Plugin(_)) {
            return Ok(None);
        }
        let root = parsed(text)?;
        let Some(object) = root.object_value() else { return Ok(Some(text.to_owned())) };
        for (group, hook, command) in commands(&object) {
            if self.is_ours(&command) {
                let is_last = hook.elements_beside == 0;
                if is_last { group.remove() } else { hook.node.remove() }
            }
        }
        if matches!(self.form, Form::Settings) {
            let allowed = object.object_value("permissions").and_then(|all| all.array_value("allow"));
            let ours = permission(&words);
            let allowed = allowed.map(|list| list.elements()).unwrap_or_default();
            allowed.into_iter().filter(|node| text_of(node).as_deref() == Some(&*ours)).for_each(CstNode::remove);
            let limit = object.object_value("env").and_then(|all| all.get(MCP_LIMIT));
            if let Some(limit) =
                limit.filter(|limit| limit.value().and_then(|value| text_of(&value)).as_deref() == Some(NO_LIMIT))
            {
                limit.remove();
            }
        }
        for (outer, inner) in [("hooks", EVENT), ("permissions", "allow"), ("env", "")] {
            let Some(table) = object.object_value(outer) else { continue };
            let is_empty = |member: &jsonc_parser::cst::CstObjectProp| {
                member.array_value().is_some_and(|list| list.elements().is_empty())
            };
            if let Some(member) = table.get(inner).filter(is_empty) {
                member.remove();
            }
            if table.properties().is_empty()
                && let Some(member) = object.get(outer)
            {
                member.remove();
            }
        }
        Ok(Some(root.to_string()))
    }

    /// The words of the hook in the text of a file, if it is there.
    #[must_use]
    pub fn words_in(&self, text: &str) -> Option<Vec<String>> {
        match self.form {
            Form::Plugin(_) => {
                let line = text.lines().find_map(|line| line.strip_prefix(PLUGIN_COMMAND))?;
                let list = parsed(line.strip_suffix(';')?).ok()?.array_value()?;
                list.elements().iter().map(text_of).collect()
            }
            Form::Command => {
                let hooks = parsed(text).ok()?.object_value()?.object_value("hooks")?.array_value("postToolUse")?;
                let mut hooks = hooks.elements().into_iter().filter_map(|hook| hook.as_object());
                hooks.find_map(|hook| self.ours(&text_of(&hook.get("bash")?.value()?)?))
            }
            Form::Settings | Form::Hooks => {
                let all = commands(&parsed(text).ok()?.object_value()?);
                all.into_iter().find_map(|(.., command)| self.ours(&command))
            }
        }
    }

    /// The numbers of the hook's group and of the hook in it, and its command.
    pub(crate) fn place_in(&self, text: &str) -> Option<(usize, usize, String)> {
        let all = commands(&parsed(text).ok()?.object_value()?);
        let (_, hook, command) = all.into_iter().find(|(.., command)| self.is_ours(command))?;
        Some((hook.group, hook.at, command))
    }

    /// The commands of other hooks after a tool in the same file: of several that replace a result, the last one wins.
    #[must_use]
    pub fn others(&self, text: &str) -> Vec<String> {
        let Some(object) = parsed(text).ok().and_then(|root| root.object_value()) else { return Vec::new() };
        commands(&object).into_iter().map(|(.., command)| command).filter(|command| !self.is_ours(command)).collect()
    }

    fn is_ours(&self, command: &str) -> bool {
        self.ours(command).is_some()
    }

    /// The words of a command that `install` writes: this program with options, and nothing more.
    fn ours(&self, command: &str) -> Option<Vec<String>> {
        let words = shell::words(command)?;
        let [program, first, second, options @ ..] = &words[..] else { return None };
        let is_option = |pair: &[String]| pair.len() == 2 && pair[0].starts_with("--");
        (is_toolshape(program) && first == HOOK && second == self.host && options.chunks(2).all(is_option))
            .then(|| words.clone())
    }
}

/// What Claude Code may run without asking: the command that reads what was kept.
fn permission(words: &[String]) -> String {
    format!("Bash({} read:*)", words.first().map(|program| shell::quoted_word(program)).unwrap_or_default())
}

fn parsed(text: &str) -> Result<CstRootNode, Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal("it is not JSON: it is empty".to_owned()));
    }
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| Refusal(format!("it is not JSON: {error}")))
}

/// A list in settings, which is made if it is not there.
fn list(object: &CstObject, outer: &str, inner: &str) -> Result<CstArray, Refusal> {
    let table = object.object_value_or_create(outer).ok_or_else(|| Refusal(format!("{outer} is not an object")))?;
    table.array_value_or_create(inner).ok_or_else(|| Refusal(format!("{outer}.{inner} is not a list")))
}

/// A hook in a group, and how many others the group has.
struct InGroup {
    node: CstNode,
    group: usize,
    at: usize,
    elements_beside: usize,
}

/// The hooks after a tool, with their groups and commands.
fn commands(object: &CstObject) -> Vec<(CstNode, InGroup, String)> {
    let groups = object.object_value("hooks").and_then(|hooks| hooks.array_value(EVENT));
    let mut found = Vec::new();
    for (number, group) in groups.map(|groups| groups.elements()).unwrap_or_default().into_iter().enumerate() {
        let hooks = group.as_object().and_then(|group| group.array_value("hooks"));
        let hooks = hooks.map(|hooks| hooks.elements()).unwrap_or_default();
        for (at, node) in hooks.iter().enumerate() {
            let command = node.as_object().and_then(|hook| hook.get("command")?.value());
            if let Some(command) = command.and_then(|command| text_of(&command)) {
                let hook = InGroup { node: node.clone(), group: number, at, elements_beside: hooks.len() - 1 };
                found.push((group.clone(), hook, command));
            }
        }
    }
    found
}

fn text_of(node: &CstNode) -> Option<String> {
    node.as_string_lit()?.decoded_value().ok()
}
