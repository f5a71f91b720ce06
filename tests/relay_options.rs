//! The options of a relay, and the JSON Schema by which editors check them.

use std::collections::HashMap;

use serde_json::{Value, json};
use toolshape::ErrorCode;
use toolshape_proxy::{Address, Effect, Relay, RelayOptions, ServiceOption, StoreOption, StoreReply, StoreRequest};

/// What one of the two takes, the other takes.
#[test]
fn the_schema_takes_what_the_relay_takes() {
    let schema = RelayOptions::schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let values = [
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(2),
        json!(199),
        json!(200),
        json!(0.5),
        json!(0.6),
        json!(1000.0),
        json!(""),
        json!("a"),
        json!("auto"),
        json!("json"),
        json!("columns"),
        json!("shape"),
        json!("error"),
        json!("offload"),
        json!("head"),
        json!("tail"),
        json!("headTail"),
        json!("plain"),
        json!("csv"),
        json!("markdown"),
        json!("html"),
        json!("log"),
        json!("widen"),
        json!("preserve"),
        json!("result"),
        json!("tool"),
        json!("summary"),
        json!("full"),
        json!("redis://localhost"),
        json!("http://localhost"),
        json!("redis:/localhost"),
        json!("C:/results"),
        json!("0123456789abcdef"),
        json!(["0123456789abcdef"]),
        json!([]),
        json!([""]),
        json!(["a"]),
        json!({}),
        json!({ "list": "a" }),
        json!({ "list": "a", "of": "b" }),
        json!({ "points": 1 }),
        json!({ "points": 2 }),
        json!({ "goal": "max" }),
        json!({ "goal": "best" }),
        json!({ "a": false }),
        json!({ "a": true }),
        json!({ "a": { "maxTokens": 300 } }),
        json!({ "a": { "store": false } }),
    ];
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    let (mut taken, mut refused) = (0, 0);
    for name in
        names.into_iter().filter(|name| !["$schema", "encoding", "redactTexts", "scope"].contains(&name.as_str()))
    {
        for value in &values {
            let options = json!({ name: value });
            let is_taken = RelayOptions::new(&options).is_ok();
            assert_eq!(validator.is_valid(&options), is_taken, "{options}");
            if is_taken { taken += 1 } else { refused += 1 }
        }
    }
    assert!(taken > 100 && refused > 100, "{taken} {refused}");
    assert!(!validator.is_valid(&json!({ "maxToken": 300 })));
}

#[test]
fn a_store_is_one_of_five() {
    let store = |given: Value| RelayOptions::new(&json!({ "store": given })).map(|options| options.store);
    assert_eq!(RelayOptions::new(&json!({})).unwrap().store, StoreOption::Cache);
    assert_eq!(store(json!(true)), Ok(StoreOption::Memory));
    assert_eq!(store(json!(false)), Ok(StoreOption::None));
    assert_eq!(store(json!("a/b")), Ok(StoreOption::Folder("a/b".to_owned())));
    let service = |place: &str, for_large: Option<&str>| {
        let for_large = for_large.map(|address| (Address::new(address), 65_536));
        let address = Address::new(place);
        Ok(StoreOption::Service(ServiceOption { address, for_large, key: None, seconds: None, tenant_bytes: None }))
    };
    assert_eq!(store(json!("rediss://h:1")), service("rediss://h:1", None));
    assert_eq!(store(json!(["redis+cluster://h:1,i:2", "s3://b"])), service("redis+cluster://h:1,i:2", Some("s3://b")));
    assert!(store(json!(["redis://h", "folder"])).is_err() && store(json!("redis+sentinell://h")).is_err());
    let error = store(json!("mongodb://user:SECRET@h")).unwrap_err();
    assert!(!error.message().contains("SECRET"));
    assert_eq!((error.code(), error.path()), (ErrorCode::InvalidPolicy, "/store"));
    assert!(error.message().contains("redis://"), "{}", error.message());
}

#[test]
fn results_as_arguments_need_a_store() {
    let tools = |store: bool| RelayOptions::new(&json!({ "store": store, "resultArguments": ["save"] }));
    assert_eq!(tools(true).unwrap().result_arguments, ["save"]);
    assert_eq!(tools(false).unwrap_err().path(), "/resultArguments");
}

#[test]
fn a_scope_needs_a_key_and_a_pattern_two_characters() {
    let error = RelayOptions::new(&json!({ "scope": "alice" })).unwrap_err();
    assert_eq!((error.message(), error.path()), ("scope requires cursorKey", "/scope"));
    assert!(RelayOptions::new(&json!({ "scope": "alice", "cursorKey": "0123456789abcdef" })).is_ok());
    let error = RelayOptions::new(&json!({ "redactTexts": ["sk-*", "*"] })).unwrap_err();
    assert_eq!(error.path(), "/redactTexts");
    assert!(error.message().starts_with("redactTexts is \"*\"; it takes a list of patterns"), "{}", error.message());
}

/// What a relay sends to its client, whose store keeps values for all relays.
fn sent(relay: &mut Relay, store: &mut HashMap<String, String>, effects: Vec<Effect>) -> String {
    let mut all = String::new();
    for effect in effects {
        match effect {
            Effect::ToClient(line) => all.push_str(&line),
            Effect::Store(number, StoreRequest::Write { key, value, .. }) => {
                store.insert(key, value);
                let next = relay.resume(number, StoreReply::Done);
                all.push_str(&sent(relay, store, next));
            }
            Effect::Store(number, StoreRequest::Read { key }) => {
                let next = relay.resume(number, StoreReply::Value(store.get(&key).cloned()));
                all.push_str(&sent(relay, store, next));
            }
            _ => {}
        }
    }
    all
}

#[test]
fn a_scope_reads_its_own_results_alone() {
    let relay = |scope: &str| {
        let options = json!({ "scope": scope, "cursorKey": "0123456789abcdef", "maxTokens": 500 });
        Relay::of(&RelayOptions::new(&options).unwrap(), true)
    };
    let (mut alice, mut bob, mut store) = (relay("alice"), relay("bob"), HashMap::new());
    let rows: Vec<Value> = (0..300).map(|id| json!({ "id": id, "name": format!("secret {id}") })).collect();
    let result = json!({ "content": [{ "type": "text", "text": json!(rows).to_string() }] });
    let call = |name: &str, arguments: Value| {
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name, "arguments": arguments } })
            .to_string()
    };
    alice.from_client(call("list", json!({})).as_bytes(), 0);
    let effects = alice.from_server(json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string().as_bytes(), 0);
    let shown = sent(&mut alice, &mut store, effects);
    let handle = &shown.split("toolshape://result/").nth(1).unwrap()[..16];
    for asked in [
        call("read_result", json!({ "handle": handle, "pointer": "/299" })),
        call("read_result", json!({ "sql": format!("SELECT max(name) FROM {handle}") })),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": { "uri": format!("toolshape://result/{handle}") } })
            .to_string(),
    ] {
        let effects = alice.from_client(asked.as_bytes(), 0);
        assert!(sent(&mut alice, &mut store, effects).contains("secret"), "{asked}");
        let effects = bob.from_client(asked.as_bytes(), 0);
        let theirs = sent(&mut bob, &mut store, effects);
        assert!(!theirs.is_empty() && !theirs.contains("secret"), "{theirs}");
    }
}
