//! Where the results of Claude Code's tools have the texts that a model reads; all else stays as it is.

use std::fs;

use serde_json::{Value, json};

/// The tools, and the JSON Pointers of their texts. A list of texts is read line by line.
pub const TOOLS: [(&str, &[&str]); 5] = [
    ("Bash", &["/stdout", "/stderr"]),
    ("Read", &["/file/content"]),
    ("Grep", &["/content", "/filenames"]),
    ("Glob", &["/filenames"]),
    ("WebFetch", &["/result"]),
];

/// How the names of MCP servers' tools begin.
pub const OF_SERVERS: &str = "mcp__";

/// What a command printed, where Claude Code has put it into a file because it is long.
const IN_FILE: [&str; 2] = ["persistedOutputPath", "persistedOutputSize"];

/// Puts what is in a file into the result.
pub fn complete(response: &mut Value) {
    let text = response[IN_FILE[0]].as_str().and_then(|file| fs::read(file).ok());
    if let (Some(text), Some(members)) = (text, response.as_object_mut()) {
        members.insert("stdout".to_owned(), String::from_utf8_lossy(&text).into());
        IN_FILE.iter().for_each(|name| _ = members.shift_remove(*name));
    }
}

/// A text in a result.
pub struct Place(String);

/// The places of the texts in the result of a tool; none for a tool that is not known, and for results without texts.
pub fn places(tool: &str, response: &Value) -> Vec<Place> {
    let known = TOOLS.iter().find(|(name, _)| *name == tool).map(|(_, pointers)| *pointers);
    let pointers: Vec<String> = match known {
        // A picture that a command prints.
        Some(_) if response["isImage"] == true => Vec::new(),
        Some(pointers) => pointers.iter().map(|&pointer| pointer.to_owned()).collect(),
        None if tool.starts_with(OF_SERVERS) => of_server(response),
        None => Vec::new(),
    };
    pointers.into_iter().map(Place).filter(|place| !place.text(response).is_empty()).collect()
}

/// A result of MCP: a text, blocks, or an object with blocks.
fn of_server(response: &Value) -> Vec<String> {
    let (blocks, at) = match response {
        Value::String(_) => return vec![String::new()],
        Value::Array(blocks) => (Some(blocks), ""),
        _ => (response["content"].as_array(), "/content"),
    };
    let texts = blocks.into_iter().flatten().enumerate().filter(|(_, block)| block["type"] == "text");
    texts.map(|(index, _)| format!("{at}/{index}/text")).collect()
}

impl Place {
    /// The text; empty if there is none.
    pub fn text(&self, response: &Value) -> String {
        match response.pointer(&self.0) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
            _ => String::new(),
        }
    }

    /// Puts another text there, in the same form.
    pub fn put(&self, response: &mut Value, text: String) {
        match response.pointer_mut(&self.0) {
            Some(Value::Array(lines)) => *lines = vec![json!(text)],
            Some(other) => *other = json!(text),
            None => {}
        }
    }
}
