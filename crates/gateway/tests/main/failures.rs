//! What fails: stores, servers, clients that send too much, a process that ends.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use toolshape::{Error, ErrorCode};
use toolshape_stores::{MemoryStore, Store};

use crate::world::{Answer, Server, call, gateway, open, post, request, rows, send, until};

/// A store that is down.
struct Down;

impl Store for Down {
    fn read(&self, _: &str) -> Result<Option<String>, Error> {
        Err(Error::new(ErrorCode::StoreFailed, "connection refused".to_owned(), ""))
    }

    fn write(&self, _: &str, _: String, _: Duration, _: Option<&str>) -> Result<(), Error> {
        self.read("").map(|_| ())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_store_results_are_shaped_and_say_so() {
    let server = Server::usual().await;
    let replica = gateway(server.address, json!({}), Some(Arc::new(Down))).await;
    let headers = [("mcp-session-id", "s")];
    let listed = post(replica.address, &headers, &request(1, "tools/list")).await;
    assert!(listed.body.contains("read_result"));
    let got = post(replica.address, &headers, &call(2, "list", json!({}))).await;
    assert!(got.body.len() < 4000 && got.text().contains("\"storeFailed\":\"connection refused\""), "{got:?}");
    let read = post(replica.address, &headers, &call(3, "read_result", json!({ "handle": "aaaaaaaaaaaaaaaa" }))).await;
    assert!(read.text().contains("STORE_FAILED"), "{read:?}");
    let metrics = send(replica.address, "GET", "/metrics", &[], String::new()).await;
    assert!(!metrics.body.contains("toolshape_store_failures_total 0"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_fails_has_an_error_of_its_own() {
    let gone: SocketAddr = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let replica = gateway(gone, json!({}), None).await;
    let got = post(replica.address, &[], &call(5, "list", json!({}))).await;
    assert_eq!((got.status, &got.json()["id"]), (502, &json!(5)));
    assert!(!got.body.contains(&gone.to_string()));
    let silent = Server::start(|_| Answer { wait: Duration::from_secs(60), ..Answer::of(200, "text/plain", "") }).await;
    let replica = gateway(silent.address, json!({ "firstByteSeconds": 1 }), None).await;
    let got = post(replica.address, &[], &call(6, "list", json!({}))).await;
    assert_eq!((got.status, &got.json()["id"]), (504, &json!(6)));
    let stopping = Server::start(|_| {
        let (to, mut answer) = Answer::events();
        answer.headers[0].1 = "application/json".to_owned();
        to.send(Ok("{\"jsonrpc\":".into())).unwrap();
        // The body never ends.
        std::mem::forget(to);
        answer
    })
    .await;
    let replica = gateway(stopping.address, json!({ "firstByteSeconds": 1 }), None).await;
    assert_eq!(post(replica.address, &[], &call(7, "list", json!({}))).await.status, 504);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_cannot_be_read_is_an_error() {
    for (kind, encoding, body) in [
        ("application/json", "gzip", "\u{1f}…"),
        ("text/event-stream", "br", "data: x\n\n"),
        ("application/json", "identity", "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{\"content\":[]}}"),
        ("application/json", "identity", "not json"),
        ("application/json", "identity", "{\"jsonrpc\":"),
    ] {
        let server = Server::start(move |_| Answer::of(200, kind, body).with("content-encoding", encoding)).await;
        let replica = gateway(server.address, json!({}), None).await;
        let got = post(replica.address, &[], &call(1, "list", json!({}))).await;
        let error = got.json();
        assert_eq!(
            (&error["id"], error["error"]["code"].as_i64()),
            (&json!(1), Some(-32603)),
            "{kind} {encoding} {body}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_long_is_an_error() {
    let long = json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": [{ "type": "text", "text": "x".repeat(200_000) }] } });
    for is_stream in [false, true] {
        let text = if is_stream { format!("id: 1\ndata: {long}\n\ndata: {{}}\n\n") } else { long.to_string() };
        let kind = if is_stream { "text/event-stream" } else { "application/json" };
        let server = Server::start(move |_| Answer::of(200, kind, text.clone())).await;
        let replica = gateway(server.address, json!({ "maxLineBytes": 65_536 }), None).await;
        let got = post(replica.address, &[], &call(1, "list", json!({}))).await;
        assert!(got.body.len() < 1000 && got.body.contains("maxLineBytes") && got.body.contains("\"id\":1"), "{got:?}");
    }
    let server = Server::usual().await;
    let replica = gateway(server.address, json!({ "maxRequestBytes": 1024 }), None).await;
    let got = post(replica.address, &[], &call(1, "list", json!({ "word": "x".repeat(2000) }))).await;
    assert_eq!(got.status, 413);
    assert!(server.seen.lock().unwrap().is_empty());
}

/// A server would close it while a request is on its way.
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_waited_as_long_as_servers_keep_one_is_not_used_again() {
    let server = Server::usual().await;
    let replica = gateway(server.address, json!({}), None).await;
    for wait in [0, 0, 5] {
        tokio::time::sleep(Duration::from_secs(wait)).await;
        assert_eq!(post(replica.address, &[], &call(1, "small", json!({}))).await.status, 200);
    }
    assert_eq!(server.connections.load(Ordering::Relaxed), 2);
}

/// A server that answers the first request of its first connection. It closes this one when the second is there, which it has read
/// or not; another one it answers.
fn closing(reads: bool) -> (SocketAddr, Arc<AtomicUsize>) {
    let (listener, read) = (TcpListener::bind("127.0.0.1:0").unwrap(), Arc::new(AtomicUsize::new(0)));
    let (address, counted) = (listener.local_addr().unwrap(), Arc::clone(&read));
    std::thread::spawn(move || {
        let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": [] } }).to_string();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}", answer.len());
        let mut request = [0; 65_536];
        for nth in 0.. {
            let mut connection = listener.accept().unwrap().0;
            let next = |connection: &mut TcpStream, request: &mut [u8]| {
                assert!(connection.read(request).unwrap() > 0);
                counted.fetch_add(1, Ordering::Relaxed);
            };
            next(&mut connection, &mut request);
            connection.write_all(format!("{head}\r\n\r\n{answer}").as_bytes()).unwrap();
            if nth == 0 && reads {
                next(&mut connection, &mut request);
            } else if nth == 0 {
                connection.peek(&mut request).unwrap();
            }
        }
    });
    (address, read)
}

/// A tool may run twice if a request is sent twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_sent_again_if_the_server_closed_the_connection_without_reading_it() {
    for (reads, wanted) in [(false, 200), (true, 502)] {
        let (server, read) = closing(reads);
        let replica = gateway(server, json!({}), None).await;
        for status in [200, wanted] {
            assert_eq!(post(replica.address, &[], &call(1, "small", json!({}))).await.status, status, "{reads}");
        }
        assert_eq!(read.load(Ordering::Relaxed), 2, "{reads}");
    }
}

/// Its client has what it reads next to nothing of: it would hold a request for ever.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_reads_nothing_is_left() {
    let (server, streams) = Server::streaming().await;
    let replica = gateway(server.address, json!({ "silentSeconds": 1 }), None).await;
    let asked = call(1, "list", json!({})).to_string();
    let head = format!("POST /up HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", asked.len());
    let mut deaf = TcpStream::connect(replica.address).unwrap();
    deaf.write_all(format!("{head}{asked}").as_bytes()).unwrap();
    while streams.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let stream = streams.lock().unwrap()[0].clone();
    let comment = format!(":{}\n\n", "x".repeat(100_000));
    while !stream.is_closed() {
        // More than the buffers of the connections hold.
        let _ = stream.send(Ok(comment.clone().into()));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Its client would wait for ever, unless it can resume the stream.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_breaks_off_ends_with_errors_unless_it_is_resumed() {
    const PROGRESS: &str = "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n";
    for (id, is_broken) in [("", true), ("", false), ("id: 7\n", true), ("id: 7\n", false)] {
        let server = Server::start(move |_| {
            let (to, answer) = Answer::events();
            to.send(Ok(format!("{id}{PROGRESS}data: {{\"half").into())).unwrap();
            if is_broken {
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(300)).await;
                    to.send(Err(std::io::Error::other("broken"))).unwrap();
                });
            }
            answer
        })
        .await;
        let replica = gateway(server.address, json!({}), None).await;
        let asked = call(1, "list", json!({})).to_string();
        let mut body = open(replica.address, "POST", "/up", &[], asked).await.into_body();
        assert_eq!(until(&mut body, "\n\n").await, format!("{id}{PROGRESS}"));
        if id.is_empty() {
            let end = until(&mut body, "\n\n").await;
            assert!(end.contains("\"id\":1,\"error\"") && end.contains("broke off"), "{end}");
        }
        let end = http_body_util::BodyExt::frame(&mut body).await;
        assert_eq!(matches!(end, Some(Err(_))), is_broken && !id.is_empty(), "{end:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn more_requests_than_allowed_wait_for_nothing() {
    let busy = Server::start(|_| Answer { wait: Duration::from_secs(60), ..Answer::json(&rows("row")) }).await;
    let replica = gateway(busy.address, json!({ "maxConcurrent": 4 }), None).await;
    let waiting: Vec<_> = (0..2)
        .map(|id| {
            let address = replica.address;
            tokio::spawn(async move { post(address, &[], &call(id, "list", json!({}))).await })
        })
        .collect();
    while busy.seen.lock().unwrap().len() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let got = post(replica.address, &[], &call(3, "list", json!({}))).await;
    assert_eq!((got.status, got.header("retry-after")), (503, "1"));
    waiting.iter().for_each(tokio::task::JoinHandle::abort);
    // Clients that have gone make room.
    let mut tries = 0..500;
    while !send(replica.address, "GET", "/metrics", &[], String::new()).await.body.contains("open_requests 0\n") {
        assert!(tries.next().is_some());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn draining_answers_what_is_open() {
    let server = Server::start(|seen| match seen.json()["method"].as_str() {
        None | Some("subscriptions/listen") => {
            let (to, answer) = Answer::events();
            to.send(Ok(": open\n\n".into())).unwrap();
            std::mem::forget(to);
            answer
        }
        _ => {
            let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": rows("row") });
            Answer { wait: Duration::from_millis(500), ..Answer::json(&answer) }
        }
    })
    .await;
    let options = json!({ "drainDelaySeconds": 1 });
    let mut replica = gateway(server.address, options, Some(Arc::new(MemoryStore::new()))).await;
    let listen = json!({ "jsonrpc": "2.0", "id": 9, "method": "subscriptions/listen", "params": {} }).to_string();
    let mut streams = Vec::new();
    for (method, message) in [("GET", String::new()), ("POST", listen)] {
        streams.push(open(replica.address, method, "/up", &[], message).await.into_body());
        until(streams.last_mut().unwrap(), "\n\n").await;
    }
    let address = replica.address;
    let open = tokio::spawn(async move { post(address, &[], &call(1, "list", json!({}))).await });
    while server.calls() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let leaving = Arc::clone(&replica.gateway);
    let leaving = tokio::spawn(async move { leaving.leave().await });
    // Requests are taken for a while, and say that there will be no more on their connection.
    let checked = loop {
        let checked = send(address, "GET", "/readyz", &[], String::new()).await;
        if checked.status == 503 {
            break checked;
        }
    };
    assert_eq!(checked.headers["connection"].to_str().unwrap(), "close");
    assert_eq!(send(address, "GET", "/metrics", &[], String::new()).await.status, 200);
    leaving.await.unwrap();
    replica.gateway.drain();
    for stream in &mut streams {
        assert!(http_body_util::BodyExt::frame(stream).await.is_none());
    }
    assert_eq!(open.await.unwrap().status, 200);
    (&mut replica.task).await.unwrap();
    assert!(TcpStream::connect(address).is_err());
}

/// Bytes on a connection, and what comes back until it closes.
fn raw(to: SocketAddr, bytes: &[u8]) -> String {
    let mut connection = TcpStream::connect(to).unwrap();
    connection.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    connection.write_all(bytes).unwrap();
    let mut text = Vec::new();
    let _ = connection.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_requests_are_refused_or_reach_the_server_as_one() {
    let server = Server::usual().await;
    let options = json!({ "headSeconds": 1, "requestSeconds": 1, "maxRequestBytes": 4096 });
    let replica = gateway(server.address, options, Some(Arc::new(MemoryStore::new()))).await;
    let to = replica.address;
    let post = |headers: &str, body: &str| {
        format!("POST /up HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n\r\n{body}")
    };
    let many: String = (0..200).map(|header| format!("X-{header}: 1\r\n")).collect();
    let deep = "[".repeat(4000);
    let inside = "POST /up HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
    let requests: Vec<(String, &[&str])> = vec![
        ("GARBAGE\r\n\r\n".into(), &["400"]),
        ("GET /up HTTP/9.9\r\n\r\n".into(), &["400"]),
        ("POST /up HTTP/1.1\r\nHost: localhost\r\nContent-Le".into(), &[""]),
        (String::new(), &[""]),
        ("\u{16}\u{3}\u{1}\u{2}".repeat(20), &["400"]),
        ("GET  /up HTTP/1.1\r\nHost: localhost\r\n\r\n".into(), &["400"]),
        (post("Content-Length: 5\r\nContent-Length: 6", "hello!"), &["400"]),
        (post("Content-Length: -1", ""), &["400"]),
        (post("Content-Length: 1e3", "{}"), &["400"]),
        (post("Content-Length: 99999999999999999999999", ""), &["400"]),
        (post("Content-Length: 999999999", ""), &["413"]),
        (post("Transfer-Encoding: chunked", "zz\r\n{}\r\n0\r\n\r\n"), &["400"]),
        (post("Transfer-Encoding: chunked", "ffffffffffffffff\r\n{}"), &["400", "408"]),
        (post("Transfer-Encoding: gzip", ""), &["400"]),
        (post("Transfer-Encoding: chunked\r\nContent-Length: 4", &format!("0\r\n\r\n{inside}")), &["400", "202"]),
        (post("Transfer-Encoding : chunked", &format!("0\r\n\r\n{inside}")), &["400"]),
        (post("Content-Length: 10", "{}"), &["408"]),
        (post("Transfer-Encoding: chunked", "2\r\n{}\r\n"), &["408"]),
        (post(&format!("{many}Content-Length: 0"), ""), &["431"]),
        (post(&format!("X-Long: {}", "a".repeat(200_000)), ""), &["431", "400"]),
        (post("X-Bad: a\u{0}b", ""), &["400"]),
        (post("Bad Name: x", ""), &["400"]),
        (post("X-Folded: a\r\n b", ""), &["400"]),
        (post(&format!("Content-Length: {}", deep.len()), &deep), &["202"]),
        (post("Content-Length: 2", "\u{7f}\u{7f}"), &["202"]),
        (post("Content-Length: 4", "null"), &["202"]),
        (post("Content-Length: 2", "[]"), &["202"]),
        (post("Content-Length: 27", "{\"id\":{\"a\":[]},\"method\":[]}"), &["202"]),
        (post("Mcp-Session-Id: a\r\nMcp-Session-Id: b\r\nContent-Length: 2", "{}"), &["400"]),
        (post(&format!("Mcp-Session-Id: {}\r\nContent-Length: 2", "s".repeat(8000)), "{}"), &["202"]),
        (post("Traceparent: 00-\"}\r\nContent-Length: 2", "{}"), &["202"]),
        (post("Authorization: \r\nContent-Length: 2", "{}"), &["202"]),
        (post("Expect: 100-continue\r\nContent-Length: 2", "{}"), &["202", "100"]),
        (post("Connection: authorization\r\nContent-Length: 2", "{}"), &["202"]),
        ("GET http://other.test/up HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".into(), &["403"]),
        ("CONNECT other.test:443 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".into(), &["403"]),
        ("OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".into(), &["404"]),
        // The connection is closed.
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into(), &["", "400"]),
    ];
    assert!(requests.len() >= 30);
    let mut failed = Vec::new();
    for (request, wanted) in requests {
        let before = server.seen.lock().unwrap().len();
        let request_shown: String = request.chars().take(120).collect();
        let got = tokio::task::spawn_blocking(move || raw(to, request.as_bytes())).await.unwrap();
        let status = got.split(' ').nth(1).unwrap_or_default().to_owned();
        let reached = server.seen.lock().unwrap().len() - before;
        if !wanted.contains(&&*status) || reached > 1 {
            failed.push(format!("{request_shown:?}: {status}, {reached} at the server"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    // It still answers.
    assert_eq!(crate::world::post(to, &[], &call(1, "small", json!({}))).await.status, 200);
}

/// Whoever sends the request does not know yet that this replica ends, and cannot send it twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_on_its_way_while_the_gateway_drains_is_answered() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let server = Server::usual().await;
    let replica = gateway(server.address, json!({}), None).await;
    let mut connection = tokio::net::TcpStream::connect(replica.address).await.unwrap();
    replica.gateway.drain();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let body = call(1, "small", json!({})).to_string();
    let head = format!("POST /up HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n", replica.address, body.len());
    let request = format!("{head}content-type: application/json\r\n\r\n{body}");
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("few words") && answer.contains("connection: close"), "{answer}");
}
