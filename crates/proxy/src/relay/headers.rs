//! The headers of a message, which repeat for proxies what the message contains.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::message::Message;

/// The member of a schema that names the header of an argument.
const NAMED: &str = "x-mcp-header";
/// How values that a header cannot hold begin and end.
const CODED: (&str, &str) = ("=?base64?", "?=");

/// The arguments of tools that are also sent as headers: their paths and the names of the headers.
#[derive(Default)]
pub(super) struct Parameters(BTreeMap<String, Vec<(Vec<String>, String)>>);

impl Parameters {
    /// Learns from the answer to `tools/list`.
    pub fn learn(&mut self, message: &Message<'_>) {
        let Some(tools) = message.at(&["result", "tools"]).filter(|tools| tools.span().contains(NAMED)) else { return };
        let Ok(tools) = serde_json::from_str::<Vec<Value>>(tools.span()) else { return };
        for tool in tools {
            let mut found = Vec::new();
            find(&tool["inputSchema"], &mut Vec::new(), &mut found);
            if let Some(name) = tool["name"].as_str() {
                self.0.insert(name.to_owned(), found);
            }
        }
    }
}

fn find(schema: &Value, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, String)>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        path.push(name.clone());
        if let Some(header) = property[NAMED].as_str() {
            found.push((path.clone(), header.to_owned()));
        }
        find(property, path, found);
        path.pop();
    }
}

/// The headers of one request.
pub(super) struct Headers {
    pub list: Vec<(String, String)>,
}

impl Headers {
    pub fn new(session: Option<&str>, version: Option<&str>) -> Self {
        let mut headers = Self { list: Vec::new() };
        for (name, value) in [("Mcp-Session-Id", session), ("MCP-Protocol-Version", version)] {
            if let Some(value) = value {
                headers.add(name, value);
            }
        }
        headers
    }

    pub fn add(&mut self, name: &str, value: &str) {
        self.list.push((name.to_owned(), value.to_owned()));
    }

    /// The headers of a message since 2026-07-28.
    pub fn of_message(&mut self, message: &Message<'_>, parameters: &Parameters) {
        if let Some(version) = message.revision() {
            self.add("MCP-Protocol-Version", &coded(&version));
        }
        let Some(method) = message.method() else { return };
        self.add("Mcp-Method", &coded(&method));
        let named = match method.as_str() {
            "tools/call" | "prompts/get" => message.text_at(&["params", "name"]),
            "resources/read" => message.text_at(&["params", "uri"]),
            _ => None,
        };
        let Some(name) = named else { return };
        self.add("Mcp-Name", &coded(&name));
        for (path, header) in parameters.0.get(&name).into_iter().flatten() {
            let path: Vec<&str> = ["params", "arguments"].into_iter().chain(path.iter().map(String::as_str)).collect();
            let text = message.text_at(&path);
            // Numbers and booleans keep their spelling.
            let plain = || message.at(&path).map(|value| value.span().to_owned()).filter(|text| is_scalar(text));
            if let Some(value) = text.or_else(plain) {
                self.add(&format!("Mcp-Param-{header}"), &coded(&value));
            }
        }
    }
}

fn is_scalar(text: &str) -> bool {
    text != "null" && !text.starts_with(['{', '['])
}

/// A value as a header holds it.
fn coded(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~')) && value.trim() == value;
    let looks_coded = value.starts_with(CODED.0) && value.ends_with(CODED.1);
    if is_plain && !looks_coded && !value.is_empty() {
        return value.to_owned();
    }
    format!("{}{}{}", CODED.0, STANDARD.encode(value), CODED.1)
}
