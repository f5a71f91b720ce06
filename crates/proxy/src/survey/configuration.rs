//! The servers in the configuration file of a host: JSON, with comments as some hosts write it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::lenient_json;
use toolshape::{Error, ErrorCode};

/// Where hosts name their servers: Claude, Cursor and most others; VS Code; its settings; opencode; Codex, as JSON.
const PLACES: [&str; 5] = ["/mcpServers", "/servers", "/mcp/servers", "/mcp", "/mcp_servers"];
/// How they name an address, and the headers of requests to it: most; Gemini; Windsurf; Codex.
const ADDRESSES: [&str; 3] = ["url", "httpUrl", "serverUrl"];
const HEADERS: [&str; 2] = ["headers", "http_headers"];

/// A server that a host starts, or reaches by its address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfiguredServer {
    pub name: String,
    /// The program and its arguments; nothing of a server with an address.
    pub command: Vec<String>,
    pub environment: BTreeMap<String, String>,
    pub folder: Option<String>,
    pub url: Option<String>,
    /// The headers of every request to its address.
    pub headers: BTreeMap<String, String>,
    /// Whether the host does not start it.
    pub is_disabled: bool,
}

impl ConfiguredServer {
    /// A server that a command starts, without a name.
    pub fn started_by(command: &[String]) -> Self {
        Self { command: command.to_vec(), ..Self::default() }
    }

    /// A server at an address, without a name.
    pub fn at(url: &str) -> Self {
        Self { url: Some(url.to_owned()), ..Self::default() }
    }

    /// As JSON: `name`, `command`, `env`, `cwd`, `url`, `headers`, `disabled`.
    pub fn to_json(&self) -> Value {
        let Self { name, command, environment, folder, url, headers, is_disabled } = self;
        json!({
            "name": name, "command": command, "env": environment, "cwd": folder, "url": url, "headers": headers,
            "disabled": is_disabled,
        })
    }
}

/// The servers that a configuration file names: `claude_desktop_config.json`, `.mcp.json`, `.vscode/mcp.json`,
/// `~/.cursor/mcp.json`, and the like. Comments and commas before a closing bracket are read over.
///
/// # Errors
/// `INVALID_JSON` for text that is not JSON; `INVALID_CALL` if it names no servers.
///
/// ```
/// let text = r#"{ "mcpServers": { "files": { "command": "npx", "args": ["server-filesystem", "."] } } } // mine"#;
/// let servers = toolshape_proxy::configured_servers(text)?;
/// assert_eq!((&*servers[0].name, servers[0].command.len()), ("files", 3));
/// assert!(toolshape_proxy::configured_servers("{}").is_err());
/// # Ok::<(), toolshape::Error>(())
/// ```
pub fn configured_servers(text: &str) -> Result<Vec<ConfiguredServer>, Error> {
    let value = lenient_json::read(text)?;
    let places = PLACES.iter().filter_map(|place| value.pointer(place)?.as_object());
    let is_server = |server: &ConfiguredServer| !server.command.is_empty() || server.url.is_some();
    let servers: Vec<_> = places.flatten().map(|(name, value)| server(name, value)).filter(is_server).collect();
    match servers.is_empty() {
        true => Err(Error::new(ErrorCode::InvalidCall, "the file names no servers", "")),
        false => Ok(servers),
    }
}

fn server(name: &str, value: &Value) -> ConfiguredServer {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    // opencode has the arguments in the command.
    let mut command: Vec<String> = match &value["command"] {
        Value::Array(words) => words.iter().filter_map(text).collect(),
        command => text(command).into_iter().collect(),
    };
    if !command.is_empty() {
        command.extend(value["args"].as_array().into_iter().flatten().filter_map(text));
    }
    let texts = |names: &[&str]| {
        let named = names.iter().filter_map(|name| value[*name].as_object()).flatten();
        named.filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect()
    };
    ConfiguredServer {
        name: name.to_owned(),
        command,
        environment: texts(&["env", "environment"]),
        folder: text(&value["cwd"]),
        url: address(value),
        headers: texts(&HEADERS),
        is_disabled: value["disabled"] == true || value["enabled"] == false,
    }
}

fn address(server: &Value) -> Option<String> {
    ADDRESSES.iter().find_map(|name| server[*name].as_str()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_names_its_servers_in_its_way() {
        for text in [
            r#"{"mcpServers":{"s":{"command":"node","args":["a.js"],"env":{"K":"v"}}}}"#,
            r#"{"servers":{"s":{"type":"stdio","command":"node","args":["a.js"],"env":{"K":"v"}}},"inputs":[]}"#,
            r#"{"mcp":{"servers":{"s":{"command":"node","args":["a.js"],"env":{"K":"v"}}}}}"#,
            r#"{"mcp":{"s":{"type":"local","command":["node","a.js"],"environment":{"K":"v"}}}}"#,
            r#"{"mcp_servers":{"s":{"command":"node","args":["a.js"],"env":{"K":"v"}}}}"#,
        ] {
            let servers = configured_servers(text).unwrap();
            assert_eq!(servers.len(), 1, "{text}");
            assert_eq!((&*servers[0].name, &*servers[0].command.join(" ")), ("s", "node a.js"), "{text}");
            assert_eq!(servers[0].environment["K"], "v");
        }
        for text in [
            r#"{"mcpServers":{"r":{"url":"https://a.test/mcp","headers":{"K":"v"},"disabled":true}}}"#,
            r#"{"mcpServers":{"r":{"httpUrl":"https://a.test/mcp","headers":{"K":"v"},"disabled":true}}}"#,
            r#"{"mcp_servers":{"r":{"url":"https://a.test/mcp","http_headers":{"K":"v"},"enabled":false}}}"#,
        ] {
            let remote = configured_servers(text).unwrap();
            assert_eq!((remote[0].url.as_deref(), remote[0].is_disabled), (Some("https://a.test/mcp"), true), "{text}");
            assert_eq!(remote[0].headers["K"], "v", "{text}");
        }
    }

    #[test]
    fn what_names_no_program_and_no_address_is_no_server() {
        let text = r#"{"mcpServers":{"a":{"command":[]},"b":{"command":5,"args":["rm"]},"c":{"command":null},"d":{"command":"node"}}}"#;
        let names: Vec<String> = configured_servers(text).unwrap().into_iter().map(|server| server.name).collect();
        assert_eq!(names, ["d"]);
        let none = configured_servers(r#"{"mcpServers":{"a":{"command":[]}}}"#).unwrap_err();
        assert_eq!(none.message(), "the file names no servers");
    }
}
