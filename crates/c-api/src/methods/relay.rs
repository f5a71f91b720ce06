//! A conversation between a client and a server that one does not own: whole lines in, what to do with them out.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};
use toolshape::{Error, ErrorCode, Shaper};
use toolshape_proxy::{Effect, Heard, Relay, RelayOptions, StoreOption, Wanted};

use super::{Method, method};
use crate::answer::Answer;
use crate::handles::Handles;
use crate::request::Request;

pub const METHODS: &[Method] = &[
    method("relay", &["options", "state"], make),
    method("forgetRelay", &["relay"], forget),
    method("relayStore", &["options"], store),
    method("relayState", &["relay"], state),
    method("relayLines", &["relay", "lines", "isClient", "now"], lines),
    method("relayHeard", &["relay", "number", "value", "wasWritten", "failure"], heard),
    method("relayEnded", &["relay", "reason"], ended),
    method("relayIsIdle", &["relay"], is_idle),
];

thread_local! {
    static RELAYS: Handles<RefCell<Relay>> = const { Handles::new("relay") };
}

/// Begins a conversation, or goes on with one from its state.
fn make(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let options = options(request)?;
    let mut relay = Relay::new(Shaper::new(options.policy), options.store != StoreOption::None);
    relay.take_results_in(options.result_arguments);
    let relay = relay.with_state(&request.optional_string("state")?.unwrap_or_default());
    Ok(json!(RELAYS.with(|relays| relays.add(RefCell::new(relay)))))
}

fn options(request: &Request<'_>) -> Result<RelayOptions, Error> {
    RelayOptions::new(&request.value("options", ErrorCode::InvalidPolicy)?)
}

fn forget(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    let number = request.number("relay")?;
    Ok(json!(RELAYS.with(|relays| relays.forget(number))))
}

/// Where the options keep results: null, `memory`, a `folder` or a `redis`.
fn store(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(match options(request)?.store {
        StoreOption::None => Value::Null,
        StoreOption::Memory => json!("memory"),
        StoreOption::Folder(path) => json!({ "folder": path }),
        StoreOption::Redis(address) => json!({ "redis": address }),
    })
}

/// What the conversation leads on from, or null while something waits for the store.
fn state(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(json!(relay(request)?.borrow().state()))
}

/// What to do with whole lines of one side, each with its end, of which the last may have none.
fn lines(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let (block, is_client) = (request.bytes("lines")?, request.flag("isClient")?);
    let (now, relay) = (request.number("now")?, relay(request)?);
    let (mut steps, mut at) = (Vec::new(), 0);
    for line in block.split_inclusive(|byte| *byte == b'\n') {
        let place = (at, at + line.len());
        at = place.1;
        let mut relay = relay.borrow_mut();
        let effects = match is_client {
            true => relay.from_client(trimmed(line), now),
            false => relay.from_server(trimmed(line), now),
        };
        effects.into_iter().for_each(|effect| steps.push(step(effect, place, answer)));
    }
    Ok(steps.into())
}

/// What to do after an answer of the store.
fn heard(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    let heard = match request.optional_string("failure")? {
        Some(failure) => Heard::Failed(failure.into_owned()),
        None if request.flag("wasWritten")? => Heard::Done,
        None => Heard::Value(request.optional_text("value")?.map(str::to_owned)),
    };
    Ok(steps(relay(request)?.borrow_mut().heard(request.number("number")?, heard), answer))
}

/// What to do when the server has ended.
fn ended(request: &Request<'_>, answer: &mut Answer) -> Result<Value, Error> {
    Ok(steps(relay(request)?.borrow_mut().server_ended(&request.string("reason")?), answer))
}

fn is_idle(request: &Request<'_>, _: &mut Answer) -> Result<Value, Error> {
    Ok(json!(relay(request)?.borrow().is_idle()))
}

fn relay(request: &Request<'_>) -> Result<Rc<RefCell<Relay>>, Error> {
    let number = request.number("relay")?;
    RELAYS.with(|relays| relays.find(number))
}

/// What is done beside any line.
fn steps(effects: Vec<Effect>, answer: &mut Answer) -> Value {
    effects.into_iter().map(|effect| step(effect, (0, 0), answer)).collect()
}

/// One step. The bytes of a line that came in are named by their place in the block.
fn step(effect: Effect, (from, to): (usize, usize), answer: &mut Answer) -> Value {
    match effect {
        Effect::Pass => json!({ "pass": [from, to] }),
        Effect::NoMessage => json!({ "noMessage": [from, to] }),
        Effect::ToClient(line) => json!({ "toClient": answer.part(line) }),
        Effect::ToServer(line) => json!({ "toServer": answer.part(line) }),
        Effect::Store(number, Wanted::Read { key }) => json!({ "read": { "number": number, "key": key } }),
        Effect::Store(number, Wanted::Write { key, value, owner }) => {
            json!({ "write": { "number": number, "key": key, "value": answer.part(value), "owner": owner } })
        }
        Effect::Shaped(receipt) => json!({ "shaped": receipt.to_json() }),
    }
}

/// A line without its end.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
