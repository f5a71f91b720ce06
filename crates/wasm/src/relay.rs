//! The relay: a block of whole lines in, what to do with its parts out. One process has one conversation.
//!
//! A block crosses into the module's memory once, and what passes of it never comes back: it is named by its place. The
//! host keeps the bytes until it has done what the steps say.

use std::cell::RefCell;

use serde::Serialize;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use super::given::read_options;
use super::http;
use super::outcome::outcome;
use toolshape::{Error, ErrorCode, Shaper};
use toolshape_proxy::{Effect, Relay, RelayOptions, StoreOption, StoreReply, StoreRequest};

thread_local! {
    static RELAY: RefCell<Option<Relay>> = const { RefCell::new(None) };
    /// Where the host writes a block.
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A larger room is given up after its block.
const KEPT_ROOM: usize = 1 << 20;

/// What to do with a part of a block, or besides.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Step {
    /// Send these bytes of the block on: from, and to.
    Pass(usize, usize),
    /// Write these bytes to standard error.
    NoMessage(usize, usize),
    /// Send a line, whose end is not yet there.
    ToClient(String),
    ToServer(String),
    /// Ask the store, and pass its answer to [`relay_heard`] with this number: for the value under a key, or
    /// to keep one for its owner.
    Read(u64, String),
    Write(u64, String, String, Option<String>),
    /// The receipt of a result, as JSON text.
    Shaped(String),
}

/// Checks the options of a relay, a JSON text; where they keep results is returned: null, `memory`, a `folder` or a `redis`.
#[wasm_bindgen(js_name = relayStore)]
pub fn relay_store(options: &str) -> JsValue {
    outcome(read(options).map(|options| match options.store {
        StoreOption::None => Value::Null,
        StoreOption::Memory => json!("memory"),
        StoreOption::Folder(path) => json!({ "folder": path }),
        StoreOption::Redis(address) => json!({ "redis": address }),
    }))
}

/// Begins a conversation under the options of a relay; or goes on with one, from what [`relay_state`] said.
#[wasm_bindgen]
pub fn relay(options: &str, state: &str) -> JsValue {
    outcome(read(options).map(|options| {
        let mut relay = Relay::new(Shaper::new(options.policy), options.store != StoreOption::None);
        relay.take_results_in(options.result_arguments);
        let state: [String; 2] = serde_json::from_str(state).unwrap_or_default();
        RELAY.set(Some(relay.with_state(&state[0])));
        http::go_on(&state[1]);
    }))
}

fn read(options: &str) -> Result<RelayOptions, Error> {
    RelayOptions::new(&read_options(options, ErrorCode::InvalidPolicy)?)
}

/// What the conversation leads on from, also with a server behind HTTP; null while something waits for the store, or a part of
/// an answer for the rest.
#[wasm_bindgen(js_name = relayState)]
pub fn relay_state() -> JsValue {
    outcome(with_relay(|relay| Some(json!([relay.state()?, http::state()?]).to_string())))
}

/// The address in memory where the host writes a block of this many bytes.
#[wasm_bindgen(js_name = relayRoom)]
pub fn relay_room(bytes: usize) -> *const u8 {
    ROOM.with_borrow_mut(|room| {
        if room.len() < bytes {
            *room = vec![0; bytes];
        }
        room.as_ptr()
    })
}

/// What to do with the block in the room: lines of one side, each with its end, of which the last may have none. `now` is in
/// Unix seconds. Undefined if all of it passes.
#[wasm_bindgen(js_name = relayLines)]
pub fn relay_lines(is_client: bool, bytes: usize, now: f64) -> JsValue {
    let mut room = ROOM.take();
    let steps = with_relay(|relay| {
        let mut steps = Vec::new();
        let mut at = 0;
        for line in room[..bytes].split_inclusive(|byte| *byte == b'\n') {
            let place = (at, at + line.len());
            at = place.1;
            let effects = match is_client {
                true => relay.from_client(trimmed(line), now as u64),
                false => relay.from_server(trimmed(line), now as u64),
            };
            effects.into_iter().for_each(|effect| add(&mut steps, effect, place));
        }
        steps
    });
    if room.len() > KEPT_ROOM {
        room = Vec::new();
    }
    ROOM.replace(room);
    match &steps {
        Ok(steps) if matches!(steps[..], [Step::Pass(0, end)] if end == bytes) => JsValue::UNDEFINED,
        _ => outcome(steps),
    }
}

/// What to do after an answer of the store: `value` is the value under the key, `failure` why there is no answer.
#[wasm_bindgen(js_name = relayHeard)]
pub fn relay_heard(number: f64, was_written: bool, value: Option<String>, failure: Option<String>) -> JsValue {
    let heard = match failure {
        Some(failure) => StoreReply::Failed(failure),
        None if was_written => StoreReply::Done,
        None => StoreReply::Value(value),
    };
    outcome(with_relay(|relay| listed(relay.resume(number as u64, heard))))
}

/// What to do when the server has ended.
#[wasm_bindgen(js_name = relayEnded)]
pub fn relay_ended(reason: &str) -> JsValue {
    outcome(with_relay(|relay| listed(relay.server_ended(reason))))
}

/// Whether nobody waits for anything.
#[wasm_bindgen(js_name = relayIsIdle)]
pub fn relay_is_idle() -> JsValue {
    outcome(with_relay(|relay| relay.is_idle()))
}

fn with_relay<T>(work: impl FnOnce(&mut Relay) -> T) -> Result<T, Error> {
    let none = || Error::new(ErrorCode::Internal, "there is no conversation", "");
    RELAY.with_borrow_mut(|relay| relay.as_mut().map(work).ok_or_else(none))
}

/// What is done beside any block.
fn listed(effects: Vec<Effect>) -> Vec<Step> {
    let mut steps = Vec::new();
    effects.into_iter().for_each(|effect| add(&mut steps, effect, (0, 0)));
    steps
}

fn add(steps: &mut Vec<Step>, effect: Effect, (from, to): (usize, usize)) {
    if let (Effect::Pass, Some(Step::Pass(_, end))) = (&effect, steps.last_mut())
        && *end == from
    {
        *end = to;
        return;
    }
    steps.push(match effect {
        Effect::Pass => Step::Pass(from, to),
        Effect::NoMessage => Step::NoMessage(from, to),
        Effect::ToClient(line) => Step::ToClient(line),
        Effect::ToServer(line) => Step::ToServer(line),
        Effect::Store(number, StoreRequest::Read { key }) => Step::Read(number, key),
        Effect::Store(number, StoreRequest::Write { key, value, owner }) => Step::Write(number, key, value, owner),
        Effect::Shaped(receipt) => Step::Shaped(receipt.to_string()),
    });
}

/// A line without its end.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
