//! A server on standard input, which is this test program itself: what it prints before is noise for the gateway.

use std::io::{BufRead, Write};
use std::process::exit;
use std::time::Duration;

use serde_json::{Value, json};

use crate::world::rows;

/// The variable with what the server does.
const KIND: &str = "TOOLSHAPE_TEST_SERVER";

/// The options of an upstream that starts the server.
pub fn upstream(kind: &str) -> Value {
    let program = std::env::current_exe().unwrap();
    json!({
        "command": [program, "--exact", "stdio_server::serve", "--ignored", "--nocapture", "--test-threads=1"],
        "env": { KIND: kind },
    })
}

fn send(message: &Value) {
    say(message.to_string().as_bytes());
}

fn say(line: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(&[line, b"\n"].concat()).and_then(|()| out.flush());
}

#[test]
#[ignore = "it is a server, which tests of the gateway start"]
fn serve() {
    let Ok(kind) = std::env::var(KIND) else { return };
    // It ends the line with the name of this test.
    say(b"");
    match &*kind {
        "exits" => exit(3),
        "deaf" => std::thread::sleep(Duration::from_secs(20)),
        "noisy" => (0..100_000).for_each(|_| eprintln!("{}", "x".repeat(99))),
        "endless" => (0..160).for_each(|_| eprint!("{}", "x".repeat(65_536))),
        "floods" => (0..700).for_each(|_| eprintln!("{}", "x".repeat(99))),
        _ => {}
    }
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { break };
        if kind == "garbage" {
            for noise in
                [&b"\xff\xfe not JSON \x1b[2J"[..], b"{\"id\":", b"5", b"[]", b"{}", b"", b"\0", b"data: x\r\rid: 1"]
            {
                say(noise);
            }
            send(&json!({ "jsonrpc": "2.0", "id": 99_999, "result": { "content": [] } }));
        }
        if kind == "silent" {
            continue;
        }
        if message["method"].is_string() {
            answer(&message, &kind);
        } else if let Some(call) = message["id"].as_str().and_then(|id| id.strip_prefix("ask-")) {
            let text = message["result"]["text"].as_str().unwrap_or("no text");
            send(&result(
                &json!(call.parse::<u64>().unwrap()),
                &json!({ "content": [{ "type": "text", "text": text }] }),
            ));
        }
    }
    exit(0);
}

fn result(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn answer(message: &Value, kind: &str) {
    let (id, arguments) = (&message["id"], &message["params"]["arguments"]);
    let text = |text: &str| result(id, &json!({ "content": [{ "type": "text", "text": text }] }));
    match message["method"].as_str().unwrap() {
        "initialize" => send(&result(
            id,
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": { "name": "rows", "version": "1" } }),
        )),
        "tools/list" => {
            send(&result(id, &json!({ "tools": [{ "name": "list", "inputSchema": { "type": "object" } }] })))
        }
        "tools/call" => match message["params"]["name"].as_str().unwrap() {
            "list" if kind == "long" => send(&text(&"x".repeat(200_000))),
            "list" => send(&result(id, &rows(arguments["word"].as_str().unwrap_or("row")))),
            "environment" => send(&text(&format!("{:?}", std::env::vars().collect::<Vec<_>>()))),
            "pid" => send(&text(&std::process::id().to_string())),
            "slow" => {
                std::thread::sleep(Duration::from_millis(700));
                send(&text(&std::process::id().to_string()));
            }
            "exit" => exit(7),
            "never" => {}
            "progress" => {
                send(
                    &json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": { "progressToken": id } }),
                );
                send(&text("done"));
            }
            "ask" => send(&json!({ "jsonrpc": "2.0", "id": format!("ask-{id}"), "method": "sampling/createMessage" })),
            _ => send(&text("few words")),
        },
        "notifications/later" => send(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })),
        _ if id.is_null() => {}
        _ => send(&result(id, &json!({}))),
    }
}
