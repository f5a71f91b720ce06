//! Files as people have them: wrapped, wrapped again, and taken back, also after their host has written them again.

use super::*;

fn file(host: &str) -> &'static HostFile {
    files().iter().find(|file| file.host == host).unwrap()
}

fn relay() -> Vec<String> {
    ["/opt/tool shape/toolshape", "--config", "/opt/me/.config/toolshape/\"q\".json"].map(str::to_owned).to_vec()
}

fn wrapped(host: &str, text: &str) -> Change {
    let relay = relay();
    let relay = Relay { words: &relay, reader: &|server| Some(format!("read_result_{}", server.name)) };
    wrap(file(host), text, relay, &|_| true).unwrap()
}

/// Text, and how many servers a relay can be before.
const FILES: &[(&str, &str, usize)] = &[
    (
        "claude-code",
        "{\n\t\"numStartups\": 12345678901234567890,\n\t\"x\": \"\\u00e9\\ud83d\\ude00\",\n\t\"mcpServers\": {\n\t\t\"files\": \
         {\"type\": \"stdio\", \"command\": \"npx\", \"args\": [\"-y\", \"server\", \".\"], \"env\": {\"A\": \"${HOME}\"}},\n\t\t\
         \"remote\": {\"type\":\"http\",\"url\":\"https://example.com/mcp\"}\n\t},\n\t\"projects\": {\"/a\": {\"mcpServers\": \
         {\"files\": {\"command\":\"uvx\",\"args\":[\"mcp-server-git\"]}}}, \"/b\": {\"mcpServers\": {}}}\n}",
        2,
    ),
    (
        "cursor",
        "\u{feff}{\r\n  \"mcpServers\": {\r\n    \"a\": {\r\n      \"command\": \"npx\",\r\n      \"args\": [\r\n        \"-y\",\r\n  \
         \"x\"\r\n      ]\r\n    }\r\n  }\r\n}\r\n",
        1,
    ),
    (
        "windsurf",
        r#"{"mcpServers":{"a":{"command":"node","args":[]},"b":{"command":"./run server"},"c":{"args":["x"],"command":"node"},"s":{"serverUrl":"https://example.com/sse"}}}"#,
        3,
    ),
    (
        "vscode",
        "// servers\n{\n  \"inputs\": [{ \"id\": \"key\", \"password\": true, }],\n  \"servers\": {\n    /* main */ \"a\": {\n      \
         \"command\": \"npx\", // what\n      \"args\": [\n        \"-y\", // yes\n        \"x\", \"${input:key}\",\n      ],\n    },\n    \
         \"b\": { \"command\": \"python\" /* no args */ },\n  },\n}\n",
        2,
    ),
    (
        "zed",
        r#"{ "context_servers": { "a": { "source": "custom", "command": "npx", "args": ["-y", "x"], }, "old": { "command": { "path": "npx", "args": ["-y", "y"] }, "settings": {} }, "ext": { "source": "extension" } } }"#,
        2,
    ),
    (
        "opencode",
        r#"{ "mcp": { "a": { "type": "local", "command": ["npx", "-y", "x"] }, "off": { "type": "local", "command": [ "bun", "x", ], "enabled": false }, "r": { "type": "remote", "url": "https://example.com/mcp" } } }"#,
        1,
    ),
    (
        "gemini",
        r#"{"mcpServers":{"a":{"command":"python","args":["-m","s"],"includeTools":["x"]},"h":{"httpUrl":"https://example.com/mcp"}}}"#,
        1,
    ),
    ("copilot", r#"{"mcpServers":{"a":{"type":"local","command":"npx","args":["-y","x"],"tools":["*"]}}}"#, 1),
    (
        "cline",
        r#"{"mcpServers":{"a":{"transport":{"type":"stdio","command":"npx","args":["-y","x"]},"disabled":false},"flat":{"command":"npx","args":["z"],"disabled":true}}}"#,
        1,
    ),
    (
        "codex",
        "# mine\r\nmodel = \"gpt\"\r\n\r\n[mcp_servers.a] # first\r\ncommand = \"npx\"   # run\r\nargs = [\r\n  \"-y\", # yes\r\n  'x',\r\n]\r\n\
         enabled_tools = [ \"t\" ]\r\n\r\n[mcp_servers.\"b c\"]\r\ncommand = 'C:\\bin\\s.exe'\r\n\r\n[mcp_servers.u]\r\nurl = \
         \"https://example.com/mcp\"\r\n\r\n[projects.\"/x\"]\r\ntrust_level = \"trusted\"\r\n",
        2,
    ),
    ("codex", "mcp_servers = { a = { command = \"npx\", args = [] } }\n", 1),
    (
        "amp",
        "{\n    \"amp.mcpServers\": {\n        \"a\": { \"command\": \"npx\", \"args\": [\"-y\", \"x\"] }\n    }\n}",
        1,
    ),
    ("lm-studio", "{\n  \"mcpServers\": {}\n}", 0),
    ("lm-studio", "{}", 0),
];

#[test]
fn each_server_gets_the_relay_once_and_its_command_stays() {
    for (host, text, count) in FILES {
        let change = wrapped(host, text);
        assert_eq!(change.servers.len(), *count, "{host}");
        let before = servers(file(host), text).unwrap();
        for (old, new) in before.iter().zip(servers(file(host), &change.text).unwrap()) {
            let with = [&relay()[..], &["--".to_owned()], &old.command].concat();
            let is_changed = change.servers.contains(&old.name) && !old.is_off && old.url.is_none();
            assert_eq!(new.command, if is_changed { with } else { old.command.clone() }, "{host}: {}", old.name);
        }
        assert_eq!(wrapped(host, &change.text), Change { text: change.text.clone(), servers: vec![] }, "{host}");
    }
}

#[test]
fn it_is_taken_back_as_it_was_but_for_empty_arguments() {
    for (host, text, _) in FILES {
        let change = unwrap(file(host), &wrapped(host, text).text, &|_| true).unwrap();
        let without =
            |text: &str| text.replace(", \"args\": []", "").replace("\r\nargs = []", "").replace("\nargs = []", "");
        assert_eq!(without(&change.text), without(text), "{host}");
    }
}

#[test]
fn it_is_taken_back_from_what_a_host_wrote_again() {
    let text = r#"{"mcpServers":{"a":{"command":"node","args":["s.js"]},"b":{"command":"c"}}}"#;
    let relayed = wrapped("cursor", text).text;
    let printed = relayed.replace('{', "{\n  ").replace(", ", ",\n      ").replace(']', "\n    ]");
    let change = unwrap(file("cursor"), &printed, &|server| server.name == "a").unwrap();
    let left = servers(file("cursor"), &change.text).unwrap();
    assert_eq!(left[0].command, ["node", "s.js"]);
    assert!(left[1].is_wrapped());
}

#[test]
fn filters_name_the_reader() {
    let with = wrapped("gemini", FILES[6].1).text;
    assert!(with.contains(r#""includeTools":["read_result_a", "x"]"#), "{with}");
    assert!(wrapped("codex", FILES[9].1).text.contains("enabled_tools = [ \"read_result_a\", \"t\" ]"));
    assert!(wrapped("copilot", FILES[7].1).text.contains(r#""tools":["*"]"#));
    assert_eq!(unwrap(file("gemini"), &with, &|_| true).unwrap().text, FILES[6].1);
}

#[test]
fn what_is_not_understood_is_refused_whole() {
    for (host, text) in [
        ("cursor", "{\"mcpServers\": "),
        ("cursor", "{ mcpServers: {} }"),
        ("cursor", "{\"mcpServers\": {\"a\": {\"command\": \"x\"}, \"a\": {\"command\": \"y\"}}}"),
        ("codex", "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.a]\ncommand = \"y\"\n"),
        ("codex", "mcp_servers = "),
    ] {
        assert!(servers(file(host), text).is_err(), "{text}");
    }
}
