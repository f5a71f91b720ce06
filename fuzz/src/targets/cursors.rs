//! Cursors: each of ours works and continues; one that was changed, expired, or comes with another call is rejected if
//! it is signed, and does no harm if it is not.

use arbitrary::{Result, Unstructured};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use toolshape::host::{Naming, Purpose};
use toolshape::{Call, Policy, Shaped, Shaper};

use super::shape::accepted;
use crate::input::Input;
use crate::{options, promises};

/// The pages that are read of one result.
const MOST_PAGES: usize = 6;

pub fn edit(input: &mut Input, choose: &mut Unstructured<'_>) -> Result<()> {
    match choose.int_in_range(0..=9)? {
        0..=2 => options::edit_policy(input, choose),
        3 | 4 => options::edit_call(input, choose),
        5 => {
            let key = ["another secret of sixteen bytes", "a secret of sixteen bytes and more"];
            input.object_mut("policy").insert("cursorKey".to_owned(), json!(choose.choose(&key)?));
            Ok(())
        }
        6 => {
            input.object_mut("policy").insert("cursorTtl".to_owned(), json!(choose.int_in_range(1..=100)?));
            input.object_mut("call").insert("now".to_owned(), json!(choose.int_in_range(0..=200)?));
            Ok(())
        }
        7 => {
            let text: String = (0..choose.int_in_range(0..=60)?)
                .map(|_| choose.choose(b"ABCDEFabcdef0189-_=. ").map(|&byte| char::from(byte)))
                .collect::<Result<_>>()?;
            input.head.insert("cursor".to_owned(), json!(text));
            Ok(())
        }
        _ => {
            let change = json!([choose.int_in_range(0..=80)?, choose.int_in_range(0..=255)?]);
            input.head.insert(if choose.ratio(1, 2)? { "flip" } else { "splice" }.to_owned(), change);
            Ok(())
        }
    }
}

pub fn run(input: &Input) -> Option<()> {
    let (policy, mut call) = accepted(input)?;
    // The cursor of a result that is shaped already belongs to the call that it came from.
    if input.body.contains(r#""paginated":true"#) {
        return None;
    }
    let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).ok()?);
    call["tool"] = json!("t");
    if let Some(forged) = input.head.get("cursor").and_then(Value::as_str) {
        let mut asked = call.clone();
        asked["cursor"] = json!(forged);
        harmless(input, &shaper, &policy, &asked)?;
    }
    call.as_object_mut()?.remove("cursor");
    let mut shaped = shape(input, &shaper, &call)?;
    let mut seen: Vec<String> = Vec::new();
    while let Some(cursor) = cursor_of(&shaped).filter(|_| seen.len() < MOST_PAGES) {
        assert!(!seen.contains(&cursor), "a cursor leads back: {}", shaped.text);
        call["cursor"] = json!(cursor);
        abused(input, &shaper, &policy, &call, &cursor);
        shaped = shape(input, &shaper, &call)?;
        let (code, refused) = (code(&shaped), ["INVALID_CURSOR", "UNKNOWN_FIELD"]);
        assert!(!code.is_some_and(|code| refused.contains(&&*code)), "{policy} {call}: {}", shaped.text);
        seen.push(cursor);
    }
    (!seen.is_empty() || input.head.contains_key("cursor")).then_some(())
}

/// The cursor in other hands: changed, with another tool, with other arguments, too late.
fn abused(input: &Input, shaper: &Shaper, policy: &Value, call: &Value, cursor: &str) {
    let with = |name: &str, value: Value| {
        let mut call = call.clone();
        call[name] = value;
        call
    };
    refused(input, shaper, &with("tool", json!("u")));
    refused(input, shaper, &with("arguments", json!({ "of": "another" })));
    if policy.get("cursorTtl").is_some_and(|ttl| !ttl.is_null()) {
        refused(input, shaper, &with("now", json!(1e15)));
    }
    for changed in changes(input, cursor) {
        let asked = with("cursor", json!(changed));
        if policy.get("cursorKey").is_some_and(|key| !key.is_null()) {
            refused(input, shaper, &asked);
        } else {
            harmless(input, shaper, policy, &asked);
        }
    }
}

/// The cursor with one byte changed, cut, or extended, as the head says; none is the cursor itself.
fn changes(input: &Input, cursor: &str) -> Vec<String> {
    let change = |name: &str| {
        let change = input.head.get(name)?;
        Some((change.get(0)?.as_u64()? as usize, change.get(1)?.as_u64()? as u8))
    };
    let mut bytes = URL_SAFE_NO_PAD.decode(cursor).expect("our cursor is base64url");
    let mut changed = vec![format!("{cursor}A"), format!(" {cursor}")];
    if let Some((at, by)) = change("splice") {
        let at = at % (bytes.len() + 1);
        changed.push(URL_SAFE_NO_PAD.encode(&bytes[..at]));
        changed.push(URL_SAFE_NO_PAD.encode([&bytes[..at], &[by], &bytes[at..]].concat()));
    }
    if let Some((at, by)) = change("flip") {
        let at = at % bytes.len();
        bytes[at] ^= by;
        changed.push(URL_SAFE_NO_PAD.encode(&bytes));
    }
    // An empty text is not a cursor.
    changed.retain(|changed| changed != cursor && !changed.is_empty());
    changed
}

fn refused(input: &Input, shaper: &Shaper, call: &Value) {
    let Some(shaped) = shape(input, shaper, call) else { return };
    assert_eq!(code(&shaped).as_deref(), Some("INVALID_CURSOR"), "{call}: {}", shaped.text);
}

/// A cursor that anyone could have written: the result fits and is whole, and every way to a stored result holds.
fn harmless(input: &Input, shaper: &Shaper, policy: &Value, call: &Value) -> Option<()> {
    let shaped = shape(input, shaper, call)?;
    if !input.is_text() {
        promises::whole(&shaped);
    }
    promises::explained(policy, call, &shaped);
    let asked = Call::new(call, Naming::Camel).ok()?;
    if let Err(error) = shaper.decode_keyset(call["cursor"].as_str(), &asked) {
        assert!(["INVALID_CURSOR", "INVALID_CALL"].contains(&error.code().as_str()), "{error}");
    }
    assert!(shaper.lookup(Purpose::Snapshot, false, &asked).is_ok());
    Some(())
}

fn shape(input: &Input, shaper: &Shaper, call: &Value) -> Option<Shaped> {
    let call = Call::new(call, Naming::Camel).ok()?;
    let shaped = match input.is_text() {
        true => shaper.shape_text(&input.body, &call),
        false => shaper.shape_json(&input.body, &call),
    };
    let shaped = shaped.ok()?;
    promises::fits(&shaped);
    Some(shaped)
}

/// The code of an error result.
fn code(shaped: &Shaped) -> Option<String> {
    let answer: Value = shaped.is_error.then(|| serde_json::from_str(&shaped.text).ok())??;
    answer["error"].as_str().map(str::to_owned)
}

/// The cursor that a result gives for what comes next.
fn cursor_of(shaped: &Shaped) -> Option<String> {
    let answer: Value = serde_json::from_str(&shaped.text).ok().filter(|_| !shaped.unchanged)?;
    let is = |marker: &str| shaped.text.starts_with(marker);
    let cursor = if is("{\"_summarized\":true,") {
        answer.get("_nextCursor").filter(|cursor| cursor.is_string()).unwrap_or(&answer["_page"]["nextCursor"])
    } else if is("{\"paginated\":true,") || is("{\"truncated\":true,") || is("{\"output\":\"") {
        &answer["nextCursor"]
    } else {
        return None;
    };
    cursor.as_str().map(str::to_owned)
}
