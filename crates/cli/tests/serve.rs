//! `toolshape serve` as a process: its command line, its lines, its end.

#![cfg(all(unix, feature = "serve"))]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

const PROGRAM: &str = env!("CARGO_BIN_EXE_toolshape");

fn configured(name: &str, text: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("serve-{name}.json"));
    fs::write(&file, text).unwrap();
    file
}

fn serve(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).arg("serve").args(arguments).current_dir("/").output().unwrap()
}

#[test]
fn mistakes_have_the_usual_code() {
    for (text, arguments, code, said) in [
        ("{", &[][..], 2, "is not JSON"),
        ("[]", &[], 1, "is not a JSON object"),
        ("{}", &[], 2, "upstreams must have at least one server"),
        (r#"{"upstreams":{"a":{"url":"http://a"}}, /* one */}"#, &["--set", "lisen=1"], 2, "did you mean listen?"),
        (r#"{"upstreams":{"a":{"url":"http://a"}}}"#, &["--listen", "here"], 2, "it takes an IP address and a port"),
        (r#"{"upstreams":{"a":{"url":"http://a"}}}"#, &["--listen", "192.0.2.1:1"], 1, "cannot listen on 192.0.2.1:1"),
        (r#"{"upstreams":{"a":{"url":"http://a"}},"store":"/dev/null"}"#, &[], 1, "toolshape: "),
    ] {
        let file = configured("mistake", text);
        let ended = serve(&[&["--config", file.to_str().unwrap()], arguments].concat());
        let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(code), "{text}: {errors}");
        assert!(errors.contains(said) && errors.starts_with("toolshape: "), "{text}: {errors}");
    }
    assert!(String::from_utf8_lossy(&serve(&[]).stderr).contains("serve needs --config FILE"));
}

/// A gateway before a server that takes every message.
fn started(name: &str) -> (Child, String) {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    thread::spawn(move || {
        for connection in server.incoming() {
            let mut connection = connection.unwrap();
            thread::spawn(move || {
                let mut request = [0; 4096];
                while connection.read(&mut request).is_ok_and(|read| read > 0) {
                    connection.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n").unwrap();
                }
            });
        }
    });
    let options = format!(r#"{{"listen":"127.0.0.1:0","upstreams":{{"up":{{"url":"http://{address}/mcp"}}}}}}"#);
    started_with(name, &options, &[])
}

/// A gateway with these options and variables, and its address.
fn started_with(name: &str, options: &str, variables: &[(&str, &str)]) -> (Child, String) {
    let file = configured(name, options);
    let mut program = Command::new(PROGRAM);
    for variable in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
        program.env_remove(variable).env_remove(variable.to_uppercase());
    }
    let mut gateway = program
        .args(["serve", "--config", file.to_str().unwrap()])
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(gateway.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("toolshape: listening on http://").unwrap().to_owned();
    (gateway, address)
}

/// Requests on one connection, each after the answer to the one before.
fn ask(address: &str, times: usize) {
    let mut connection = TcpStream::connect(address).unwrap();
    for _ in 0..times {
        let head = post(&mut connection, "/up", "{}");
        assert!(head.starts_with("http/1.1 202") && head.contains("content-length: 0\r\n"), "{head}");
    }
}

/// The head of the answer to a message, in small letters.
fn post(connection: &mut TcpStream, path: &str, message: &str) -> String {
    connection.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let length = message.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{message}"
    );
    connection.write_all(request.as_bytes()).unwrap();
    head(connection).to_ascii_lowercase()
}

/// What comes up to the first empty line.
fn head(connection: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if connection.read_exact(&mut byte).is_err() {
            break;
        }
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

#[test]
fn lines_that_nobody_reads_hold_up_nobody() {
    let (mut gateway, address) = started("lines");
    // Several times what a pipe holds.
    ask(&address, 3000);
    kill_process(Pid::from_child(&gateway), Signal::TERM).unwrap();
    assert_eq!(gateway.wait().unwrap().code(), Some(0));
}

#[test]
fn each_request_has_a_line() {
    let (mut gateway, address) = started("each");
    ask(&address, 3);
    kill_process(Pid::from_child(&gateway), Signal::TERM).unwrap();
    assert_eq!(gateway.wait().unwrap().code(), Some(0));
    let mut text = String::new();
    gateway.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line["status"] == 202 && line["upstream"] == "up" && line["method"] == "POST"));
}

#[test]
fn it_ends_in_order_before_a_store_that_waits() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", silent.local_addr().unwrap());
    let options =
        r#"{"listen":"127.0.0.1:0","upstreams":{"up":{"url":"http://localhost/mcp"}},"store":"s3://results/of"}"#;
    let keys = [("AWS_ENDPOINT", &*endpoint), ("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")];
    let (mut gateway, _) = started_with("objects", options, &keys);
    kill_process(Pid::from_child(&gateway), Signal::TERM).unwrap();
    assert_eq!(gateway.wait().unwrap().code(), Some(0));
    let mut said = String::new();
    gateway.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn servers_are_reached_through_the_proxy_that_the_environment_names() {
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://user:word@{}", proxy.local_addr().unwrap());
    let (heard, requests) = mpsc::channel();
    thread::spawn(move || {
        for connection in proxy.incoming() {
            let mut connection = connection.unwrap();
            let request = head(&mut connection);
            let status = if request.starts_with("CONNECT") { "403 Forbidden" } else { "202 Accepted" };
            let _ = connection.write_all(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").as_bytes());
            heard.send(request).unwrap();
        }
    });
    let options = r#"{"listen":"127.0.0.1:0","upstreams":{"plain":{"url":"http://server.test/mcp"},
        "secure":{"url":"https://server.test/mcp"},"near":{"url":"http://a.near.test/mcp"}}}"#;
    let variables = [("HTTP_PROXY", &*address), ("https_proxy", &*address), ("NO_PROXY", "localhost,near.test")];
    let (mut gateway, at) = started_with("proxy", options, &variables);
    let status = |path: &str| post(&mut TcpStream::connect(&at).unwrap(), path, "{}");
    assert!(status("/plain").starts_with("http/1.1 202"));
    let request = requests.recv().unwrap();
    assert!(request.starts_with("POST http://server.test/mcp HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("proxy-authorization: Basic dXNlcjp3b3Jk\r\n"), "{request}");
    assert!(status("/secure").starts_with("http/1.1 502"));
    let request = requests.recv().unwrap();
    assert!(request.starts_with("CONNECT server.test:443 HTTP/1.1\r\n"), "{request}");
    assert!(request.to_ascii_lowercase().contains("proxy-authorization: basic dxnlcjp3b3jk\r\n"), "{request}");
    // No name of this domain exists.
    assert!(status("/near").starts_with("http/1.1 502"));
    assert!(requests.try_recv().is_err());
    kill_process(Pid::from_child(&gateway), Signal::TERM).unwrap();
    assert_eq!(gateway.wait().unwrap().code(), Some(0));
}

#[test]
fn a_second_signal_ends_the_servers_that_it_has_started() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("serve-server-id");
    let _ = fs::remove_file(&file);
    let script = format!("trap '' TERM; echo $$ > {}; while read -r line; do :; done; sleep 600", file.display());
    let upstreams = serde_json::json!({ "up": { "command": ["sh", "-c", script] } });
    let options = serde_json::json!({ "listen": "127.0.0.1:0", "upstreams": upstreams });
    let (mut gateway, address) = started_with("commands", &options.to_string(), &[]);
    let mut connection = TcpStream::connect(&address).unwrap();
    let asked =
        thread::spawn(move || post(&mut connection, "/up", r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#));
    let server = loop {
        let written = fs::read_to_string(&file).unwrap_or_default();
        if let Some(id) = written.trim().parse().ok().and_then(Pid::from_raw) {
            break id;
        }
        thread::sleep(Duration::from_millis(20));
    };
    assert!(test_kill_process(server).is_ok());
    for _ in 0..2 {
        kill_process(Pid::from_child(&gateway), Signal::TERM).unwrap();
        thread::sleep(Duration::from_millis(500));
    }
    assert_eq!(gateway.wait().unwrap().code(), Some(128 + 15));
    // The client gets nothing any more, or an error about the server's end.
    let answered = asked.join().unwrap();
    assert!(answered.is_empty() || answered.contains("content-type: application/json"), "{answered}");
    for _ in 0..200 {
        if test_kill_process(server).is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("{server:?} is still there");
}
