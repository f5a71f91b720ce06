//! A conversation through the relay: what is not of a tool passes byte for byte, every request is answered once, results fit,
//! and a relay that is renewed from its state does the same.
//!
//! The body is a JSON array of steps as in `vectors/relay.json`, but a line that is JSON is written as it is:
//! `[{"client":{"id":1,"method":"ping"}},{"server":"no JSON"}]`.

use std::collections::HashMap;

use arbitrary::{Result, Unstructured};
use serde_json::{Value, json};
use toolshape::host::{JsonText, Kind, Source};
use toolshape_proxy::{Effect, Relay, RelayOptions, StoreReply, StoreRequest};

use super::shape::accepted;
use crate::input::Input;
use crate::options;

/// The time at which conversations take place, in seconds since 1970.
const NOW: u64 = 1_790_000_000;
/// Requests and notifications of which the relay may change something, or what follows.
const OF_TOOLS: [&str; 7] = [
    "tools/call", "tools/list", "resources/read", "resources/templates/list", "tasks/get", "tasks/result",
    "notifications/cancelled",
];

pub fn edit(input: &mut Input, choose: &mut Unstructured<'_>) -> Result<()> {
    match choose.int_in_range(0..=9)? {
        0..=6 => options::edit_policy(input, choose)?,
        7 => drop(input.head.insert("store".to_owned(), json!(choose.ratio(1, 2)?))),
        8 => drop(input.head.insert("store".to_owned(), json!("the disk is full"))),
        _ => drop(input.head.insert("resultArguments".to_owned(), json!(["list", "copy"]))),
    }
    // The promises count results in one encoding.
    input.object_mut("policy").remove("encoding");
    Ok(())
}

pub fn run(input: &Input) -> Option<()> {
    let (policy, _) = accepted(input)?;
    if policy.get("encoding").is_some_and(|name| name != "o200k_base") {
        return None;
    }
    let steps = JsonText::parse(&input.body).ok().filter(|steps| steps.kind() == Kind::Array)?;
    let mut options = policy;
    options["resultArguments"] = input.head.get("resultArguments").cloned().unwrap_or_else(|| json!([]));
    let mut talk = Talk::new(RelayOptions::new(&options).ok()?, input);
    for step in steps.items(0, usize::MAX).ok()? {
        let [(side, line)] = &step.entries().ok().filter(|_| step.kind() == Kind::Object)?[..] else { return None };
        let line = match line.kind() {
            Kind::String => serde_json::from_str(line.span()).ok()?,
            _ => line.span().to_owned(),
        };
        // A line has no line end inside.
        talk.step(side, &talk.filled(&line).replace('\n', " "))?;
    }
    talk.end();
    Some(())
}

/// What each side is sent.
#[derive(Clone, Debug, PartialEq)]
enum Sent {
    Client(String),
    Server(String),
    StandardError,
}

struct Talk {
    options: RelayOptions,
    /// The relay, and one that is renewed before each line.
    relays: [Relay; 2],
    stores: [HashMap<String, String>; 2],
    has_store: bool,
    failure: Option<String>,
    /// The ids of requests that the server was sent, and has not answered, each with its method.
    waiting: Vec<(Id, String)>,
    /// What the last result named: a handle and a cursor.
    named: Vec<(&'static str, String)>,
}

impl Talk {
    fn new(options: RelayOptions, input: &Input) -> Self {
        let store = input.head.get("store").cloned().unwrap_or(json!(true));
        let has_store = store != json!(false);
        let relay = || Relay::of(&options, has_store);
        Self {
            relays: [relay(), relay()],
            stores: Default::default(),
            failure: store.as_str().map(str::to_owned),
            waiting: Vec::new(),
            named: Vec::new(),
            options,
            has_store,
        }
    }

    /// A line with what the last result named in its holes.
    fn filled(&self, line: &str) -> String {
        self.named.iter().fold(line.to_owned(), |line, (hole, value)| line.replace(hole, value))
    }

    /// One line of a side; `None` if there is no such side.
    fn step(&mut self, side: &str, line: &str) -> Option<()> {
        let from = match side {
            "\"client\"" => Relay::from_client,
            "\"server\"" => Relay::from_server,
            _ => return None,
        };
        let is_client = side == "\"client\"";
        if let Some(state) = self.relays[1].state() {
            self.relays[1] = Relay::of(&self.options, self.has_store).with_state(&state);
        }
        let [sent, renewed] = [0, 1].map(|which| {
            let effects = from(&mut self.relays[which], line.as_bytes(), NOW);
            self.carry_out(which, effects, line, is_client)
        });
        assert_eq!(sent, renewed, "a renewed relay differs at {line}");
        for text in &sent {
            if let Sent::Client(text) = text {
                self.name(text);
            }
        }
        match serde_json::from_str(line) {
            Ok(Value::Array(messages)) => self.batch(&messages, is_client, &sent),
            Ok(message @ Value::Object(_)) if is_client => self.asked(line, &message, &sent),
            Ok(message @ Value::Object(_)) => self.answered(line, &message, &sent),
            // What serde refuses and the relay reads (lone surrogates, 1e999, many levels) cannot be followed.
            _ => JsonText::parse(line).is_err().then_some(()),
        }
    }

    /// Does what a relay says, and returns what each side was sent.
    fn carry_out(&mut self, which: usize, effects: Vec<Effect>, line: &str, is_client: bool) -> Vec<Sent> {
        let mut sent = Vec::new();
        for effect in effects {
            match effect {
                Effect::Pass if is_client => sent.push(Sent::Server(line.to_owned())),
                Effect::Pass => sent.push(Sent::Client(line.to_owned())),
                Effect::Log(_) => sent.push(Sent::StandardError),
                Effect::ToClient(line) => sent.push(Sent::Client(line)),
                Effect::ToServer(line) => sent.push(Sent::Server(line)),
                Effect::Store(number, wanted) => {
                    let reply = match (&self.failure, wanted) {
                        (Some(failure), _) => StoreReply::Failed(failure.clone()),
                        (None, StoreRequest::Read { key }) => StoreReply::Value(self.stores[which].get(&key).cloned()),
                        (None, StoreRequest::Write { key, value, .. }) => {
                            self.stores[which].insert(key, value);
                            StoreReply::Done
                        }
                        // This core has SQLite.
                        (None, StoreRequest::Ask { .. }) => StoreReply::Value(None),
                    };
                    let effects = self.relays[which].resume(number, reply);
                    sent.extend(self.carry_out(which, effects, line, is_client));
                }
                Effect::Counted(_) => {}
                Effect::Shaped(receipt) => {
                    assert!(receipt.budget.is_none_or(|budget| receipt.tokens_after <= budget), "{receipt:?}");
                }
            }
        }
        sent
    }

    /// Keeps what a result names for later lines.
    fn name(&mut self, line: &str) {
        let after = |mark: &str| line.split_once(mark).map(|(_, rest)| rest.trim_start_matches(['\\', '"', ':']));
        let word = |rest: &str| {
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_.~".contains(*c)).collect::<String>()
        };
        for (hole, mark) in [("${handle}", "toolshape://result/"), ("${cursor}", "nextCursor")] {
            if let Some(found) = after(mark).map(word).filter(|found| !found.is_empty()) {
                self.named.retain(|(known, _)| *known != hole);
                self.named.push((hole, found));
            }
        }
    }

    /// Several messages, of which those with an id wait, or answer. What the store answers is a line of its own.
    fn batch(&mut self, messages: &[Value], is_client: bool, sent: &[Sent]) -> Option<()> {
        let mut requested = Vec::new();
        for message in messages {
            let method = message["method"].as_str();
            if message["id"].is_null() {
                if is_client && method == Some("notifications/cancelled") {
                    self.cancelled(message)?;
                }
                continue;
            }
            let id = id(&message["id"])?;
            if !is_client && method.is_none() && !self.waiting.iter().any(|(known, _)| *known == id) {
                if self.waiting.is_empty() {
                    continue;
                }
                return None;
            }
            if is_client == method.is_some() {
                self.waiting.retain(|(known, _)| *known != id);
            }
            if let Some(method) = method.filter(|_| is_client) {
                // Of two requests with one id nobody knows which is answered.
                if requested.contains(&id) {
                    return None;
                }
                requested.push(id.clone());
                self.waiting.push((id, method.to_owned()));
            }
        }
        for one in sent.iter().filter(|_| is_client) {
            let Sent::Client(answer) = one else { continue };
            let answered = id(&parsed(answer)["id"])?;
            self.waiting.retain(|(known, _)| *known != answered);
        }
        Some(())
    }

    /// A line of the client goes to the server, or is answered.
    fn asked(&mut self, line: &str, message: &Value, sent: &[Sent]) -> Option<()> {
        let method = message["method"].as_str();
        if !method.is_some_and(|method| OF_TOOLS.contains(&method)) {
            assert_eq!(sent, [Sent::Server(line.to_owned())]);
        }
        if method == Some("notifications/cancelled") && message["id"].is_null() {
            return self.cancelled(message);
        }
        let Some(method) = method.filter(|_| !message["id"].is_null()) else { return Some(()) };
        let id = id(&message["id"])?;
        let [one] = sent else { panic!("{line}\nis followed by {sent:?}") };
        match one {
            Sent::Server(_) => {
                self.waiting.retain(|(known, _)| *known != id);
                self.waiting.push((id, method.to_owned()));
            }
            Sent::Client(answer) => {
                let read = parsed(answer);
                assert_eq!(self::id(&read["id"]), Some(id), "{line}");
            }
            Sent::StandardError => panic!("{line}\nis no message"),
        }
        Some(())
    }

    /// Who cancels waits no longer.
    fn cancelled(&mut self, message: &Value) -> Option<()> {
        let cancelled = id(&message["params"]["requestId"])?;
        self.waiting.retain(|(known, _)| *known != cancelled);
        Some(())
    }

    /// A line of the server goes to the client, where only a result that somebody asked for is changed.
    fn answered(&mut self, line: &str, message: &Value, sent: &[Sent]) -> Option<()> {
        let is_answer = !message["method"].is_string() && !message["id"].is_null();
        let asked = if is_answer {
            let id = id(&message["id"])?;
            let place = self.waiting.iter().position(|(known, _)| *known == id);
            let has_outcome = message.get("result").or(message.get("error")).is_some();
            match place {
                // A client may take it for the answer to another one.
                None if !self.waiting.is_empty() => return None,
                None if has_outcome => {
                    assert_eq!(sent, [Sent::StandardError], "{line}");
                    return Some(());
                }
                // It becomes an error.
                Some(_) if message.get("result").and(message.get("error")).is_some() => return None,
                place => place.map(|place| self.waiting.remove(place).1),
            }
        } else {
            message["method"].as_str().map(str::to_owned).filter(|_| message["id"].is_null())
        };
        let of_results = ["tools/call", "tasks/get", "tasks/result", "notifications/tasks"];
        let of_lists = ["tools/list", "resources/templates/list"];
        let is_one_of = |known: &[&str]| asked.as_deref().is_some_and(|asked| known.contains(&asked));
        if !is_one_of(&of_results) && !is_one_of(&of_lists) {
            assert_eq!(sent, [Sent::Client(line.to_owned())]);
            return Some(());
        }
        // A tool of the server that has the name of ours is logged.
        let [logged @ .., Sent::Client(answer)] = sent else { panic!("{line}\nis followed by {sent:?}") };
        assert!(logged.iter().all(|sent| *sent == Sent::StandardError), "{line}\nis followed by {sent:?}");
        if answer == line {
            return Some(());
        }
        let read = parsed(answer);
        assert_eq!(id(&read["id"]), id(&message["id"]), "{line}\nbecomes {answer}");
        let ends = |line| JsonText::parse(line).ok().and_then(|message| around(line, &message));
        // An error may become a result.
        if message.get("error").is_none() {
            assert_eq!(ends(line), ends(answer), "{line}\nbecomes {answer}");
        }
        Some(())
    }

    /// The server ends: who waits is answered once, and nobody waits.
    fn end(&mut self) {
        let effects = self.relays[0].server_ended("the server ended");
        for effect in effects {
            let Effect::ToClient(line) = effect else { panic!("{effect:?}") };
            // An id that serde refuses is not among those that wait here.
            let Ok(answer) = serde_json::from_str::<Value>(&line) else { continue };
            let id = id(&answer["id"]);
            self.waiting.retain(|(known, _)| Some(known) != id.as_ref());
        }
        assert!(self.waiting.is_empty(), "{:?} get no answer", self.waiting);
        assert!(self.relays[0].is_idle());
    }
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// An id that serde distinguishes from every other one.
#[derive(Clone, Debug, PartialEq)]
enum Id {
    Text(String),
    Number(f64),
}

/// An id; `None` for one that serde may take for another.
fn id(value: &Value) -> Option<Id> {
    let is_exact = |number: &f64| number.abs() < 9e15 && (*number == 0.0 || number.abs() > 1e-9);
    let number = || value.as_f64().filter(is_exact).map(Id::Number);
    value.as_str().map(|text| Id::Text(text.to_owned())).or_else(number)
}

/// The bytes before and after the result, or after the parameters, of a message.
fn around<'l>(line: &'l str, message: &JsonText<'l>) -> Option<(&'l str, &'l str)> {
    let entries = message.entries().ok().filter(|_| message.kind() == Kind::Object)?;
    let mut results = entries.into_iter().filter(|(name, _)| name == "\"result\"" || name == "\"params\"");
    let (Some((_, result)), None) = (results.next(), results.next()) else { return None };
    // Spans are slices of the line.
    let start = result.span().as_ptr() as usize - line.as_ptr() as usize;
    Some((&line[..start], &line[start + result.span().len()..]))
}
