//! Servers that are commands.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use serde_json::{Value, json};
use toolshape_stores::MemoryStore;

use crate::stdio_server::upstream;
use crate::world::{Got, Replica, call, gateway, handle, open, post, request, send, until};

const ACCEPT: &[(&str, &str)] =
    &[("content-type", "application/json"), ("accept", "application/json, text/event-stream")];

pub async fn before(kind: &str, options: Value) -> Replica {
    let mut all = json!({ "upstreams": { "up": upstream(kind) } });
    all.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    let nowhere: SocketAddr = "127.0.0.1:9".parse().unwrap();
    gateway(nowhere, all, Some(Arc::new(MemoryStore::new()))).await
}

/// Begins a session, and returns its id.
async fn session(replica: &Replica, headers: &[(&str, &str)]) -> String {
    let got = post(replica.address, headers, &request(1, "initialize")).await;
    assert_eq!(got.status, 200, "{got:?}");
    got.header("mcp-session-id").to_owned()
}

/// The answer in a body of JSON, or the last one in a stream.
fn answer(got: &Got) -> Value {
    let last = got.body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
    serde_json::from_str(last.unwrap_or(&got.body)).unwrap_or_else(|_| panic!("{got:?}"))
}

fn text(got: &Got) -> String {
    crate::world::text(&answer(got))
}

async fn pid(replica: &Replica, headers: &[(&str, &str)]) -> String {
    text(&post(replica.address, headers, &call(7, "pid", json!({}))).await)
}

pub fn modern(mut message: Value) -> Value {
    message["params"]["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    message
}

fn is_alive(pid: &str) -> bool {
    std::process::Command::new("kill").args(["-0", pid]).stderr(std::process::Stdio::null()).status().unwrap().success()
}

/// Waits until a process has ended.
async fn gone(pid: &str) {
    let began = Instant::now();
    while is_alive(pid) {
        assert!(began.elapsed() < Duration::from_secs(20), "{pid} is still there");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_session_has_a_process_and_its_results_are_shaped() {
    let replica = before("usual", json!({})).await;
    let ids = [session(&replica, &[]).await, session(&replica, &[]).await];
    let headers = |at: usize| [("mcp-session-id", ids[at].as_str())];
    let pids = [pid(&replica, &headers(0)).await, pid(&replica, &headers(1)).await];
    assert_ne!(pids[0], pids[1]);
    assert_eq!(pid(&replica, &headers(0)).await, pids[0]);
    let listed = post(replica.address, &headers(0), &request(2, "tools/list")).await;
    assert!(answer(&listed)["result"]["tools"][1]["name"].as_str().unwrap().starts_with("read_result"), "{listed:?}");
    let first = text(&post(replica.address, &headers(0), &call(3, "list", json!({ "word": "own" }))).await);
    assert!(first.len() < 4000, "{first}");
    let read = call(4, "read_result_rows", json!({ "handle": handle(&first), "pointer": "/300" }));
    let got = post(replica.address, &headers(0), &read).await;
    assert!(text(&got).contains("own 300"), "{first} {got:?}");
    let list = call(5, "read_result_rows", json!({}));
    let own = text(&post(replica.address, &headers(0), &list).await);
    let other = text(&post(replica.address, &headers(1), &list).await);
    assert!(own.contains(&handle(&first)) && other.contains("\"totalItems\":0"), "{own} {other}");
    let got = send(replica.address, "DELETE", "/up", &headers(0), String::new()).await;
    assert_eq!(got.status, 200);
    gone(&pids[0]).await;
    for method in ["POST", "GET", "DELETE"] {
        let all = [&headers(0), ACCEPT].concat();
        let got = send(replica.address, method, "/up", &all, request(5, "tools/list").to_string()).await;
        assert_eq!(got.status, 404, "{got:?}");
    }
    assert!(is_alive(&pids[1]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_without_a_session_has_a_process_for_itself() {
    let replica = before("usual", json!({ "tenantHeader": "x-tenant" })).await;
    let one: &[(&str, &str)] = &[("x-tenant", "one")];
    let slow = |id: u64| modern(call(id, "slow", json!({})));
    let (slow_a, slow_b) = (slow(1), slow(1));
    let (a, b) = tokio::join!(post(replica.address, one, &slow_a), post(replica.address, one, &slow_b));
    let both = [text(&a), text(&b)];
    assert_ne!(both[0], both[1]);
    let again = text(&post(replica.address, one, &modern(call(2, "pid", json!({})))).await);
    assert!(both.contains(&again), "{again} is not among {both:?}");
    let many: Vec<_> = (10..16).map(slow).collect();
    let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|at| post(replica.address, one, &many[at]));
    let (a, b, c, d, e, f) = tokio::join!(a, b, c, d, e, f);
    let processes: HashSet<String> = [a, b, c, d, e, f].iter().map(text).collect();
    assert!(processes.len() <= 4, "{processes:?}");
    let other = text(&post(replica.address, &[("x-tenant", "two")], &modern(call(3, "pid", json!({})))).await);
    assert!(!both.contains(&other));
    let got = post(replica.address, one, &modern(call(4, "list", json!({})))).await;
    assert!(text(&got).contains("toolshape://result/"), "{got:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_ends_its_process() {
    let replica = before("usual", json!({})).await;
    let process = text(&post(replica.address, &[], &modern(call(1, "pid", json!({})))).await);
    let body = modern(call(2, "never", json!({}))).to_string();
    let waits =
        tokio::time::timeout(Duration::from_millis(300), open(replica.address, "POST", "/up", ACCEPT, body)).await;
    assert!(waits.is_err());
    gone(&process).await;
    assert_ne!(text(&post(replica.address, &[], &modern(call(3, "pid", json!({})))).await), process);
}

async fn stream(replica: &Replica, headers: &[(&str, &str)]) -> Incoming {
    let response = open(replica.address, "GET", "/up", headers, String::new()).await;
    assert_eq!(response.status(), 200);
    response.into_body()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_servers_own_messages_arrive() {
    let replica = before("usual", json!({})).await;
    let id = session(&replica, &[]).await;
    let headers: &[(&str, &str)] = &[("mcp-session-id", &id)];
    let got = post(replica.address, headers, &call(2, "progress", json!({}))).await;
    assert_eq!(got.header("content-type"), "text/event-stream");
    let first = got.body.find("notifications/progress").unwrap();
    assert!(first < got.body.find("done").unwrap(), "{got:?}");
    // What comes while nobody is there waits for a stream.
    let later = json!({ "jsonrpc": "2.0", "method": "notifications/later" });
    assert_eq!(post(replica.address, headers, &later).await.status, 202);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut events = stream(&replica, headers).await;
    assert!(until(&mut events, "\n\n").await.contains("list_changed"));
    assert_eq!(post(replica.address, headers, &later).await.status, 202);
    assert!(until(&mut events, "\n\n").await.contains("list_changed"));
    // A request of the server in the middle of a call is answered by a message of its own.
    let all = [ACCEPT, headers].concat();
    let mut body = open(replica.address, "POST", "/up", &all, call(3, "ask", json!({})).to_string()).await.into_body();
    assert!(until(&mut body, "\n\n").await.contains("sampling/createMessage"));
    let answered = json!({ "jsonrpc": "2.0", "id": "ask-3", "result": { "text": "forty-two" } });
    assert_eq!(post(replica.address, headers, &answered).await.status, 202);
    assert!(until(&mut body, "\n\n").await.contains("forty-two"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_exits_has_an_error_and_is_started_again() {
    let replica = before("usual", json!({})).await;
    let id = session(&replica, &[]).await;
    let headers: &[(&str, &str)] = &[("mcp-session-id", &id)];
    let got = post(replica.address, headers, &call(2, "exit", json!({}))).await;
    assert_eq!((got.status, &answer(&got)["id"]), (200, &json!(2)));
    let message = answer(&got)["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(message, "toolshape: the server ended with exit code 7");
    assert_eq!(post(replica.address, headers, &call(3, "small", json!({}))).await.status, 404);
    session(&replica, &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_servers_have_an_answer_within_the_limits() {
    for (kind, status, wanted) in [
        ("exits", 200, "the server ended with exit code 3"),
        ("silent", 504, "firstByteSeconds"),
        ("deaf", 504, "firstByteSeconds"),
        ("garbage", 200, "serverInfo"),
        ("floods", 200, "serverInfo"),
    ] {
        let replica = before(kind, json!({ "firstByteSeconds": if wanted == "serverInfo" { 60 } else { 2 } })).await;
        let got = post(replica.address, &[], &request(1, "initialize")).await;
        assert_eq!((got.status, got.body.contains(wanted)), (status, true), "{kind}: {got:?}");
    }
    let replica = before("garbage", json!({})).await;
    let id = session(&replica, &[]).await;
    let got = post(replica.address, &[("mcp-session-id", &id)], &call(2, "list", json!({}))).await;
    assert!(text(&got).contains("toolshape://result/") && !got.body.contains("99999"), "{got:?}");
    let replica = before("long", json!({ "maxLineBytes": 65_536 })).await;
    let id = session(&replica, &[]).await;
    let headers: &[(&str, &str)] = &[("mcp-session-id", &id)];
    let got = post(replica.address, headers, &call(2, "list", json!({}))).await;
    assert!(answer(&got)["error"]["message"].as_str().unwrap().contains("maxLineBytes"), "{got:?}");
    assert_eq!(text(&post(replica.address, headers, &call(3, "small", json!({}))).await), "few words");
    // A server that does not read is not sent more than waits already.
    let replica = before("deaf", json!({})).await;
    let modern_call =
        |size: usize| modern(json!({ "jsonrpc": "2.0", "method": "x", "params": { "x": "x".repeat(size) } }));
    assert_eq!(post(replica.address, &[], &modern_call(10)).await.status, 202);
    let statuses = [
        post(replica.address, &[], &modern_call(900_000)).await,
        post(replica.address, &[], &modern_call(900_000)).await,
    ];
    assert_eq!(statuses.map(|got| got.status), [202, 503]);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_requests_are_refused() {
    let replica = before("usual", json!({ "tenantHeader": "x-tenant" })).await;
    let one: &[(&str, &str)] = &[("x-tenant", "one")];
    let id = session(&replica, one).await;
    let own: &[(&str, &str)] = &[("x-tenant", "one"), ("mcp-session-id", &id)];
    let to = replica.address;
    for (method, headers, body, status) in [
        ("POST", own, "{\"jsonrpc\":\"2.0\",\"id\":", 400),
        ("POST", own, "", 400),
        ("POST", own, "5", 400),
        ("POST", own, "[]", 400),
        ("POST", one, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", 400),
        ("GET", one, "", 400),
        ("DELETE", one, "", 400),
        ("PUT", own, "", 405),
        ("POST", &[("x-tenant", "two"), ("mcp-session-id", &id)], "{\"id\":1,\"method\":\"tools/list\"}", 404),
        ("GET", &[("x-tenant", "two"), ("mcp-session-id", &id)], "", 404),
        ("DELETE", &[("mcp-session-id", &id)], "", 404),
        ("POST", &[("x-tenant", "one"), ("mcp-session-id", "../x")], "{\"id\":1,\"method\":\"tools/list\"}", 404),
    ] {
        let got = send(to, method, "/up", &[headers, ACCEPT].concat(), body.to_owned()).await;
        assert_eq!(got.status, status, "{method} {headers:?} {body}: {got:?}");
    }
    // Line ends in a body do not make two messages of one.
    let body =
        "{\"jsonrpc\":\"2.0\",\r\n\"id\":1,\n\"method\":\"tools/call\",\n\"params\":{\"name\":\"small\"}}\n".to_owned();
    assert_eq!(text(&send(to, "POST", "/up", &[own, ACCEPT].concat(), body).await), "few words");
    let documents = send(to, "GET", "/.well-known/oauth-protected-resource/up", &[], String::new()).await;
    assert_eq!(documents.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_are_limited() {
    let replica = before("usual", json!({ "maxProcesses": 1 })).await;
    let id = session(&replica, &[]).await;
    let metrics = send(replica.address, "GET", "/metrics", &[], String::new()).await;
    assert!(metrics.body.contains("\ntoolshape_processes 1\n"), "{metrics:?}");
    let got = post(replica.address, &[], &request(2, "initialize")).await;
    assert_eq!((got.status, got.header("retry-after")), (503, "1"), "{got:?}");
    let process = pid(&replica, &[("mcp-session-id", &id)]).await;
    assert_eq!(send(replica.address, "DELETE", "/up", &[("mcp-session-id", &id)], String::new()).await.status, 200);
    gone(&process).await;
    // Its place is free once the gateway has seen its end.
    let began = Instant::now();
    while post(replica.address, &[], &request(3, "initialize")).await.status != 200 {
        assert!(began.elapsed() < Duration::from_secs(20), "its place is still taken");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_processes_end() {
    let replica = before("usual", json!({ "idleSeconds": 3 })).await;
    let id = session(&replica, &[]).await;
    let process = pid(&replica, &[("mcp-session-id", &id)]).await;
    gone(&process).await;
    assert_eq!(post(replica.address, &[("mcp-session-id", &id)], &request(3, "tools/list")).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_stream_is_not_idle() {
    let replica = before("usual", json!({ "idleSeconds": 3 })).await;
    let id = session(&replica, &[]).await;
    let headers: &[(&str, &str)] = &[("mcp-session-id", &id)];
    let process = pid(&replica, headers).await;
    let events = stream(&replica, headers).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(is_alive(&process));
    drop(events);
    gone(&process).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn draining_ends_all_processes() {
    let replica = before("usual", json!({ "drainSeconds": 1 })).await;
    let id = session(&replica, &[]).await;
    let headers: &[(&str, &str)] = &[("mcp-session-id", &id)];
    let stateless = text(&post(replica.address, &[], &modern(call(1, "pid", json!({})))).await);
    let processes = [pid(&replica, headers).await, stateless];
    let _events = stream(&replica, headers).await;
    let body = modern(call(2, "never", json!({}))).to_string();
    let _ = tokio::time::timeout(Duration::from_millis(200), open(replica.address, "POST", "/up", ACCEPT, body)).await;
    replica.gateway.drain();
    for process in processes {
        gone(&process).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_cancelled_ends_without_an_answer() {
    let replica = before("usual", json!({})).await;
    let id = session(&replica, &[]).await;
    let headers: &[(&str, &str)] = &[("mcp-session-id", &id)];
    let never = call(2, "never", json!({}));
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let params = json!({ "requestId": 2 });
        let message = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        post(replica.address, headers, &message).await
    };
    let (call, cancelled) = tokio::join!(post(replica.address, headers, &never), cancel);
    assert_eq!((call.status, &*call.body, cancelled.status), (202, "", 202), "{call:?}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn odd_servers_have_an_answer_too() {
    let ok = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let long = "head -c 300000 /dev/zero | tr '\\0' x";
    for (script, status, wanted) in [
        // It answers twice, or as another message, or another request first.
        (format!("read -r line; printf '{ok}\\n{ok}\\n'; cat >/dev/null"), 200, r#""result":{}"#),
        (format!("read -r line; printf '[{ok}]\\n'; cat >/dev/null"), 200, r#""result":{}"#),
        (format!("read -r line; printf '%s\\n' '{}'; cat >/dev/null", ok.replace('1', "\"1\"")), 200, r#""result":{}"#),
        (r#"read -r line; printf '{"id":2,"result":{}}\n'; exit 5"#.to_owned(), 200, "exit code 5"),
        (
            format!("read -r line; printf '{{\"id\":1,\"method\":\"ping\"}}\\n{ok}\\n'; cat >/dev/null"),
            200,
            r#""result":{}"#,
        ),
        // Its output ends too early.
        (r#"read -r line; printf '{"id":1,"res'; exit 0"#.to_owned(), 200, "exit code 0"),
        ("exec >&-; cat >/dev/null".to_owned(), 200, "the server's output has ended"),
        ("kill -9 $$".to_owned(), 200, "ended by signal 9"),
        // Its lines are too long, or do not end.
        (
            format!("read -r line; printf '{{\"id\":1,\"result\":\"'; {long}; printf '\"}}\\n'; cat >/dev/null"),
            200,
            "maxLineBytes",
        ),
        (format!("read -r line; printf '{{\"id\":1,\"result\":\"'; {long}; exit 0"), 200, "maxLineBytes"),
        (format!("read -r line; {long}; cat >/dev/null"), 504, "firstByteSeconds"),
        // It says much that nobody wants.
        (
            format!("yes '{{\"method\":\"x\"}}' | head -n 5000; read -r line; printf '{ok}\\n'; cat >/dev/null"),
            200,
            r#""result":{}"#,
        ),
    ] {
        let options = json!({
            "upstreams": { "up": { "command": ["sh", "-c", script] } }, "maxLineBytes": 65_536, "firstByteSeconds": 5,
        });
        let replica = before("usual", options).await;
        let got = post(replica.address, &[], &request(1, "initialize")).await;
        let shown = got.body.get(got.body.len().saturating_sub(300)..).unwrap_or_default();
        assert_eq!((got.status, got.body.contains(wanted)), (status, true), "{script}: {shown}");
        replica.gateway.drain();
    }
}

/// A server that does not end when its input does, nor when it is asked to, is ended; so is what it has started.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_stubborn_server_is_ended() {
    let script = r#"trap '' TERM; sleep 600 & while read -r line; do
        printf '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"%s"}]}}\n' "$$ $!"; done; wait"#;
    let replica = before("usual", json!({ "upstreams": { "up": { "command": ["sh", "-c", script] } } })).await;
    let got = post(replica.address, &[], &request(1, "initialize")).await;
    let (id, pids) = (got.header("mcp-session-id").to_owned(), text(&got));
    assert_eq!(send(replica.address, "DELETE", "/up", &[("mcp-session-id", &id)], String::new()).await.status, 200);
    for pid in pids.split(' ') {
        gone(pid).await;
    }
    let replica =
        before("usual", json!({ "upstreams": { "up": { "command": ["/nowhere/server", "--secret"] } } })).await;
    let got = post(replica.address, &[], &request(1, "initialize")).await;
    assert_eq!((got.status, got.body.contains("nowhere")), (502, false), "{got:?}");
}
