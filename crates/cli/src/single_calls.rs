//! Calls of tools that no server has: commands, and tools of hosts. The core of the relay shapes their results in this process.

use std::collections::VecDeque;

use anyhow::{Result, bail};
use serde_json::{Value, json};
use toolshape::Shaper;
use toolshape::host::{JsonText, Measure};
use toolshape_account::{Ledger, now};
use toolshape_proxy::{
    CountedKind, Effect, Relay, RelayOptions, SERVERS_TOOLS, StoreReply, StoreRequest, Turns, tokens_of_own_tool,
};

use crate::hook::HookForm;
use crate::program;
use crate::store::{OpenStore, session};

/// A text without what is secret; `None` if it has nothing of it.
type Redact = Box<dyn Fn(&str) -> Option<String>>;

/// The tool whose argument is a whole result.
pub const SAVE: &str = "save";
/// The door of hooks.
pub const HOOK: &str = "hook";

/// Where results are shaped, kept and read.
pub struct SingleCalls {
    relay: Relay,
    store: OpenStore,
    read_tool: String,
    can_keep: bool,
    has_failed: bool,
    without_secrets: Redact,
    /// What each call costs the model, and what shaped it.
    account: Option<Ledger>,
    door: &'static str,
    measure: Measure,
    /// The host in which this process runs, and the tokens that it would show of the result.
    host: Option<(&'static str, usize)>,
    /// The server of a hook's tool, and what the server calls the tool.
    names: Option<(String, String)>,
}

const CLAUDE_CODE: &str = "claude-code";
/// The characters that it shows of what a command prints.
const SHOWN: usize = 30_000;
/// The variable that Claude Code sets for commands.
const IN_CLAUDE_CODE: &str = "CLAUDECODE";

impl SingleCalls {
    /// The results of commands. They have no handle if only this process could read it, and if a shell cannot start this program.
    ///
    /// # Errors
    /// A place that cannot be a store.
    pub fn new(options: &RelayOptions, door: &'static str) -> Result<Self> {
        let host = std::env::var_os(IN_CLAUDE_CODE).map(|_| CLAUDE_CODE);
        Self::read_by(options, door, Some(program::spelled()), host)
    }

    /// The results of a host's tools.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_hook(options: &RelayOptions, form: &'static HookForm) -> Result<Self> {
        // What a hook names is allowed by the path that it was installed with.
        let command = form.is_read_by_command.then(program::whole);
        let mut calls = Self::read_by(options, HOOK, command, Some(form.client.unwrap_or(form.host)))?;
        if let Some(client) = form.client {
            let about = json!({ "clientInfo": { "name": client, "version": "" } });
            let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about }).to_string();
            calls.relay.from_client(hello.as_bytes(), now());
        }
        Ok(calls)
    }

    /// Stored results are read by the program, or by a tool; not at all if there should be a program, and is none.
    fn read_by(
        options: &RelayOptions,
        door: &'static str,
        command: Option<Option<String>>,
        host: Option<&'static str>,
    ) -> Result<Self> {
        let store = OpenStore::open(&options.store)?;
        let can_keep = store.is_shared() && command != Some(None);
        let mut relay = Relay::of(options, can_keep).in_session(&session(&options.store), &Turns::default());
        let mut read_tool = String::new();
        if let Some(program) = command {
            read_tool = format!("{} read", program.unwrap_or_default());
            relay = relay.read_by(&read_tool);
        }
        let (account, measure) =
            (Ledger::of_user(), Measure { encoding: Shaper::new(options.policy.clone()).encoding() });
        let redaction = options.redaction.clone();
        let without_secrets = Box::new(move |text: &str| redaction.of_text(text));
        Ok(Self {
            relay,
            store,
            read_tool,
            can_keep,
            has_failed: false,
            without_secrets,
            account,
            door,
            measure,
            host: host.map(|host| (host, 0)),
            names: None,
        })
    }

    /// The server of the tool and its own name, for the account.
    pub fn is_of(&mut self, names: Option<(String, String)>) {
        self.names = names;
    }

    /// What the host would show of a result, for the account.
    pub fn would_show(&mut self, text: &str, tool: &str) {
        if let Some((host, tokens)) = &mut self.host {
            let is_cut = *host == CLAUDE_CODE && !tool.starts_with(SERVERS_TOOLS);
            *tokens = tokens_of_own_tool(host, text, if is_cut { SHOWN } else { usize::MAX }, self.measure);
        }
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

    /// Whether a relay has shaped these texts: they name a result that it has stored.
    pub fn were_shaped(&self, texts: &[&str]) -> bool {
        let is_handle = |word: &&str| word.len() == HANDLE && word.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_stored = |handle: &str| {
            let asked = StoreRequest::Read { key: format!("{handle}.handle") };
            matches!(self.store.ask(asked), StoreReply::Value(Some(_)))
        };
        // A shaped result is short.
        let mut words = texts
            .iter()
            .filter(|text| text.len() <= MOST_SHAPED)
            .flat_map(|text| text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(is_handle));
        words.by_ref().take(MOST_WORDS).any(is_stored)
    }

    /// A stored result, whole, which no model reads.
    ///
    /// # Errors
    /// A handle of nothing that is stored.
    pub fn whole(&mut self, handle: &str) -> Result<String> {
        self.account = None;
        // As an argument of a tool it is inserted whole.
        let request = request(SAVE, &json!({ "content": { "$result": handle } }));
        let mut waiting = VecDeque::from(self.relay.from_client(request.as_bytes(), now()));
        while let Some(effect) = waiting.pop_front() {
            match effect {
                Effect::Store(number, wanted) => {
                    let reply = self.store.ask(wanted);
                    waiting.extend(self.relay.resume(number, reply));
                }
                Effect::ToServer(line) => {
                    let line = JsonText::parse(&line)?;
                    let content = ["params", "arguments", "content"].iter().try_fold(line, |at, name| {
                        let [found] = at.named(&[name]);
                        found
                    });
                    let Some(content) = content else { break };
                    let text = serde_json::from_str::<String>(content.span());
                    return Ok(text.unwrap_or_else(|_| content.span().to_owned()));
                }
                Effect::ToClient(line) => bail!("{}", texts_of(&line)?.0.concat()),
                _ => {}
            }
        }
        bail!("there is no store to read")
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
                Effect::Counted(mut counted) => {
                    if let Some((host, tokens)) = self.host {
                        counted.client = Some(host.to_owned());
                        counted.without = if counted.kind == CountedKind::Result { tokens } else { 0 };
                    }
                    if let Some((server, tool)) = &self.names {
                        (counted.server, counted.tool) = (Some(server.clone()), Some(tool.clone()));
                    }
                    self.account.iter().for_each(|account| account.count(self.door, &counted));
                }
                Effect::Pass | Effect::ToServer(_) | Effect::Log(_) | Effect::Shaped(_) => {}
            }
        }
        line
    }
}

/// The letters of a handle.
const HANDLE: usize = 16;
/// The bytes of a text that a relay may have shaped, and the words in it that may be handles.
const MOST_SHAPED: usize = 1 << 15;
const MOST_WORDS: usize = 32;

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
