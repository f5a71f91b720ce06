//! Servers that answer with anything: each request has one answer, and none waits past its limit.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use toolshape_stores::MemoryStore;

use crate::world::{call, gateway, post, rows};

/// A server that writes these bytes to each connection; it closes it, or leaves it open.
fn raw(bytes: Vec<u8>, closes: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let (mut connection, bytes) = (connection.unwrap(), bytes.clone());
            thread::spawn(move || {
                let mut request = [0; 65_536];
                let _ = connection.read(&mut request);
                let _ = connection.write_all(&bytes);
                if !closes {
                    thread::sleep(Duration::from_secs(30));
                }
            });
        }
    });
    address
}

fn response(head: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}").into_bytes()
}

fn sized(kind: &str, body: &str) -> Vec<u8> {
    response(&format!("Content-Type: {kind}\r\nContent-Length: {}", body.len()), body)
}

/// What a client gets: an error of the gateway with this status, or a body of at most this many bytes.
enum Wanted {
    Status(u16),
    Within(usize),
    Contains(&'static str),
}

#[tokio::test(flavor = "multi_thread")]
async fn anything_has_an_answer_within_its_limits() {
    use Wanted::{Contains, Status, Within};
    const JSON: &str = "application/json";
    const EVENTS: &str = "text/event-stream";
    let result = json!({ "jsonrpc": "2.0", "id": 1, "result": rows("row") }).to_string();
    let other = json!({ "jsonrpc": "2.0", "id": 1.0, "result": rows("row") }).to_string();
    let named = json!({ "jsonrpc": "2.0", "id": "1", "result": rows("row") }).to_string();
    let both = json!({ "jsonrpc": "2.0", "id": 1, "result": rows("row"), "error": { "code": 1, "message": "no" } })
        .to_string();
    let event = format!("data: {result}\n\n");
    let many: String = (0..500).map(|header| format!("X-{header}: 1\r\n")).collect();
    let servers: Vec<(&str, Vec<u8>, bool, Wanted)> = vec![
        ("nothing", vec![], true, Status(502)),
        ("silence", vec![], false, Status(504)),
        ("garbage", b"garbage\r\n\r\n".to_vec(), true, Status(502)),
        ("HTTP/0.9", b"<h1>hello</h1>".to_vec(), true, Status(502)),
        ("binary", vec![0; 5000], true, Status(502)),
        ("half a head", b"HTTP/1.1 200 OK\r\nContent-Ty".to_vec(), true, Status(502)),
        ("half a head, open", b"HTTP/1.1 200 OK\r\nContent-Ty".to_vec(), false, Status(504)),
        ("a wrong status", b"HTTP/1.1 99999 OK\r\n\r\n".to_vec(), true, Status(502)),
        ("many headers", response(&format!("{many}Content-Length: 0"), ""), true, Status(502)),
        (
            "a long header",
            response(&format!("X: {}\r\nContent-Length: 0", "a".repeat(1_000_000)), ""),
            true,
            Status(502),
        ),
        (
            "two lengths",
            response("Content-Type: application/json\r\nContent-Length: 1\r\nContent-Length: 2", "{}"),
            true,
            Status(502),
        ),
        (
            "less than its length",
            response("Content-Type: application/json\r\nContent-Length: 9999", &result[..50]),
            true,
            Status(502),
        ),
        (
            "less, open",
            response("Content-Type: application/json\r\nContent-Length: 99999", &result[..50]),
            false,
            Status(504),
        ),
        (
            "a broken chunk",
            response("Content-Type: application/json\r\nTransfer-Encoding: chunked", "zz\r\n{}"),
            true,
            Status(502),
        ),
        (
            "more than its length",
            [sized(JSON, &result), b"HTTP/1.1 200 OK\r\n\r\nsmuggled".to_vec()].concat(),
            true,
            Within(4000),
        ),
        ("a result", sized(JSON, &result), true, Within(4000)),
        ("a result of an id in another spelling", sized(JSON, &other), true, Within(4000)),
        ("a result of an id of another type", sized(JSON, &named), true, Within(4000)),
        ("a result and an error", sized(JSON, &both), true, Within(4000)),
        ("a result in a batch", sized(JSON, &format!("[{result}]")), true, Within(4000)),
        ("a result twice", sized(JSON, &format!("[{result},{result}]")), true, Within(4000)),
        ("a byte order mark", sized(JSON, &format!("\u{feff}{result}")), true, Within(4000)),
        ("white space", sized(JSON, &format!("\r\n\t {result} \n")), true, Within(4000)),
        ("events", sized(EVENTS, &event), true, Within(4000)),
        ("events with returns", sized(EVENTS, &event.replace('\n', "\r")), true, Within(4000)),
        ("the same event twice", sized(EVENTS, &format!("{event}{event}")), true, Within(4000)),
        ("an event in many lines", sized(EVENTS, &event.replace(",{", ",\ndata: {")), true, Within(4000)),
        ("an event without an end", sized(EVENTS, event.trim_end()), true, Within(4000)),
        ("events as JSON", sized(JSON, &event), true, Within(4000)),
        ("JSON as events", sized(EVENTS, &result), true, Within(4000)),
        ("half a character", sized(EVENTS, "data: \u{fffd}\n\n"), true, Within(4000)),
        (
            "another protocol",
            b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhello".to_vec(),
            false,
            Status(502),
        ),
        (
            "heads before the head",
            [b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n".to_vec(), sized(JSON, &result)].concat(),
            true,
            Within(4000),
        ),
        (
            "two types",
            response(
                &format!("Content-Type: text/plain\r\nContent-Type: {JSON}\r\nContent-Length: {}", result.len()),
                &result,
            ),
            true,
            Within(4000),
        ),
        ("two types in one header", sized("text/plain, application/json", &result), true, Within(4000)),
        (
            "keys in another spelling",
            sized(JSON, &result.replace("\"result\"", "\"re\\u0073ult\"")),
            true,
            Within(4000),
        ),
        (
            "a result before the last",
            sized(JSON, &result.replace("\"id\":1", "\"result\":{\"content\":[]},\"id\":1")),
            true,
            Within(4000),
        ),
        ("an empty body", sized(JSON, ""), true, Contains("is not one to this request")),
        ("white space alone", sized(JSON, "  \n"), true, Contains("is not one to this request")),
        ("an event without its data's colon", sized(EVENTS, &format!("data\n{event}")), true, Within(4000)),
        ("an event of another name", sized(EVENTS, &format!("event: message\nevent:\n{event}")), true, Within(4000)),
        (
            "UTF-16",
            sized("application/json; charset=utf-16", &result.chars().flat_map(|one| [one, '\0']).collect::<String>()),
            true,
            Within(4000),
        ),
        ("many comments", sized(EVENTS, &format!("{}{event}", ":\n\n".repeat(1000))), true, Within(8000)),
    ];
    assert!(servers.len() >= 30);
    let mut failed = Vec::new();
    for (name, bytes, closes, wanted) in servers {
        let replica =
            gateway(raw(bytes, closes), json!({ "firstByteSeconds": 1 }), Some(Arc::new(MemoryStore::new()))).await;
        let got = post(replica.address, &[], &call(1, "list", json!({}))).await;
        let is_wanted = match wanted {
            Status(status) => {
                let error: Value = serde_json::from_str(&got.body).unwrap_or_default();
                got.status == status && error["error"]["code"] == -32603 && error["id"] == 1
            }
            Contains(text) => got.status == 200 && got.body.contains(text),
            Within(most) => got.status == 200 && got.body.len() <= most,
        };
        if !is_wanted {
            failed.push(format!("{name}: {} {} bytes {:.200}", got.status, got.body.len(), got.body));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
