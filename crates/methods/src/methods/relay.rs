//! A conversation between a client and a server: whole lines in, what to do with them out.

use std::cell::RefCell;

use serde_json::{Value, json};
use toolshape::host::Naming;
use toolshape::{Error, ErrorCode};
use toolshape_proxy::{AskedSource, Effect, Relay, RelayOptions, StoreOption, StoreReply, StoreRequest};

use crate::answer::{MethodAnswer, Reply, or_null};
use crate::handles::RELAYS;
use crate::request::Request;

/// Starts a conversation, or continues one from its state. `isRemote`: whether the server can refuse its client.
pub fn create(request: &Request<'_>) -> Reply {
    let options = options(request)?;
    let relay = Relay::of(&options, options.store != StoreOption::None);
    let relay = if request.flag("isRemote")? { relay.before_remote(0) } else { relay };
    let relay = relay.with_state(&request.optional_string("state")?.unwrap_or_default());
    Ok(RELAYS.with(|relays| relays.add(RefCell::new(relay))).into())
}

fn options(request: &Request<'_>) -> Result<RelayOptions, Error> {
    RelayOptions::new(&request.value("options", ErrorCode::InvalidPolicy)?)
}

/// Whether there was one.
pub fn forget(request: &Request<'_>) -> Reply {
    let number = request.number("relay")?;
    Ok(RELAYS.with(|relays| relays.remove(number)).into())
}

/// What another instance continues from, or null while something waits for the store.
pub fn state(relay: &mut Relay, _: &Request<'_>) -> Reply {
    Ok(or_null(relay.state()))
}

/// What to do with the lines of one side.
pub fn handle_lines(relay: &mut Relay, request: &Request<'_>) -> Reply {
    let (block, is_client) = (request.bytes("lines")?, request.flag("isClient")?);
    Ok(answer(steps_of(relay, block, is_client, request.now()?, request.host.naming)))
}

/// What to do after an answer of the store.
pub fn heard(relay: &mut Relay, request: &Request<'_>) -> Reply {
    let heard = match request.optional_string("failure")? {
        Some(failure) => StoreReply::Failed(failure.into_owned()),
        None if request.flag("wasWritten")? => StoreReply::Done,
        None => StoreReply::Value(request.optional_text("value")?.map(str::to_owned)),
    };
    Ok(list(relay.resume(request.number("number")?, heard), request.host.naming))
}

/// What to do when the server has ended.
pub fn ended(relay: &mut Relay, request: &Request<'_>) -> Reply {
    Ok(list(relay.server_ended(&request.string("reason")?), request.host.naming))
}

/// Whether nobody waits for an answer.
pub fn is_idle(relay: &mut Relay, _: &Request<'_>) -> Reply {
    Ok(relay.is_idle().into())
}

/// What to do with a part of a block, or in addition.
enum BlockStep {
    /// Send these bytes of the block on: from, and to.
    Pass(usize, usize),
    Other(MethodAnswer),
}

fn steps_of(relay: &mut Relay, block: &[u8], is_client: bool, now: u64, naming: Naming) -> Vec<BlockStep> {
    let (mut steps, mut at) = (Vec::new(), 0);
    for line in block.split_inclusive(|byte| *byte == b'\n') {
        let place = (at, at + line.len());
        at = place.1;
        let effects = match is_client {
            true => relay.from_client(without_end(line), now),
            false => relay.from_server(without_end(line), now),
        };
        effects.into_iter().for_each(|effect| add(&mut steps, effect, place, naming));
    }
    steps
}

/// Adds a step; bytes that pass after bytes that pass are one step.
fn add(steps: &mut Vec<BlockStep>, effect: Effect, (from, to): (usize, usize), naming: Naming) {
    match (effect, steps.last_mut()) {
        (Effect::Counted(_), _) => {}
        (Effect::Pass, Some(BlockStep::Pass(_, end))) if *end == from => *end = to,
        (Effect::Pass, _) => steps.push(BlockStep::Pass(from, to)),
        (effect, _) => steps.push(BlockStep::Other(step(effect, (from, to), naming))),
    }
}

fn answer(steps: Vec<BlockStep>) -> MethodAnswer {
    let one = |step| match step {
        BlockStep::Pass(from, to) => json!({ "pass": [from, to] }).into(),
        BlockStep::Other(step) => step,
    };
    MethodAnswer::List(steps.into_iter().map(one).collect())
}

/// The steps that are about no block.
fn list(effects: Vec<Effect>, naming: Naming) -> MethodAnswer {
    let sent = effects.into_iter().filter(|effect| !matches!(effect, Effect::Counted(_)));
    MethodAnswer::List(sent.map(|effect| step(effect, (0, 0), naming)).collect())
}

/// One step. Bytes of the block are given by their place in it; a receipt has names in this form.
fn step(effect: Effect, (from, to): (usize, usize), naming: Naming) -> MethodAnswer {
    match effect {
        Effect::Pass => json!({ "pass": [from, to] }).into(),
        Effect::Log(line) => json!({ "log": line }).into(),
        Effect::ToClient(line) => MethodAnswer::Object(vec![("toClient", MethodAnswer::Text(line))]),
        Effect::ToServer(line) => MethodAnswer::Object(vec![("toServer", MethodAnswer::Text(line))]),
        Effect::Store(number, StoreRequest::Read { key }) => json!({ "read": { "number": number, "key": key } }).into(),
        Effect::Store(number, StoreRequest::Write { key, value, owner }) => {
            let write = vec![
                ("number", number.into()),
                ("key", key.into()),
                ("value", MethodAnswer::Text(value)),
                ("owner", owner.map_or(Value::Null, Value::from).into()),
            ];
            MethodAnswer::Object(vec![("write", MethodAnswer::Object(write))])
        }
        Effect::Store(number, StoreRequest::Ask { question, sources }) => {
            let source = |AskedSource { handle, content }| {
                MethodAnswer::Object(match content {
                    Ok((key, content)) => {
                        vec![("handle", handle.into()), ("key", key.into()), ("content", MethodAnswer::Text(content))]
                    }
                    Err(error) => vec![
                        ("handle", handle.into()),
                        ("code", error.code().as_str().into()),
                        ("message", error.message().into()),
                    ],
                })
            };
            let ask = vec![
                ("number", number.into()),
                ("question", super::question(question).into()),
                ("sources", MethodAnswer::List(sources.into_iter().map(source).collect())),
            ];
            MethodAnswer::Object(vec![("ask", MethodAnswer::Object(ask))])
        }
        Effect::Shaped(receipt) => json!({ "shaped": receipt.named(naming) }).into(),
        // Callers get receipts.
        Effect::Counted(_) => MethodAnswer::List(Vec::new()),
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
