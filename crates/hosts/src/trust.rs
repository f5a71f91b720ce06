//! Whether Codex runs a hook: its configuration has a digest of each one that the user trusts.

use serde_json::json;
use sha2::{Digest, Sha256};
use toml_edit::{Document, Item};

use crate::Hook;

/// What the user has said of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    Given,
    Missing,
    /// It was given to another command.
    Outdated,
    SwitchedOff,
}

/// What Codex's configuration says of the hook in the file at `path`; nothing if no hook is there.
#[must_use]
pub fn trust(hook: &Hook, path: &str, hooks: &str, configuration: &str) -> Option<Trust> {
    let (group, at, command) = hook.place_in(hooks)?;
    let key = format!("{path}:post_tool_use:{group}:{at}");
    let document = Document::parse(configuration).ok();
    let state = document.as_ref().and_then(|document| document.get("hooks")?.get("state")?.get(&key));
    let is_off = state.and_then(|state| state.get("enabled")).and_then(Item::as_bool) == Some(false);
    let trusted = state.and_then(|state| state.get("trusted_hash")).and_then(Item::as_str);
    Some(match trusted {
        _ if is_off => Trust::SwitchedOff,
        None => Trust::Missing,
        Some(trusted) if trusted == digest(&command) => Trust::Given,
        Some(_) => Trust::Outdated,
    })
}

/// Codex's digest of a hook that `install` writes, with what it adds: of members in the order of their names.
fn digest(command: &str) -> String {
    let hook = json!({ "async": false, "command": command, "timeout": 600, "type": "command" });
    let whole = json!({ "event_name": "post_tool_use", "hooks": [hook] });
    let digits: String = Sha256::digest(whole.to_string()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digest is one that Codex reported.
    #[test]
    fn a_hook_is_trusted_by_its_place_and_digest() {
        let hook = crate::hooks().iter().find(|hook| hook.host == "codex").unwrap();
        let other = r#"{ "hooks": [{ "type": "command", "command": "fmt" }] }"#;
        let ours = r#"{ "hooks": [{ "type": "command", "command": "/opt/toolshape hook codex" }] }"#;
        let text = format!(r#"{{ "hooks": {{ "PostToolUse": [{other}, {ours}] }} }}"#);
        let good = "sha256:8672cbfaec208dec9fc7010c026a7f4d89166d4d36f5ab1cfb8b0b95e43c0c2d";
        for (group, more, wanted) in [
            (1, format!("trusted_hash = \"{good}\""), Trust::Given),
            (0, format!("trusted_hash = \"{good}\""), Trust::Missing),
            (1, "trusted_hash = \"sha256:00\"".to_owned(), Trust::Outdated),
            (1, format!("enabled = false\ntrusted_hash = \"{good}\""), Trust::SwitchedOff),
            (1, String::new(), Trust::Missing),
        ] {
            let configuration = format!("[hooks.state.\"/h/hooks.json:post_tool_use:{group}:0\"]\n{more}\n");
            assert_eq!(trust(hook, "/h/hooks.json", &text, &configuration), Some(wanted), "{configuration}");
        }
        assert_eq!(trust(hook, "/h/hooks.json", &text, "no = "), Some(Trust::Missing));
        assert_eq!(trust(hook, "/h/hooks.json", "{}", ""), None);
    }
}
