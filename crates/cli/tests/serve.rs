//! `toolshape serve` as a process: its command line, its lines, its end.

#![cfg(all(unix, feature = "serve"))]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

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
    assert!(String::from_utf8_lossy(&serve(&[]).stderr).contains("cannot read toolshape.json"));
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
    let file = configured(name, &options);
    let mut gateway = Command::new(PROGRAM)
        .args(["serve", "--config", file.to_str().unwrap()])
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
    connection.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    for _ in 0..times {
        let request = "POST /up HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
        connection.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            connection.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
        let answer = String::from_utf8(answer).unwrap().to_ascii_lowercase();
        assert!(answer.starts_with("http/1.1 202") && answer.contains("content-length: 0\r\n"), "{answer}");
    }
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
