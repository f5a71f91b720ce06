//! Servers in TOML, as Codex has them.

use toml_edit::{Document, Item, TableLike, Value};

use crate::Refusal;
use crate::server::{LISTS, Server, Spans, ToolList};

/// How Codex says that the tools of a server run without asking.
const APPROVAL: &str = "default_tools_approval_mode";
pub(crate) const APPROVED: &str = "approve";

pub fn servers(text: &str, places: &[&[&str]]) -> Result<Vec<Server>, Refusal> {
    let document = Document::parse(text).map_err(|error| Refusal(format!("it is not TOML: {error}")))?;
    let mut found = Vec::new();
    for place in places {
        let mut table: Option<&dyn TableLike> = Some(document.as_table());
        for name in *place {
            table = table.and_then(|table| table.get(name)).and_then(Item::as_table_like);
        }
        for (name, entry) in table.into_iter().flat_map(TableLike::iter) {
            if let Some(entry) = entry.as_table_like() {
                found.extend(server(name, &place.join("/"), entry));
            }
        }
    }
    Ok(found)
}

fn server(name: &str, place: &str, entry: &dyn TableLike) -> Option<Server> {
    let value = |name: &str| entry.get(name).and_then(Item::as_value);
    let mut spans = Spans::default();
    let mut command = Vec::new();
    if let Some(program) = value("command") {
        command.push(program.as_str()?.to_owned());
        spans.program = program.span();
    }
    if let Some(Value::Array(arguments)) = value("args") {
        spans.list = arguments.span();
        for word in arguments {
            command.push(word.as_str()?.to_owned());
            spans.words.push(word.span()?);
        }
    }
    let url = value("url").and_then(Value::as_str).map(str::to_owned);
    if command.is_empty() && url.is_none() {
        return None;
    }
    for name in LISTS {
        if let Some(Value::Array(tools)) = value(name) {
            let tools = tools.iter().filter_map(|tool| Some((tool.span()?, tool.as_str()?.to_owned()))).collect();
            spans.tools.push(ToolList { tools, is_in_lines: false, is_filter: true });
        }
    }
    let texts = |table: &str| {
        let all = entry.get(table).and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
        all.filter_map(|(name, value)| Some((name.to_owned(), value.as_str()?.to_owned()))).collect()
    };
    let (environment, headers) = (texts("env"), texts("http_headers"));
    let folder = value("cwd").and_then(Value::as_str).map(str::to_owned);
    let is_approved = |of: Option<&Item>| of.and_then(Item::as_str) == Some(APPROVED);
    let tools = entry.get("tools").and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
    let mut modes = tools.filter_map(|(_, tool)| tool.as_table_like()?.get("approval_mode"));
    let approves = is_approved(entry.get(APPROVAL)) || modes.any(|mode| is_approved(Some(mode)));
    let is_off = value("enabled").and_then(Value::as_bool) == Some(false);
    Some(Server {
        name: name.to_owned(),
        place: place.to_owned(),
        command,
        environment,
        folder,
        url,
        headers,
        is_off,
        is_trusted: false,
        approves: approves.then_some(APPROVAL),
        spans,
    })
}
