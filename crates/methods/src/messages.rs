//! One message in, one answer out, for hosts that have nothing but bytes.

pub mod message;
mod methods;
mod writer;

use serde_json::Value;
use toolshape::host::Naming;
use toolshape::{Error, ErrorCode};

use crate::request::{Request, RequestHost, RequestPart};
use methods::METHODS;
use writer::PartWriter;

/// A host passes the time in its requests.
const HOST: RequestHost = RequestHost { naming: Naming::Camel, now: || None, hash: None };

/// What the module that has SQL alone asks its host for.
#[derive(Clone, Copy)]
pub struct MessageHost {
    /// Takes the buffer at an address.
    pub take: fn(usize) -> Option<Vec<u8>>,
    /// A clock in milliseconds, which limits the time of a question.
    pub clock: Option<fn() -> f64>,
}

/// The answer to a message.
pub fn answer(message: &[u8], host: MessageHost) -> Vec<u8> {
    let mut writer = PartWriter::new(host);
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
    #[cfg(feature = "texts")]
    {
        let answer = crate::call(&name, &request)?;
        // The text that an answer can be.
        let sent = ["content", "text"].into_iter().find_map(|member| request.optional_text(member).ok().flatten());
        writer.answer(answer, sent)
    }
    #[cfg(not(feature = "texts"))]
    Err(Error::new(ErrorCode::InvalidCall, format!("unknown method {name:?}"), "/method"))
}

#[cfg(all(test, feature = "texts"))]
mod tests {
    use super::*;
    use serde_json::json;

    /// The answer to a request with these parts: its JSON, and all its parts.
    fn asked(request: &Value, parts: &[&[u8]]) -> (Value, Vec<Vec<u8>>) {
        let request = request.to_string();
        let came = answer(
            &message::write(&[&[request.as_bytes()], parts].concat()),
            MessageHost { take: |_| None, clock: None },
        );
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
            json!({ "method": "loadEncoding", "name": 1 }),
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

    #[test]
    fn every_method_answers_whatever_members_it_lacks() {
        let own = METHODS.iter().copied().flatten().map(|method| method.name);
        for name in own.chain(crate::METHODS.iter().map(|method| method.name)) {
            let (answered, _) = asked(&json!({ "method": name }), &[]);
            assert!(answered["error"]["code"].is_string() || answered.get("result").is_some(), "{name}");
        }
    }
}
