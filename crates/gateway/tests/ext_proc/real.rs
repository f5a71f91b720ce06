//! Envoy itself in front of a server, with the configuration of `examples/serve` and two replicas: `cargo xtask test ext-proc`.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use toolshape_stores::{MemoryStore, Store};

use crate::envoy::processor;
use crate::world::{Answer, Replica, Server, call, handle, open, post, request, rows, send, until, usual};

/// The modes of the example, and others.
const MODES: [[&str; 2]; 4] = [
    ["BUFFERED", "FULL_DUPLEX_STREAMED"],
    ["FULL_DUPLEX_STREAMED", "FULL_DUPLEX_STREAMED"],
    ["BUFFERED", "BUFFERED"],
    ["STREAMED", "STREAMED"],
];

/// A process of Envoy, and what it asks.
struct RunningEnvoy {
    address: SocketAddr,
    process: Child,
    replicas: Vec<Replica>,
}

impl Drop for RunningEnvoy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

async fn envoy(server: &Server, modes: [&str; 2]) -> RunningEnvoy {
    let request_trailers = if modes[0] == "FULL_DUPLEX_STREAMED" { "request_trailer_mode: SEND, " } else { "" };
    let changes = [
        ("upstream, port_value: 3001 ", at(server.address)),
        ("prefix: /everything ", "prefix: /up ".to_owned()),
        ("message_timeout: 10s", format!("message_timeout: 10s\n{}allow_mode_override: true", " ".repeat(22))),
        ("request_body_mode: BUFFERED", format!("request_body_mode: {}", modes[0])),
        ("response_body_mode: FULL_DUPLEX_STREAMED", format!("response_body_mode: {}", modes[1])),
        (
            "response_trailer_mode: SEND",
            format!("response_trailer_mode: SEND\n{}{}", " ".repeat(24), request_trailers.trim_end_matches(", ")),
        ),
    ];
    start(include_str!("../../../../examples/serve/envoy.yaml"), &changes, 2).await
}

/// Envoy with a configuration of the examples, and as many replicas as it names.
async fn start(example: &str, changes: &[(&str, String)], count: usize) -> RunningEnvoy {
    let program = std::env::var("TOOLSHAPE_ENVOY").expect("TOOLSHAPE_ENVOY names Envoy's program");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut replicas = Vec::new();
    for _ in 0..count {
        replicas.push(processor(json!({}), Some(Arc::clone(&store))).await);
    }
    let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let names = ["replica-1, port_value: 8080 ", "replica-2, port_value: 8080 "];
    let places = names.into_iter().zip(&replicas).map(|(name, replica)| (name, at(replica.address)));
    let mut config = example.to_owned();
    for (from, to) in places.chain([("0.0.0.0, port_value: 8000 ", at(address))]).chain(changes.iter().cloned()) {
        assert_eq!(config.matches(from).count(), 1, "{from}");
        config = config.replace(from, &to);
    }
    let mut command = Command::new(program);
    command.args(["--config-yaml", &config, "--concurrency", "1", "--log-level", "error", "--disable-hot-restart"]);
    let process = command.stdin(Stdio::null()).spawn().unwrap();
    let envoy = RunningEnvoy { address, process, replicas };
    for _ in 0..500 {
        if TcpStream::connect(address).await.is_ok() {
            return envoy;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("Envoy does not listen");
}

/// A socket's address, as the examples have it.
fn at(address: SocketAddr) -> String {
    format!("{}, port_value: {} ", address.ip(), address.port())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Envoy"]
async fn results_are_shaped_and_read_at_either_replica() {
    for modes in MODES {
        let server = Server::usual().await;
        let envoy = envoy(&server, modes).await;
        let to = envoy.address;
        let listed = post(to, &[], &request(1, "tools/list")).await;
        assert!(listed.body.contains(r#""name":"read_result""#), "{modes:?} {listed:?}");
        let first = post(to, &[], &call(2, "list", json!({ "page": 1, "word": "a" }))).await;
        assert!(first.body.len() < 4000, "{modes:?} {first:?}");
        let seen = server.last();
        assert_eq!(seen.json()["params"]["arguments"], json!({ "word": "a" }), "{modes:?}");
        assert_eq!((&*seen.path, seen.header("accept-encoding")), ("/mcp", "identity"));
        let read = call(3, "read_result", json!({ "handle": handle(&first.text()), "pointer": "/399" }));
        for _ in 0..4 {
            let read = post(to, &[], &read).await;
            assert!(read.status == 200 && read.text().contains("a 399"), "{modes:?} {read:?}");
            assert_eq!(read.header("content-type"), "application/json");
        }
        assert_eq!(server.calls(), 1, "{modes:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Envoy"]
async fn everything_else_passes() {
    for modes in MODES {
        let server = Server::start(|seen| match (&*seen.method, &*seen.json()["method"].to_string()) {
            ("POST", r#""ping""#) => Answer::of(200, "application/json", r#"{ "jsonrpc":"2.0","id":1,  "result": {}}"#),
            ("PUT", _) => Answer::of(200, "image/png", Bytes::from(seen.body.clone())),
            _ => usual(seen),
        })
        .await;
        let envoy = envoy(&server, modes).await;
        let to = envoy.address;
        let pong = post(to, &[], &request(1, "ping")).await;
        assert_eq!((pong.status, &*pong.body), (200, r#"{ "jsonrpc":"2.0","id":1,  "result": {}}"#), "{modes:?}");
        let noted = post(to, &[], &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        assert_eq!((noted.status, &*noted.body), (202, ""), "{modes:?}");
        assert_eq!(send(to, "GET", "/up", &[], String::new()).await.status, 405, "{modes:?}");
        let image = "x".repeat(300_000);
        assert_eq!(send(to, "PUT", "/up", &[], image.clone()).await.body, image, "{modes:?}");
        let long = post(to, &[], &call(1, "small", json!({ "word": "x".repeat(200_000) }))).await;
        assert_eq!(long.text(), "few words", "{modes:?}");
        assert_eq!(server.last().json()["params"]["arguments"]["word"].as_str().unwrap().len(), 200_000);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Envoy"]
async fn events_come_at_once() {
    const PROGRESS: &str =
        "id: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":1}}\n\n";
    for modes in MODES.iter().filter(|modes| modes[1] != "BUFFERED") {
        let (server, streams) = Server::streaming().await;
        let envoy = envoy(&server, *modes).await;
        let asked = call(1, "list", json!({})).to_string();
        let to_client = async {
            loop {
                if let Some(to) = streams.lock().unwrap().pop() {
                    to.send(Ok(Bytes::from(PROGRESS))).unwrap();
                    return to;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let headers = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        let (response, to_client) = tokio::join!(open(envoy.address, "POST", "/up", &headers, asked), to_client);
        let mut body = response.into_body();
        assert_eq!(until(&mut body, "\n\n").await, PROGRESS, "{modes:?}");
        let result = json!({ "jsonrpc": "2.0", "id": 1, "result": rows("row") });
        to_client.send(Ok(format!("data: {result}\n\n").into())).unwrap();
        let shaped = until(&mut body, "\n\n").await;
        assert!(shaped.len() < 4000 && shaped.contains("toolshape://result/"), "{modes:?} {shaped}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Envoy"]
async fn a_message_of_megabytes_is_shaped_in_full_duplex() {
    let rows: Vec<Value> = (0..100_000).map(|row| json!({ "id": row, "name": format!("name of row {row}") })).collect();
    let text = json!({ "content": [{ "type": "text", "text": Value::Array(rows).to_string() }] });
    let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": text });
    let server = Server::start(move |_| Answer::json(&answer)).await;
    let envoy = envoy(&server, MODES[0]).await;
    for _ in 0..3 {
        let got = post(envoy.address, &[], &call(1, "list", json!({}))).await;
        assert!(got.text().contains("toolshape://result/"), "{got:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Envoy"]
async fn an_answer_that_fits_by_its_length_is_not_sent_to_the_processor() {
    for modes in MODES {
        let server = Server::start(|seen| match seen.body.contains("small") {
            true => {
                let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": [{ "type": "text", "text": "few words" }] } });
                Answer::json(&answer).with("content-length", &answer.to_string().len().to_string())
            }
            false => usual(seen),
        })
        .await;
        let envoy = envoy(&server, modes).await;
        for _ in 0..4 {
            let small = post(envoy.address, &[], &call(1, "small", json!({}))).await;
            assert_eq!((small.status, &*small.text()), (200, "few words"), "{modes:?}");
        }
        let large = post(envoy.address, &[], &call(2, "list", json!({}))).await;
        assert!(large.body.len() < 4000 && large.text().contains("toolshape://result/"), "{modes:?} {large:?}");
        let counted: String = envoy.replicas.iter().map(|replica| replica.gateway.metrics()).collect();
        let of = |tool: &str| {
            let wanted = format!("tool=\"{tool}\"");
            let lines = counted
                .lines()
                .filter(|line| line.starts_with("toolshape_tokens_before_total") && line.contains(&wanted));
            lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum::<u64>()
        };
        assert!(of("list") > 0, "{modes:?} {counted}");
        // Envoy sends all in full duplex.
        assert_eq!(of("small") == 0, modes[1] != "FULL_DUPLEX_STREAMED", "{modes:?} {counted}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Envoy"]
async fn results_of_servers_that_envoy_joins_are_shaped_and_read() {
    let servers = [Server::usual().await, Server::usual().await];
    let changes = [
        ("address: one, port_value: 3001 ", format!("address: {}", at(servers[0].address))),
        ("address: two, port_value: 3001 ", format!("address: {}", at(servers[1].address))),
        ("prefix: /mcp ", "prefix: /up ".to_owned()),
    ];
    let envoy = start(include_str!("../../../../examples/serve/envoy_router.yaml"), &changes, 1).await;
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" }
    } });
    let begun = post(envoy.address, &[], &begin).await;
    let session = [("mcp-session-id", begun.header("mcp-session-id"))];
    let listed = post(envoy.address, &session, &request(2, "tools/list")).await.json();
    let names: Vec<&str> =
        listed["result"]["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    let reader = names.iter().find(|name| name.starts_with("read_result")).unwrap_or_else(|| panic!("{names:?}"));
    assert!(names.contains(&"one__list") && names.contains(&"two__small"), "{names:?}");
    for (number, server) in ["one", "two"].into_iter().enumerate() {
        let first =
            post(envoy.address, &session, &call(3, &format!("{server}__list"), json!({ "word": server }))).await;
        assert!(first.body.len() < 4000, "{first:?}");
        let read = call(4, reader, json!({ "handle": handle(&first.text()), "pointer": "/399" }));
        let read = post(envoy.address, &session, &read).await;
        assert!(read.text().contains(&format!("{server} 399")), "{read:?}");
        assert_eq!(servers[number].calls(), 1);
    }
}
