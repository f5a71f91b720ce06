//! A user's folder, and the program in it.

#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A server that answers what an installation asks.
const SERVER: &str = r#"while read -r line; do case "$line" in
  *'"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}';;
  *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"list","inputSchema":{"type":"object"}}]}}';;
esac; done"#;

pub struct Home(pub PathBuf);

impl Home {
    pub fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("toolshape-install-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let home = Self(folder.canonicalize().unwrap());
        home.put("server.sh", SERVER);
        home
    }

    pub fn put(&self, path: &str, text: &str) -> PathBuf {
        let file = self.0.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text.replace("SERVER", &self.0.join("server.sh").to_string_lossy())).unwrap();
        file
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path)).unwrap()
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.given(words, "")
    }

    /// The program with a standard input.
    pub fn given(&self, words: &[&str], input: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolshape"));
        for variable in
            ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"]
        {
            command.env_remove(variable);
        }
        command.args(words).env("HOME", &self.0).current_dir(&self.0);
        let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let _ = program.stdin.take().unwrap().write_all(input.as_bytes());
        program.wait_with_output().unwrap()
    }

    pub fn done(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{words:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
        text
    }

    /// All files and empty folders by their paths.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            if fs::read_dir(&folder).unwrap().next().is_none() {
                all.insert(folder.clone(), Vec::new());
            }
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let is_folder = path.is_dir() && !path.is_symlink();
                if is_folder {
                    folders.push(path)
                } else {
                    _ = all.insert(path.clone(), fs::read(path).unwrap_or_default())
                }
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
