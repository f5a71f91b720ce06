//! Files as people have them: after `install` and `uninstall` each is byte for byte what it was, with its mode and its link.
#![cfg(unix)]

mod home;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use home::Home;

/// A round of files, which are on one machine; and how many of them have a server to wrap.
const ROUNDS: &[(&[(&str, &str)], usize)] = &[
    (
        &[
            // A byte order mark, ends of lines of Windows, comments, a comma before a bracket, no end.
            (
                ".cursor/mcp.json",
                "\u{feff}{\r\n  // mine\r\n  \"mcpServers\": { \"a\": { \"command\": \"sh\", \"args\": [\"SERVER\",] }, },\r\n}",
            ),
            // Tabs, blank lines, a number that is too large for most readers.
            (
                ".gemini/settings.json",
                "\n\n{\t\"n\": 1e400,\n\t\"mcpServers\"\t:\t{\t\"a\": {\n\t\t\"args\": [\n\t\t\t\"SERVER\"\n\t\t],\n\t\t\"command\": \"sh\"\n\t}}}\t\n\n",
            ),
            // Escapes, half of a pair, one line.
            (
                ".qwen/settings.json",
                r#"{"x":"\u00e9\ud83d","big":12345678901234567890,"mcpServers":{"\u0061":{"command":"sh","args":["SERVER"]}}}"#,
            ),
            (
                ".kiro/settings/mcp.json",
                r#"{"mcpServers":{"a":{"command":"sh","args":["SERVER"],"autoApprove":["list"],"disabled":false},"b":{"command":"sh","disabled":true}}}"#,
            ),
            (
                ".config/zed/settings.json",
                "// Zed\n{ \"context_servers\": { \"old\": { \"command\": { \"path\": \"sh\", \"args\": [ \"SERVER\" ] }, \"settings\": {} } } }",
            ),
            (
                ".config/goose/config.yaml",
                "\u{feff}# mine\r\nextensions:\r\n  developer: {type: builtin}\r\n  a: # here\r\n    cmd: sh # run\r\n    args:\r\n    - SERVER # this\r\n\r\n# end\r\n",
            ),
            (
                ".continue/config.yaml",
                "mcpServers:\n  - name: a\n    command: \"sh\"\n    args: [\n      SERVER,   # flow\n    ]\n    env: &env { A: 'it''s' }\n  - name: b\n    command: 'sh'\n    args:\n\n      - SERVER\n    env: *env\nrules: |\n  be: short\n\n",
            ),
            // A relay that its user has put there.
            (
                ".codeium/windsurf/mcp_config.json",
                r#"{"mcpServers":{"far":{"serverUrl":"https://example.com/sse"},"own":{"command":"npx","args":["toolshape-cli","--","sh","SERVER"]},"a":{"command":"sh","args":["SERVER"]}}}"#,
            ),
            (".lmstudio/mcp.json", ""),
            (
                ".aws/amazonq/mcp.json",
                r#"{"mcpServers":{"\u00fc \u2013 \u540d":{"command":"sh","args":["SERVER"]},"__proto__":{"command":"sh","args":["SERVER"]}}}"#,
            ),
            (".junie/mcp/mcp.json", r#"{"mcpServers":null,"other":[1,{"command":"x"}]}"#),
            (
                ".codex/config.toml",
                "model = 'x' # mine\r\n\r\n[mcp_servers]\r\na.command = \"sh\"\r\na.args = ['SERVER']\r\n[projects.\"/x\"]\r\ntrust_level = \"trusted\"",
            ),
            (
                ".codex/hooks.json",
                "{ \"hooks\": { \"PostToolUse\": [ { \"hooks\": [ { \"type\": \"command\", \"command\": \"fmt\" } ] } ], }, } // mine",
            ),
            (".claude/settings.json", "{\r\n\t\"env\": {}, \"permissions\": { \"allow\": [ ] }\r\n}\r\n\r\n"),
            (
                ".copilot/mcp-config.json",
                r#"{"mcpServers":{"a":{"type":"local","command":"sh","args":["SERVER"],"tools":["*"]}}}"#,
            ),
        ],
        8,
    ),
    (
        &[
            // Two of one name, a broken one, another kind of value, nothing at all.
            (".cursor/mcp.json", r#"{"mcpServers":{"a":{"command":"sh"},"a":{"command":"sh"}}}"#),
            (".gemini/settings.json", "{\"mcpServers\": "),
            (".kiro/settings/mcp.json", "[]"),
            (".qwen/settings.json", " \n"),
            (".config/goose/config.yaml", "extensions:\n\ta: {cmd: sh}\n"),
            (".continue/config.yaml", "mcpServers: *missing\n"),
            (".codeium/windsurf/mcp_config.json", "{ mcpServers: {} }"),
            (
                ".config/crush/crush.json",
                r#"{"mcp":{"a":{"type":"stdio","command":"sh","args":["SERVER",7]},"b":{"type":"stdio","command":["x"]}}}"#,
            ),
            (
                ".config/amp/settings.json",
                "{\n    \"amp.mcpServers\": {\n        \"a\": { \"command\": \"sh\", \"args\": [\"SERVER\"] }\n    }\n}",
            ),
            (".codex/config.toml", "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.a]\n"),
            (".codex/hooks.json", "{ \"hooks\": 7 }"),
            (".claude/settings.json", "not JSON"),
            (
                ".config/opencode/opencode.jsonc",
                "// mine\n{ \"mcp\": { \"a\": { \"type\": \"local\", \"command\": [ \"sh\", \"SERVER\", ], \"enabled\": false } } }",
            ),
            (".config/opencode/plugin/toolshape.js", "export const Mine = () => {};\n"),
            (".config/kilo/kilo.json", "{\"mcp\":{\"a\":{\"type\":\"local\",\"command\":[\"sh\",\"SERVER\"]}}}"),
            (
                ".cline/data/settings/cline_mcp_settings.json",
                r#"{"mcpServers":{"a":{"transport":{"type":"stdio","command":"sh","args":["SERVER"]},"timeout":60}}}"#,
            ),
            (".pi/agent/settings.json", "{}"),
            (
                ".config/Code/User/mcp.json",
                "{\n  \"inputs\": [{ \"id\": \"key\", \"password\": true, }],\n  \"servers\": {\n    /* main */ \"a\": {\n      \"command\": \"sh\", // what\n      \"args\": [\n        \"SERVER\", \"${input:key}\",\n      ],\n    },\n  },\n}\n",
            ),
        ],
        2,
    ),
];

#[test]
fn every_file_is_byte_for_byte_what_it_was() {
    for (round, (files, wrapped)) in ROUNDS.iter().enumerate() {
        let home = Home::new(&format!("odd{round}"));
        for (at, (path, text)) in files.iter().enumerate() {
            let file = home.put(path, text);
            fs::set_permissions(&file, fs::Permissions::from_mode([0o644, 0o600, 0o400, 0o640][at % 4])).unwrap();
        }
        // What a link names, and one that names nothing.
        let elsewhere = home.put("dotfiles/claude.json", r#"{"mcpServers":{"a":{"command":"sh","args":["SERVER"]}}}"#);
        fs::create_dir_all(home.0.join(".config/Claude")).unwrap();
        symlink(&elsewhere, home.0.join(".config/Claude/claude_desktop_config.json")).unwrap();
        symlink(home.0.join("gone"), home.0.join(".claude.json")).unwrap();
        let modes = |home: &Home| -> Vec<_> {
            home.files().keys().map(|file| fs::symlink_metadata(file).unwrap().permissions().mode()).collect()
        };
        let (before, modes_before) = (home.files(), modes(&home));
        let said = home.run(&["install", "--yes"]);
        let relays = home
            .files()
            .into_iter()
            .filter(|(file, text)| !file.is_symlink() && String::from_utf8_lossy(text).contains("\"--\""))
            // The copy of a file that has a relay of its user's has one too.
            .filter(|(file, _)| !file.starts_with(home.0.join(".local")))
            .count();
        assert_eq!(relays, wrapped + 1, "round {round}: {said:?}");
        home.run(&["uninstall"]);
        let after = home.files();
        assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>(), "round {round}");
        for (file, text) in &before {
            let shown = String::from_utf8_lossy(&after[file]).into_owned();
            assert_eq!(after[file], *text, "{}: {shown}", file.display());
        }
        assert_eq!(modes(&home), modes_before, "round {round}");
    }
}
