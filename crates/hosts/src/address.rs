//! Servers at an address with headers of their own: the relay sends these, so that no login is hidden from the host.
//!
//! The entry becomes that of a command. It keeps its text of before in a variable, with which it is taken back.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, parse_to_ast};

use crate::edit::quoted;
use crate::files::HostFile;
use crate::json::{ADDRESSES, OPTIONS, VARIABLES};
use crate::server::Server;

/// The variables of a wrapped entry: its headers, a line each, which are in no command line, and its text of before.
const HEADERS: &str = "TOOLSHAPE_HEADERS";
const ENTRY: &str = "TOOLSHAPE_ENTRY";
/// Members of the entry of an address that that of a command does not have.
const OF_ADDRESS: [&str; 2] = ["headers", "type"];

impl Server {
    /// Whether its address is reached with fixed headers, so that the host has no login of its own.
    pub fn has_fixed_headers(&self) -> bool {
        self.url.is_some() && self.command.is_empty() && !self.headers.is_empty() && self.spans.entry.is_some()
    }

    /// The text of its entry before toolshape, if it was at an address.
    pub(crate) fn entry_before(&self) -> Option<&str> {
        let (_, text) = self.environment.iter().find(|(name, _)| name == ENTRY)?;
        Some(text)
    }

    /// The command that starts it behind these words and its name, and the variables that it has then too; without words as it is.
    pub fn behind(&self, words: &[String]) -> (Vec<String>, Vec<(String, String)>) {
        let words = self.relay_words(words);
        match &self.url {
            Some(url) if self.command.is_empty() => {
                let own = ["--url", url, "--header-env", HEADERS].map(str::to_owned);
                let headers = self.headers.iter().map(|(name, value)| format!("{name}: {value}"));
                let headers = headers.collect::<Vec<_>>().join("\n");
                ([&words[..], &own].concat(), vec![(HEADERS.to_owned(), headers)])
            }
            _ if words.is_empty() => (self.command.clone(), Vec::new()),
            _ => ([&words[..], &["--".to_owned()], &self.command].concat(), Vec::new()),
        }
    }
}

/// The entry of a server that is reached by these words instead; none if it is not one that can be.
pub(crate) fn wrapped(file: &HostFile, text: &str, server: &Server, words: &[String]) -> Option<String> {
    let own = &text[server.spans.entry.clone()?];
    let parsed = parse_to_ast(own, &CollectOptions::default(), &OPTIONS).ok()?;
    let Some(Value::Object(entry)) = &parsed.value else { return None };
    let (command, mut variables) = server.behind(words);
    variables.extend(server.environment.iter().cloned());
    variables.push((ENTRY.to_owned(), own.to_owned()));
    let (program, arguments) = command.split_first()?;
    let list = |words: &[String]| format!("[{}]", words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", "));
    let of_host = file.host == "opencode" || file.host == "kilo";
    let kind = match file.host {
        "opencode" | "kilo" | "copilot" => Some("local"),
        "vscode" | "crush" => Some("stdio"),
        _ => None,
    };
    let mut members: Vec<String> = kind.into_iter().map(|kind| format!("\"type\": {}", quoted(kind))).collect();
    if of_host {
        members.push(format!("\"command\": {}", list(&command)));
    } else {
        members.extend([format!("\"command\": {}", quoted(program)), format!("\"args\": {}", list(arguments))]);
    }
    let variables: Vec<String> =
        variables.iter().map(|(name, value)| format!("{}: {}", quoted(name), quoted(value))).collect();
    members.push(format!("\"{}\": {{{}}}", VARIABLES[usize::from(of_host)], variables.join(", ")));
    members.extend(others(entry).map(|range| own[range].to_owned()));
    Some(format!("{{{}}}", members.join(", ")))
}

/// The members that stay.
fn others<'a>(entry: &'a Object<'_>) -> impl Iterator<Item = std::ops::Range<usize>> + 'a {
    let goes = |name: &str| [&ADDRESSES[..], &OF_ADDRESS, &VARIABLES].concat().contains(&name);
    entry.properties.iter().filter(move |member| !goes(member.name.as_str())).map(|member| member.start()..member.end())
}
