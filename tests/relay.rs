//! What vectors of conversations cannot hold: generated lines, bytes that are not text, schemas that stay valid.

use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolshape::host::Naming;
use toolshape::{Policy, Shaper};
use toolshape_proxy::{Effect, Relay, StoreReply, StoreRequest, Turns};

const NOW: u64 = 1_790_000_000;

/// A conversation through a relay, with a store in memory.
struct Conversation {
    relay: Relay,
    store: HashMap<String, String>,
}

/// What a side receives; a line that passed is here as it was.
#[derive(Debug, PartialEq)]
enum Sent {
    Client(String),
    Server(String),
    StandardError(String),
}

impl Conversation {
    fn new(policy: Value, has_store: bool) -> Self {
        let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).unwrap());
        Self { relay: Relay::new(shaper, has_store), store: HashMap::new() }
    }

    fn client(&mut self, line: impl ToString) -> Vec<Sent> {
        let line = line.to_string();
        let effects = self.relay.from_client(line.as_bytes(), NOW);
        self.carry_out(effects, &line, Sent::Server)
    }

    fn server(&mut self, line: impl ToString) -> Vec<Sent> {
        let line = line.to_string();
        let effects = self.relay.from_server(line.as_bytes(), NOW);
        self.carry_out(effects, &line, Sent::Client)
    }

    fn carry_out(&mut self, effects: Vec<Effect>, line: &str, passed: fn(String) -> Sent) -> Vec<Sent> {
        let mut sent = Vec::new();
        for effect in effects {
            match effect {
                Effect::Pass => sent.push(passed(line.to_owned())),
                Effect::Log(line) => sent.push(Sent::StandardError(line)),
                Effect::ToClient(line) => sent.push(Sent::Client(line)),
                Effect::ToServer(line) => sent.push(Sent::Server(line)),
                Effect::Store(number, wanted) => {
                    let reply = self.ask(wanted);
                    let effects = self.relay.resume(number, reply);
                    sent.extend(self.carry_out(effects, line, passed));
                }
                Effect::Shaped(receipt) => assert!(receipt.tokens_after <= receipt.budget.unwrap()),
                Effect::Counted(_) => {}
            }
        }
        sent
    }

    fn ask(&mut self, wanted: StoreRequest) -> StoreReply {
        match wanted {
            StoreRequest::Read { key } => StoreReply::Value(self.store.get(&key).cloned()),
            StoreRequest::Write { key, value, .. } => {
                self.store.insert(key, value);
                StoreReply::Done
            }
            // This core has SQLite.
            StoreRequest::Ask { .. } => StoreReply::Value(None),
        }
    }

    /// Calls a tool that returns this, and returns what the client gets.
    fn call(&mut self, tool: &str, arguments: Value, returned: &Value) -> Value {
        let request = call(json!(7), tool, arguments);
        assert_eq!(self.client(&request), [Sent::Server(request.to_string())]);
        self.answer(json!(7), returned)
    }

    /// What the client gets for the server's answer.
    fn answer(&mut self, id: Value, returned: &Value) -> Value {
        let sent = self.server(json!({ "jsonrpc": "2.0", "id": id, "result": returned }));
        let [Sent::Client(line)] = &sent[..] else { panic!("{sent:?}") };
        let message: Value = serde_json::from_str(line).unwrap();
        assert_eq!(message["id"], id);
        message["result"].clone()
    }
}

fn call(id: Value, tool: &str, arguments: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

fn request(id: Value, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn rows(count: usize) -> Value {
    let rows: Vec<Value> =
        (0..count).map(|id| json!({ "id": id, "name": format!("row {id}"), "kind": id % 3 })).collect();
    json!({ "content": [{ "type": "text", "text": json!(rows).to_string() }] })
}

#[test]
fn a_message_with_bytes_that_are_no_text_is_a_message() {
    let mut relay = Relay::new(Shaper::default(), true);
    let line = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":\"caf\xe9\"}}";
    assert_eq!(relay.from_server(line, NOW), [Effect::Pass]);
    assert_eq!(relay.from_server(b"Caf\xe9 is listening", NOW), [Effect::Log("Caf\u{fffd} is listening".to_owned())]);
    relay.from_client(br#"{"jsonrpc":"2.0","id":1,"method":"prompts/get"}"#, NOW);
    assert_eq!(relay.from_server(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"\xff\"}}", NOW), [Effect::Pass]);
    assert!(relay.is_idle());
}

#[test]
fn a_widened_schema_is_the_only_change_of_a_tool() {
    let mut talk = Conversation::new(json!({}), true);
    let schema = json!({ "type": "object", "properties": { "rows": { "type": "array" } }, "required": ["rows"] });
    let tool =
        json!({ "name": "list", "inputSchema": { "type": "object" }, "outputSchema": schema, "_meta": { "x": 1 } });
    talk.client(request(json!(1), "tools/list", json!({})));
    let listed = talk.answer(json!(1), &json!({ "tools": [tool] }));
    assert_ne!(listed["tools"][0]["outputSchema"], schema);
    let mut same = listed["tools"][0].clone();
    same["outputSchema"] = schema;
    assert_eq!(same, tool);
    let rows: Vec<Value> = (0..900).map(|id| json!({ "id": id, "name": "a row of a table" })).collect();
    let result = talk.call("list", json!({}), &json!({ "content": [], "structuredContent": { "rows": rows } }));
    let schema = &listed["tools"][0]["outputSchema"];
    assert!(jsonschema::validator_for(schema).unwrap().is_valid(&result["structuredContent"]));
}

#[test]
fn only_the_request_that_is_cancelled_waits_for_the_store_no_more() {
    let mut relay = Relay::new(Shaper::default(), true);
    let asked = |relay: &mut Relay, id: u64| {
        let line = call(json!(id), "read_result", json!({ "handle": "aaaaaaaaaaaaaaaa" })).to_string();
        match &relay.from_client(line.as_bytes(), NOW)[..] {
            [Effect::Store(number, StoreRequest::Read { .. })] => *number,
            other => panic!("{other:?}"),
        }
    };
    let cancel = |relay: &mut Relay, id: u64| {
        let line = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
        relay.from_client(line.to_string().as_bytes(), NOW)
    };
    let [first, second] = [1, 2].map(|id| asked(&mut relay, id));
    assert!(relay.awaits_store() && !relay.is_idle());
    assert_eq!(cancel(&mut relay, 7), [Effect::Pass]);
    assert!(cancel(&mut relay, 2).is_empty(), "the server does not know it");
    assert!(relay.resume(second, StoreReply::Failed("late".to_owned())).is_empty());
    let reply = relay.resume(first, StoreReply::Failed("full".to_owned()));
    assert!(
        matches!(&reply[..], [Effect::Shaped(_), Effect::Counted(_), Effect::ToClient(line)] if line.contains("\"id\":1,")),
        "{reply:?}"
    );
    assert!(relay.is_idle());
}

/// A relay that stores the result of call 1, and the numbers of what it asks the store in this turn.
fn storing() -> (Relay, Vec<u64>) {
    let mut relay = Relay::new(Shaper::default(), true);
    relay.from_client(call(json!(1), "list", json!({})).to_string().as_bytes(), NOW);
    let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": rows(900) }).to_string();
    let effects = relay.from_server(answer.as_bytes(), NOW);
    let numbers = effects.iter().map(|effect| match effect {
        Effect::Store(number, _) => *number,
        other => panic!("{other:?}"),
    });
    let numbers = numbers.collect();
    (relay, numbers)
}

#[test]
fn a_call_that_is_cancelled_while_its_result_is_stored_is_not_answered() {
    let (mut relay, numbers) = storing();
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    assert!(relay.from_client(cancel.to_string().as_bytes(), NOW).is_empty());
    assert!(relay.is_idle());
    for number in numbers {
        assert!(relay.resume(number, StoreReply::Done).is_empty());
    }
}

#[test]
fn a_content_and_its_ticket_are_asked_for_in_one_turn_and_answered_in_any_order() {
    let (mut relay, numbers) = storing();
    let [content, ticket] = numbers[..] else { panic!("{numbers:?}") };
    assert!(relay.resume(ticket, StoreReply::Value(None)).is_empty());
    assert!(relay.resume(ticket, StoreReply::Value(None)).is_empty(), "it was answered");
    let [Effect::Store(last, StoreRequest::Write { .. })] = relay.resume(content, StoreReply::Done)[..] else {
        panic!()
    };
    let sent = relay.resume(last, StoreReply::Done);
    assert!(matches!(sent[..], [Effect::Shaped(_), Effect::Counted(_), Effect::ToClient(_)]), "{sent:?}");
    assert!(relay.resume(last, StoreReply::Done).is_empty() && relay.is_idle());
}

#[test]
fn what_a_task_returns_fits_whoever_began_it() {
    let mut talk = Conversation::new(json!({}), false);
    talk.client(call(json!(1), "list", json!({})));
    talk.server(json!({ "jsonrpc": "2.0", "id": 1, "result": { "task": { "taskId": "known" } } }));
    let fits =
        |sent: &[Sent]| matches!(sent, [Sent::Client(line)] if line.len() < 20_000 && line.contains("totalItems"));
    for task in ["known", "of another process"] {
        talk.client(request(json!(7), "tasks/result", json!({ "taskId": task })));
        assert!(fits(&talk.server(json!({ "jsonrpc": "2.0", "id": 7, "result": rows(3000) }))), "{task}");
        let done = json!({ "taskId": task, "status": "completed", "result": rows(3000) });
        talk.client(request(json!(8), "tasks/get", json!({ "taskId": task })));
        assert!(fits(&talk.server(json!({ "jsonrpc": "2.0", "id": 8, "result": done }))), "{task}");
        assert!(
            fits(&talk.server(json!({ "jsonrpc": "2.0", "method": "notifications/tasks", "params": done }))),
            "{task}"
        );
    }
}

/// What an id may be in JSON: a server may use those of the client for requests of its own.
fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("0".to_owned()),
        Just("\"0\"".to_owned()),
        Just("1.0".to_owned()),
        "[1-9][0-9]{0,29}",
        "\"[a-z]{1,3}\""
    ]
}

/// Messages that are not of a tool, in spellings that no writer would choose.
fn other() -> impl Strategy<Value = String> {
    let method = prop_oneof![
        Just("ping"),
        Just("prompts/get"),
        Just("sampling/createMessage"),
        Just("roots/list"),
        Just("x/unknown"),
        Just("resources/read"),
        Just("elicitation/create"),
        Just("server/discover"),
        Just("tools\\/list_of_mine"),
    ];
    let value = prop_oneof![
        Just("123456789012345678901234567890".to_owned()),
        Just("1E+2".to_owned()),
        Just("-0".to_owned()),
        Just("{\"a\":1,\"a\":2}".to_owned()),
        Just("\"\\ud800\\u0041/\"".to_owned()),
        Just("[ ]".to_owned()),
    ];
    (id(), method, value, 0..4usize).prop_map(|(id, method, value, form)| match form {
        0 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id} ,\"method\":\"{method}\",\"params\":{{\"x\":{value}}}}}"),
        1 => format!("{{\"method\":\"{method}\",\"params\":{value},\"jsonrpc\":\"2.0\"}}"),
        2 => format!(" {{\"id\":{id},\"result\":{{\"tools\":{value}}}}}"),
        _ => format!("{{\"id\":{id},\"error\":{{\"code\":-32000,\"message\":{value}}}}}"),
    })
}

/// One of these, or several in a batch.
fn line() -> impl Strategy<Value = String> {
    let item = prop_oneof![9 => other(), 1 => Just("7".to_owned())];
    let batch = proptest::collection::vec(item, 0..4).prop_map(|items| format!("[ {} ]", items.join(" ,")));
    prop_oneof![3 => other(), 1 => batch]
}

proptest! {
    #[test]
    fn what_is_not_of_a_tool_passes_byte_for_byte(lines in proptest::collection::vec((any::<bool>(), line()), 1..40)) {
        let mut talk = Conversation::new(json!({}), true);
        for (is_client, line) in lines {
            let text = line.clone();
            let (sent, whole) = match is_client {
                true => (talk.client(&line), Sent::Server(line)),
                false => (talk.server(&line), Sent::Client(line)),
            };
            // An answer to no open request is dropped.
            let is_answer = !is_client && [":{\"tools\"", "-32000"].iter().any(|part| text.contains(part));
            let is_dropped = |one: &Sent| matches!(one, Sent::StandardError(_)) || text.starts_with('[');
            prop_assert!(sent == [whole] || is_answer && sent.iter().all(is_dropped), "{:?}", sent);
        }
    }

    #[test]
    fn a_servers_requests_never_answer_a_call(id in id(), method in "[a-z/]{1,20}") {
        let mut talk = Conversation::new(json!({}), true);
        let id: Value = serde_json::from_str(&id).unwrap();
        talk.client(call(id.clone(), "list", json!({})));
        let asked = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": {} });
        prop_assert_eq!(talk.server(&asked), vec![Sent::Client(asked.to_string())]);
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": rows(300) });
        let sent = talk.server(&answer);
        prop_assert_ne!(sent, vec![Sent::Client(answer.to_string())]);
    }

    #[test]
    fn what_is_no_json_goes_to_standard_error(line in "[a-z ,.\\]{}]{1,40}") {
        let mut talk = Conversation::new(json!({}), true);
        prop_assume!(serde_json::from_str::<Value>(&line).is_err());
        prop_assert_eq!(talk.server(&line), vec![Sent::StandardError(line.clone())]);
        prop_assert_eq!(talk.client(&line), vec![Sent::Server(line)]);
    }
}

/// A relay in a conversation that a host began.
fn in_session(policy: Value) -> Conversation {
    let mut talk = Conversation::new(policy, true);
    talk.relay = talk.relay.in_session("mine", &Turns::default());
    talk
}

fn tokens(result: &Value) -> usize {
    result["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| toolshape::count_tokens(block["text"].as_str().unwrap()))
        .sum()
}

#[test]
fn a_model_lists_what_its_conversation_has_stored() {
    let mut talk = in_session(json!({ "readTool": "read_result" }));
    talk.call("list", json!({}), &rows(900));
    let sent = talk.client(call(json!(8), "read_result", json!({})));
    let [Sent::Client(line)] = &sent[..] else { panic!("{sent:?}") };
    assert!(line.contains("totalItems") && line.contains("(900 items)") && line.contains("list"), "{line}");
}

/// A model that calls several tools at once gets their results within `combinedTokens`; one that calls them one by one gets each
/// whole.
#[test]
fn results_of_one_turn_keep_to_their_limit() {
    let policy = json!({ "maxTokens": 2000, "combinedTokens": 1600 });
    for has_store in [true, false] {
        let mut talk = Conversation::new(policy.clone(), has_store);
        for id in 1..=4 {
            talk.client(call(json!(id), "list", json!({})));
        }
        let all: Vec<usize> = (1..=4).map(|id| tokens(&talk.answer(json!(id), &rows(900 + id)))).collect();
        assert!(all.iter().sum::<usize>() <= 1600 && all.iter().all(|one| *one > 200), "{all:?}");
        let alone = tokens(&talk.call("list", json!({}), &rows(950)));
        assert!(alone > 500, "{alone}");
    }
}

#[test]
fn a_call_that_is_cancelled_or_fails_leaves_its_share() {
    let mut talk = Conversation::new(json!({ "combinedTokens": 1200 }), true);
    for id in 1..=3 {
        talk.client(call(json!(id), "list", json!({})));
    }
    talk.client(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 } }));
    talk.server(json!({ "jsonrpc": "2.0", "id": 3, "error": { "code": -32000, "message": "away" } }));
    let left = tokens(&talk.answer(json!(1), &rows(900)));
    assert!(left > 300, "{left}");
}

/// What fits by itself and not with the others is shortened, and what is small stays.
#[test]
fn small_results_of_a_turn_pass() {
    let mut talk = Conversation::new(json!({ "combinedTokens": 600 }), true);
    for id in 1..=3 {
        talk.client(call(json!(id), "list", json!({})));
    }
    let small = json!({ "content": [{ "type": "text", "text": "done" }] });
    assert_eq!(talk.answer(json!(1), &small), small);
    let large = json!({ "content": [{ "type": "text", "text": "a line of a log\n".repeat(150) }] });
    assert!(tokens(&talk.answer(json!(2), &large)) <= 300);
    assert_eq!(talk.answer(json!(3), &small), small);
}
