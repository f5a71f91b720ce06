//! `toolshape reader`: a server of MCP that only reads what relays have kept, so that many servers need one `read_result`.

use std::io::{self, BufRead, Write};

use anyhow::Result;
use serde_json::{Value, json};
use toolshape_account::{Ledger, now};
use toolshape_proxy::{Effect, ReaderPlace, Relay, StoreOption, Turns};

use crate::arguments::ReaderArguments;
use crate::store::{OpenStore, session};

/// The revision of a client that names none.
const REVISION: &str = "2025-11-25";
/// JSON-RPC's code for a method that is not there.
const NO_METHOD: i32 = -32601;

/// Answers a client until its input ends: a relay before a server without tools.
pub fn run(asked: &ReaderArguments) -> Result<u8> {
    let options = asked.policy.read()?;
    let store = OpenStore::open(&options.store)?;
    let relay = Relay::of(&options, options.store != StoreOption::None).with_reader(ReaderPlace::Alone);
    let relay = relay.in_session(&session(&options.store), &Turns::default());
    let mut reader = Reader { relay, store, account: Ledger::of_user() };
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        let effects = reader.relay.from_client(&line, now());
        for answer in reader.follow(effects, &line) {
            output.write_all(answer.as_bytes())?;
            output.write_all(b"\n")?;
        }
        output.flush()?;
    }
    Ok(0)
}

struct Reader {
    relay: Relay,
    store: OpenStore,
    account: Option<Ledger>,
}

impl Reader {
    /// The answers to a line of the client.
    fn follow(&mut self, effects: Vec<Effect>, line: &[u8]) -> Vec<String> {
        let mut answers = Vec::new();
        for effect in effects {
            match effect {
                Effect::Pass => answers.extend(self.served(line)),
                Effect::ToServer(line) => answers.extend(self.served(line.as_bytes())),
                Effect::ToClient(answer) => answers.push(answer),
                Effect::Store(number, wanted) => {
                    let reply = self.store.ask(wanted);
                    let effects = self.relay.resume(number, reply);
                    answers.extend(self.follow(effects, line));
                }
                Effect::Counted(counted) => self.account.iter().for_each(|account| account.count("reader", &counted)),
                Effect::Log(_) | Effect::Shaped(_) => {}
            }
        }
        answers
    }

    /// What the server without tools answers, as the relay sends it.
    fn served(&mut self, line: &[u8]) -> Vec<String> {
        let Some(answer) = serde_json::from_slice(line).ok().and_then(|asked| answer(&asked)) else {
            return Vec::new();
        };
        let mut sent = Vec::new();
        for effect in self.relay.from_server(answer.as_bytes(), now()) {
            match effect {
                Effect::Pass => sent.push(answer.clone()),
                Effect::ToClient(line) => sent.push(line),
                Effect::Counted(counted) => self.account.iter().for_each(|account| account.count("reader", &counted)),
                _ => {}
            }
        }
        sent
    }
}

fn answer(asked: &Value) -> Option<String> {
    let (id, method) = (asked.get("id")?, asked["method"].as_str()?);
    let about = json!({ "name": "toolshape", "version": env!("CARGO_PKG_VERSION") });
    let revision = asked["params"]["protocolVersion"].as_str().unwrap_or(REVISION);
    let result = match method {
        "initialize" => json!({ "protocolVersion": revision, "capabilities": { "tools": {} }, "serverInfo": about }),
        "tools/list" => json!({ "tools": [] }),
        "ping" => json!({}),
        _ => {
            let error = json!({ "code": NO_METHOD, "message": format!("toolshape reader has no method {method}") });
            return Some(json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string());
        }
    };
    Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string())
}
