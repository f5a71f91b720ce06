//! Servers in YAML, as goose and Continue have them: a map of servers by name, or a list of servers that have names.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::edit::{edited, quoted};
use crate::members::BOM;
use crate::server::{LISTS, Server, Spans, ToolList};
use crate::{Refusal, files::HostFile};

/// How hosts name the program, variables and an address.
const PROGRAMS: [&str; 2] = ["command", "cmd"];
const VARIABLES: [&str; 2] = ["env", "envs"];
const ADDRESSES: [&str; 2] = ["url", "uri"];
const MOST_DEEP: usize = 64;

/// A value, and where it is.
struct Node {
    at: Range<usize>,
    value: Value,
}

enum Value {
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    /// A value that is written elsewhere.
    Alias,
}

impl Node {
    fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    fn map(&self) -> &[(Node, Node)] {
        if let Value::Map(members) = &self.value { members } else { &[] }
    }

    fn list(&self) -> Option<&[Node]> {
        if let Value::List(items) = &self.value { Some(items) } else { None }
    }

    fn get(&self, name: &str) -> Option<&Node> {
        self.map().iter().find(|(key, _)| key.text() == Some(name)).map(|(_, value)| value)
    }

    fn any(&self, names: &[&str]) -> Option<&Node> {
        names.iter().find_map(|name| self.get(name))
    }
}

pub fn servers(text: &str, places: &[&[&str]]) -> Result<Vec<Server>, Refusal> {
    let found = places.iter().map(|place| Ok(entries(text, place)?.into_iter().filter_map(|(_, server)| server)));
    Ok(found.collect::<Result<Vec<_>, Refusal>>()?.into_iter().flatten().collect())
}

/// A text with another server, which is before the others.
pub fn with_entry(file: &HostFile, text: &str, name: &str, command: &[String]) -> Result<String, Refusal> {
    let unknown = || Refusal("its form is not known".to_owned());
    let place = file.places.first().copied().unwrap_or_default();
    let first = entries(text, place)?.first().ok_or_else(unknown)?.0;
    let words: Vec<String> = command[1..].iter().map(|word| quoted(word)).collect();
    let (program, arguments) = (quoted(&command[0]), format!("[{}]", words.join(", ")));
    let lines = match file.host {
        "goose" => vec![
            format!("{name}:"),
            format!("  name: {name}"),
            "  type: stdio".to_owned(),
            format!("  cmd: {program}"),
            format!("  args: {arguments}"),
            "  enabled: true".to_owned(),
            "  timeout: 300".to_owned(),
        ],
        _ => vec![format!("name: {name}"), format!("command: {program}"), format!("args: {arguments}")],
    };
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lead = lead(text, first);
    let indent: String = lead.chars().map(|letter| if letter.is_whitespace() { letter } else { ' ' }).collect();
    Ok(edited(text, vec![(first..first, lines.join(&format!("{end}{indent}")) + end + lead)]))
}

/// A text without a server.
pub fn without_entry(file: &HostFile, text: &str, name: &str) -> Result<String, Refusal> {
    let place = file.places.first().copied().unwrap_or_default();
    let all = entries(text, place)?;
    let at = all.iter().position(|(_, server)| server.as_ref().is_some_and(|server| server.name == name));
    let (Some(at), Some((next, _))) = (at, at.and_then(|at| all.get(at + 1))) else {
        return Err(Refusal("its form is not known".to_owned()));
    };
    Ok(edited(text, vec![(all[at].0..*next, String::new())]))
}

/// What is before a place in its line.
fn lead(text: &str, at: usize) -> &str {
    &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at]
}

/// The members of a table, or the items of a list, with the places at which they begin.
fn entries(text: &str, place: &[&str]) -> Result<Vec<(usize, Option<Server>)>, Refusal> {
    let Some(root) = parsed(text)? else { return Ok(Vec::new()) };
    let Some(table) = place.iter().try_fold(&root, |node, name| node.get(name)) else { return Ok(Vec::new()) };
    let shown = place.join("/");
    Ok(match table.list() {
        Some(items) => {
            let name = |item: &Node| item.get("name").and_then(Node::text).unwrap_or_default().to_owned();
            items.iter().map(|item| (item.at.start, server(text, name(item), &shown, item))).collect()
        }
        None => {
            let name = |key: &Node| key.text().unwrap_or_default().to_owned();
            table.map().iter().map(|(key, value)| (key.at.start, server(text, name(key), &shown, value))).collect()
        }
    })
}

fn server(text: &str, name: String, place: &str, entry: &Node) -> Option<Server> {
    let own = |node: &Node| node.text().map(str::to_owned);
    let texts = |names: &[&str]| -> Vec<(String, String)> {
        let members = entry.any(names).map(Node::map).unwrap_or_default();
        members.iter().filter_map(|(key, value)| Some((own(key)?, own(value)?))).collect()
    };
    let is = |name: &str, wanted: &str| entry.get(name).and_then(Node::text) == Some(wanted);
    let mut spans = Spans::default();
    let mut command = Vec::new();
    if let Some(program) = entry.any(&PROGRAMS) {
        command.push(program.text()?.to_owned());
        spans.program = Some(program.at.clone());
        if let Some(arguments) = entry.get("args") {
            spans.list = Some(arguments.at.clone());
            spans.is_in_lines = !text[arguments.at.clone()].starts_with('[');
            for word in arguments.list()? {
                command.push(word.text()?.to_owned());
                spans.words.push(word.at.clone());
            }
        }
    }
    let url = entry.any(&ADDRESSES).and_then(own);
    if command.is_empty() && url.is_none() {
        return None;
    }
    for tools in LISTS.iter().filter_map(|name| entry.get(name)) {
        let words = tools.list().unwrap_or_default().iter().filter_map(|word| Some((word.at.clone(), own(word)?)));
        let is_in_lines = !text[tools.at.clone()].starts_with('[');
        spans.tools.push(ToolList { tools: words.collect(), is_in_lines, is_filter: true });
    }
    Some(Server {
        name,
        place: place.to_owned(),
        command,
        environment: texts(&VARIABLES),
        folder: entry.get("cwd").and_then(own),
        url,
        headers: texts(&["headers"]),
        is_off: is("enabled", "false") || is("disabled", "true"),
        is_trusted: false,
        approves: None,
        spans,
    })
}

/// The value of a document; nothing of one that is empty.
fn parsed(text: &str) -> Result<Option<Node>, Refusal> {
    let mark = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    let body = &text[mark..];
    // The parser counts characters.
    let bytes: Vec<usize> = body.char_indices().map(|(at, _)| at + mark).chain([text.len()]).collect();
    let place = |index: usize| bytes.get(index).copied().unwrap_or(text.len());
    let mut open: Vec<(usize, Vec<Node>, bool)> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(body) {
        let (event, span) = event.map_err(|error| Refusal(format!("it is not YAML: {error}")))?;
        let at = place(span.start.index())..place(span.end.index());
        let node = match event {
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() == MOST_DEEP {
                    return Err(Refusal("it is nested too deeply".to_owned()));
                }
                open.push((at.start, Vec::new(), matches!(event, Event::MappingStart(..))));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some((start, nodes, is_map)) = open.pop() else { continue };
                let value = if is_map { Value::Map(pairs(nodes)) } else { Value::List(nodes) };
                Node { at: start..at.end.max(start), value }
            }
            Event::Scalar(value, style, ..) => {
                // A comment may be behind it.
                let source = text[at.clone()].trim_end();
                let length = match style {
                    ScalarStyle::Plain if source.starts_with(&*value) => value.len(),
                    ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => quoted_length(source),
                    _ => source.len(),
                };
                let end = at.start + length;
                Node { at: at.start..end, value: Value::Text(value.into_owned()) }
            }
            Event::Alias(_) => Node { at, value: Value::Alias },
            _ => continue,
        };
        match open.last_mut() {
            Some((_, nodes, _)) => nodes.push(node),
            None if root.is_some() => return Err(Refusal("it has several documents".to_owned())),
            None => root = Some(node),
        }
    }
    Ok(root)
}

/// The length of a text in quotes with which a source begins: in single ones a quote is doubled, in double ones it is escaped.
fn quoted_length(source: &str) -> usize {
    let (mut is_escaped, mut bytes) = (false, source.bytes().enumerate());
    let quote = bytes.next().map(|(_, quote)| quote);
    for (at, byte) in bytes {
        if is_escaped {
            is_escaped = false;
        } else if byte == b'\\' && quote == Some(b'"')
            || quote == Some(b'\'') && source.as_bytes()[at..].starts_with(b"''")
        {
            is_escaped = true;
        } else if Some(byte) == quote {
            return at + 1;
        }
    }
    source.len()
}

fn pairs(nodes: Vec<Node>) -> Vec<(Node, Node)> {
    let (mut pairs, mut nodes) = (Vec::with_capacity(nodes.len() / 2), nodes.into_iter());
    while let (Some(key), Some(value)) = (nodes.next(), nodes.next()) {
        pairs.push((key, value));
    }
    pairs
}
