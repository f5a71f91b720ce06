//! One message in, one answer out.

use serde_json::Value;
use toolshape::host::Naming;
use toolshape::{Error, ErrorCode};
use toolshape_methods::{Request, RequestHost, RequestPart};

use crate::message;
use crate::methods::METHODS;
use crate::writer::PartWriter;

/// A host passes the time in its requests.
const HOST: RequestHost = RequestHost { naming: Naming::Camel, now: || None, hash: None };

/// The answer to a message.
pub fn answer(message: &[u8]) -> Vec<u8> {
    let mut writer = PartWriter::default();
    let result = run(message, &mut writer);
    writer.message(result)
}

fn run(message: &[u8], writer: &mut PartWriter) -> Result<Value, Error> {
    let parts = message::read(message)?;
    let no_text = |error| Error::new(ErrorCode::InvalidCall, format!("the request is not UTF-8: {error}"), "");
    let json = str::from_utf8(parts[0]).map_err(no_text)?;
    let parts: Vec<RequestPart<'_>> = parts[1..].iter().copied().map(RequestPart::Bytes).collect();
    let request = Request::new(json, &parts, &HOST)?;
    let name = request.string("method")?;
    if let Some(method) = METHODS.iter().copied().flatten().find(|method| method.name == name) {
        request.has_only(method.members.iter().copied())?;
        return (method.run)(&request, writer);
    }
    #[cfg(feature = "core")]
    {
        let answer = toolshape_methods::call(&name, &request)?;
        // The text that an answer can be.
        let sent = ["content", "text"].into_iter().find_map(|member| request.optional_text(member).ok().flatten());
        writer.answer(answer, sent)
    }
    #[cfg(not(feature = "core"))]
    Err(Error::new(ErrorCode::InvalidCall, format!("unknown method {name:?}"), "/method"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use serde_json::json;

    /// The answer to a request with these parts: its JSON, and all its parts.
    fn asked(request: &Value, parts: &[&[u8]]) -> (Value, Vec<Vec<u8>>) {
        let request = request.to_string();
        let came = answer(&message::write(&[&[request.as_bytes()], parts].concat()));
        let came: Vec<Vec<u8>> = message::read(&came).unwrap().into_iter().map(<[u8]>::to_vec).collect();
        (serde_json::from_slice(&came[0]).unwrap(), came)
    }

    #[test]
    fn a_text_goes_in_and_comes_out_beside_the_json() {
        let (shaper, _) = asked(&json!({ "method": "shaper", "policy": { "maxTokens": 300 } }), &[]);
        let rows = json!((0..1000).map(|id| json!({ "id": id })).collect::<Vec<_>>()).to_string();
        let call = json!({ "tool": "list", "store": true });
        let request = json!({ "method": "shapeJson", "shaper": shaper["result"], "text": 2, "call": call });
        let (answered, parts) = asked(&request, &[b"unused", rows.as_bytes()]);
        let result = &answered["result"];
        assert_eq!((&result["text"], &result["keep"]["content"]), (&json!(1), &Value::Null));
        assert!(parts[1].starts_with(br#"{"paginated":true,"totalItems":1000,"#));
        let (answered, parts) = asked(&request, &[b"unused", b"[1, 2]"]);
        assert_eq!((&answered["result"]["unchanged"], &answered["result"]["text"]), (&json!(true), &Value::Null));
        assert_eq!(parts.len(), 1);
    }

    #[test]
    fn a_fault_has_no_parts() {
        let wrong = [
            json!({}),
            json!([]),
            json!({ "method": 1 }),
            json!({ "method": "nothing" }),
            json!({ "method": "preset", "name": 1 }),
            json!({ "method": "preset", "name": "unknown" }),
            json!({ "method": "resultTemplate", "shaper": 1 }),
            json!({ "method": "archiveOptions", "options": { "ttlSeconds": "long" } }),
            json!({ "method": "shapeTogether", "shaper": 1, "results": [1] }),
        ];
        for request in &wrong {
            let (answered, parts) = asked(request, &[b"no JSON"]);
            assert!(answered["error"]["code"].is_string(), "{request} is answered by {answered}");
            assert!(answered["error"]["message"].is_string() && answered["error"]["path"].is_string());
            assert_eq!(parts.len(), 1);
        }
    }

    /// Sessions as every language has them: the numbers of parts are in the places of texts.
    #[test]
    fn sessions_go_as_the_shared_cases_say() {
        let file: Value = serde_json::from_str(include_str!("../../../vectors/shared/session.json")).unwrap();
        let (shaper, _) = asked(&json!({ "method": "shaper", "policy": file["policy"] }), &[]);
        for case in file["cases"].as_array().unwrap() {
            let (mut slots, mut turn) = (BTreeMap::<u64, String>::new(), Value::Null);
            for step in case["steps"].as_array().unwrap() {
                let put = step["put"].as_object().into_iter().flatten();
                slots.extend(put.map(|(at, text)| (at.parse().unwrap(), text.as_str().unwrap().to_owned())));
                let mut request = case["members"].clone();
                request["method"] = case["method"].clone();
                request["shaper"] = shaper["result"].clone();
                for name in ["heard", "shaped", "whole"].into_iter().filter(|name| !step[*name].is_null()) {
                    request[name] = step[name].clone();
                }
                let contents =
                    step["whole"].as_array().into_iter().flatten().flat_map(|whole| numbers(&whole["contents"]));
                let mut given: Vec<u64> =
                    numbers(&turn["reads"]).chain(contents).filter(|at| slots.contains_key(at)).collect();
                given.sort_unstable();
                given.dedup();
                let texts: Vec<&[u8]> = given.iter().map(|at| slots[at].as_bytes()).collect();
                if !turn.is_null() {
                    let count = slots.keys().map(|at| at + 1).chain([turn["slots"].as_u64().unwrap()]).max();
                    request["state"] = turn["state"].clone();
                    request["slots"] = json!(count);
                    request["texts"] = json!((1..=given.len()).collect::<Vec<_>>());
                    request["given"] = json!(given);
                }
                let (answered, parts) = asked(&request, &texts);
                turn = answered["result"].clone();
                let text = |part: &Value| String::from_utf8(parts[part.as_u64().unwrap() as usize].clone()).unwrap();
                for written in turn["texts"].as_array_mut().into_iter().flatten() {
                    written[1] = json!(text(&written[1]));
                    slots.insert(written[0].as_u64().unwrap(), written[1].as_str().unwrap().to_owned());
                }
                let seen = match (&answered["error"]["code"], &turn["done"]) {
                    (Value::Null, Value::Null) => said(&turn),
                    (Value::Null, done) => {
                        let done: Value = serde_json::from_str(&text(&done["text"])).unwrap();
                        json!({ "done": done.get("error").unwrap_or(&done) })
                    }
                    (code, _) => json!({ "error": code }),
                };
                assert_eq!(seen, step["expect"], "{}", case["name"]);
            }
        }
    }

    /// The numbers of a list, or the first of each pair.
    fn numbers(list: &Value) -> impl Iterator<Item = u64> {
        list.as_array().into_iter().flatten().filter_map(|one| one.as_u64().or_else(|| one[0].as_u64()))
    }

    /// What a turn says, without what is empty.
    fn said(turn: &Value) -> Value {
        let unsaid = |name: &str, value: &Value| {
            ["state", "slots", "isLong"].contains(&name) || *value == json!([]) || *value == json!(false)
        };
        let members = turn.as_object().into_iter().flatten().filter(|(name, value)| !unsaid(name, value));
        members.map(|(name, value)| (name.clone(), value.clone())).collect::<serde_json::Map<_, _>>().into()
    }

    #[test]
    fn every_method_answers_whatever_members_it_lacks() {
        let own = METHODS.iter().copied().flatten().map(|method| method.name);
        for name in own.chain(toolshape_methods::METHODS.iter().map(|method| method.name)) {
            let (answered, _) = asked(&json!({ "method": name }), &[]);
            assert!(answered["error"]["code"].is_string() || answered.get("result").is_some(), "{name}");
        }
    }
}
