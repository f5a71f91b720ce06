//! A conversation through the relay: the lines of both sides, and what the relay does with each.

use std::collections::HashMap;

use regex_lite::Regex;
use serde_json::{Value, json};
use toolshape_proxy::{Effect, Relay, RelayOptions, StoreReply, StoreRequest};

/// The time at which a conversation takes place, in seconds since 1970, unless the case says another.
const NOW: u64 = 1_790_000_000;

/// Runs the steps of a case; `expand` spells out the text of a line. A relay that is renewed from its state before each step
/// does the same.
pub fn run(case: &Value, expand: fn(&Value) -> String) -> Value {
    let [once, renewed] = [false, true].map(|is_renewed| run_steps(case, expand, is_renewed));
    assert_eq!(once, renewed);
    once
}

fn run_steps(case: &Value, expand: fn(&Value) -> String, is_renewed: bool) -> Value {
    let mut options = case.get("policy").cloned().unwrap_or_else(|| json!({}));
    options["resultArguments"] = case.get("resultArguments").cloned().unwrap_or_else(|| json!([]));
    let options = RelayOptions::new(&options).expect("options");
    let store = match &case["store"] {
        Value::Bool(false) => None,
        Value::String(failure) => Some(Store::Fails(failure.clone())),
        _ => Some(Store::Holds(HashMap::new())),
    };
    let relay = |has_store: bool| Relay::of(&options, has_store);
    let mut talk = Conversation {
        relay: relay(store.is_some()),
        store,
        named: HashMap::new(),
        now: case["now"].as_u64().unwrap_or(NOW),
    };
    let steps = case["steps"].as_array().expect("steps");
    let each = |step| {
        if is_renewed {
            let state = talk.relay.state().expect("nothing waits for the store");
            talk.relay = relay(talk.store.is_some()).with_state(&state);
        }
        talk.step(step, expand)
    };
    let effects: Vec<Value> = steps.iter().map(each).collect();
    json!({ "effects": effects, "idle": talk.relay.is_idle() })
}

enum Store {
    Holds(HashMap<String, String>),
    Fails(String),
}

struct Conversation {
    relay: Relay,
    store: Option<Store>,
    /// What the client received last, by the name of its hole in a line.
    named: HashMap<&'static str, String>,
    now: u64,
}

impl Conversation {
    fn step(&mut self, step: &Value, expand: fn(&Value) -> String) -> Value {
        let (side, given) = step.as_object().and_then(|step| step.iter().next()).expect("a step");
        let mut line = expand(given);
        for (hole, value) in &self.named {
            line = line.replace(hole, value);
        }
        let effects = match side.as_str() {
            "client" => self.relay.from_client(line.as_bytes(), self.now),
            "server" => self.relay.from_server(line.as_bytes(), self.now),
            "serverEnded" => self.relay.server_ended(&line),
            other => panic!("{other} is not a step"),
        };
        let mut seen = Vec::new();
        self.follow(effects, &mut seen);
        seen.into()
    }

    fn follow(&mut self, effects: Vec<Effect>, seen: &mut Vec<Value>) {
        for effect in effects {
            match effect {
                Effect::Pass => seen.push(json!("pass")),
                Effect::Log(line) => seen.push(json!({ "log": line })),
                Effect::ToClient(line) => {
                    self.named.extend(named(&line));
                    seen.push(apart("toClient", &line));
                }
                Effect::ToServer(line) => seen.push(json!({ "toServer": line })),
                Effect::Store(number, wanted) => {
                    seen.push(match &wanted {
                        StoreRequest::Read { key } => json!({ "read": key }),
                        StoreRequest::Write { key, .. } => json!({ "write": key }),
                        StoreRequest::Ask { .. } => json!("ask"),
                    });
                    let reply = self.ask(wanted);
                    let effects = self.relay.resume(number, reply);
                    self.follow(effects, seen);
                }
                Effect::Shaped(receipt) => {
                    assert!(receipt.budget.is_none_or(|budget| receipt.tokens_after <= budget));
                    seen.push(json!({ "shaped": receipt.step_names() }));
                }
                Effect::Counted(_) => {}
            }
        }
    }

    fn ask(&mut self, wanted: StoreRequest) -> StoreReply {
        match (self.store.as_mut().expect("a store"), wanted) {
            (Store::Fails(reason), _) => StoreReply::Failed(reason.clone()),
            (Store::Holds(values), StoreRequest::Read { key }) => StoreReply::Value(values.get(&key).cloned()),
            (Store::Holds(values), StoreRequest::Write { key, value, .. }) => {
                values.insert(key, value);
                StoreReply::Done
            }
            (Store::Holds(_), StoreRequest::Ask { .. }) => StoreReply::Value(None),
        }
    }
}

/// What later lines of a client can name: the cursor and the handle of the result that it was sent last.
fn named(line: &str) -> Vec<(&'static str, String)> {
    let holes = [("${cursor}", r#"nextCursor\\*":\\*"([^"\\]+)"#), ("${handle}", "toolshape://result/([a-z]{16})")];
    let found = holes.into_iter().filter_map(|(hole, pattern)| {
        let found = Regex::new(pattern).unwrap().captures(line)?[1].to_owned();
        Some((hole, found))
    });
    found.collect()
}

/// A line with its texts for models apart, in which sentences have their names, and without its counts, which follow from
/// the texts.
fn apart(side: &str, line: &str) -> Value {
    let counts = Regex::new(r#""(tokensAfter|bytes)":\d+"#).unwrap();
    let mut rest = counts.replace_all(line, "\"$1\":0").into_owned();
    let message: Value = serde_json::from_str(line).expect("JSON");
    let mut texts = Vec::new();
    let messages = message.as_array().map_or(std::slice::from_ref(&message), Vec::as_slice);
    let places = ["/result", "/result/result", "/params/result"];
    for result in messages.iter().flat_map(|message| places.map(|place| message.pointer(place))) {
        for text in result.and_then(|result| result["content"].as_array()).into_iter().flatten() {
            let Value::String(text) = &text["text"] else { continue };
            let literal = Value::from(text.as_str()).to_string();
            rest = rest.replacen(&literal, &format!("\"⟨{}⟩\"", texts.len()), 1);
            texts.push(text.clone());
        }
    }
    match texts.is_empty() {
        true => json!({ side: rest }),
        false => json!({ side: rest, "texts": texts }),
    }
}
