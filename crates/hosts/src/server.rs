//! A server in a configuration, and where its words are in the text.

use std::ops::Range;

/// The command that starts the server which reads what others have kept.
pub(crate) const READER: &str = "reader";

/// A server that a host starts or reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    pub name: String,
    /// The table that names it, such as `mcpServers`; of Claude Code's local servers, the folder.
    pub place: String,
    /// The program and its arguments; nothing of a server with an address.
    pub command: Vec<String>,
    /// The variables that the host adds to its environment, as they are in the file.
    pub environment: Vec<(String, String)>,
    /// The folder in which it starts, if it is not the host's.
    pub folder: Option<String>,
    pub url: Option<String>,
    /// The headers of requests to its address, as they are in the file.
    pub headers: Vec<(String, String)>,
    /// Whether the host does not start it.
    pub is_off: bool,
    /// Whether the host runs all its tools without asking.
    pub is_trusted: bool,
    /// The name of its list of tools that run without asking, if there are any.
    pub approves: Option<&'static str>,
    pub(crate) spans: Spans,
}

/// The ranges of bytes that a change needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spans {
    /// Its entry with the brackets, where an address may become a command.
    pub entry: Option<Range<usize>>,
    /// The program, with its quotes; nothing if the whole command is one list.
    pub program: Option<Range<usize>>,
    /// The list of arguments, or of the whole command, with its brackets.
    pub list: Option<Range<usize>>,
    /// The words in the list, with their quotes.
    pub words: Vec<Range<usize>>,
    /// Whether each word of the list is in a line of its own.
    pub is_in_lines: bool,
    pub tools: Vec<ToolList>,
}

/// A list that names tools: those that the host shows, or that run without asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolList {
    pub tools: Vec<(Range<usize>, String)>,
    pub is_in_lines: bool,
    pub is_filter: bool,
}

/// How hosts name these lists.
pub(crate) const LISTS: [&str; 4] = ["includeTools", "tools", "enabled_tools", "available_tools"];
pub(crate) const APPROVALS: [&str; 2] = ["autoApprove", "alwaysAllow"];

impl Server {
    /// Whether toolshape is before it. The command begins with toolshape, or with what starts it, and has its own after `--`.
    pub fn is_wrapped(&self) -> bool {
        self.own_command().is_some()
    }

    /// Whether toolshape can be put before it: a command starts it, or its address has fixed headers, and toolshape is not there yet.
    pub fn may_be_wrapped(&self) -> bool {
        (!self.command.is_empty() || self.has_fixed_headers())
            && !self.is_off
            && !self.is_wrapped()
            && !self.is_reader()
    }

    /// Whether it is the server that reads what others have kept.
    pub fn is_reader(&self) -> bool {
        matches!(&self.command[..], [program, .., last] if is_toolshape(program) && last == READER)
            || matches!(&self.command[..], [_, .., program, last] if is_toolshape(program) && last == READER)
    }

    /// Whether toolshape is before it, and before that again.
    pub fn is_wrapped_twice(&self) -> bool {
        self.is_wrapped() && Self { command: self.bare_command().to_vec(), ..self.clone() }.is_wrapped()
    }

    /// The tools that the host shows, if not all.
    pub fn shown_tools(&self) -> Option<Vec<String>> {
        let shown = self.spans.tools.iter().find(|list| list.is_filter && !list.tools.is_empty())?;
        Some(shown.tools.iter().map(|(_, tool)| tool.clone()).collect())
    }

    /// The words of its relay, with what the host calls the server: a server may call itself otherwise.
    pub(crate) fn relay_words(&self, words: &[String]) -> Vec<String> {
        let name = (!words.is_empty()).then(|| format!("--name={}", self.name));
        words.iter().cloned().chain(name).collect()
    }

    /// The command without toolshape.
    pub fn bare_command(&self) -> &[String] {
        if self.entry_before().is_some() {
            return &[];
        }
        &self.command[self.own_command().unwrap_or(0)..]
    }

    /// The command after toolshape's own words.
    pub(crate) fn own_command(&self) -> Option<usize> {
        let end_of_words = if self.entry_before().is_some() { "--url" } else { "--" };
        let end = self.command.iter().position(|word| word == end_of_words)?;
        (end + 1 < self.command.len() && self.command[..end].iter().any(|word| is_toolshape(word))).then_some(end + 1)
    }
}

/// Whether a word is the program, or the package that has it.
pub(crate) fn is_toolshape(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.split('@').next().unwrap_or(name);
    ["toolshape", "toolshape.exe", "toolshape-cli"].contains(&name)
}
