//! Files as people have them: wrapped, wrapped again, and taken back, also after their host has written them again.

use toolshape_hosts::*;

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
    // One line, tabs, no end, old Mac line ends in comments, escapes, a key twice at other levels, empty arguments.
    (
        "kiro",
        r#"{"mcpServers":{"a":{"command":"C:\\Program Files\\node.exe","args":["s.js","a b","\u00e9","\"q\""]}}}"#,
        1,
    ),
    ("kiro", "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"args\":[ ]},\"b\":{\"command\":\"y\",\"args\":[\n\n]}}}", 2),
    (
        "junie",
        "\n\n\t{ \"mcpServers\" : { \"a\" : { \"args\" : [ \"1\" , \"2\" ] , \"command\" : \"x\" } } } \t\n\n",
        1,
    ),
    (
        "crush",
        r#"{"$schema":"https://charm.land/crush.json","mcp":{"a":{"type":"stdio","command":"x","args":["y"]},"h":{"type":"http","url":"https://example.com"}}}"#,
        1,
    ),
    (
        "claude-desktop",
        "{\"mcpServers\":{\"mcp\":{\"command\":\"cmd\",\"args\":[\"/c\",\"npx\",\"-y\",\"s\"]}},\"globalShortcut\":\"\"}",
        1,
    ),
    (
        "kilo",
        "{\"mcp\":{\"a\":{\"type\":\"local\",\"command\":[\"x\"]},\"empty\":{\"type\":\"local\",\"command\":[]}}}\n",
        1,
    ),
    (
        "qwen",
        "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"includeTools\":[]}},\"a\":{\"mcpServers\":{\"b\":{\"command\":\"no\"}}}}",
        1,
    ),
    (
        "amazon-q",
        "{\"mcpServers\":{\"ü – 名\":{\"command\":\"x\"},\"__proto__\":{\"command\":\"y\"},\"\":{\"command\":\"z\"}}}",
        3,
    ),
    ("cursor", "{\"mcpServers\":{\"number\":{\"command\":\"x\",\"args\":[\"--port\",3000]},\"b\":{\"command\":7}}}", 0),
    ("cursor", "{\"mcpServers\":null,\"other\":[1,2,{\"command\":\"x\"}]}", 0),
    (
        "cursor",
        "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"args\":[\"--\",\"y\"],\"env\":{\"TOKEN\":\"toolshape --\"}}}}",
        1,
    ),
    ("codex", "[mcp_servers]\na.command = \"x\"\na.args = [\"y\"]\n", 1),
    (
        "codex",
        "[mcp_servers.a]\nargs = [\"\"\"multi\nline\"\"\", 'lit']\ncommand = \"\"\"x\"\"\"\n[mcp_servers.a.env]\nK = \"v\"",
        1,
    ),
    ("codex", "[mcp_servers.a]\ncommand = \"x\"\nenabled = false\n", 0),
    ("codex", "", 0),
    ("lm-studio", "{}", 0),
    // goose: a map, with extensions of its own.
    (
        "goose",
        "# mine\nGOOSE_MODEL: gpt\nextensions:\n  developer: # built in\n    type: builtin\n    enabled: true\n  files:\n    type: stdio\n    \
         cmd: npx # run\n    args:\n      - -y # yes\n      - \"@scope/server\"\n\n      # a folder\n      - /tmp\n    envs: {}\n    available_tools:\n      \
         - read\n  off:\n    type: stdio\n    cmd: x\n    args: []\n    enabled: false\n",
        1,
    ),
    (
        "goose",
        "\u{feff}extensions:\r\n  a:\r\n    cmd: 'C:\\x y\\s.exe'\r\n    args: [ 'a', \"b\" ]\r\n  ü名:\r\n    cmd: uvx\r\n    args:\r\n    - s\r\n  far:\r\n    uri: \
         https://example.com\r\n",
        2,
    ),
    ("goose", "extensions: {a: {cmd: npx, args: [x]}}\n", 1),
    ("goose", "extensions:\n  a:\n    args: [x]\n    cmd: a, b\n", 1),
    // Continue: a list.
    (
        "continue",
        "name: x\nversion: 1.0.0\nmodels:\n  - name: m\n    apiKey: ${{ secrets.KEY }}\nmcpServers:\n  - name: files # first\n    command: npx\n    args:\n      - -y\n      \
         - server\n    env:\n      A: b\n  - command: uvx\n    name: git\n  - name: far\n    url: https://example.com\nrules:\n  - be short\n",
        2,
    ),
    (
        "continue",
        "mcpServers:\n- name: a\n  command: npx\n  args: [\n    -y, # yes\n    x,\n  ]\n- name: &other b\n  command: *other\n",
        1,
    ),
    ("continue", "name: x\nmcpServers: []\n", 0),
    ("continue", "", 0),
];

#[test]
fn each_server_gets_the_relay_once_and_its_command_stays() {
    for (host, text, count) in FILES {
        let change = wrapped(host, text);
        assert_eq!(change.servers.len(), *count, "{host}");
        let before = servers(file(host), text).unwrap();
        for (old, new) in before.iter().zip(servers(file(host), &change.text).unwrap()) {
            let name = format!("--name={}", old.name);
            let with = [&relay()[..], &[name, "--".to_owned()], &old.command].concat();
            let is_changed = change.servers.contains(&old.name) && !old.is_off && old.url.is_none();
            assert_eq!(new.command, if is_changed { with } else { old.command.clone() }, "{host}: {}", old.name);
        }
        assert_eq!(wrapped(host, &change.text), Change { text: change.text.clone(), servers: vec![] }, "{host}");
    }
}

#[test]
fn it_is_taken_back_as_it_was() {
    for (host, text, _) in FILES {
        let change = unwrap(file(host), &wrapped(host, text).text, Some(text), &|_| true).unwrap();
        assert_eq!(change.text.replace("\"a, b\"", "a, b"), *text, "{host}");
    }
}

#[test]
fn what_a_user_wrapped_is_left_and_taken_out_with_the_rest() {
    let text = r#"{"mcpServers":{"a":{"command":"uvx","args":["toolshape","--","uvx","s"]},"b":{"command":"x"}}}"#;
    let change = wrapped("cursor", text);
    assert_eq!(change.servers, ["b"]);
    let back = unwrap(file("cursor"), &change.text, None, &|_| true).unwrap();
    let commands = servers(file("cursor"), &back.text).unwrap().into_iter().map(|server| server.command);
    assert_eq!(commands.collect::<Vec<_>>(), [vec!["uvx", "s"], vec!["x"]]);
}

/// The server that reads is another entry, which goes with the last wrapped server.
#[test]
fn one_server_reads_for_all() {
    let mut added = 0;
    for (host, text, count) in FILES.iter().filter(|(_, _, count)| *count > 0) {
        let with = match add_reader(file(host), &wrapped(host, text).text, &relay()[..1]) {
            Ok(with) => with,
            // A table in one line has no place for another.
            Err(_) if text.starts_with("mcp_servers = {") || text.starts_with("extensions: {") => continue,
            Err(why) => panic!("{host}: {why}: {text}"),
        };
        added += 1;
        let all = servers(file(host), &with).unwrap();
        let readers: Vec<_> = all.iter().filter(|server| server.is_reader()).collect();
        assert_eq!(readers.len(), 1, "{host}: {with}");
        assert_eq!(readers[0].command, [&relay()[0], "reader"], "{host}");
        assert!(add_reader(file(host), &with, &relay()[..1]).is_err(), "{host}: twice");
        assert_eq!(wrapped(host, &with).servers, Vec::<String>::new(), "{host}: it is not wrapped itself");
        let back = remove_reader(file(host), &unwrap(file(host), &with, None, &|_| true).unwrap().text).unwrap();
        let unread = unwrap(file(host), &wrapped(host, text).text, None, &|_| true).unwrap().text;
        let words =
            |text: &str| text.chars().filter(|letter| !letter.is_whitespace() && *letter != ',').collect::<String>();
        assert_eq!(words(&back), words(&unread), "{host} {count}");
    }
    assert!(added > 20, "{added}");
}

#[test]
fn it_is_taken_back_from_what_a_host_wrote_again() {
    let text = r#"{"mcpServers":{"a":{"command":"node","args":["s.js"]},"b":{"command":"c"}}}"#;
    let relayed = wrapped("cursor", text).text;
    let printed = relayed.replace('{', "{\n  ").replace(", ", ",\n      ").replace(']', "\n    ]");
    let change = unwrap(file("cursor"), &printed, None, &|server| server.name == "a").unwrap();
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
    assert_eq!(unwrap(file("gemini"), &with, None, &|_| true).unwrap().text, FILES[6].1);
}

#[test]
fn what_is_not_understood_is_refused_whole() {
    for (host, text) in [
        ("cursor", "{\"mcpServers\": "),
        ("cursor", "{ mcpServers: {} }"),
        ("cursor", "{\"mcpServers\": {\"a\": {\"command\": \"x\"}, \"a\": {\"command\": \"y\"}}}"),
        ("codex", "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.a]\ncommand = \"y\"\n"),
        ("codex", "mcp_servers = "),
        ("goose", "extensions:\n  a:\n    cmd: x\n  a:\n    cmd: y\n"),
        ("goose", "extensions: [\n"),
        ("goose", "extensions:\n  a:\n    cmd: *none\n"),
        ("continue", "mcpServers: []\n---\nmcpServers: []\n"),
    ] {
        assert!(servers(file(host), text).is_err(), "{text}");
    }
}

/// Some of ours, before the `--`, and nothing else.
#[test]
fn an_option_of_one_relay_is_set_and_taken_out() {
    let option = ["--set".to_owned(), "tools.list=false".to_owned()];
    for (host, text, count) in FILES.iter().filter(|(_, _, count)| *count > 0) {
        let relayed = wrapped(host, text).text;
        let set = |text: &str, is_set| set_words(file(host), text, &|_| true, &option, is_set).unwrap();
        let with = set(&relayed, true);
        let all = servers(file(host), &with).unwrap();
        let having = all.iter().filter(|server| server.command.windows(2).any(|words| words == option));
        assert_eq!(having.count(), all.iter().filter(|server| server.is_wrapped()).count(), "{host} {count}");
        assert_eq!(set(&with, true), with, "{host}: twice");
        assert_eq!(set(&with, false), relayed, "{host}");
    }
}

#[test]
fn what_runs_without_asking_has_the_reader() {
    let text = r#"{"mcpServers":{"a":{"command":"x","autoApprove":["list"]},"b":{"command":"y","autoApprove":[]}}}"#;
    let with = wrapped("kiro", text).text;
    assert!(
        with.contains(r#""autoApprove":["read_result_a", "list"]"#) && with.contains(r#""autoApprove":[]"#),
        "{with}"
    );
    let reader = add_reader(file("kiro"), &with, &relay()[..1]).unwrap();
    assert!(reader.contains("\"read_result\""), "{reader}");
    assert_eq!(unwrap(file("kiro"), &with, None, &|_| true).unwrap().text, text);
}

/// The command of a hook and its options.
fn hook_words(host: &str) -> Vec<String> {
    ["/opt/tool shape/toolshape", "hook", host, "--set", "observe=true"].map(str::to_owned).to_vec()
}

#[test]
fn a_hook_is_added_once_and_taken_out() {
    for hook in hooks() {
        let words = hook_words(hook.host);
        let with = hook.add(None, &words).unwrap();
        assert_eq!(hook.words_in(&with).unwrap(), words, "{with}");
        assert_eq!(hook.add(Some(&with), &words).unwrap(), with, "{}", hook.host);
        let empty = hook.remove(&with).unwrap();
        assert!(empty.is_none_or(|text| text.trim() == "{}"), "{}", hook.host);
    }
}

/// Comments, groups of others and the members around them stay.
#[test]
fn what_others_have_beside_a_hook_stays() {
    let group = r#"{ "matcher": "Edit", "hooks": [{ "type": "command", "command": "fmt" }, ] }"#;
    for (host, text) in [
        (
            "claude-code",
            format!(
                "{{\n\t// mine\n\t\"model\": \"opus\", \"hooks\": {{ \"PostToolUse\": [{group}], \"Stop\": [] }},\n\t\"permissions\": {{ \"deny\": [\"x\"], \"allow\": [\"Bash(ls)\"] }}\n}}"
            ),
        ),
        ("claude-code", "{}".to_owned()),
        ("claude-code", "{\r\n  \"env\": { \"A\": \"1\" }\r\n}\r\n".to_owned()),
        ("codex", format!("{{ \"hooks\": {{ \"PostToolUse\": [ {group} ] }} }}\n")),
        ("codex", "{ \"hooks\": { \"Stop\": [] }, \"description\": \"mine\" }".to_owned()),
    ] {
        let hook = hooks().iter().find(|hook| hook.host == host).unwrap();
        let with = hook.add(Some(&text), &hook_words(host)).unwrap();
        assert_eq!(hook.others(&with), if text.contains("fmt") { vec!["fmt"] } else { vec![] }, "{with}");
        let back = hook.remove(&with).unwrap().unwrap();
        let words = |text: &str| text.split_whitespace().collect::<String>().replace(",]", "]").replace(",}", "}");
        assert_eq!(words(&back), words(&text), "{with}");
        assert!(!text.contains("// mine") || back.contains("// mine"));
    }
}

#[test]
fn a_file_of_somebody_else_is_no_hook() {
    for (host, text) in [
        ("opencode", "export const Mine = () => {};\n"),
        ("copilot", "{ \"version\": 1 }"),
        ("claude-code", "[]"),
        ("codex", "{ \"hooks\": 7 }"),
    ] {
        let hook = hooks().iter().find(|hook| hook.host == host).unwrap();
        assert!(hook.add(Some(text), &hook_words(host)).is_err(), "{host}");
        assert_eq!(hook.remove(text).unwrap().as_deref(), Some(text), "{host}");
    }
}

/// Its headers are in no word of a command, and the entry comes back as it was, whatever is in it.
#[test]
fn a_server_with_fixed_headers_is_reached_by_the_relay() {
    for (host, entry) in [
        (
            "gemini",
            r#"{ "httpUrl": "https://example.com/mcp", // mine
  "headers": {"Authorization": "Bearer \"s3cret\"", "X-A": "1"}, "timeout": 5000, "includeTools": ["x"] }"#,
        ),
        ("cursor", r#"{"url":"https://example.com/mcp","headers":{"Authorization":"Bearer s3cret"}}"#),
        ("vscode", r#"{"type":"http","url":"https://example.com/mcp","headers":{"Authorization":"${input:s3cret}"},}"#),
        (
            "windsurf",
            "{\n\t\"serverUrl\": \"https://example.com/mcp\",\n\t\"headers\": {\"K\": \"s3cret\"},\n\t\"env\": {\"B\": \"c\"}\n}",
        ),
    ] {
        let table = if host == "vscode" { "servers" } else { "mcpServers" };
        let text = format!("{{\"{table}\": {{\"far\": {entry}, \"near\": {{\"command\": \"x\", \"args\": []}}}}}}\n");
        let with = wrapped(host, &text);
        assert_eq!(with.servers, ["far", "near"], "{host}");
        let all = servers(file(host), &with.text).unwrap();
        assert!(all[0].is_wrapped() && all[0].url.is_none(), "{host}: {}", with.text);
        assert!(all[0].command.iter().all(|word| !word.contains("s3cret")), "{host}: {:?}", all[0].command);
        let headers = all[0].environment.iter().find(|(name, _)| name == "TOOLSHAPE_HEADERS").unwrap();
        assert!(headers.1.contains("s3cret"), "{host}");
        assert!(
            !text.contains("includeTools") || all[0].shown_tools().unwrap().contains(&"read_result_far".to_owned())
        );
        assert_eq!(wrapped(host, &with.text).servers, Vec::<String>::new(), "{host}: twice");
        let option = ["--set".to_owned(), "tools.list=false".to_owned()];
        let set = |text: &str, is_set| set_words(file(host), text, &|_| true, &option, is_set).unwrap();
        assert_eq!(set(&set(&with.text, true), false), with.text, "{host}");
        assert_eq!(unwrap(file(host), &set(&with.text, true), Some(&text), &|_| true).unwrap().text, text, "{host}");
    }
}

#[test]
fn a_login_of_the_host_stays() {
    for entry in [
        r#"{"url":"https://example.com/mcp"}"#,
        r#"{"url":"https://example.com/mcp","headers":{}}"#,
        r#"{"url":"https://example.com/mcp","headers":{"X-A":"1"},"oauth":{"clientId":"a"}}"#,
        r#"{"url":"https://example.com/mcp","headers":{"X-A":"1"},"disabled":true}"#,
    ] {
        let text = format!("{{\"mcpServers\": {{\"far\": {entry}}}}}");
        assert_eq!(wrapped("cursor", &text).text, text);
    }
}

/// As another server has it: for all tools of a server, for one, and by rules for all servers.
#[test]
fn a_reader_runs_without_asking_where_others_do() {
    for (host, text, wanted) in [
        ("codex", "[mcp_servers.a]\ncommand = \"x\"\ndefault_tools_approval_mode = \"approve\"\n", true),
        ("codex", "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.a.tools.list]\napproval_mode = \"approve\"\n", true),
        ("codex", "[mcp_servers.a]\ncommand = \"x\"\ndefault_tools_approval_mode = \"prompt\"\n", false),
        ("opencode", r#"{"permission":{"*":"ask","a_*":"allow"},"mcp":{"a":{"type":"local","command":["x"]}}}"#, true),
        ("kilo", r#"{"permission":{"a_list":"allow"},"mcp":{"a":{"type":"local","command":["x"]}}}"#, true),
        (
            "opencode",
            r#"{"permission":{"*":"ask","bash":"allow"},"mcp":{"a":{"type":"local","command":["x"]}}}"#,
            false,
        ),
        ("opencode", r#"{"permission":"ask","mcp":{"a":{"type":"local","command":["x"]}}}"#, false),
    ] {
        let with = add_reader(file(host), text, &relay()[..1]).unwrap();
        let approved = [
            "\"toolshape_read_result\": \"allow\"",
            "\"toolshape_read_result\":\"allow\"",
            "\"reader\"]\ndefault_tools_approval_mode = \"approve\"",
        ];
        assert_eq!(approved.iter().any(|rule| with.contains(rule)), wanted, "{with}");
        let words = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(words(&remove_reader(file(host), &with).unwrap()), words(text), "{host}");
    }
}

#[test]
fn a_file_of_any_host_names_servers_in_its_way() {
    let file = |name: &str| HostFile::of_any(std::path::Path::new(name));
    for text in [
        r#"{"mcpServers":{"s":{"command":"node","args":["a.js"],"env":{"K":"v"}}}} // mine"#,
        r#"{"servers":{"s":{"type":"stdio","command":"node","args":["a.js"],"env":{"K":"v"}}},"inputs":[]}"#,
        r#"{"mcp":{"servers":{"s":{"command":"node","args":["a.js"],"env":{"K":"v"}}}}}"#,
        r#"{"mcp":{"s":{"type":"local","command":["node","a.js"],"environment":{"K":"v"}}}}"#,
        r#"{"mcp_servers":{"s":{"command":"node","args":["a.js"],"env":{"K":"v"}},"none":{"command":[]}}}"#,
    ] {
        let found = servers(&file("any.json"), text).unwrap();
        assert_eq!((found.len(), &*found[0].name, &*found[0].command.join(" ")), (1, "s", "node a.js"), "{text}");
        assert_eq!(found[0].environment, [("K".to_owned(), "v".to_owned())]);
    }
    let remote = r#"{"mcp_servers":{"r":{"url":"https://a.test/mcp","http_headers":{"K":"v"},"enabled":false}}}"#;
    let remote = &servers(&file("any.json"), remote).unwrap()[0];
    assert_eq!((remote.headers.len(), remote.is_off), (1, true));
    assert_eq!(servers(&file("config.toml"), "[mcp_servers.s]\ncommand = \"sh\"\n").unwrap()[0].command, ["sh"]);
}
