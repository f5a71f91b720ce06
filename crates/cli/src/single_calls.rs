//! Calls of tools that no server has: commands, and tools of hosts. The core of the relay shapes their results in this process.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use serde_json::{Value, json};
use toolshape_proxy::{Effect, Relay, RelayOptions, StoreReply};

use crate::program;
use crate::store::OpenStore;

/// A text without what is secret; `None` if it has nothing of it.
type Redact = Box<dyn Fn(&str) -> Option<String>>;

/// Where results are shaped, kept and read.
pub struct SingleCalls {
    relay: Relay,
    store: OpenStore,
    read_tool: String,
    can_keep: bool,
    has_failed: bool,
    without_secrets: Redact,
}

impl SingleCalls {
    /// Results have no handle if only this process could read it, and if a shell cannot start this program.
    ///
    /// # Errors
    /// A place that cannot be a store.
    pub fn new(options: &RelayOptions) -> Result<Self> {
        let store = OpenStore::open(&options.store)?;
        let program = program::spelled();
        let has_reader = store.is_shared() && program.is_some();
        let read_tool = format!("{} read", program.unwrap_or_default());
        let relay = Relay::of(options, has_reader).read_by(&read_tool);
        let redaction = options.redaction.clone();
        let without_secrets = Box::new(move |text: &str| redaction.of_text(text));
        Ok(Self { relay, store, read_tool, can_keep: has_reader, has_failed: false, without_secrets })
    }

    /// Whether what is left out of a result can be read later.
    pub fn can_keep(&self) -> bool {
        self.can_keep
    }

    /// Whether the store did not take a result.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// A text without what is secret; `None` if it has nothing of it.
    pub fn without_secrets(&self, text: &str) -> Option<String> {
        (self.without_secrets)(text)
    }

    /// Shapes texts that a tool returned, together within the budget of one result; nothing if they fit.
    ///
    /// # Errors
    /// A result that cannot be read.
    pub fn shape(&mut self, tool: &str, arguments: &Value, texts: &[&str]) -> Result<Option<Vec<String>>> {
        let request = request(tool, arguments);
        self.relay.from_client(request.as_bytes(), now());
        let content: Vec<Value> = texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
        let response = json!({ "jsonrpc": "2.0", "id": ID, "result": { "content": content } }).to_string();
        let effects = self.relay.from_server(response.as_bytes(), now());
        Ok(self.carry_out(effects).map(|line| texts_of(&line)).transpose()?.map(|(texts, _)| texts))
    }

    /// What the tool that reads stored results answers, and whether it is an error.
    ///
    /// # Errors
    /// An answer that cannot be read; where nothing is stored.
    pub fn read(&mut self, arguments: &Value) -> Result<(String, bool)> {
        let request = request(&self.read_tool, arguments);
        let effects = self.relay.from_client(request.as_bytes(), now());
        let Some(line) = self.carry_out(effects) else {
            bail!("there is no store to read: run and hooks keep results in the user's cache, or where --store says")
        };
        let (texts, is_error) = texts_of(&line)?;
        Ok((texts.concat(), is_error))
    }

    /// The line for the client; nothing if what the server wrote passes.
    fn carry_out(&mut self, effects: Vec<Effect>) -> Option<String> {
        let mut line = None;
        for effect in effects {
            match effect {
                Effect::ToClient(text) => line = Some(text),
                Effect::Store(number, wanted) => {
                    let reply = self.store.ask(wanted);
                    self.has_failed |= matches!(reply, StoreReply::Failed(_));
                    let effects = self.relay.resume(number, reply);
                    line = self.carry_out(effects).or(line);
                }
                Effect::Pass | Effect::ToServer(_) | Effect::Log(_) | Effect::Shaped(_) => {}
            }
        }
        line
    }
}

/// The id of every request: there is one at a time.
const ID: u64 = 1;

fn request(tool: &str, arguments: &Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": ID, "method": "tools/call", "params": params }).to_string()
}

/// The texts of a result, and whether it is an error.
fn texts_of(line: &str) -> Result<(Vec<String>, bool)> {
    let answer: Value = serde_json::from_str(line)?;
    if let Some(message) = answer["error"]["message"].as_str() {
        bail!("{message}");
    }
    let result = &answer["result"];
    let texts = result["content"].as_array().into_iter().flatten();
    let texts = texts.filter_map(|block| block["text"].as_str().map(str::to_owned)).collect();
    Ok((texts, result["isError"] == true))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
