//! One message in, one answer out.

use serde_json::Value;
use toolshape::Error;

use crate::answer::Answer;
use crate::message;
use crate::methods::find;
use crate::request::Request;

/// The answer to a message.
pub fn answer(message: &[u8]) -> Vec<u8> {
    let mut answer = Answer::default();
    let result = run(message, &mut answer);
    answer.message(result)
}

fn run(message: &[u8], answer: &mut Answer) -> Result<Value, Error> {
    let parts = message::read(message)?;
    let request = Request::read(&parts)?;
    let method = find(&request.string("method")?)?;
    request.has_only(method.members)?;
    (method.run)(&request, answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What is answered to a request with these parts: its JSON, and the parts beside that.
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
            json!({ "method": "checkRedacted", "isJson": "yes", "text": 1 }),
            json!({ "method": "checkRedacted", "isJson": true, "text": 1 }),
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
        for method in crate::methods::all() {
            let (answered, _) = asked(&json!({ "method": method.name }), &[]);
            assert!(answered["error"]["code"].is_string() || answered.get("result").is_some(), "{}", method.name);
        }
    }
}
