//! Whole exchanges, in each way in which Envoy sends bodies.

use std::sync::Arc;

use serde_json::{Value, json};
use toolshape_stores::{MemoryStore, Store};

use crate::envoy::{Done, Envoy, Http, Modes, processor, usual};
use crate::messages::BodySendMode;
use crate::world::{call, handle, request, rows};

fn store() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

async fn post(envoy: &Envoy, modes: Modes, message: &Value) -> Done {
    envoy.exchange(modes, Http::post(&[], message), usual).await
}

#[tokio::test(flavor = "multi_thread")]
async fn results_are_shaped_and_read_without_the_server() {
    for modes in Modes::ALL {
        let replica = processor(json!({}), Some(store())).await;
        let envoy = Envoy::connect(replica.address).await;
        let list = post(&envoy, modes, &request(1, "tools/list")).await.client;
        assert!(list.text().contains(r#""name":"read_result""#), "{modes:?} {list:?}");
        let first = post(&envoy, modes, &call(2, "list", json!({ "page": 2, "word": "a" }))).await;
        let seen: Value = serde_json::from_slice(&first.server.as_ref().unwrap().body).unwrap();
        assert_eq!(seen["params"]["arguments"], json!({ "word": "a" }), "{modes:?}");
        assert_eq!(first.server.unwrap().header("accept-encoding"), "identity");
        assert!(first.client.body.len() < 4000, "{modes:?} {first:?}", first = first.client);
        let read = call(3, "read_result", json!({ "handle": handle(&first.client.result()), "pointer": "/399" }));
        let read = post(&envoy, modes, &read).await;
        assert_eq!(read.server, None, "{modes:?}");
        assert_eq!((read.client.header(":status"), read.client.header("content-type")), ("200", "application/json"));
        assert!(read.client.result().contains("a 399"), "{modes:?} {read:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_else_passes_byte_for_byte() {
    let replica = processor(json!({}), Some(store())).await;
    let envoy = Envoy::connect(replica.address).await;
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } } });
    let image = vec![0x89, b'P', 0, 0xff, 0xfe];
    let get = [(":method", "GET"), (":path", "/up")];
    let odd = [(":method", "PUT"), (":path", "/up/x?y"), ("content-type", "application/json")];
    let exchanges = [
        (Http::post(&[], &request(1, "ping")), Http::json(&json!({ "jsonrpc": "2.0", "id": 1, "result": {} }))),
        (Http::post(&[], &call(1, "small", json!({}))), usual(&Http::post(&[], &call(1, "small", json!({}))))),
        (
            Http::post(&[], &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })),
            Http::answer("202", "text/plain", ""),
        ),
        (Http::post(&[], &hello), usual(&Http::post(&[], &hello))),
        (Http::post(&[], &call(1, "list", json!({}))), Http::answer("401", "application/json", rows("no").to_string())),
        (Http::post(&[], &call(1, "list", json!({}))), Http::answer("200", "image/png", image.clone())),
        (
            Http::new(&[(":method", "POST"), (":path", "/up"), ("content-type", "text/plain")], "not json {"),
            Http::answer("400", "text/plain", "no"),
        ),
        (Http::new(&get, ""), Http::answer("405", "text/plain", "no")),
        (Http::new(&odd, image), Http::json(&rows("put"))),
        (Http::new(&[(":method", "DELETE"), (":path", "/up")], ""), Http::answer("204", "text/plain", "")),
    ];
    for modes in Modes::ALL {
        for (request, answer) in &exchanges {
            let done = envoy.exchange(modes, request.clone(), |_| answer.clone()).await;
            assert_eq!(
                (&done.server.unwrap().body, &done.client.body),
                (&request.body, &answer.body),
                "{modes:?} {request:?}"
            );
            let kept = |name: &str| (done.client.header(name).to_owned(), answer.header(name).to_owned());
            for (got, wanted) in [kept(":status"), kept("content-type"), kept("mcp-session-id")] {
                assert_eq!(got, wanted, "{modes:?} {request:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_other_paths_pass() {
    let two = json!({ "upstreams": { "up": {}, "other": {} } });
    let replica = processor(two, Some(store())).await;
    let envoy = Envoy::connect(replica.address).await;
    let sent = |path: &str| Http::new(&[(":method", "POST"), (":path", path)], call(1, "list", json!({})).to_string());
    for (path, is_shaped) in
        [("/up", true), ("/other?a", true), ("/up/", true), ("/", false), ("/upper", false), ("", false)]
    {
        let done = envoy.exchange(Modes::RECOMMENDED, sent(path), usual).await;
        assert_eq!(done.client.body.len() < 4000, is_shaped, "{path}");
    }
    // The configuration of a route names the server, whatever its path is.
    for (name, is_shaped) in [("other", true), ("third", false)] {
        let mut stream = envoy.stream(Modes::BUFFERED, &[("x-toolshape-server", name)]).await;
        let to_server = stream.pass(sent("/anything"), true).await.unwrap();
        let client = stream.pass(usual(&to_server), false).await.unwrap();
        assert_eq!(client.body.len() < 4000, is_shaped, "{name}");
        assert!(stream.ends().await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn any_replica_answers_for_the_same_tenant() {
    let store = store();
    let options = json!({ "tenantHeader": "X-Tenant" });
    let one = processor(options.clone(), Some(Arc::clone(&store))).await;
    let other = processor(options, Some(store)).await;
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } } });
    let (one, other) = (Envoy::connect(one.address).await, Envoy::connect(other.address).await);
    let of = |tenant: &'static str| {
        move |message: &Value| Http::post(&[("x-tenant", tenant), ("mcp-session-id", "session-1")], message)
    };
    one.exchange(Modes::RECOMMENDED, Http::post(&[("x-tenant", "a")], &hello), usual).await;
    let first = one.exchange(Modes::RECOMMENDED, of("a")(&call(1, "list", json!({}))), usual).await.client.result();
    let read = call(2, "read_result_rows", json!({ "handle": handle(&first), "pointer": "/399" }));
    let mine = other.exchange(Modes::DUPLEX, of("a")(&read), usual).await;
    assert!(mine.client.result().contains("row 399"), "{mine:?}");
    let theirs = other.exchange(Modes::DUPLEX, of("b")(&read), usual).await.client;
    assert!(!theirs.text().contains("row 399"), "{theirs:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_results_are_read_with_the_consent_of_the_server() {
    let replica = processor(json!({ "authorizeSeconds": 0 }), Some(store())).await;
    let envoy = Envoy::connect(replica.address).await;
    let first = post(&envoy, Modes::BUFFERED, &call(1, "list", json!({}))).await.client.result();
    let mut read = call(2, "read_result", json!({ "handle": handle(&first), "pointer": "/399" }));
    read["params"]["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    let read = Http::post(&[("mcp-method", "tools/call"), ("mcp-name", "read_result")], &read);
    for modes in Modes::ALL {
        let accepted = envoy.exchange(modes, read.clone(), usual).await;
        assert!(accepted.client.result().contains("row 399"), "{modes:?} {accepted:?}");
        let asked = accepted.server.unwrap();
        assert!(asked.text().contains(r#""method":"server/discover""#), "{modes:?} {asked:?}");
        if modes.request == BodySendMode::Buffered {
            assert_eq!((asked.header("mcp-method"), asked.header("mcp-name")), ("server/discover", ""), "{modes:?}");
        }
        let revoked = Http::answer("401", "text/plain", "revoked");
        let refused = envoy.exchange(modes, read.clone(), |_| revoked.clone()).await.client;
        assert_eq!((refused.header(":status"), &*refused.text()), ("401", "revoked"), "{modes:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_both_go_together() {
    let replica = processor(json!({}), Some(store())).await;
    let envoy = Envoy::connect(replica.address).await;
    let first = post(&envoy, Modes::BUFFERED, &call(1, "list", json!({}))).await.client.result();
    let read = call(2, "read_result", json!({ "handle": handle(&first), "pointer": "/399" }));
    let both = json!([read, request(3, "ping")]);
    let pong = json!({ "jsonrpc": "2.0", "id": 3, "result": {} });
    for modes in Modes::ALL {
        let done = envoy.exchange(modes, Http::post(&[], &both), |_| Http::json(&json!([pong]))).await;
        let to_server: Value = serde_json::from_slice(&done.server.unwrap().body).unwrap();
        assert!(
            !to_server.to_string().contains("read_result") && to_server.to_string().contains("ping"),
            "{to_server}"
        );
        let answers: Vec<Value> = serde_json::from_slice(&done.client.body).unwrap();
        assert_eq!((&answers[0]["id"], &answers[1]), (&json!(2), &pong), "{modes:?}");
        // The server has no answer.
        let noted = json!([read, { "jsonrpc": "2.0", "method": "notifications/initialized" }]);
        let done = envoy.exchange(modes, Http::post(&[], &noted), |_| Http::answer("202", "text/plain", "")).await;
        assert!(done.client.text().contains("row 399") && done.client.header(":status") == "200", "{done:?}");
    }
}

/// Without the request's body nothing is known of it, and whatever looks like a tool's result is one.
#[tokio::test(flavor = "multi_thread")]
async fn results_are_shaped_without_the_request() {
    let replica = processor(json!({}), Some(store())).await;
    let envoy = Envoy::connect(replica.address).await;
    let modes = Modes { request: BodySendMode::None, ..Modes::RECOMMENDED };
    let mut stream = envoy.stream(modes, &[]).await;
    let asked = Http::post(&[], &call(1, "list", json!({})));
    let to_server = stream.headers(asked.clone(), true).await.unwrap();
    assert_eq!(to_server.body, asked.body);
    let client = stream.pass(usual(&asked), false).await.unwrap();
    assert!(client.body.len() < 4000 && client.result().contains("toolshape://result/"), "{client:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_fits_by_its_length_need_not_be_sent() {
    let small = || {
        Http::json(&json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": [{ "type": "text", "text": "few" }] } }))
    };
    let large = || Http::json(&json!({ "jsonrpc": "2.0", "id": 1, "result": rows("row") }));
    let task = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "small", "task": {} } });
    let secret = json!({ "redactTexts": ["few"] });
    for (options, request, answer, wanted) in [
        (json!({}), call(1, "small", json!({})), small(), true),
        (json!({}), request(1, "ping"), small(), true),
        (json!({}), call(1, "small", json!({})), large(), false),
        // Others than the text decide about these.
        (json!({}), request(1, "tools/list"), small(), false),
        (json!({}), task, small(), false),
        (json!({}), call(1, "small", json!({ "page": 2 })), small(), true),
        (secret, call(1, "small", json!({})), small(), false),
        (json!({ "receipt": "meta" }), call(1, "small", json!({})), small(), false),
    ] {
        let replica = processor(options.clone(), Some(store())).await;
        let envoy = Envoy::connect(replica.address).await;
        let mut stream = envoy.stream(Modes::RECOMMENDED, &[]).await;
        stream.pass(Http::post(&[], &request), true).await.unwrap();
        stream.headers(answer, false).await.unwrap();
        assert_eq!(stream.is_unread, wanted, "{options} {request}");
    }
}
