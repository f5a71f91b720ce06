//! The entry of the server that reads what all wrapped servers have kept.

use jsonc_parser::cst::CstInputValue;

use crate::edit::quoted;
use crate::files::{Format, HostFile};
use crate::json::RULES;
use crate::members::set_member;
use crate::server::{READER, Server};
use crate::{Refusal, json, servers, toml, yaml};

/// Its name in a host's configuration.
const NAME: &str = "toolshape";
/// Its tool.
const TOOL: &str = "read_result";

/// Its tool in the rules of hosts that have them for all servers.
const RULE: &str = "toolshape_read_result";

/// Adds the entry, after which `words` start toolshape.
///
/// # Errors
/// As [`servers`](crate::servers), a file that has another server of this name, and one in which it cannot be added.
pub fn add_reader(file: &HostFile, text: &str, words: &[String]) -> Result<String, Refusal> {
    let before = servers(file, text)?;
    if before.iter().any(|server| server.name == NAME) {
        return Err(Refusal(format!("there is a server {NAME:?} already")));
    }
    let command = [words, &[READER.to_owned()]].concat();
    let place = file.places.first().copied().unwrap_or_default();
    let after = match file.format {
        Format::Json => {
            let text = match json::approves(text, &before) {
                true => set_member(text, &[RULES], RULE, Some(CstInputValue::String("allow".to_owned())))?,
                false => text.to_owned(),
            };
            set_member(&text, place, NAME, Some(entry(file, &command, &before)))?
        }
        Format::Toml => {
            let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let (program, rest) = command.split_first().ok_or_else(|| Refusal("there is no command".to_owned()))?;
            let rest: Vec<String> = rest.iter().map(|word| quoted(word)).collect();
            let open = if text.ends_with('\n') || text.is_empty() { "" } else { end };
            let (table, program, rest) = (place.join("."), quoted(program), rest.join(", "));
            let approves = before.iter().find_map(|server| server.approves);
            let approves = approves.map_or(String::new(), |name| format!("{name} = {}{end}", quoted(toml::APPROVED)));
            format!("{text}{open}{end}[{table}.{NAME}]{end}command = {program}{end}args = [{rest}]{end}{approves}")
        }
        Format::Yaml => yaml::with_entry(file, text, NAME, &command)?,
    };
    let read = servers(file, &after)?;
    let others: Vec<_> = read.iter().filter(|server| server.name != NAME).map(|server| &server.command).collect();
    let is_there = read.iter().any(|server| server.is_reader());
    match is_there && others == before.iter().map(|server| &server.command).collect::<Vec<_>>() {
        true => Ok(after),
        false => Err(Refusal("its form is not known".to_owned())),
    }
}

/// Takes the entry out, if it is there.
///
/// # Errors
/// As [`servers`](crate::servers).
pub fn remove_reader(file: &HostFile, text: &str) -> Result<String, Refusal> {
    let Some(reader) = servers(file, text)?.into_iter().find(|server| server.name == NAME && server.is_reader()) else {
        return Ok(text.to_owned());
    };
    match file.format {
        Format::Json => {
            let text = set_member(text, &[RULES], RULE, None)?;
            set_member(&text, &reader.place.split('/').collect::<Vec<_>>(), NAME, None)
        }
        Format::Toml => {
            let head = format!("[{}.{NAME}]", reader.place.replace('/', "."));
            let start = text.find(&head).ok_or_else(|| Refusal("its form is not known".to_owned()))?;
            let is_own = |line: &&str| !line.trim().is_empty() && !line.starts_with('[');
            let (own, rest) =
                text[start..].split_at(text[start..].find('\n').map_or(text.len() - start, |end| end + 1));
            let end = start + own.len() + rest.split_inclusive('\n').take_while(is_own).map(str::len).sum::<usize>();
            // The line before it is ours too.
            let before = text[..start].strip_suffix("\r\n").or_else(|| text[..start].strip_suffix('\n'));
            Ok([before.unwrap_or(&text[..start]), &text[end..]].concat())
        }
        Format::Yaml => yaml::without_entry(file, text, NAME),
    }
}

/// The members of a server that a command starts, as the host wants them. It runs without asking where another server does.
fn entry(file: &HostFile, command: &[String], others: &[Server]) -> CstInputValue {
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let list = |words: &[String]| CstInputValue::Array(words.iter().map(|word| text(word)).collect());
    let mut members = Vec::new();
    let mut add = |name: &str, value| members.push((name.to_owned(), value));
    match file.host {
        "opencode" | "kilo" => {
            add("type", text("local"));
            add("command", list(command));
        }
        host => {
            match host {
                "copilot" => add("type", text("local")),
                "vscode" | "crush" => add("type", text("stdio")),
                _ => {}
            }
            add("command", text(&command[0]));
            add("args", list(&command[1..]));
            if host == "copilot" {
                add("tools", list(&["*".to_owned()]));
            }
        }
    }
    if others.iter().any(|other| other.is_trusted) {
        members.push(("trust".to_owned(), CstInputValue::Bool(true)));
    } else if let Some(approves) = others.iter().find_map(|other| other.approves) {
        members.push((approves.to_owned(), list(&[TOOL.to_owned()])));
    }
    CstInputValue::Object(members)
}
