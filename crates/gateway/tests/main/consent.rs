//! Stored results are read with the server's consent, by those who own them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use toolshape_stores::MemoryStore;

use crate::world::{Answer, Got, Replica, Seen, Server, call, gateway, handle, post, request, usual};

const ONE: (&str, &str) = ("authorization", "Bearer one");

/// A server that accepts `Bearer one` until it is revoked.
async fn guarded() -> (Server, Arc<AtomicBool>) {
    let revoked = Arc::new(AtomicBool::new(false));
    let is_revoked = Arc::clone(&revoked);
    let answer = move |seen: &Seen| match seen.header("authorization") {
        "Bearer one" if !is_revoked.load(Ordering::SeqCst) => usual(seen),
        "Bearer forbidden" => Answer::of(403, "text/plain", "forbidden"),
        _ => Answer::of(401, "application/json", "{\"error\":\"invalid_token\"}")
            .with("www-authenticate", "Bearer error=\"invalid_token\""),
    };
    // So that nobody is reached any more when it has ended.
    (Server::start(move |seen| answer(seen).with("connection", "close")).await, revoked)
}

async fn before(server: &Server, options: Value) -> Replica {
    gateway(server.address, options, Some(Arc::new(MemoryStore::new()))).await
}

/// All ways to read what is stored of a result.
fn reads(first: &str) -> Vec<Value> {
    let handle = handle(first);
    let cursor = serde_json::from_str::<Value>(first).unwrap()["nextCursor"].clone();
    vec![
        call(2, "read_result", json!({ "handle": handle, "pointer": "/300" })),
        call(4, "list", json!({ "word": "secret", "cursor": cursor })),
        json!({ "jsonrpc": "2.0", "id": 5, "method": "resources/read", "params": { "uri": format!("toolshape://result/{handle}") } }),
    ]
}

fn is_refused(got: &Got) {
    assert_eq!((got.status, &*got.body), (401, "{\"error\":\"invalid_token\"}"));
    assert_eq!(got.header("www-authenticate"), "Bearer error=\"invalid_token\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_token_reads_nothing() {
    let (server, revoked) = guarded().await;
    let replica = before(&server, json!({ "authorizeSeconds": 0 })).await;
    assert_eq!(post(replica.address, &[ONE], &request(0, "tools/list")).await.status, 200);
    let first = post(replica.address, &[ONE], &call(1, "list", json!({ "word": "secret" }))).await.text();
    for read in reads(&first) {
        let got = post(replica.address, &[ONE], &read).await;
        assert!(got.status == 200 && got.body.contains("secret"), "{got:?}");
    }
    assert_eq!(server.calls(), 1);
    assert_eq!(server.last().json()["method"], "ping");
    revoked.store(true, Ordering::SeqCst);
    for read in reads(&first) {
        is_refused(&post(replica.address, &[ONE], &read).await);
    }
    assert_eq!(server.calls(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_absent_or_another_token_reads_nothing_of_the_tenant() {
    let (server, _) = guarded().await;
    let replica = before(&server, json!({ "tenantHeader": "x-tenant" })).await;
    assert_eq!(post(replica.address, &[ONE, ("x-tenant", "one")], &request(0, "tools/list")).await.status, 200);
    let tenant = ("x-tenant", "one");
    let first = post(replica.address, &[ONE, tenant], &call(1, "list", json!({ "word": "secret" }))).await.text();
    for read in reads(&first) {
        is_refused(&post(replica.address, &[tenant], &read).await);
        is_refused(&post(replica.address, &[tenant, ("authorization", "Bearer two")], &read).await);
        let got = post(replica.address, &[tenant, ("authorization", "Bearer forbidden")], &read).await;
        assert_eq!((got.status, &*got.body), (403, "forbidden"));
        // The server has just accepted this one.
        assert!(post(replica.address, &[tenant, ONE], &read).await.body.contains("secret"));
    }
}

/// A server that lets everybody ask what it is.
#[tokio::test(flavor = "multi_thread")]
async fn credentials_that_the_server_does_not_get_are_none() {
    let server = Server::start(|seen| match (seen.header("authorization"), seen.json()["method"].as_str()) {
        ("Bearer one", _) | (_, Some("ping")) => usual(seen),
        _ => Answer::of(401, "text/plain", "no"),
    })
    .await;
    for options in [json!({}), json!({ "tenantHeader": "x-tenant", "scope": "authorization" })] {
        let replica = before(&server, options).await;
        let tenant = ("x-tenant", "one");
        for twice in [false, true] {
            let headers = if twice { vec![ONE, ONE, tenant] } else { vec![ONE, tenant] };
            let first = post(replica.address, &headers, &call(1, "list", json!({ "word": "secret" }))).await.text();
            for headers in [vec![tenant], vec![ONE, tenant, ("connection", "authorization")]] {
                let got = post(replica.address, &headers, &reads(&first)[0]).await;
                assert!(!got.body.contains("secret"), "{headers:?}: {got:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn acceptance_counts_for_a_while_and_ends_with_a_refusal() {
    let (server, revoked) = guarded().await;
    let replica = before(&server, json!({})).await;
    let first = post(replica.address, &[ONE], &call(1, "list", json!({ "word": "secret" }))).await.text();
    let read = &reads(&first)[0];
    revoked.store(true, Ordering::SeqCst);
    assert!(post(replica.address, &[ONE], read).await.body.contains("secret"));
    assert_eq!(server.seen.lock().unwrap().len(), 1);
    is_refused(&post(replica.address, &[ONE], &request(6, "tools/list")).await);
    is_refused(&post(replica.address, &[ONE], read).await);
    revoked.store(false, Ordering::SeqCst);
    assert!(post(replica.address, &[ONE], read).await.body.contains("secret"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_question_is_of_the_era_of_the_request() {
    let (server, _) = guarded().await;
    let replica = before(&server, json!({ "authorizeSeconds": 0 })).await;
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    let modern = |mut message: Value| {
        message["params"]["_meta"] = meta.clone();
        message
    };
    let headers = |name: &'static str| {
        [
            ONE,
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", name),
            ("mcp-param-x", "1"),
        ]
    };
    let listed = modern(call(1, "list", json!({ "word": "secret" })));
    let first = post(replica.address, &headers("list"), &listed).await.text();
    let read = modern(reads(&first).remove(0));
    assert!(post(replica.address, &headers("read_result"), &read).await.body.contains("secret"));
    let asked = server.last();
    assert_eq!((&asked.json()["method"], &asked.json()["params"]["_meta"]), (&json!("server/discover"), &meta));
    assert_eq!(asked.header("mcp-method"), "server/discover");
    assert_eq!((asked.header("mcp-name"), asked.header("mcp-param-x")), ("", ""));
    assert_eq!(asked.header("mcp-protocol-version"), "2026-07-28");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_server_nothing_is_read() {
    let (server, _) = guarded().await;
    let replica = before(&server, json!({ "authorizeSeconds": 0 })).await;
    let first = post(replica.address, &[ONE], &call(1, "list", json!({ "word": "secret" }))).await.text();
    drop(server);
    for read in reads(&first) {
        let got = post(replica.address, &[ONE], &read).await;
        assert!(got.status == 502 && got.json()["id"] == read["id"], "{got:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scope_divides_a_tenant() {
    let server = Server::usual().await;
    let session = |id: &'static str| ("mcp-session-id", id);
    for (scope, own, other) in [
        ("session", vec![session("a")], vec![session("b")]),
        ("session", vec![session("a"), ONE], vec![ONE]),
        ("session", vec![ONE], vec![("authorization", "Bearer two")]),
        ("authorization", vec![ONE, session("a")], vec![("authorization", "Bearer two"), session("a")]),
    ] {
        let replica = before(&server, json!({ "tenantHeader": "x-tenant", "scope": scope })).await;
        let with = |headers: &[(&'static str, &'static str)]| [headers, &[("x-tenant", "one")]].concat();
        let first = post(replica.address, &with(&own), &call(1, "list", json!({ "word": "secret" }))).await.text();
        for read in reads(&first).into_iter().filter(|read| read["params"]["name"] != "list") {
            assert!(post(replica.address, &with(&own), &read).await.body.contains("secret"), "{scope}");
            assert!(!post(replica.address, &with(&other), &read).await.body.contains("secret"), "{scope}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn results_of_one_server_are_not_read_at_another() {
    let server = Server::usual().await;
    let url = format!("http://{}/mcp", server.address);
    let options = json!({ "upstreams": { "up": { "url": url }, "other": { "url": url } } });
    let replica = before(&server, options).await;
    let first = post(replica.address, &[], &call(1, "list", json!({ "word": "secret" }))).await.text();
    let read = reads(&first).remove(0).to_string();
    let got = crate::world::send(replica.address, "POST", "/other", &[], read).await;
    assert!(got.status == 200 && !got.body.contains("secret"), "{got:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_neither_shown_nor_stored() {
    let server = Server::usual().await;
    let replica = before(&server, json!({ "redactFields": ["name"], "redactTexts": ["few *"] })).await;
    let first = post(replica.address, &[], &call(1, "list", json!({ "word": "secret" }))).await.text();
    assert!(!first.contains("secret") && first.contains("[redacted]"), "{first}");
    let got = post(replica.address, &[], &reads(&first)[0]).await;
    assert!(got.body.contains("[redacted]") && !got.body.contains("secret"), "{got:?}");
    assert_eq!(post(replica.address, &[], &call(7, "small", json!({}))).await.text(), "[redacted]");
}

/// Errors of JSON-RPC come with errors of HTTP too.
#[tokio::test(flavor = "multi_thread")]
async fn errors_have_no_secrets_whatever_their_status() {
    let server = Server::start(|seen| {
        let message = format!("no secret-1{}", " word".repeat(5000));
        let error = json!({ "code": 5, "message": message, "data": { "name": "secret" } });
        let id = if seen.header("x-null").is_empty() { seen.json()["id"].clone() } else { Value::Null };
        let body = json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string();
        Answer::of(seen.header("x-status").parse().unwrap(), "application/json", body)
    })
    .await;
    let replica = before(&server, json!({ "redactFields": ["name"], "redactTexts": ["secret-*"] })).await;
    for status in [200, 400, 401, 404, 500] {
        let status_text = status.to_string();
        let headers = [("x-status", &*status_text)];
        let got = post(replica.address, &headers, &call(1, "list", json!({}))).await;
        assert!(got.status == status && got.body.len() < 4000, "{} {} bytes", got.status, got.body.len());
        let unread = post(replica.address, &[headers[0], ("x-null", "1")], &call(1, "list", json!({}))).await;
        for got in [got, unread] {
            assert!(got.body.contains("no [redacted]") && !got.body.contains("secret"), "{got:?}");
        }
    }
}
