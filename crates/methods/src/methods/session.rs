//! Sessions: one step each of a read and of results that are kept. The host holds the texts in slots and names those that it
//! gives; the state is a text, which it gives back with what it heard.

use serde_json::{Value, json};
use toolshape::host::{
    AskedSource, Effect, Heard, KeepHeard, KeepNext, KeepState, Naming, Next, OF_REDACTION, Read, ReadFor, ReadState,
    Reader, Redaction, Redacts, Slot, Slots, ToStore, ToSummarize, Whole, names, read_redaction,
};
use toolshape::{Error, ErrorCode, Shaper};

use crate::answer::{MethodAnswer, Reply};
use crate::request::Request;

/// A stored result for a call: the effects of the next turn, or `done`.
pub fn read(shaper: &Shaper, request: &Request<'_>) -> Reply {
    let call = request.call()?;
    let mut slots = slots(request)?;
    let (mut state, heard) = match request.optional_string("state")? {
        Some(state) => (restored::<ReadState>(&state)?.of(call), heard(request)?),
        None => {
            let (reads, authorizes) = (reads(request)?, request.flag("authorizes")?);
            (ReadState::new(reads, authorizes, call, &mut slots, shaper)?, Vec::new())
        }
    };
    let effects = match state.step(heard, &mut slots, shaper)? {
        Next::Done(read) => return Ok(MethodAnswer::Object(vec![("done", done(read)?)])),
        Next::Wait(effects) => ("effects", effects.iter().map(effect).collect::<Vec<_>>().into()),
    };
    let mut members = turn(written(&state)?, &state.reads(), slots);
    members.extend([effects, ("isLong", state.is_sql().into())]);
    Ok(MethodAnswer::Object(members))
}

/// Results that are kept: what to `shape`, the `whole` of which results to find, or the effects of the next turn; none of them at
/// the end.
pub fn keep(shaper: &Shaper, request: &Request<'_>) -> Reply {
    let calls = request.calls("calls")?;
    let mut slots = slots(request)?;
    let (mut state, heard) = match request.optional_string("state")? {
        Some(state) => (restored::<KeepState>(&state)?, keep_heard(request, &mut slots)?),
        None => (KeepState::new(calls.len(), redacts(request)?), KeepHeard::Nothing),
    };
    let next = match state.step(heard, &calls, &mut slots, shaper)? {
        KeepNext::Shape(inputs) => Some(("shape", inputs.iter().map(to_shape).collect::<Result<Vec<_>, _>>()?.into())),
        KeepNext::Whole(at) => Some(("whole", json!(at).into())),
        KeepNext::Wait(effects) => Some(("effects", effects.iter().map(effect).collect::<Vec<_>>().into())),
        KeepNext::Done => None,
    };
    let fault =
        |error: &Error| json!({ "code": error.code().as_str(), "message": error.message(), "path": error.path() });
    let faults: Vec<Value> = state.take_faults().iter().map(fault).collect();
    let mut members = turn(written(&state)?, &state.reads(), slots);
    members.extend([("faults", faults.into()), ("ends", state.ends().into())]);
    members.extend(next);
    Ok(MethodAnswer::Object(members))
}

fn reads(request: &Request<'_>) -> Result<ReadFor, Error> {
    Ok(match &*request.string("reads")? {
        "part" => ReadFor::Part,
        "page" => ReadFor::Page,
        "textPage" => ReadFor::TextPage,
        "summary" => ReadFor::Summary,
        "resource" => ReadFor::Resource,
        "value" => ReadFor::Value { pointer: request.optional_string("pointer")?.map(Into::into).unwrap_or_default() },
        other => {
            let known = "part, page, textPage, summary, resource, value";
            return Err(wrong(format!("reads is {other:?}; it takes {known}"), "/reads"));
        }
    })
}

fn redacts(request: &Request<'_>) -> Result<Redacts, Error> {
    let named = |name: &str| Redacts::from_name(name).ok_or_else(|| wrong("redacts must be stored or all", "/redacts"));
    request.optional_string("redacts")?.map_or(Ok(Redacts::Nothing), |name| named(&name))
}

/// The slots of the host: how many there are, and the texts of those in `given`.
fn slots<'a>(request: &Request<'a>) -> Result<Slots<'a>, Error> {
    let count = request.optional_number("slots")?.unwrap_or_default();
    if !request.has("given") {
        return Ok(Slots::of(count as Slot, []));
    }
    let (given, texts) = (request.numbers("given")?, request.texts("texts")?);
    if given.len() != texts.len() {
        let message = format!("given names {} slots, and texts has {}", given.len(), texts.len());
        return Err(wrong(message, "/texts"));
    }
    Ok(Slots::of(count as Slot, given.into_iter().map(|at| at as Slot).zip(texts)))
}

fn heard(request: &Request<'_>) -> Result<Vec<Heard>, Error> {
    let one = |heard: &Value| match heard {
        Value::String(word) if word == "there" => Some(Heard::There),
        Value::String(word) if word == "absent" => Some(Heard::Absent),
        heard => Some(Heard::Failed(heard.get("failed")?.as_str()?.to_owned())),
    };
    let all = request.options("heard")?;
    let all = all.as_array().and_then(|all| all.iter().map(one).collect());
    all.ok_or_else(|| wrong("heard must be a list of \"there\", \"absent\" or {\"failed\": reason}", "/heard"))
}

/// What was heard; of the whole of results, what is left without the `redactFields` and `redactTexts` of an archive.
fn keep_heard(request: &Request<'_>, slots: &mut Slots<'_>) -> Result<KeepHeard, Error> {
    if request.has("shaped") {
        return request.read::<Vec<Option<ToStore>>>("shaped").map(KeepHeard::Shaped);
    }
    if request.has("whole") {
        let wholes = request.read::<Vec<Whole>>("whole")?;
        let redaction = redaction(request)?;
        return Ok(KeepHeard::Whole(wholes.into_iter().map(|whole| Ok(whole.without(&redaction, slots))).collect()));
    }
    heard(request).map(KeepHeard::Effects)
}

/// What is declared as secret.
fn redaction(request: &Request<'_>) -> Result<Redaction, Error> {
    if !request.has("secrets") {
        return Ok(Redaction::default());
    }
    let (secrets, path) = (request.options("secrets")?, "/secrets".to_owned());
    let reader = Reader::new(&secrets, &names(&OF_REDACTION), ErrorCode::InvalidCall, path, Naming::Camel)?;
    read_redaction(&reader)
}

fn restored<T: for<'de> serde::Deserialize<'de>>(state: &str) -> Result<T, Error> {
    serde_json::from_str(state).map_err(|error| wrong(format!("the state cannot be read: {error}"), "/state"))
}

fn written(state: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string(state).map_err(|error| Error::new(ErrorCode::Internal, error.to_string(), ""))
}

/// The state, the slots that the next step reads, how many there are, and the texts to put into them.
fn turn(state: String, reads: &[Slot], mut slots: Slots<'_>) -> Vec<(&'static str, MethodAnswer)> {
    let count = slots.count();
    let texts = slots.written().to_vec().into_iter().map(|at| {
        let text = slots.take(at).into_owned();
        MethodAnswer::List(vec![at.into(), MethodAnswer::Text(text)])
    });
    let texts = MethodAnswer::List(texts.collect());
    vec![("state", state.into()), ("reads", json!(reads).into()), ("texts", texts), ("slots", count.into())]
}

fn effect(effect: &Effect) -> Value {
    match effect {
        Effect::Get { key, to } => json!({ "do": "get", "key": key, "to": to }),
        Effect::Set { key, from, owner } => json!({ "do": "set", "key": key, "from": from, "owner": owner }),
        Effect::Redact { from, to } => {
            json!({ "do": "redact", "from": from.clone().collect::<Vec<_>>(), "to": to })
        }
        Effect::Allow { tool } => json!({ "do": "allow", "tool": tool }),
        Effect::Ask { question, sources, to } => {
            let source = |AskedSource { handle, content }: &AskedSource| match content {
                Ok((key, content)) => json!({ "handle": handle, "key": key, "content": content }),
                Err(error) => json!({ "handle": handle, "code": error.code().as_str(), "message": error.message() }),
            };
            let question = super::question(question.clone());
            let sources: Vec<Value> = sources.iter().map(source).collect();
            json!({ "do": "ask", "question": question, "sources": sources, "to": to })
        }
    }
}

fn to_shape((input, contents): &(toolshape::host::Input, Vec<Slot>)) -> Result<Value, Error> {
    let mut input =
        serde_json::to_value(input).map_err(|error| Error::new(ErrorCode::Internal, error.to_string(), ""))?;
    input["contents"] = json!(contents);
    Ok(input)
}

fn done(read: Read) -> Reply {
    Ok(match read {
        Read::Part(shaped) => MethodAnswer::Shaped(shaped),
        Read::Page(shaped) => MethodAnswer::Result(shaped),
        Read::NoPage => MethodAnswer::NULL,
        Read::Summary(found) => match *found {
            ToSummarize::Answered(shaped) => MethodAnswer::Shaped(shaped),
            ToSummarize::Text { text, summary } => {
                MethodAnswer::Object(vec![("text", MethodAnswer::Text(text)), ("summary", summary.into())])
            }
        },
        Read::Resource(resource) => MethodAnswer::Object(vec![
            ("mimeType", resource.mime_type.into()),
            ("text", MethodAnswer::Text(resource.text)),
        ]),
        Read::Value(value) => MethodAnswer::Text(value),
        Read::Refused(error) => return Err(error),
    })
}

fn wrong(message: impl Into<String>, path: &str) -> Error {
    Error::new(ErrorCode::InvalidCall, message, path)
}
