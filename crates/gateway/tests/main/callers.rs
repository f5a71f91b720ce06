//! What one caller - a page, a tenant, somebody who only connects - may do, and what it takes from others.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolshape_stores::MemoryStore;

use crate::commands::{before, modern};
use crate::world::{Answer, Got, Server, call, gateway, handle, post, request, rows, send, usual};

const JSON: (&str, &str) = ("content-type", "application/json");

async fn processes(to: std::net::SocketAddr) -> String {
    let metrics = send(to, "GET", "/metrics", &[], String::new()).await.body;
    metrics.lines().find(|line| line.starts_with("toolshape_processes ")).unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_site_starts_nothing() {
    let replica = before("usual", json!({})).await;
    let to = replica.address;
    let own = format!("http://{to}");
    let initialize = request(1, "initialize").to_string();
    let without_session = modern(call(1, "pid", json!({}))).to_string();
    for body in [&initialize, &without_session] {
        for (method, headers, status) in [
            ("POST", &[JSON, ("origin", "http://evil.example")][..], 403),
            ("POST", &[JSON, ("origin", "null")], 403),
            ("POST", &[JSON, ("origin", "http://localhost:1")], 403),
            ("POST", &[JSON, ("origin", &own), ("origin", "http://evil.example")], 403),
            ("POST", &[("content-type", "text/plain"), ("origin", "http://evil.example")], 403),
            ("POST", &[("content-type", "text/plain")], 415),
            ("POST", &[("content-type", "text/plain; application/json")], 415),
            ("POST", &[("content-type", "application/x-www-form-urlencoded")], 415),
            ("POST", &[], 415),
            ("POST", &[JSON, ("host", "evil.example")], 403),
            ("POST", &[JSON, ("host", "evil.example"), ("origin", "http://evil.example")], 403),
            ("POST", &[JSON, ("host", "127.0.0.1.evil.example")], 403),
            ("POST", &[JSON, ("host", "localhost.evil.example:80")], 403),
            ("POST", &[JSON, ("host", "evil.example@127.0.0.1")], 403),
            ("POST", &[JSON, ("host", "[::1].evil.example")], 403),
            ("POST", &[JSON, ("host", "127.0.0.1, evil.example")], 403),
            ("POST", &[JSON, ("host", "evil.example"), ("x-forwarded-host", "127.0.0.1")], 403),
            ("POST", &[JSON, ("origin", &format!("{own}.evil.example"))], 403),
            ("POST", &[JSON, ("origin", &format!("{own}@evil.example"))], 403),
            ("POST", &[JSON, ("origin", &format!("http://evil.example@{to}"))], 403),
            ("POST", &[JSON, ("origin", &format!("https://{to}"))], 403),
            ("POST", &[JSON, ("origin", &format!("{own}/"))], 403),
            ("POST", &[JSON, ("origin", &format!("http://evil.example {own}"))], 403),
            ("POST", &[JSON, ("origin", "file://")], 403),
            ("POST", &[JSON, ("origin", "moz-extension://4f9a")], 403),
            ("POST", &[JSON, ("origin", "")], 403),
            ("POST", &[("content-type", "application/json, text/plain")], 415),
            ("POST", &[("content-type", "application/json-patch+json")], 415),
            ("POST", &[("content-type", "text/json")], 415),
            ("POST", &[("content-type", "application/jsonx")], 415),
            ("POST", &[("content-type", "multipart/form-data; boundary=application/json")], 415),
            ("POST", &[JSON, ("content-type", "text/plain")], 415),
            ("GET", &[("origin", "http://evil.example")], 403),
            ("DELETE", &[("origin", "http://evil.example")], 403),
            ("OPTIONS", &[("origin", "http://evil.example"), ("access-control-request-method", "POST")], 403),
        ] {
            let got = send(to, method, "/up", headers, body.clone()).await;
            assert_eq!(got.status, status, "{method} {headers:?}: {got:?}");
            assert!(got.headers.get("access-control-allow-origin").is_none());
        }
    }
    for path in ["/metrics", "/.well-known/oauth-protected-resource/up", "/up"] {
        assert_eq!(send(to, "GET", path, &[("host", "evil.example")], String::new()).await.status, 403, "{path}");
    }
    assert_eq!(processes(to).await, "toolshape_processes 0");
    for headers in [&[JSON][..], &[("content-type", "application/json; charset=utf-8"), ("origin", &own)]] {
        assert_eq!(send(to, "POST", "/up", headers, initialize.clone()).await.status, 200);
    }
}

/// Sends bytes as they are, and returns the status.
fn raw(to: std::net::SocketAddr, headers: &[&[u8]], body: &str) -> String {
    let mut connection = TcpStream::connect(to).unwrap();
    let mut bytes = format!("POST /up HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n", body.len()).into_bytes();
    headers.iter().for_each(|header| bytes.extend([header, &b"\r\n"[..]].concat()));
    bytes.extend([b"\r\n", body.as_bytes()].concat());
    connection.write_all(&bytes).unwrap();
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// What browsers cannot send, and what is between a page and the gateway may.
#[tokio::test(flavor = "multi_thread")]
async fn no_form_of_a_request_hides_another_host() {
    let replica = before("usual", json!({})).await;
    let to = replica.address;
    let body = request(1, "initialize").to_string();
    for (target, headers) in [
        ("http://evil.example/up", "Host: localhost"),
        ("http://evil.example/up", "Host: evil.example"),
        ("/up", "Host: localhost\r\nHost: evil.example"),
        ("/up", "Host: evil.example\r\nHost: localhost"),
        ("/up", "Host: localhost\r\nOrigin: http://evil.example\r\nOrigin: http://localhost"),
        ("/up", "Host:"),
        ("/up", "Host: localhost#.evil.example"),
        ("/up", "Host: localhost\\.evil.example"),
        ("//evil.example/up", "Host: evil.example"),
    ] {
        let mut connection = TcpStream::connect(to).unwrap();
        let length = body.len();
        let head = format!(
            "POST {target} HTTP/1.1\r\n{headers}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        connection.write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut answer = Vec::new();
        connection.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.starts_with("HTTP/1.1 4"), "{target} {headers}: {answer}");
    }
    assert_eq!(processes(to).await, "toolshape_processes 0");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_bytes() {
    let server = Server::usual().await;
    let store = Some(Arc::new(MemoryStore::new()) as _);
    let replica = gateway(server.address, json!({ "tenantHeader": "x-tenant" }), store).await;
    let to = replica.address;
    let listed = call(1, "list", json!({ "word": "secret" })).to_string();
    for headers in [
        &[&b"X-Tenant: Zo\xeb"[..]][..],
        &[b"X-Tenant: Zo\xe9"],
        &["X-Tenant: acme\u{a0}".as_bytes()],
        &["X-Tenant: \u{feff}acme".as_bytes()],
        &[b"X-Tenant: ac\tme"],
        &[b"X-Tenant: acme", b"Authorization: Bearer \xff"],
        &[b"X-Tenant: acme", b"Mcp-Session-Id: session\xff"],
        &[b"X-Tenant: acme", b"Mcp-Session-Id: one two"],
        &[b"X-Tenant: acme", b"Mcp-Session-Id: one", b"Mcp-Session-Id: two"],
        &[b"X-Tenant: acme", b"X-Tenant: other"],
        &[b"X-Tenant: acme", b"x-tenant: acme"],
        &["X-Tenant: \u{430}cme".as_bytes()],
        &[b"X-Tenant: acme\x7f"],
    ] {
        assert!(raw(to, headers, &listed).starts_with("HTTP/1.1 400"), "{headers:?}");
    }
    assert_eq!(server.calls(), 0);
    let first = post(to, &[("x-tenant", "acme")], &call(1, "list", json!({ "word": "secret" }))).await.text();
    let read = call(2, "read_result", json!({ "handle": handle(&first), "pointer": "/300" }));
    for other in ["Acme", "acme.", "acme x", "%61cme", "acme,acme", "tenant:acme"] {
        let got = post(to, &[("x-tenant", other)], &read).await;
        assert!(!got.body.contains("secret"), "{other}: {got:?}");
    }
    assert!(post(to, &[("x-tenant", "acme")], &read).await.body.contains("secret 300"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_is_visible_ascii() {
    use base64::Engine;
    let server = Server::usual().await;
    let replica = gateway(server.address, json!({ "tenantClaim": "org" }), None).await;
    for (claim, status) in [("acme", 200), ("acme corp", 200), ("acme\u{a0}", 400), ("Zo\u{eb}", 400), ("a\0", 400)] {
        let claims = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(json!({ "org": claim }).to_string());
        let token = format!("Bearer e30.{claims}.c2ln");
        let got = post(replica.address, &[("authorization", &token)], &request(1, "ping")).await;
        assert_eq!(got.status, status, "{claim}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_tenant_leaves_processes() {
    let replica = before("usual", json!({ "tenantHeader": "x-tenant", "maxProcesses": 4 })).await;
    let mut statuses = Vec::new();
    for tenant in ["one", "one", "one", "one", "two", "two", "three"] {
        statuses.push(post(replica.address, &[("x-tenant", tenant)], &request(1, "initialize")).await.status);
    }
    assert_eq!(statuses, [200, 200, 503, 503, 200, 503, 200]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_tenant_leaves_requests() {
    let busy = Server::start(|seen| match seen.header("x-tenant") {
        "one" => Answer { wait: Duration::from_secs(60), ..Answer::json(&rows("row")) },
        _ => Answer::json(&json!({ "jsonrpc": "2.0", "id": 1, "result": {} })),
    })
    .await;
    let replica = gateway(busy.address, json!({ "tenantHeader": "x-tenant", "maxConcurrent": 8 }), None).await;
    let to = replica.address;
    let slow: Vec<_> = (0..12)
        .map(|_| tokio::spawn(async move { post(to, &[("x-tenant", "one")], &request(1, "ping")).await.status }))
        .collect();
    while busy.seen.lock().unwrap().len() < 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    for tenant in ["two", "three", "four"] {
        assert_eq!(post(to, &[("x-tenant", tenant)], &request(1, "ping")).await.status, 200, "{tenant}");
    }
    // Documents count as requests do.
    let path = "/.well-known/oauth-protected-resource/up";
    assert_eq!(send(to, "GET", path, &[("x-tenant", "one")], String::new()).await.status, 503);
    slow.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_documents_are_limited() {
    let slow =
        Server::start(|_| Answer { wait: Duration::from_secs(60), ..Answer::of(200, "application/json", "{}") }).await;
    let replica = gateway(slow.address, json!({ "maxConcurrent": 4 }), None).await;
    let to = replica.address;
    let asked: Vec<_> = (0..20)
        .map(|_| {
            tokio::spawn(async move {
                send(to, "GET", "/.well-known/oauth-authorization-server/up", &[], String::new()).await.status
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let refused = asked.iter().filter(|one| one.is_finished()).count();
    assert!(refused >= 18 && slow.seen.lock().unwrap().len() <= 2, "{refused}");
    asked.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_tenant_leaves_the_store() {
    let server = Server::usual().await;
    let limits = toolshape_stores::Limits::default().max_bytes(400_000).max_value_bytes(100_000);
    let store = Arc::new(MemoryStore::with_limits(limits).unwrap());
    let replica = gateway(server.address, json!({ "tenantHeader": "x-tenant" }), Some(store)).await;
    let to = replica.address;
    let first = post(to, &[("x-tenant", "two")], &call(1, "list", json!({ "word": "secret" }))).await.text();
    for at in 0..60 {
        post(to, &[("x-tenant", "one")], &call(1, "list", json!({ "word": format!("word{at}") }))).await;
    }
    let read = call(2, "read_result", json!({ "handle": handle(&first), "pointer": "/300" }));
    assert!(post(to, &[("x-tenant", "two")], &read).await.body.contains("secret 300"));
}

/// Each token is a tenant, and each names tools, a server and a handle that nobody has.
#[tokio::test(flavor = "multi_thread")]
async fn the_metrics_have_names_that_servers_list() {
    let server = Server::usual().await;
    let replica = gateway(server.address, json!({}), Some(Arc::new(MemoryStore::new()))).await;
    let to = replica.address;
    for at in 0..700 {
        let token = format!("Bearer {at}");
        for name in [format!("invented{at}"), format!("read_result_invented{at}"), format!("small{at}")] {
            post(to, &[("authorization", &token)], &call(1, &name, json!({ "handle": "satytrfebjvszehh" }))).await;
        }
    }
    let token = &[("authorization", "Bearer other")];
    post(to, token, &request(1, "tools/list")).await;
    for name in ["small", "list", "read_result", "invented"] {
        post(to, token, &call(1, name, json!({}))).await;
    }
    let metrics = send(to, "GET", "/metrics", &[], String::new()).await.body;
    let counted =
        metrics.lines().filter_map(|line| line.strip_prefix("toolshape_call_seconds_count{upstream=\"up\",tool=\""));
    let counted: Vec<&str> = counted.filter_map(|line| line.split('"').next()).collect();
    assert_eq!(counted, ["(other)", "list", "read_result", "small"]);
}

/// A server that lists many tools leaves names to others.
#[tokio::test(flavor = "multi_thread")]
async fn one_server_leaves_names_in_the_metrics() {
    let server = Server::start(|seen| {
        let message = seen.json();
        let tools: Vec<Value> = (0..600).map(|at| json!({ "name": format!("tool{at}"), "inputSchema": {} })).collect();
        match message["method"] == "tools/list" {
            true => Answer::json(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "tools": tools } })),
            false => usual(seen),
        }
    })
    .await;
    let other = Server::usual().await;
    let [url, other] = [server.address, other.address].map(|address| format!("http://{address}/mcp"));
    let options = json!({ "upstreams": { "up": { "url": url }, "other": { "url": other } } });
    let replica = gateway(server.address, options, Some(Arc::new(MemoryStore::new()))).await;
    let to = replica.address;
    post(to, &[], &request(1, "tools/list")).await;
    for at in 0..600 {
        post(to, &[], &call(1, &format!("tool{at}"), json!({}))).await;
    }
    for message in [request(1, "tools/list"), call(1, "small", json!({}))] {
        send(to, "POST", "/other", &[JSON], message.to_string()).await;
    }
    let metrics = send(to, "GET", "/metrics", &[], String::new()).await.body;
    assert!(metrics.contains("upstream=\"other\",tool=\"small\""), "{metrics}");
    assert!(metrics.matches("toolshape_call_seconds_count{upstream=\"up\"").count() < 300);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_long_stay_short_in_what_is_kept() {
    let server = Server::usual().await;
    let replica = gateway(server.address, json!({ "tenantHeader": "x-tenant" }), None).await;
    let to = replica.address;
    let long = "n".repeat(100_000);
    post(to, &[("x-tenant", "one")], &call(1, &long, json!({}))).await;
    post(to, &[("x-tenant", &"t".repeat(10_000))], &call(1, "small", json!({}))).await;
    post(to, &[("x-tenant", "one"), ("mcp-session-id", &"s".repeat(10_000))], &request(1, "ping")).await;
    send(to, &"X".repeat(500), "/up", &[], String::new()).await;
    let metrics = send(to, "GET", "/metrics", &[], String::new()).await.body;
    assert!(!metrics.contains(&long[..200]) && metrics.len() < 100_000, "{} bytes", metrics.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_without_requests_make_room() {
    let server = Server::usual().await;
    let replica = gateway(server.address, json!({ "maxConcurrent": 8 }), None).await;
    let to = replica.address;
    let mut idle = Vec::new();
    for at in 0..100 {
        let mut connection = TcpStream::connect(to).unwrap();
        if at % 2 == 0 {
            connection.write_all(b"POST /up HTTP/1.1\r\nHost: loc").unwrap();
        }
        idle.push(connection);
    }
    let began = Instant::now();
    for _ in 0..5 {
        assert_eq!(post(to, &[], &request(1, "ping")).await.status, 200);
    }
    assert!(began.elapsed() < Duration::from_secs(10));
    let mut byte = [0];
    idle[0].set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let closed = idle[0].read(&mut byte).map_err(|error| error.kind());
    assert!(matches!(closed, Ok(0) | Err(std::io::ErrorKind::ConnectionReset)), "{closed:?}");
}

/// The program's own tests as a gateway, whose standard error is counted.
#[test]
#[ignore = "it is a gateway, which another test starts"]
fn noisy_gateway() {
    let Ok(kind) = std::env::var("TOOLSHAPE_TEST_GATEWAY") else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let replica = before(&kind, json!({})).await;
        let began: Got = post(replica.address, &[], &request(1, "initialize")).await;
        assert_eq!(began.status, 200, "{began:?}");
        let id = began.header("mcp-session-id").to_owned();
        let got = post(replica.address, &[("mcp-session-id", &id)], &call(2, "environment", json!({}))).await;
        println!("ANSWER {}", got.body);
    });
}

fn of_gateway(kind: &str) -> (String, usize) {
    let program = std::env::current_exe().unwrap();
    let words = ["--exact", "callers::noisy_gateway", "--ignored", "--nocapture", "--test-threads=1"];
    let mut gateway = Command::new(program);
    gateway.args(words).env("TOOLSHAPE_TEST_GATEWAY", kind).env("DATABASE_PASSWORD", "SECRET");
    let ended = gateway.stdin(Stdio::null()).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr[..ended.stderr.len().min(2000)]));
    let answer = String::from_utf8_lossy(&ended.stdout).into_owned();
    let answer = answer.split_once("ANSWER ").unwrap().1.lines().next().unwrap_or_default().to_owned();
    (answer, ended.stderr.len())
}

#[test]
fn a_noisy_command_is_heard_in_part() {
    for kind in ["noisy", "endless"] {
        let (_, bytes) = of_gateway(kind);
        assert!(bytes < 200_000, "{kind}: {bytes}");
    }
}

#[test]
fn a_command_has_a_clean_environment() {
    let (answer, _) = of_gateway("usual");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let variables = crate::world::text(&answer);
    assert!(!variables.contains("DATABASE_PASSWORD") && !variables.contains("SECRET"), "{variables}");
    assert!(variables.contains("PATH") && variables.contains("TOOLSHAPE_TEST_SERVER"), "{variables}");
}
