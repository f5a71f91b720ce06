//! Who reads stored results: a client that the server has accepted a short while ago, or accepts now. A server that is a
//! process accepts its client as long as it runs.

use super::message::Message;
use super::pending::RequestKind;
use super::store_read::StoreRead;
use super::{Effect, Relay};

/// JSON-RPC's code for an unknown method: whoever answers so has accepted the client.
const METHOD_NOT_FOUND: &str = "-32601";

impl Relay {
    /// A relay in front of a server that can refuse its client. `accepted_at` is when the server last accepted it, in seconds
    /// since 1970; 0 if it never did.
    #[must_use]
    pub fn before_remote(mut self, accepted_at: u64) -> Self {
        self.accepted_at = Some(accepted_at);
        self
    }

    /// Whether the server is asked whether it accepts the client.
    pub fn asks_consent(&self) -> bool {
        self.requests.iter().any(|request| matches!(request.kind, RequestKind::Consent(_)))
    }

    /// The server has answered a request of this time with a result.
    pub(super) fn accepted(&mut self, at: u64) {
        self.accepted_at = self.accepted_at.map(|before| before.max(at));
    }

    /// Sends an answer from the store if the server accepts the client. The question has the id of the client's request, so that
    /// the server's refusal is the answer to it.
    pub(super) fn with_consent(&mut self, found: &StoreRead, line: String) -> Effect {
        let is_recent = |at: u64| found.now.saturating_sub(at) < self.authorize_seconds;
        if self.accepted_at.is_none_or(is_recent) {
            return Effect::ToClient(line);
        }
        self.requests.add(&found.id, RequestKind::Consent(line), found.now);
        let (id, question) = (&found.id, found.meta.as_ref());
        let question = question.map_or_else(
            || r#""method":"ping""#.to_owned(),
            |meta| format!(r#""method":"server/discover","params":{{"_meta":{meta}}}"#),
        );
        Effect::ToServer(format!(r#"{{"jsonrpc":"2.0","id":{id},{question}}}"#))
    }

    /// The server's answer to the question.
    pub(super) fn consented(line: String, answer: &Message<'_>) -> Effect {
        let code = answer.at(&["error", "code"]);
        let accepts = answer.member("result").is_some() || code.is_some_and(|code| code.span() == METHOD_NOT_FOUND);
        if accepts { Effect::ToClient(line) } else { Effect::Pass }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::relay::{RelayOptions, StoreReply, StoreRequest};

    /// What a relay before a server sends to the client and to the server, with the store's answers.
    fn followed(relay: &mut Relay, effects: Vec<Effect>, stored: &mut Vec<(String, String)>) -> [Vec<Value>; 2] {
        let [mut to_client, mut to_server] = [Vec::new(), Vec::new()];
        let mut waiting: Vec<Effect> = effects.into_iter().rev().collect();
        while let Some(effect) = waiting.pop() {
            match effect {
                Effect::ToClient(line) => to_client.push(serde_json::from_str(&line).unwrap()),
                Effect::ToServer(line) => to_server.push(serde_json::from_str(&line).unwrap()),
                Effect::Store(number, asked) => {
                    let reply = match asked {
                        StoreRequest::Read { key } => {
                            let found = stored.iter().rev().find(|(known, _)| *known == key);
                            StoreReply::Value(found.map(|(_, value)| value.clone()))
                        }
                        StoreRequest::Write { key, value, .. } => {
                            stored.push((key, value));
                            StoreReply::Done
                        }
                        StoreRequest::Ask { .. } => StoreReply::Value(None),
                    };
                    waiting.extend(relay.resume(number, reply).into_iter().rev());
                }
                Effect::Pass | Effect::Log(_) | Effect::Shaped(_) | Effect::Counted(_) => {}
            }
        }
        [to_client, to_server]
    }

    struct Talk {
        relay: Relay,
        stored: Vec<(String, String)>,
    }

    impl Talk {
        fn client(&mut self, message: &Value, now: u64) -> [Vec<Value>; 2] {
            let effects = self.relay.from_client(message.to_string().as_bytes(), now);
            followed(&mut self.relay, effects, &mut self.stored)
        }

        fn server(&mut self, message: &Value, now: u64) -> (Vec<Effect>, [Vec<Value>; 2]) {
            let effects = self.relay.from_server(message.to_string().as_bytes(), now);
            (effects.clone(), followed(&mut self.relay, effects, &mut self.stored))
        }
    }

    fn call(id: u64, name: &str, arguments: Value, meta: Option<Value>) -> Value {
        let mut call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": arguments } });
        if let Some(meta) = meta {
            call["params"]["_meta"] = meta;
        }
        call
    }

    /// A relay that has stored a result whose call came at this time, and how the result is read.
    fn read_from(at: u64, is_remote: bool) -> (Talk, impl Fn(u64, Option<Value>) -> Value) {
        let options = RelayOptions::new(&json!({ "maxTokens": 300 })).unwrap();
        let relay = Relay::of(&options, true);
        let relay = if is_remote { relay.before_remote(0) } else { relay };
        let mut talk = Talk { relay, stored: Vec::new() };
        talk.client(&call(1, "list", json!({}), None), at);
        let rows: Vec<Value> = (0..200).map(|id| json!({ "id": id, "name": format!("row {id}") })).collect();
        let result = json!({ "content": [{ "type": "text", "text": json!(rows).to_string() }] });
        let (_, [to_client, _]) = talk.server(&json!({ "jsonrpc": "2.0", "id": 1, "result": result }), at + 1000);
        let text = to_client[0]["result"]["content"][0]["text"].as_str().unwrap();
        let cursor = serde_json::from_str::<Value>(text).unwrap()["nextCursor"].clone();
        let read = move |id, meta| call(id, "read_result", json!({ "cursor": cursor }), meta);
        (talk, read)
    }

    #[test]
    fn a_server_is_asked_when_it_last_accepted_the_client_long_ago() {
        let (mut talk, read) = read_from(5000, true);
        // What counts is when the request came that it answered, not when it did.
        let [to_client, to_server] = talk.client(&read(2, None), 5059);
        assert!(to_client[0].to_string().contains("row 30") && to_server.is_empty());
        let [to_client, to_server] = talk.client(&read(3, None), 5060);
        assert_eq!((to_client, to_server), (vec![], vec![json!({ "jsonrpc": "2.0", "id": 3, "method": "ping" })]));
        assert!(!talk.relay.is_idle() && talk.relay.asks_consent());
        let (_, [to_client, _]) = talk.server(&json!({ "jsonrpc": "2.0", "id": 3, "result": {} }), 5061);
        assert!(to_client[0]["id"] == 3 && to_client[0].to_string().contains("row 30"));
        let [to_client, to_server] = talk.client(&read(4, None), 5119);
        assert!(to_client.len() == 1 && to_server.is_empty());
    }

    #[test]
    fn its_refusal_is_the_answer() {
        let (mut talk, read) = read_from(5000, true);
        talk.client(&read(2, None), 6000);
        let refusal = json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -32603, "message": "the server answered with HTTP status 401" } });
        assert_eq!(talk.server(&refusal, 6000).0, [Effect::Pass]);
        talk.client(&read(3, None), 6000);
        let unknown = json!({ "jsonrpc": "2.0", "id": 3, "error": { "code": -32601, "message": "Method not found" } });
        let (_, [to_client, _]) = talk.server(&unknown, 6000);
        assert!(to_client[0].to_string().contains("row 30"), "a server without ping has accepted the client");
    }

    #[test]
    fn the_question_is_of_the_era_of_the_request_and_another_instance_waits_for_its_answer() {
        let (mut talk, read) = read_from(5000, true);
        let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
        let [_, to_server] = talk.client(&read(2, Some(meta.clone())), 6000);
        assert_eq!(
            to_server,
            [json!({ "jsonrpc": "2.0", "id": 2, "method": "server/discover", "params": { "_meta": meta } })]
        );
        let options = RelayOptions::new(&json!({ "maxTokens": 300 })).unwrap();
        talk.relay = Relay::of(&options, true).before_remote(0).with_state(&talk.relay.state().unwrap());
        let (_, [to_client, _]) = talk.server(&json!({ "jsonrpc": "2.0", "id": 2, "result": {} }), 6000);
        assert!(to_client[0]["result"]["resultType"] == "complete" && to_client[0].to_string().contains("row 30"));
    }

    #[test]
    fn a_process_accepts_its_client_as_long_as_it_runs() {
        let (mut talk, read) = read_from(5000, false);
        let [to_client, to_server] = talk.client(&read(2, None), 500_000);
        assert!(to_client.len() == 1 && to_server.is_empty());
    }
}
