//! `toolshape install` and what takes it back, in a user's folder with the files of several hosts.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A server that answers what an installation asks.
const SERVER: &str = r#"while read -r line; do case "$line" in
  *'"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}';;
  *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"list","inputSchema":{"type":"object"}}]}}';;
esac; done"#;

struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("toolshape-install-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let home = Self(folder.canonicalize().unwrap());
        home.put("server.sh", SERVER);
        home
    }

    fn put(&self, path: &str, text: &str) -> PathBuf {
        let file = self.0.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text.replace("SERVER", &self.0.join("server.sh").to_string_lossy())).unwrap();
        file
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path)).unwrap()
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolshape"));
        command.args(words).env("HOME", &self.0).env_remove("XDG_CONFIG_HOME").env_remove("XDG_CACHE_HOME");
        command.env_remove("CLAUDE_CONFIG_DIR").output().unwrap()
    }

    fn done(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{words:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
        text
    }

    /// All files but the server, by their paths.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { folders.push(path) } else { _ = all.insert(path.clone(), fs::read(path).unwrap()) }
            }
        }
        all
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn furnished(name: &str) -> Home {
    let home = Home::new(name);
    home.put(
        ".cursor/mcp.json",
        "\u{feff}{\r\n\t\"mcpServers\": { // mine\r\n\t\t\"good\": {\"command\": \"sh\", \"args\": [\"SERVER\"]},\r\n\t\t\"bad\": \
         {\"command\": \"/no/such/program\"},\r\n\t\t\"far\": {\"url\": \"https://mcp.example.com\"},\r\n\t}\r\n}",
    );
    home.put(
        ".codex/config.toml",
        "# mine\n[mcp_servers.good]\ncommand = 'sh' # here\nargs = [\n  \"SERVER\",\n]\nenabled_tools = [\"list\"]\n",
    );
    let real =
        home.put("dotfiles/gemini.json", r#"{"mcpServers":{"good":{"command":"sh","args":["SERVER"]}},"n":1e400}"#);
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    fs::create_dir_all(home.0.join(".gemini")).unwrap();
    symlink(&real, home.0.join(".gemini/settings.json")).unwrap();
    home.put(".kiro/settings/mcp.json", "{\"mcpServers\": ");
    home
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).unwrap().is_symlink()
}

#[test]
fn what_is_installed_runs_and_is_taken_out_byte_for_byte() {
    let home = furnished("whole");
    let before = home.files();
    home.run(&["install", "--dry-run"]);
    assert_eq!(home.files(), before, "a dry run writes nothing");
    let unasked = home.run(&["install"]);
    assert_eq!((unasked.status.code(), home.files()), (Some(2), before.clone()), "nobody was asked");

    let output = home.run(&["install", "--yes"]);
    let said = String::from_utf8_lossy(&output.stderr);
    // One server does not start, and one file cannot be read.
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("bad stays as it was") && said.contains(".kiro/settings/mcp.json"), "{said}");
    let cursor = home.read(".cursor/mcp.json");
    assert!(cursor.contains("\"--\", \"sh\", ") && cursor.contains("\"command\": \"/no/such/program\""), "{cursor}");
    assert!(home.read(".codex/config.toml").contains("enabled_tools = [\"read_result_s\", \"list\"]"));
    assert!(is_link(&home.0.join(".gemini/settings.json")));
    let mode = fs::metadata(home.0.join("dotfiles/gemini.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let state = fs::metadata(home.0.join(".local/state/toolshape")).unwrap().permissions().mode();
    assert_eq!(state & 0o777, 0o700);

    let installed = home.files();
    home.run(&["install", "--yes"]);
    assert_eq!(home.files(), installed, "a second run changes nothing");
    let status = home.run(&["status"]);
    let status = String::from_utf8(status.stdout).unwrap();
    for line in ["cursor): good: relay", "cursor): bad: without", "cursor): far: at an address", "codex): good: relay"]
    {
        assert!(status.contains(line), "{line}: {status}");
    }
    assert!(String::from_utf8(home.run(&["doctor"]).stdout).unwrap().contains("gemini): good: relay\n"));

    home.run(&["uninstall"]);
    assert_eq!(home.files(), before);
}

#[test]
fn servers_of_one_host_have_one_that_reads() {
    let home = Home::new("several");
    let three =
        r#"{"mcpServers": {"a": {"command": "sh", "args": ["SERVER"]}, "b": {"command": "sh", "args": ["SERVER"]}}}"#;
    for file in [".cursor/mcp.json", ".gemini/settings.json", ".copilot/mcp-config.json"] {
        home.put(file, three);
    }
    home.put(".codex/config.toml", "[mcp_servers.a]\ncommand = \"sh\"\nargs = [\"SERVER\"]\n[mcp_servers.b]\ncommand = \"sh\"\nargs = [\"SERVER\"]");
    fs::set_permissions(home.0.join(".copilot/mcp-config.json"), fs::Permissions::from_mode(0o400)).unwrap();
    let before = home.files();
    home.done(&["install", "--yes", "--observe", "cursor"]);
    let observed = home.read(".cursor/mcp.json");
    assert!(observed.matches("--observe").count() == 2 && !observed.contains("eader"), "{observed}");
    home.done(&["uninstall"]);
    assert_eq!(home.files(), before);
    home.done(&["install", "--yes"]);
    for file in [".cursor/mcp.json", ".gemini/settings.json", ".copilot/mcp-config.json", ".codex/config.toml"] {
        let text = home.read(file);
        assert_eq!(text.matches("addReader=false").count(), 2, "{text}");
        assert_eq!(text.matches("\"reader\"").count(), 1, "{text}");
    }
    let mode = fs::metadata(home.0.join(".copilot/mcp-config.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o400);
    let doctor = home.done(&["doctor"]);
    assert_eq!(doctor.matches("toolshape: reads what the others keep\n").count(), 4, "{doctor}");
    home.put(".cursor/mcp.json", &home.read(".cursor/mcp.json").replace("\"b\"", "\"c\""));
    home.done(&["uninstall"]);
    let after = home.files();
    for (file, text) in before.iter().filter(|(file, _)| !file.ends_with(".cursor/mcp.json")) {
        assert_eq!(after.get(file), Some(text), "{}", file.display());
    }
    let cursor: String = home.read(".cursor/mcp.json").split_whitespace().collect();
    let wanted: String = three
        .replace("SERVER", &home.0.join("server.sh").to_string_lossy())
        .replace("\"b\"", "\"c\"")
        .split_whitespace()
        .collect();
    assert_eq!(cursor, wanted);
}

#[test]
fn after_a_change_only_our_words_go() {
    let home = furnished("changed");
    home.run(&["install", "--yes"]);
    let with = home.read(".codex/config.toml");
    home.put(".codex/config.toml", &format!("{with}\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n"));
    let said = String::from_utf8(home.run(&["uninstall", "codex"]).stdout).unwrap();
    assert!(said.contains("changed since; without toolshape: good"), "{said}");
    let server = home.0.join("server.sh");
    let wanted = format!(
        "# mine\n[mcp_servers.good]\ncommand = 'sh' # here\nargs = [\n  \"{}\",\n]\nenabled_tools = [\"list\"]\n\n[projects.\"/x\"]\n\
         trust_level = \"trusted\"\n",
        server.display()
    );
    assert_eq!(home.read(".codex/config.toml"), wanted);
    assert!(home.read(".cursor/mcp.json").contains("\"--\""), "other hosts keep it");
}

#[test]
fn a_server_and_a_tool_are_off_until_they_are_on() {
    let home = furnished("off");
    fs::remove_file(home.0.join(".kiro/settings/mcp.json")).unwrap();
    home.run(&["install", "--yes", "codex", "gemini"]);
    home.done(&["off", "good"]);
    let has_relay = |path: &str| home.read(path).contains("\"--\"");
    assert!(!has_relay(".codex/config.toml") && !has_relay("dotfiles/gemini.json"));
    home.run(&["install", "--yes", "codex"]);
    assert!(!has_relay(".codex/config.toml"), "off is remembered");
    assert!(home.done(&["status", "codex"]).contains("good: off"));
    home.done(&["on", "good"]);
    assert!(home.read(".codex/config.toml").contains("\"--\""));

    home.put(".config/toolshape/toolshape.json", "{\n  // mine\n  \"maxTokens\": 3000\n}\n");
    home.done(&["off", "good/list"]);
    let options = home.read(".config/toolshape/toolshape.json");
    assert!(options.contains("// mine") && options.contains("\"list\": false"), "{options}");
    home.done(&["on", "good/list"]);
    assert!(!home.read(".config/toolshape/toolshape.json").contains("list"));
    assert_eq!(home.run(&["on", "other"]).status.code(), Some(2));
    assert_eq!(home.run(&["status", "emacs"]).status.code(), Some(1));
}
