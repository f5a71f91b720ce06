//! Streams of events, and bodies that trailers end.

use std::sync::Arc;

use hyper::body::Bytes;
use serde_json::json;
use toolshape_stores::MemoryStore;

use crate::envoy::{Envoy, Http, Modes, processor, usual};
use crate::messages::{Answer, BodySendMode, HttpBody};
use crate::world::{call, rows, text};

const PROGRESS: &str = ": hello\r\n\r\nid: 1\r\ndata: {\"jsonrpc\": \"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":1}}\r\n\r\n";

fn events() -> Http {
    Http::new(&[(":status", "200"), ("content-type", "text/event-stream")], "")
}

fn part(body: &str) -> HttpBody {
    HttpBody { body: Bytes::copy_from_slice(body.as_bytes()), end_of_stream: false }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_come_as_they_are_and_results_are_shaped() {
    let replica = processor(json!({}), Some(Arc::new(MemoryStore::new()))).await;
    let envoy = Envoy::connect(replica.address).await;
    let result =
        format!("id: 2\nevent: message\ndata: {}\n\n", json!({ "jsonrpc": "2.0", "id": 1, "result": rows("row") }));
    for modes in [Modes::STREAMED, Modes { says: false, ..Modes::STREAMED }, Modes::RECOMMENDED] {
        let is_duplex = modes.response == BodySendMode::FullDuplexStreamed;
        let mut stream = envoy.stream(modes, &[]).await;
        stream.pass(Http::post(&[], &call(1, "list", json!({}))), true).await.unwrap();
        let mut answer = stream.headers(Http { body: "x".into(), ..events() }, false).await.unwrap();
        let mut got = stream.part(&mut answer, part(PROGRESS), false, modes.response).await.unwrap();
        if is_duplex {
            got = stream.streamed_part(false).await.unwrap().body.to_vec();
        }
        // The result has not been sent yet.
        assert_eq!(String::from_utf8(got).unwrap(), PROGRESS, "{modes:?}");
        let mut got = Vec::new();
        for piece in result.as_bytes().chunks(900) {
            let piece = std::str::from_utf8(piece).unwrap();
            got.extend(stream.part(&mut answer, part(piece), false, modes.response).await.unwrap());
        }
        if is_duplex {
            got = stream.streamed_part(false).await.unwrap().body.to_vec();
        }
        let got = String::from_utf8(got).unwrap();
        let data = got.strip_prefix("id: 2\nevent: message\ndata: ").unwrap_or_else(|| panic!("{got}")).trim_end();
        assert!(text(&serde_json::from_str(data).unwrap()).contains("toolshape://result/"), "{got}");
        let end = HttpBody { body: Bytes::new(), end_of_stream: true };
        assert!(stream.part(&mut answer, end, false, modes.response).await.unwrap().is_empty());
        assert!(stream.ends().await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trailers_end_bodies() {
    let replica = processor(json!({}), Some(Arc::new(MemoryStore::new()))).await;
    let envoy = Envoy::connect(replica.address).await;
    let asked = Http::post(&[], &call(1, "list", json!({})));
    let mut stream = envoy.stream(Modes::DUPLEX, &[]).await;
    stream.headers(asked.clone(), true).await.unwrap();
    let mut message = asked.clone();
    stream.part(&mut message, part(&asked.text()), true, BodySendMode::FullDuplexStreamed).await.unwrap();
    stream.trailers(true);
    let sent = stream.streamed_part(true).await.unwrap();
    assert_eq!((sent.body, sent.end_of_stream), (asked.body.clone(), false));
    assert!(matches!(stream.hear().await, Some(Answer::RequestTrailers(_))));
    let answer = usual(&asked);
    let mut message = stream.headers(answer.clone(), false).await.unwrap();
    stream.part(&mut message, part(&answer.text()), false, BodySendMode::FullDuplexStreamed).await.unwrap();
    stream.trailers(false);
    let sent = stream.streamed_part(false).await.unwrap();
    assert!(!sent.end_of_stream && sent.body.len() < 4000, "{sent:?}");
    assert!(matches!(stream.hear().await, Some(Answer::ResponseTrailers(_))));
    assert!(stream.ends().await);
}

/// Envoy does not mark the only part of a body as its end if trailers follow.
#[tokio::test(flavor = "multi_thread")]
async fn buffered_bodies_are_whole_before_trailers() {
    let replica = processor(json!({}), Some(Arc::new(MemoryStore::new()))).await;
    let envoy = Envoy::connect(replica.address).await;
    let asked = Http::post(&[], &call(1, "list", json!({ "page": 1 })));
    let mut stream = envoy.stream(Modes::BUFFERED, &[]).await;
    let mut message = stream.headers(asked.clone(), true).await.unwrap();
    let sent = stream.part(&mut message, part(&asked.text()), true, BodySendMode::Buffered).await.unwrap();
    assert_eq!(message.header("content-length"), sent.len().to_string());
    stream.trailers(true);
    assert!(matches!(stream.hear().await, Some(Answer::RequestTrailers(_))));
    let answer = usual(&asked);
    let mut message = stream.headers(answer.clone(), false).await.unwrap();
    let sent = stream.part(&mut message, part(&answer.text()), false, BodySendMode::Buffered).await.unwrap();
    assert!(message.header("content-length") == sent.len().to_string() && sent.len() < 4000);
    stream.trailers(false);
    assert!(matches!(stream.hear().await, Some(Answer::ResponseTrailers(_))));
}

/// In parts that each have one response nothing can follow the last part, so that the exchange fails instead of losing it.
#[tokio::test(flavor = "multi_thread")]
async fn streamed_bodies_are_not_lost_before_trailers() {
    let replica = processor(json!({}), Some(Arc::new(MemoryStore::new()))).await;
    let envoy = Envoy::connect(replica.address).await;
    let asked = Http::post(&[], &call(1, "list", json!({})));
    let mut stream = envoy.stream(Modes::STREAMED, &[]).await;
    let mut message = stream.headers(asked.clone(), true).await.unwrap();
    assert!(stream.part(&mut message, part(&asked.text()), true, BodySendMode::Streamed).await.unwrap().is_empty());
    stream.trailers(true);
    assert!(
        matches!(stream.hear().await, Some(Answer::Immediate(response)) if response.status.as_ref().unwrap().code == 501)
    );
    let mut stream = envoy.stream(Modes::STREAMED, &[]).await;
    stream.pass(asked.clone(), true).await.unwrap();
    let answer = usual(&asked);
    let mut message = stream.headers(answer.clone(), false).await.unwrap();
    assert!(stream.part(&mut message, part(&answer.text()), false, BodySendMode::Streamed).await.unwrap().is_empty());
    stream.trailers(false);
    assert_eq!((stream.hear().await, stream.status.as_deref()), (None, Some("9")));
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_of_the_server_end_when_the_processor_drains() {
    let replica = processor(json!({}), Some(Arc::new(MemoryStore::new()))).await;
    let envoy = Envoy::connect(replica.address).await;
    let mut stream = envoy.stream(Modes::RECOMMENDED, &[]).await;
    stream.pass(Http::new(&[(":method", "GET"), (":path", "/up")], ""), true).await.unwrap();
    let mut answer = stream.headers(Http { body: "x".into(), ..events() }, false).await.unwrap();
    stream.part(&mut answer, part(PROGRESS), false, BodySendMode::FullDuplexStreamed).await.unwrap();
    assert_eq!(stream.streamed_part(false).await.unwrap().body, PROGRESS);
    replica.gateway.drain();
    assert_eq!((stream.hear().await, stream.status.as_deref()), (None, Some("14")));
}
