//! Spans that reach a collector of OpenTelemetry.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolshape_stores::MemoryStore;

use crate::world::{Answer, Replica, Server, call, gateway, post, request, usual};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// A server whose tool `fails` fails, a collector, and a gateway.
async fn traced() -> (Server, Server, Replica) {
    let server = Server::start(|seen| {
        let message = seen.json();
        let answer = |member: &str, value: Value| {
            let mut answer = json!({ "jsonrpc": "2.0", "id": message["id"] });
            answer[member] = value;
            Answer::json(&answer)
        };
        match message["params"]["name"].as_str() {
            Some("fails") => {
                // Quoted in a text it is not a member.
                answer("result", json!({ "content": [{ "type": "text", "text": "\"error\": 1" }], "isError": true }))
            }
            Some("thrown") => answer("error", json!({ "code": -32000, "message": "no" })),
            Some("down") => Answer::of(503, "text/plain", "no"),
            _ if message["method"] == "tools/list" => {
                let tools = ["fails", "thrown", "quoted"].map(|name| json!({ "name": name, "inputSchema": {} }));
                answer("result", json!({ "tools": tools }))
            }
            Some("quoted") => answer("result", json!({ "content": [], "structuredContent": { "isError": true } })),
            _ => usual(seen),
        }
    })
    .await;
    let collector = Server::start(|_| Answer::json(&json!({}))).await;
    let options = json!({ "traces": format!("http://{}", collector.address) });
    let replica = gateway(server.address, options, Some(Arc::new(MemoryStore::new()))).await;
    (server, collector, replica)
}

/// The spans of the collector, once it has this number.
async fn spans(collector: &Server, count: usize) -> Vec<Value> {
    for _ in 0..100 {
        let seen = collector.seen.lock().unwrap().clone();
        let of_request = |body: &Value| body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone();
        let found: Vec<Value> = seen.iter().flat_map(|seen| of_request(&seen.json())).collect();
        if found.len() >= count {
            assert!(
                seen.iter().all(|seen| seen.path == "/v1/traces" && seen.header("content-type") == "application/json")
            );
            return found;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the collector has too few spans: {:?}", collector.seen.lock().unwrap());
}

/// A span's attribute, whatever its type.
fn attribute(span: &Value, name: &str) -> Value {
    let all = span["attributes"].as_array().unwrap();
    let found = all.iter().find(|one| one["key"] == name).map(|one| one["value"].as_object().unwrap());
    found.map_or(Value::Null, |value| value.values().next().unwrap().clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_a_span_in_the_trace_of_its_client() {
    let (server, collector, replica) = traced().await;
    let parent = format!("00-{TRACE}-{PARENT}-01");
    let headers = [("traceparent", &*parent), ("mcp-session-id", "session-1")];
    post(replica.address, &headers, &call(1, "list", json!({}))).await;
    let span = &spans(&collector, 1).await[0];
    assert_eq!(span["name"], "tools/call list");
    assert_eq!([&span["traceId"], &span["parentSpanId"], &span["kind"]], [&json!(TRACE), &json!(PARENT), &json!(2)]);
    for (name, value) in [
        ("mcp.method.name", json!("tools/call")),
        ("gen_ai.operation.name", json!("execute_tool")),
        ("gen_ai.tool.name", json!("list")),
        ("mcp.session.id", json!("session-1")),
        ("http.response.status_code", json!("200")),
        ("toolshape.upstream", json!("up")),
        ("toolshape.shaped", json!(true)),
        ("error.type", Value::Null),
    ] {
        assert_eq!(attribute(span, name), value, "{name}");
    }
    let tokens = |name: &str| attribute(span, name).as_str().unwrap().parse::<u64>().unwrap();
    assert!(tokens("toolshape.tokens.before") > 1000 && tokens("toolshape.tokens.after") <= 500);
    let time = |name: &str| span[name].as_str().unwrap().parse::<u128>().unwrap();
    assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"));
    // What the server does is within the span.
    assert_eq!(server.last().header("traceparent"), format!("00-{TRACE}-{}-01", span["spanId"].as_str().unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_context_of_a_message_counts_without_a_header() {
    let (_server, collector, replica) = traced().await;
    let mut asked = call(1, "small", json!({}));
    asked["params"]["_meta"] = json!({ "traceparent": format!("00-{TRACE}-{PARENT}-01") });
    post(replica.address, &[], &asked).await;
    asked["params"]["_meta"] = json!({ "traceparent": format!("00-{TRACE}-{PARENT}-00") });
    post(replica.address, &[], &asked).await;
    post(replica.address, &[], &request(2, "ping")).await;
    let spans = spans(&collector, 2).await;
    assert_eq!((spans.len(), &spans[0]["traceId"], &spans[0]["parentSpanId"]), (2, &json!(TRACE), &json!(PARENT)));
    // A request without a context begins a trace; one whose trace is not recorded has no span.
    assert_eq!((&spans[1]["name"], &spans[1]["parentSpanId"]), (&json!("ping"), &Value::Null));
    assert_eq!(spans[1]["traceId"].as_str().unwrap().len(), 32);
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_have_a_type_and_are_counted() {
    let (_server, collector, replica) = traced().await;
    post(replica.address, &[], &request(0, "tools/list")).await;
    for (id, tool) in [(1, "fails"), (2, "thrown"), (3, "quoted"), (4, "small")] {
        post(replica.address, &[], &call(id, tool, json!({}))).await;
    }
    let found = spans(&collector, 5).await.split_off(1);
    let types: Vec<_> =
        found.iter().map(|span| (attribute(span, "error.type"), span["status"]["code"].clone())).collect();
    let fails = |kind: &str| (json!(kind), json!(2));
    assert_eq!(types[..2], [fails("tool_error"), fails("-32000")]);
    assert_eq!(types[2..], [(Value::Null, Value::Null), (Value::Null, Value::Null)]);
    let metrics = crate::world::send(replica.address, "GET", "/metrics", &[], String::new()).await.body;
    for (tool, errors) in [("fails", 1), ("thrown", 1), ("quoted", 0)] {
        assert!(metrics.contains(&format!("toolshape_errors_total{{upstream=\"up\",tool=\"{tool}\"}} {errors}\n")));
    }
    assert!(metrics.contains("\ntoolshape_calls_in_flight 0\n") && metrics.contains("\nprocess_cpu_seconds_total "));
    post(replica.address, &[], &call(5, "down", json!({}))).await;
    let last = spans(&collector, 6).await.pop().unwrap();
    assert_eq!(attribute(&last, "error.type"), json!("503"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_spans_are_sent_when_the_gateway_drains() {
    let (_server, collector, mut replica) = traced().await;
    post(replica.address, &[], &call(1, "small", json!({}))).await;
    replica.gateway.drain();
    (&mut replica.task).await.unwrap();
    assert_eq!(collector.seen.lock().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn spans_that_nobody_takes_are_counted() {
    let server = Server::usual().await;
    let collector = Server::start(|_| Answer::of(503, "text/plain", "no")).await;
    let options = json!({ "traces": format!("http://{}/other", collector.address) });
    let mut replica = gateway(server.address, options, None).await;
    let got = post(replica.address, &[], &call(1, "small", json!({}))).await;
    assert_eq!(got.status, 200);
    replica.gateway.drain();
    (&mut replica.task).await.unwrap();
    assert_eq!(collector.last().path, "/other");
    assert!(replica.gateway.metrics().contains("\ntoolshape_dropped_spans_total 1\n"));
}
