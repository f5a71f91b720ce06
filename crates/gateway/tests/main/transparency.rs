//! What the gateway leaves as it is.

use std::sync::Arc;

use serde_json::json;
use toolshape_stores::MemoryStore;

use crate::world::{Answer, Server, call, gateway, post, request, send, usual};

#[tokio::test(flavor = "multi_thread")]
async fn other_messages_pass_byte_for_byte() {
    const BODY: &str =
        "{ \"id\" : 1.0 , \"jsonrpc\":\"2.0\",\"method\":\"x/y\", \"params\":{\"n\":9007199254740993} }\n";
    const REPLY: &str = "{\n \"result\":{\"n\":9007199254740993},\"id\":1,\"jsonrpc\":\"2.0\"}\n";
    let server =
        Server::start(|_| Answer::of(200, "application/json; charset=utf-8", REPLY).with("x-more", "yes")).await;
    let replica = gateway(server.address, json!({}), Some(Arc::new(MemoryStore::new()))).await;
    let headers = [
        ("authorization", "Bearer a"),
        ("mcp-protocol-version", "2025-11-25"),
        ("connection", "x-hop"),
        ("x-hop", "1"),
    ];
    let got = send(replica.address, "POST", "/up?a=b", &headers, BODY.to_owned()).await;
    assert_eq!((got.status, &*got.body, got.header("x-more")), (200, REPLY, "yes"));
    assert_eq!(got.header("content-type"), "application/json; charset=utf-8");
    let seen = server.last();
    assert_eq!((&*seen.body, &*seen.path), (BODY, "/mcp?a=b"));
    assert_eq!((seen.header("authorization"), seen.header("mcp-protocol-version")), ("Bearer a", "2025-11-25"));
    assert_eq!((seen.header("x-hop"), seen.header("accept-encoding")), ("", "identity"));
    assert_eq!(seen.header("host"), server.address.to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn statuses_and_their_bodies_pass() {
    for (status, kind, body) in [
        (202, "text/plain", ""),
        (204, "text/plain", ""),
        (400, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":\"no\"}}"),
        (404, "text/html", "<h1>no session</h1>"),
        (405, "text/plain", "no"),
        (429, "application/json", "{\"error\":\"slow down\"}"),
        (500, "application/json", "not json"),
        (200, "text/html", "<h1>a page</h1>"),
    ] {
        let server = Server::start(move |_| Answer::of(status, kind, body).with("retry-after", "7")).await;
        let replica = gateway(server.address, json!({}), None).await;
        for method in ["POST", "GET", "DELETE", "OPTIONS", "PUT"] {
            let body_of_request = if method == "POST" { call(1, "list", json!({})).to_string() } else { String::new() };
            let got = send(replica.address, method, "/up", &[], body_of_request).await;
            assert_eq!((got.status, &*got.body, got.header("retry-after")), (status, body, "7"), "{method} {status}");
            assert_eq!(server.last().method, method);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn small_results_pass_and_large_ones_are_shaped() {
    let server = Server::usual().await;
    let replica = gateway(server.address, json!({}), Some(Arc::new(MemoryStore::new()))).await;
    let small = post(replica.address, &[], &call(1, "small", json!({}))).await;
    assert_eq!(small.body, r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"few words"}]}}"#);
    let large = post(replica.address, &[], &call(2, "list", json!({}))).await;
    assert!(large.body.len() < 4000 && large.text().contains("\"nextCursor\""), "{large:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_paths_are_not_the_servers() {
    let server = Server::usual().await;
    let replica = gateway(server.address, json!({}), None).await;
    for path in
        ["/", "/mcp", "/up/x", "/up/../up", "/up/..", "/up%2f", "//up", "/UP", "/.well-known/x", "/.well-known/../up"]
    {
        let got = send(replica.address, "POST", path, &[], request(1, "ping").to_string()).await;
        assert!(matches!(got.status, 404 | 405), "{path}: {got:?}");
    }
    assert!(server.seen.lock().unwrap().is_empty());
    assert_eq!(send(replica.address, "POST", "/up/", &[], request(1, "ping").to_string()).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_has_headers_and_options_of_its_own() {
    let server = Server::usual().await;
    let url = format!("http://{}/mcp?key=1", server.address);
    let up = json!({ "up": { "url": url, "headers": { "Authorization": "Bearer own" }, "tools": { "list": false } } });
    let replica = gateway(server.address, json!({ "upstreams": up }), None).await;
    let got = send(
        replica.address,
        "POST",
        "/up?a=b",
        &[("authorization", "Bearer a")],
        call(1, "list", json!({})).to_string(),
    )
    .await;
    assert!(got.body.len() > 10_000);
    let seen = server.last();
    assert_eq!((seen.header("authorization"), &*seen.path), ("Bearer own", "/mcp?key=1&a=b"));
}

/// A page in a browser that names this machine as its own site reaches nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_of_another_site_is_refused() {
    let server = Server::usual().await;
    let replica = gateway(server.address, json!({ "publicUrl": "https://mcp.example.com" }), None).await;
    for (host, status) in [
        ("evil.test", 403),
        ("localhost.evil.test", 403),
        ("", 403),
        ("localhost", 200),
        ("LOCALHOST:8080", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:1", 200),
        ("mcp.example.com", 200),
    ] {
        let got = send(replica.address, "POST", "/up", &[("host", host)], request(1, "ping").to_string()).await;
        assert_eq!(got.status, status, "{host}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gateways_origin_is_the_servers() {
    let server = Server::usual().await;
    let replica = gateway(server.address, json!({}), None).await;
    let own = format!("http://{}", replica.address);
    for (origin, wanted) in
        [(&*own, format!("http://{}", server.address)), ("http://other.test", "http://other.test".to_owned())]
    {
        send(replica.address, "POST", "/up", &[("origin", origin)], request(1, "ping").to_string()).await;
        assert_eq!(server.last().header("origin"), wanted);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn health_and_metrics() {
    let server = Server::start(|seen| {
        let message = seen.json();
        let tools = ["list", "a\"b\n"].map(|name| json!({ "name": name, "inputSchema": {} }));
        match message["method"] == "tools/list" {
            true => Answer::json(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "tools": tools } })),
            false => usual(seen),
        }
    })
    .await;
    let replica = gateway(server.address, json!({}), Some(Arc::new(MemoryStore::new()))).await;
    post(replica.address, &[], &request(0, "tools/list")).await;
    post(replica.address, &[], &call(1, "list", json!({}))).await;
    post(replica.address, &[], &call(2, "a\"b\n", json!({}))).await;
    let health = send(replica.address, "GET", "/healthz", &[], String::new()).await;
    assert_eq!((health.status, &*health.body), (200, "ok\n"));
    let metrics = send(replica.address, "GET", "/metrics", &[], String::new()).await;
    assert!(metrics.header("content-type").starts_with("application/openmetrics-text; version=1.0.0"));
    let line = |start: &str| {
        metrics
            .body
            .lines()
            .find(|line| line.starts_with(start))
            .unwrap_or_else(|| panic!("{start}: {}", metrics.body))
            .to_owned()
    };
    assert_eq!(line("toolshape_requests_total{upstream=\"up\",status=\"200\"}").rsplit(' ').next(), Some("3"));
    assert_eq!(line("toolshape_shaped_total{upstream=\"up\",tool=\"list\"}").rsplit(' ').next(), Some("1"));
    let steps = "toolshape_steps_total{upstream=\"up\",tool=\"list\",step=\"paginate\"}";
    assert_eq!(line(steps).rsplit(' ').next(), Some("1"));
    assert_eq!(line("toolshape_call_seconds_count{upstream=\"up\",tool=\"a\\\"b\\n\"}").rsplit(' ').next(), Some("1"));
    assert!(metrics.body.ends_with("# EOF\n"));
}
