//! What a handle opens: a small record that a store keeps with each content.
//!
//! It is JSON: the key of the content, and the tools that returned this content, so that a server can ask who may read
//! it. With a key of the policy it has an HMAC-SHA256 (RFC 2104) over scope, key and tools: a store that is not trusted
//! can neither lead a handle to another content nor name another tool.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::request::content_id::{Form, sign};
use crate::request::handle::StoredName;
use crate::request::secret::Secret;

/// Distinguishes these signatures from those of ids and cursors, which use the same key.
const PURPOSE: &[u8] = b"toolshape ticket 1\0";
/// The most tools that a ticket names; of more, the latest.
const MOST_TOOLS: usize = 8;
/// A longer text is not a ticket, and is not read.
const MAX_BYTES: usize = 64 * 1024;

/// What a handle opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    /// The key of the content in the store.
    pub key: String,
    /// The tools that returned the content, the latest last; empty text for a call that names none.
    pub tools: Vec<String>,
}

impl Ticket {
    /// Reads the ticket of what is named; `None` if the text is not a ticket, is that of another content, or has no
    /// signature of this scope by any of the keys.
    pub fn read(text: &str, name: &StoredName, scope: Option<&str>, keys: &[Secret]) -> Option<Self> {
        if text.len() > MAX_BYTES {
            return None;
        }
        let json: Value = serde_json::from_str(text).ok()?;
        let tools = json["tools"].as_array()?.iter().map(|tool| tool.as_str().map(str::to_owned));
        let ticket = Self { key: json["key"].as_str()?.to_owned(), tools: tools.collect::<Option<_>>()? };
        let (_, id) = Form::of_key(&ticket.key)?;
        if !name.is_of(&id) {
            return None;
        }
        if !keys.is_empty() {
            let mac = URL_SAFE_NO_PAD.decode(json["mac"].as_str()?).ok()?;
            keys.iter().find(|key| ticket.signature(key, scope).verify_slice(&mac).is_ok())?;
        }
        Some(ticket)
    }

    /// The ticket for the content under `key`, which `tool` returned too; `known` is what the store has.
    pub fn with(key: &str, known: Option<Self>, tool: &str) -> Self {
        let mut tools = known.filter(|known| known.key == key).map_or_else(Vec::new, |known| known.tools);
        tools.retain(|known| known != tool);
        tools.push(tool.to_owned());
        tools.drain(..tools.len().saturating_sub(MOST_TOOLS));
        Self { key: key.to_owned(), tools }
    }

    /// The text for the store, signed with the newest key if there are any.
    pub fn to_text(&self, scope: Option<&str>, keys: &[Secret]) -> String {
        let mut text = json!({ "key": self.key, "tools": self.tools });
        if let Some(key) = keys.first() {
            text["mac"] = json!(URL_SAFE_NO_PAD.encode(self.signature(key, scope).finalize().into_bytes()));
        }
        text.to_string()
    }

    fn signature(&self, key: &Secret, scope: Option<&str>) -> Hmac<Sha256> {
        let texts = [&self.key].into_iter().chain(&self.tools);
        texts.fold(sign(PURPOSE, key, scope), |mac, text| {
            mac.chain_update((text.len() as u64).to_le_bytes()).chain_update(text)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::content_id::ContentId;
    use crate::request::handle::Handle;

    const SECRETS: [&str; 2] = ["the first secret of all", "the second secret of all"];

    fn key() -> (String, StoredName) {
        let id = ContentId([0xb7; 32]);
        (Form::Json.key(&id), StoredName::Handle(Handle::of(&id)))
    }

    #[test]
    fn a_ticket_names_each_tool_once_and_the_latest_eight() {
        let (key, name) = key();
        let mut known = None;
        for tool in ["a", "b", "a", "c", "d", "e", "f", "g", "h", "i"] {
            let text = Ticket::with(&key, known, tool).to_text(None, &[]);
            known = Ticket::read(&text, &name, None, &[]);
        }
        assert_eq!(known.unwrap().tools, ["a", "c", "d", "e", "f", "g", "h", "i"]);
        let other = Ticket { key: Form::Text.key(&ContentId([1; 32])), tools: vec!["x".to_owned()] };
        assert_eq!(Ticket::with(&key, Some(other), "a").tools, ["a"]);
    }

    #[test]
    fn a_signed_ticket_holds_in_its_scope_alone_and_says_what_it_said() {
        let (key, name) = key();
        let [old, new] = SECRETS.map(Secret::from);
        let text = Ticket::with(&key, None, "list").to_text(Some("a"), std::slice::from_ref(&old));
        let read = |text: &str, scope, keys: &[Secret]| Ticket::read(text, &name, scope, keys);
        assert_eq!(read(&text, Some("a"), &[new.clone(), old.clone()]).unwrap().tools, ["list"]);
        let olds = std::slice::from_ref(&old);
        assert_eq!(read(&text, Some("b"), olds), None);
        assert_eq!(read(&text, None, olds), None);
        assert_eq!(read(&text, Some("a"), &[new]), None);
        for forged in [
            text.replace("\"list\"", "\"free\""),
            text.replace("\"list\"", "\"list\",\"free\""),
            text.replace(".json", ".txt"),
            Ticket::with(&key, None, "list").to_text(None, &[]),
        ] {
            assert_eq!(read(&forged, Some("a"), olds), None, "{forged}");
        }
    }

    #[test]
    fn a_ticket_of_another_content_and_what_is_none_open_nothing() {
        let (key, name) = key();
        let other = Form::Json.key(&ContentId([1; 32]));
        let texts = [
            Ticket::with(&other, None, "list").to_text(None, &[]),
            "".to_owned(),
            "[1]".to_owned(),
            json!({ "key": key }).to_string(),
            json!({ "key": key, "tools": [7] }).to_string(),
            json!({ "key": "../x", "tools": ["list"] }).to_string(),
            json!({ "key": key, "tools": ["x".repeat(MAX_BYTES)] }).to_string(),
        ];
        for text in &texts {
            assert_eq!(Ticket::read(text, &name, None, &[]), None, "{:.80}", text);
        }
    }
}
