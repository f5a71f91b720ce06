//! Results of Claude Code's tools, as its hook `PostToolUse` gets them: where they have the texts that a model reads. All else
//! stays as it is.

use serde_json::{Value, json};

/// The tools, and the JSON Pointers of their texts. A list of texts is read line by line.
pub const HOOKED_TOOLS: [(&str, &[&str]); 5] = [
    ("Bash", &["/stdout", "/stderr"]),
    ("Read", &["/file/content"]),
    ("Grep", &["/content", "/filenames"]),
    ("Glob", &["/filenames"]),
    ("WebFetch", &["/result"]),
];

/// How the names of MCP servers' tools begin.
pub const SERVERS_TOOLS: &str = "mcp__";

/// The texts in the result of a tool, with their JSON Pointers; none for a tool that is not known, and for results without texts.
#[must_use]
pub fn hook_texts(tool: &str, response: &Value) -> Vec<(String, String)> {
    let known = HOOKED_TOOLS.iter().find(|(name, _)| *name == tool).map(|(_, pointers)| *pointers);
    let pointers: Vec<String> = match known {
        // A picture that a command prints.
        Some(_) if response["isImage"] == true => Vec::new(),
        Some(pointers) => pointers.iter().map(|&pointer| pointer.to_owned()).collect(),
        None if tool.starts_with(SERVERS_TOOLS) => of_server(response),
        None => Vec::new(),
    };
    let texts = pointers.into_iter().map(|pointer| (text_at(response, &pointer), pointer));
    texts.filter(|(text, _)| !text.is_empty()).map(|(text, pointer)| (pointer, text)).collect()
}

/// What the hook answers: the result with other texts at these pointers.
#[must_use]
pub fn hook_output<P: AsRef<str>, T: AsRef<str>>(mut response: Value, pointers: &[P], texts: &[T]) -> Value {
    // Texts that were made one are where the first was.
    let joined = [texts.iter().map(AsRef::as_ref).collect::<String>()];
    let texts: Vec<&str> = match texts.len() == pointers.len() {
        true => texts.iter().map(AsRef::as_ref).collect(),
        false => joined.iter().map(String::as_str).collect(),
    };
    for (at, pointer) in pointers.iter().enumerate() {
        let text = texts.get(at).copied().unwrap_or_default();
        match response.pointer_mut(pointer.as_ref()) {
            Some(Value::Array(lines)) => *lines = vec![json!(text)],
            Some(other) => *other = json!(text),
            None => {}
        }
    }
    json!({ "hookSpecificOutput": { "hookEventName": "PostToolUse", "updatedToolOutput": response } })
}

/// The pointers in a result of MCP: a text, blocks, or an object with blocks.
fn of_server(response: &Value) -> Vec<String> {
    let (blocks, at) = match response {
        Value::String(_) => return vec![String::new()],
        Value::Array(blocks) => (Some(blocks), ""),
        _ => (response["content"].as_array(), "/content"),
    };
    let texts = blocks.into_iter().flatten().enumerate().filter(|(_, block)| block["type"] == "text");
    texts.map(|(index, _)| format!("{at}/{index}/text")).collect()
}

/// The text; empty if there is none.
fn text_at(response: &Value, pointer: &str) -> String {
    match response.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}
