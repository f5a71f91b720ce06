//! How the hook of each host gets a result, and takes another.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolshape_account::{folder_of, home};
use toolshape_proxy::{SERVERS_TOOLS, hook_output, hook_texts};

use crate::input;

/// A host's form.
pub struct HookForm {
    /// The host's name on the command line.
    pub host: &'static str,
    /// Its name as a client of servers: a result is within what it shows.
    pub client: Option<&'static str>,
    /// Whether its model reads stored results by a command of a shell, and not by a server of MCP.
    pub is_read_by_command: bool,
    /// The members of an event: the tool, its arguments, its result.
    pub members: [&'static str; 3],
    answer: Answer,
    /// The folder in which it puts what a tool printed, and a part of the file's name.
    folder: fn() -> Option<PathBuf>,
    file: &'static str,
}

#[derive(Clone, Copy)]
enum Answer {
    /// The result in the tool's own form.
    Updated,
    /// A reason, which is read in place of the result while the turn goes on.
    Reason,
    /// The result with another text.
    Modified,
    /// A list of texts, for a plug-in.
    Texts,
}

/// The member of Copilot CLI's results that has the text.
const TEXT: &str = "textResultForLlm";
/// What comes before the file in a note of a host.
const NAMED: [&str; 3] = ["Saved to: ", "saved to: ", "Full output: "];
/// Where a note is in a text: at its start or at its end.
const NOTE: usize = 1 << 11;
/// The bytes of a file that is read.
const MOST: u64 = 256_000_000;
const EVENT: [&str; 3] = ["tool_name", "tool_input", "tool_response"];

const PLUGIN: HookForm = HookForm {
    host: "",
    client: None,
    is_read_by_command: false,
    members: EVENT,
    answer: Answer::Texts,
    folder: || None,
    file: "",
};

const FORMS: [HookForm; 7] = [
    HookForm { host: "claude-code", is_read_by_command: true, answer: Answer::Updated, ..PLUGIN },
    HookForm { host: "codex", client: Some("codex"), answer: Answer::Reason, ..PLUGIN },
    HookForm {
        host: "copilot",
        client: Some("copilot-cli"),
        members: ["toolName", "toolArgs", "toolResult"],
        answer: Answer::Modified,
        folder: || Some(env::temp_dir()),
        file: "-copilot-tool-output-",
        ..PLUGIN
    },
    HookForm { host: "opencode", client: Some("opencode"), folder: || data("opencode"), file: "tool_", ..PLUGIN },
    HookForm { host: "kilo", client: Some("kilo"), folder: || data("kilo"), file: "tool_", ..PLUGIN },
    HookForm { host: "cline", client: Some("@cline/"), ..PLUGIN },
    HookForm {
        host: "pi",
        client: Some("pi"),
        is_read_by_command: true,
        folder: || Some(env::temp_dir()),
        file: "pi-bash-",
        ..PLUGIN
    },
];

impl HookForm {
    /// The form of a host; nothing for one without a hook.
    pub fn of(host: &str) -> Option<&'static Self> {
        static ALL: [HookForm; 7] = FORMS;
        ALL.iter().find(|form| form.host == host)
    }

    /// The texts in a result, with their JSON Pointers; none of a result that cannot be replaced, or that a program reads.
    pub fn texts(&self, id: Option<&str>, tool: &str, response: &Value) -> Vec<(String, String)> {
        let is_text = |block: &Value| block.is_string() || block["type"] == "text";
        match self.answer {
            Answer::Updated => hook_texts(tool, response),
            // A program gets the whole, and a reason has no images.
            Answer::Reason if id.is_some_and(|id| id.starts_with("exec-")) => Vec::new(),
            Answer::Reason => {
                let blocks = response.as_array().or_else(|| response["content"].as_array());
                let has_others = blocks.is_some_and(|blocks| !blocks.iter().all(is_text));
                if has_others { Vec::new() } else { hook_texts(SERVERS_TOOLS, response) }
            }
            Answer::Modified => {
                let text = response[TEXT].as_str().filter(|text| !text.is_empty());
                text.map(|text| (format!("/{TEXT}"), text.to_owned())).into_iter().collect()
            }
            Answer::Texts => {
                let texts = response.as_array().into_iter().flatten().enumerate();
                texts.filter_map(|(at, text)| Some((format!("/{at}"), text.as_str()?.to_owned()))).collect()
            }
        }
    }

    /// What the host reads in place of a result.
    pub fn answer(&self, mut response: Value, pointers: &[String], texts: &[String]) -> Value {
        let joined = texts.join("\n");
        match self.answer {
            Answer::Updated => hook_output(response, pointers, texts),
            Answer::Reason => json!({ "continue": false, "stopReason": "toolshape: shortened", "reason": joined }),
            Answer::Modified => {
                response[TEXT] = joined.into();
                json!({ "modifiedResult": response })
            }
            Answer::Texts => json!({ "texts": texts }),
        }
    }

    /// The whole of a text, where the host has put it into a file of its own.
    pub fn whole(&self, text: &str) -> Option<String> {
        if self.file.is_empty() {
            return None;
        }
        let is_cut = |at: &usize| text.is_char_boundary(*at);
        let start = (0..=text.len().min(NOTE)).rev().find(is_cut).unwrap_or_default();
        let end = (text.len().saturating_sub(NOTE).max(start)..text.len()).find(is_cut).unwrap_or(text.len());
        let notes = [&text[..start], &text[end..]];
        let named = notes.iter().flat_map(|note| NAMED.iter().filter_map(|words| note.split_once(words)));
        let file = named.map(|(_, rest)| rest.split(['\n', '\r', ']']).next().unwrap_or_default().trim_end());
        let file =
            file.map(|path| path.strip_suffix('.').unwrap_or(path)).find_map(|path| self.of_host(Path::new(path)))?;
        fs::read(file).ok().map(|bytes| input::text_of(&bytes).into_owned())
    }

    /// The file, if it is one that the host writes: links and `..` do not exist else. A server may name another.
    fn of_host(&self, file: &Path) -> Option<PathBuf> {
        let (file, folder) = (file.canonicalize().ok()?, (self.folder)()?.canonicalize().ok()?);
        let is_of_host = file.parent()? == folder && file.file_name()?.to_str()?.contains(self.file);
        let about = fs::metadata(&file).ok()?;
        (is_of_host && about.is_file() && about.len() <= MOST).then_some(file)
    }
}

/// Where opencode and what is made of it put long outputs.
fn data(host: &str) -> Option<PathBuf> {
    let data = folder_of("XDG_DATA_HOME").or_else(|| home().map(|home| home.join(".local/share")))?;
    Some(data.join(host).join("tool-output"))
}

/// Whether a host's name of a tool is that of a server's, or with `SERVER/TOOL` of one tool: hosts write `mcp__server__tool`,
/// `server__tool`, `server-tool` or `server_tool`.
pub fn is_named(name: &str, tool: &str) -> bool {
    let plain = |text: &str| {
        let words: Vec<&str> =
            text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        words.join("_")
    };
    let tool = plain(tool.strip_prefix(SERVERS_TOOLS).unwrap_or(tool));
    match name.split_once('/') {
        Some((server, own)) => tool == plain(&format!("{server}_{own}")),
        None => tool.starts_with(&format!("{}_", plain(name))),
    }
}

/// The server and its own name of a tool, in a host's name of the tool. Without a sign between them, which is a `_` or `-` that either
/// may have, it is that of the servers which the host has with the longest name.
pub fn names(tool: &str, servers: impl FnOnce() -> Vec<String>) -> Option<(String, String)> {
    if let Some(rest) = tool.strip_prefix(SERVERS_TOOLS) {
        return rest.split_once("__").map(|(server, tool)| (server.to_owned(), tool.to_owned()));
    }
    let is_sign = |letter: char| !letter.is_alphanumeric();
    let is_like = |(one, other): (char, char)| one == other || (is_sign(one) && is_sign(other));
    let own = |server: &String| {
        let end = tool.char_indices().nth(server.chars().count())?.0;
        let is_its = tool[..end].chars().zip(server.chars()).all(is_like) && tool[end..].starts_with(is_sign);
        is_its.then(|| tool[end..].trim_start_matches(is_sign).to_owned())
    };
    let all = servers().into_iter().filter_map(|server| own(&server).map(|tool| (server, tool)));
    all.max_by_key(|(server, _)| server.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_named_as_each_host_writes_it() {
        for tool in ["mcp__git-hub__search_code", "git-hub-search_code", "git_hub_search_code", "git-hub__search_code"]
        {
            assert!(is_named("git-hub/search_code", tool) && is_named("git-hub", tool), "{tool}");
            assert!(!is_named("git-hub/search", tool) && !is_named("gi", tool), "{tool}");
        }
        assert!(!is_named("git", "mcp__github__search"));
    }

    #[test]
    fn a_tool_has_the_name_of_its_server() {
        let servers = || ["git", "git hub", "files"].map(str::to_owned).to_vec();
        for (tool, wanted) in [
            ("mcp__my_files__read_text_file", Some(("my_files", "read_text_file"))),
            ("mcp__a__b__c", Some(("a", "b__c"))),
            ("git_hub_search_code", Some(("git hub", "search_code"))),
            ("git__log", Some(("git", "log"))),
            ("files-read", Some(("files", "read"))),
            ("filesystem", None),
            ("Bash", None),
        ] {
            let wanted = wanted.map(|(server, own)| (server.to_owned(), own.to_owned()));
            assert_eq!(names(tool, servers), wanted, "{tool}");
        }
    }

    #[test]
    fn what_a_host_put_into_a_file_is_read_from_there_alone() {
        let form = HookForm::of("copilot").unwrap();
        let own = env::temp_dir().join(format!("{}-copilot-tool-output-x.txt", std::process::id()));
        let other = env::temp_dir().join(format!("{}-other.txt", std::process::id()));
        for file in [&own, &other] {
            fs::write(file, "all of it").unwrap();
        }
        let note = |file: &Path| form.whole(&format!("Output too large. Saved to: {}\nPreview", file.display()));
        assert_eq!(note(&own).as_deref(), Some("all of it"));
        assert_eq!(note(&other), None);
        for file in [own, other] {
            fs::remove_file(file).unwrap();
        }
    }
}
