//! What goes wrong on the side of Envoy, of the server and of the client.

use std::sync::Arc;

use hyper::body::Bytes;
use prost::Message;
use serde_json::{Value, json};
use toolshape_stores::MemoryStore;

use crate::envoy::{Envoy, Http, Modes, processor, usual};
use crate::messages::{Answer, BodySendMode, HeaderField, HeaderList, HttpBody, HttpHeaders, Phase, ProcessingRequest};
use crate::world::{Replica, call, rows, send};

async fn usual_processor(options: Value) -> (Replica, Envoy) {
    let replica = processor(options, Some(Arc::new(MemoryStore::new()))).await;
    let envoy = Envoy::connect(replica.address).await;
    (replica, envoy)
}

async fn open_requests(replica: &Replica) -> String {
    let metrics = send(replica.address, "GET", "/metrics", &[], String::new()).await.body;
    metrics.lines().find(|line| line.starts_with("toolshape_open_requests ")).unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_ends_early_leaves_nothing_open() {
    let (replica, envoy) = usual_processor(json!({})).await;
    let asked = Http::post(&[], &call(1, "list", json!({})));
    let mut at_headers = envoy.stream(Modes::BUFFERED, &[]).await;
    at_headers.headers(asked.clone(), true).await.unwrap();
    let mut at_answer = envoy.stream(Modes::BUFFERED, &[]).await;
    at_answer.pass(asked.clone(), true).await.unwrap();
    assert_eq!(open_requests(&replica).await, "toolshape_open_requests 2");
    drop(at_headers);
    assert!(at_answer.ends().await);
    for _ in 0..100 {
        if open_requests(&replica).await == "toolshape_open_requests 0" {
            let done = envoy.exchange(Modes::BUFFERED, asked, usual).await;
            assert!(done.client.result().contains("toolshape://result/"));
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("{}", open_requests(&replica).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_of_unknown_kinds_end_the_stream_with_an_error() {
    let (_replica, envoy) = usual_processor(json!({})).await;
    // Nothing; a field of a later version; bytes that are not a message; headers that are a number.
    for (bytes, statuses) in [
        (&b""[..], ["12", "12"]),
        (b"\xa2\x06\x00", ["12", "12"]),
        (b"\xff\xff\xff", ["13", "3"]),
        (b"\x10\x01", ["13", "3"]),
    ] {
        let mut stream = envoy.stream(Modes::BUFFERED, &[]).await;
        stream.send(Bytes::from_static(bytes));
        assert!(stream.hear().await.is_none(), "{bytes:?}");
        let status = stream.status.unwrap();
        assert!(statuses.contains(&&*status), "{bytes:?} {status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn phases_in_another_order_pass() {
    let (_replica, envoy) = usual_processor(json!({})).await;
    let result = Http::json(&rows("row"));
    let part = || HttpBody { body: result.body.clone(), end_of_stream: true };
    let mut stream = envoy.stream(Modes::BUFFERED, &[]).await;
    for (phase, is_request) in
        [(Phase::ResponseBody(part()), false), (Phase::RequestBody(part()), true), (Phase::ResponseBody(part()), false)]
    {
        stream.say(phase);
        let ((Some(Answer::RequestBody(answer)), true) | (Some(Answer::ResponseBody(answer)), false)) =
            (stream.hear().await, is_request)
        else {
            panic!("another kind of answer");
        };
        assert_eq!(answer.response.unwrap().body_mutation, None);
    }
    stream.trailers(false);
    assert!(matches!(stream.hear().await, Some(Answer::ResponseTrailers(_))));
    stream.headers(result.clone(), false).await.unwrap();
    assert!(stream.ends().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_headers_are_no_obstacle() {
    let (_replica, envoy) = usual_processor(json!({})).await;
    let mut stream = envoy.stream(Modes::BUFFERED, &[]).await;
    let field =
        |key: &str, raw: &[u8]| HeaderField { key: key.to_owned(), value: String::new(), raw_value: raw.to_vec() };
    let headers = vec![
        field(":method", b"POST"),
        field(":path", b"/up\xff"),
        field("", b"x"),
        field("a b", b"x"),
        field("x", b"\x00\xff"),
        HeaderField { key: "content-type".into(), value: "application/json".into(), raw_value: Vec::new() },
    ];
    stream.say(Phase::RequestHeaders(HttpHeaders { headers: Some(HeaderList { headers }), end_of_stream: false }));
    assert!(matches!(stream.hear().await, Some(Answer::RequestHeaders(_))));
    stream.say(Phase::RequestHeaders(HttpHeaders { headers: None, end_of_stream: true }));
    assert!(matches!(stream.hear().await, Some(Answer::RequestHeaders(_))));
    assert!(stream.ends().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_have_limits() {
    let (_replica, envoy) = usual_processor(json!({ "maxRequestBytes": 10_000, "maxLineBytes": 100_000 })).await;
    for modes in Modes::ALL.into_iter().filter(|modes| modes.part > 7) {
        let long = Http::post(&[], &call(1, "list", json!({ "word": "x".repeat(20_000) })));
        let done = envoy.exchange(modes, long, usual).await;
        assert_eq!((done.server, done.client.header(":status")), (None, "413"), "{modes:?}");
        assert!(done.client.text().contains("maxRequestBytes"));
        let asked = Http::post(&[], &call(1, "list", json!({})));
        let result = |size: usize| json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": [{ "type": "text", "text": "word ".repeat(size) }] } });
        let done = envoy.exchange(modes, asked.clone(), |_| Http::json(&result(60_000))).await;
        let answer: Value = serde_json::from_slice(&done.client.body).unwrap();
        assert!(answer["id"] == 1 && done.client.body.len() < 2000, "{modes:?} {answer}");
        let done = envoy.exchange(modes, asked, |_| Http::json(&result(15_000))).await;
        assert!(done.client.result().contains("toolshape://result/"), "{modes:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_of_megabytes_is_shaped() {
    let (_replica, envoy) = usual_processor(json!({})).await;
    let rows: Vec<Value> = (0..100_000).map(|row| json!({ "id": row, "name": format!("name of row {row}") })).collect();
    let text = json!({ "content": [{ "type": "text", "text": Value::Array(rows).to_string() }] });
    let answer = Http::json(&json!({ "jsonrpc": "2.0", "id": 1, "result": text }));
    assert!(answer.body.len() > 4_000_000);
    for modes in [Modes::BUFFERED, Modes { part: 1 << 16, ..Modes::DUPLEX }] {
        let done = envoy.exchange(modes, Http::post(&[], &call(1, "list", json!({}))), |_| answer.clone()).await;
        assert!(done.client.result().contains("toolshape://result/"), "{modes:?}");
        // One that is the server's own passes, in parts that Envoy takes.
        let page = Http::answer("200", "text/html", answer.body.clone());
        let done =
            envoy.exchange(modes, Http::new(&[(":method", "GET"), (":path", "/up")], ""), |_| page.clone()).await;
        assert_eq!(done.client.body, page.body, "{modes:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn compressed_answers_are_refused() {
    let (_replica, envoy) = usual_processor(json!({})).await;
    let packed =
        Http::new(&[(":status", "200"), ("content-type", "application/json"), ("content-encoding", "gzip")], "\x1f");
    let done = envoy.exchange(Modes::RECOMMENDED, Http::post(&[], &call(7, "list", json!({}))), |_| packed).await;
    let error: Value = serde_json::from_slice(&done.client.body).unwrap();
    assert_eq!((done.client.header(":status"), &error["id"]), ("502", &json!(7)), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_requests_are_refused() {
    let (_replica, envoy) = usual_processor(json!({ "maxConcurrent": 4 })).await;
    let asked = Http::post(&[], &call(1, "list", json!({})));
    let mut open = envoy.stream(Modes::BUFFERED, &[]).await;
    open.pass(asked.clone(), true).await.unwrap();
    let other = Envoy::connect(_replica.address).await;
    let mut another = other.stream(Modes::BUFFERED, &[]).await;
    another.pass(asked.clone(), true).await.unwrap();
    let third = Envoy::connect(_replica.address).await;
    let done = third.exchange(Modes::BUFFERED, asked, usual).await.client;
    assert_eq!((done.header(":status"), done.header("retry-after")), ("503", "1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_observer_gets_no_responses() {
    let (_replica, envoy) = usual_processor(json!({})).await;
    let stream = envoy.stream(Modes::STREAMED, &[]).await;
    let headers = Phase::RequestHeaders(HttpHeaders { headers: None, end_of_stream: false });
    let message = ProcessingRequest { request: Some(headers), observability_mode: true, protocol_config: None };
    stream.send(message.encode_to_vec().into());
    assert!(stream.ends().await);
}

/// What does not fit into Envoy's buffer comes in part: it passes.
#[tokio::test(flavor = "multi_thread")]
async fn parts_of_bodies_pass() {
    let (_replica, envoy) = usual_processor(json!({})).await;
    let mode = BodySendMode::BufferedPartial;
    let modes = Modes { request: mode, response: mode, ..Modes::BUFFERED };
    let asked = Http::post(&[], &call(1, "list", json!({ "page": 1 })));
    let mut stream = envoy.stream(modes, &[]).await;
    let mut message = stream.headers(asked.clone(), true).await.unwrap();
    let half = HttpBody { body: asked.body.slice(..20), end_of_stream: false };
    assert_eq!(stream.part(&mut message, half, true, BodySendMode::Streamed).await.unwrap(), asked.body[..20]);
    let answer = usual(&asked);
    let mut message = stream.headers(answer.clone(), false).await.unwrap();
    let half = HttpBody { body: answer.body.slice(..2000), end_of_stream: false };
    assert_eq!(stream.part(&mut message, half, false, BodySendMode::Streamed).await.unwrap(), answer.body[..2000]);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_no_proxy() {
    let (replica, _envoy) = usual_processor(json!({})).await;
    assert_eq!(send(replica.address, "GET", "/healthz", &[], String::new()).await.body, "ok\n");
    assert_eq!(send(replica.address, "POST", "/up", &[], "{}".to_owned()).await.status, 404);
}
