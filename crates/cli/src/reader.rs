//! `toolshape reader`: a server of MCP that only reads what relays have kept, so that many servers need one `read_result`.

use std::io::{self, BufRead, Write};

use anyhow::Result;
use serde_json::Value;
use toolshape_account::{Ledger, now};
use toolshape_proxy::{Effect, ReaderPlace, Relay, StoreOption, Turns, answer_without_tools};

use crate::arguments::ReaderArguments;
use crate::store::{OpenStore, session};

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
        let asked: Value = serde_json::from_slice(line).unwrap_or_default();
        if asked["id"].is_null() || !asked["method"].is_string() {
            return Vec::new();
        }
        let answer = answer_without_tools(&asked).to_string();
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
