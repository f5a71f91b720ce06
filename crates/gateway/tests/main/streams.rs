//! Streams of events: as they come, shaped, cancelled, resumed.

use std::sync::{Arc, Mutex};

use http_body_util::BodyExt;
use serde_json::{Value, json};
use toolshape_stores::{MemoryStore, Store};

use crate::world::{Answer, Sender, Server, call, gateway, handle, open, post, request, rows, until};

fn say(streams: &Mutex<Vec<Sender>>, event: &str) {
    streams.lock().unwrap().last().unwrap().send(Ok(event.to_owned().into())).unwrap();
}

fn result(id: u64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": rows("row") })
}

#[tokio::test(flavor = "multi_thread")]
async fn events_come_as_they_are_and_results_are_shaped() {
    const PROGRESS: &str = ": hello\r\n\r\nretry: 50\r\nid: 1\r\nevent: message\r\ndata: {\"jsonrpc\": \"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":1}}\r\n\r\n";
    const ASKED: &str = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sampling/createMessage\",\"params\":{}}\n\n";
    const OTHER: &str = "event: other\ndata: {\"id\":1,\"result\":{}}\n\n";
    let (server, streams) = Server::streaming().await;
    let replica = gateway(server.address, json!({}), Some(Arc::new(MemoryStore::new()))).await;
    let mut body = open(replica.address, "POST", "/up", &[], call(1, "list", json!({})).to_string()).await.into_body();
    for event in [PROGRESS, ASKED, OTHER] {
        say(&streams, event);
        // The next one has not been sent yet.
        assert_eq!(until(&mut body, &event[event.len() - 8..]).await, event);
    }
    let whole = format!("id: 2\nevent: message\ndata: {}\n\n", result(1));
    let (one, two) = whole.split_at(1000);
    say(&streams, one);
    say(&streams, two);
    let shaped = until(&mut body, "\n\n").await;
    assert!(shaped.starts_with("id: 2\nevent: message\ndata: {") && shaped.len() < 4000, "{shaped}");
    handle(&shaped);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_is_resumed_at_another_replica() {
    let (server, streams) = Server::streaming().await;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let one = gateway(server.address, json!({}), Some(Arc::clone(&store))).await;
    let other = gateway(server.address, json!({}), Some(store)).await;
    let session = ("mcp-session-id", "s");
    let mut body = open(one.address, "POST", "/up", &[session], request(0, "tools/list").to_string()).await.into_body();
    let tools = json!({ "jsonrpc": "2.0", "id": 0, "result": { "tools": [{ "name": "list", "inputSchema": { "type": "object" } }] } });
    say(&streams, &format!("data: {tools}\n\n"));
    until(&mut body, "\n\n").await;
    let asked = call(1, "list", json!({ "fields": ["id"] })).to_string();
    let mut body = open(one.address, "POST", "/up", &[session], asked).await.into_body();
    say(&streams, "id: 7\ndata: \n\n");
    assert_eq!(until(&mut body, "\n\n").await, "id: 7\ndata: \n\n");
    drop(body);
    let resumed = [session, ("last-event-id", "7")];
    let mut body = open(other.address, "GET", "/up", &resumed, String::new()).await.into_body();
    assert_eq!(server.last().header("last-event-id"), "7");
    say(&streams, &format!("id: 8\ndata: {}\n\n", result(1)));
    let shaped = until(&mut body, "\n\n").await;
    assert!(shaped.len() < 6000, "{shaped}");
    handle(&shaped);
    // The call's own arguments hold: rows have the field that it asked for.
    assert!(!shaped.contains("row 1"), "{shaped}");
}

/// The client of an answer that is lost with its replica learns it from another one, where the server gave no id.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_lost_with_a_replica_is_an_error() {
    let (server, streams) = Server::streaming().await;
    let one = gateway(server.address, json!({}), None).await;
    let other = gateway(server.address, json!({}), None).await;
    let revision = ("mcp-protocol-version", "2025-11-25");
    let asked = json!([call(7, "list", json!({})), { "jsonrpc": "2.0", "id": "a\"b", "method": "ping" }]).to_string();
    let mut body = open(one.address, "POST", "/up", &[revision], asked).await.into_body();
    let first = until(&mut body, "\n\n").await;
    let id = first
        .strip_prefix("id: ")
        .and_then(|rest| rest.strip_suffix("\ndata: \n\n"))
        .unwrap_or_else(|| panic!("{first}"));
    drop(body);
    let headers = [revision, ("last-event-id", id)];
    let mut body = open(other.address, "GET", "/up", &headers, String::new()).await.into_body();
    let errors = until(&mut body, "\n\n").await;
    assert!(errors.contains("\"id\":7,\"error\"") && errors.contains("\"id\":\"a\\\"b\",\"error\""), "{errors}");
    assert_eq!(streams.lock().unwrap().len(), 1, "the server is not asked");
    // Clients of other revisions expect no such event.
    let asked = call(1, "list", json!({})).to_string();
    let mut body = open(one.address, "POST", "/up", &[("mcp-protocol-version", "2025-06-18")], asked).await.into_body();
    say(&streams, ": open\n\n");
    assert_eq!(until(&mut body, "\n\n").await, ": open\n\n");
}

/// A server may send on such a stream what it does not have to: it is shaped without the call.
#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_nobody_asked_for_is_shaped_too() {
    let (server, streams) = Server::streaming().await;
    let replica = gateway(server.address, json!({}), Some(Arc::new(MemoryStore::new()))).await;
    for headers in [&[][..], &[("mcp-session-id", "s")]] {
        let mut body = open(replica.address, "GET", "/up", headers, String::new()).await.into_body();
        say(&streams, &format!("data: {}\n\n", result(9)));
        let shaped = until(&mut body, "\n\n").await;
        assert!(shaped.len() < 4000, "{shaped}");
        const PONG: &str = "data: {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}\n\n";
        say(&streams, PONG);
        assert_eq!(until(&mut body, "\n\n").await, PONG);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_ends_the_servers_stream() {
    let (server, streams) = Server::streaming().await;
    let replica = gateway(server.address, json!({}), None).await;
    for method in ["POST", "GET"] {
        let message = if method == "POST" { call(1, "list", json!({})).to_string() } else { String::new() };
        let mut body = open(replica.address, method, "/up", &[], message).await.into_body();
        say(&streams, ": open\n\n");
        until(&mut body, "\n\n").await;
        drop(body);
        let stream = streams.lock().unwrap().last().cloned().unwrap();
        tokio::time::timeout(std::time::Duration::from_secs(10), stream.closed()).await.expect("the stream is open");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_and_an_answer_of_the_client_pass() {
    let server = Server::start(|_| Answer::of(202, "text/plain", "")).await;
    let replica = gateway(server.address, json!({}), None).await;
    for message in [
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1, "reason": "late" } }),
        json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": { "type": "text", "text": "a model's" } } }),
        json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -1, "message": "denied" } }),
    ] {
        let got = post(replica.address, &[("mcp-session-id", "s")], &message).await;
        assert_eq!((got.status, server.last().body), (202, message.to_string()));
    }
}

/// A server that has gone without a word.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_silent_for_too_long_ends() {
    let (server, streams) = Server::streaming().await;
    let replica = gateway(server.address, json!({ "silentSeconds": 1 }), None).await;
    for (method, first, last) in [
        ("POST", ": open\n\n", "silent for 1 seconds (silentSeconds)\"}}\n\n"),
        // Their clients resume them, or open them again.
        ("POST", "id: 7\ndata: \n\n", ""),
        ("GET", ": open\n\n", ""),
    ] {
        let message = if method == "POST" { call(1, "list", json!({})).to_string() } else { String::new() };
        let mut body = open(replica.address, method, "/up", &[], message).await.into_body();
        say(&streams, first);
        until(&mut body, first).await;
        let rest = body.collect().await.unwrap().to_bytes();
        assert!(rest.ends_with(last.as_bytes()) && rest.is_empty() == last.is_empty(), "{method} {first}: {rest:?}");
        let stream = streams.lock().unwrap().last().cloned().unwrap();
        stream.closed().await;
    }
}

/// The list of tools that a long stream began with does not replace one that was read since.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_stream_overwrites_nothing_newer() {
    let streams: Arc<Mutex<Vec<Sender>>> = Arc::default();
    let all = Arc::clone(&streams);
    let server = Server::start(move |seen| {
        if seen.method != "GET" {
            let message = seen.json();
            let properties = json!({ "page": {} });
            let tools = json!({ "tools": [{ "name": "paged", "inputSchema": { "type": "object", "properties": properties } }] });
            return Answer::json(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": tools }));
        }
        let (to, answer) = Answer::events();
        all.lock().unwrap().push(to);
        answer
    })
    .await;
    let replica = gateway(server.address, json!({}), Some(Arc::new(MemoryStore::new()))).await;
    let headers = [("mcp-session-id", "s")];
    let mut body = open(replica.address, "GET", "/up", &headers, String::new()).await.into_body();
    let paged = |id| call(id, "paged", json!({ "page": 3, "fields": ["a"] }));
    post(replica.address, &headers, &request(1, "tools/list")).await;
    say(&streams, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/list_changed\"}\n\n");
    until(&mut body, "\n\n").await;
    post(replica.address, &headers, &paged(2)).await;
    assert_eq!(server.last().json()["params"]["arguments"], json!({ "page": 3 }));
    // But the tools of a list that has changed are not known any more.
    say(&streams, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n");
    until(&mut body, "\n\n").await;
    post(replica.address, &headers, &paged(3)).await;
    assert_eq!(server.last().json()["params"]["arguments"], json!({ "page": 3, "fields": ["a"] }));
}
