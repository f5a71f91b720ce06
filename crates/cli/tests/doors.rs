//! The cases of `vectors/shared/redaction.json` through every door by which something of a server or a command leaves the program, its
//! store included. With `TOOLSHAPE_DOORS` the table goes into a file of that folder, for `cargo xtask doors`.

#![cfg(all(unix, feature = "serve"))]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_toolshape");
const CASES: &str = include_str!("../../../vectors/shared/redaction.json");

/// A case, as its file has it.
struct Case {
    name: String,
    text: String,
    secrets: Vec<String>,
}

/// What leaves through a door.
type Left = (&'static str, String);

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("doors").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The cases by what is secret in them: the options of a program.
fn cases() -> BTreeMap<String, Vec<Case>> {
    let texts = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let file: Value = serde_json::from_str(CASES).unwrap();
    let mut groups: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in file["cases"].as_array().unwrap() {
        let (fields, patterns) = (texts(&case["fields"]), texts(&case["texts"]));
        let options = json!({ "redactFields": fields, "redactTexts": patterns, "maxTokens": 600 }).to_string();
        let (name, text) = (case["name"].as_str().unwrap().to_owned(), case["text"].as_str().unwrap().to_owned());
        groups.entry(options).or_default().push(Case { name, text, secrets: texts(&case["secrets"]) });
    }
    groups
}

/// Rows that are too long for one result, after the one of the case.
fn long(text: &str) -> String {
    let rows = (0..400).map(|n| json!({ "n": n, "text": format!("row {n} of many rows") }));
    json!([json!({ "n": -1, "text": text })].into_iter().chain(rows).collect::<Vec<_>>()).to_string()
}

/// A conversation through the relay, with a server that answers each line with the file of its number.
struct Talk {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    answers: PathBuf,
    count: usize,
    store: PathBuf,
}

impl Talk {
    fn start(options: &str, name: &str) -> Self {
        let folder = folder(name);
        let (answers, store, config) = (folder.join("answers"), folder.join("store"), folder.join("options.json"));
        fs::create_dir(&answers).unwrap();
        fs::write(&config, options).unwrap();
        let serves = r#"i=0; while read -r line; do i=$((i+1)); cat "$0/$i"; done"#;
        let mut child = Command::new(PROGRAM)
            .args(["--config", config.to_str().unwrap(), "--store", store.to_str().unwrap(), "--", "sh", "-c", serves])
            .arg(&answers)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from, answers, count: 0, store }
    }

    /// Sends a request that the relay answers itself; what the client gets up to the answer.
    fn ask(&mut self, method: &str, params: &Value) -> String {
        let id = format!("c{}", self.count);
        writeln!(self.to, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).unwrap();
        let (mut left, mut line) = (String::new(), String::new());
        loop {
            line.clear();
            assert_ne!(self.from.read_line(&mut line).unwrap(), 0, "the relay ended");
            left += &line;
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id.as_str() {
                return shown(&left);
            }
        }
    }

    /// The same for one that the server answers with this member, after messages of its own.
    fn answered(&mut self, method: &str, params: &Value, before: &[Value], member: &str, value: &Value) -> String {
        self.count += 1;
        let mut lines: Vec<String> = before.iter().map(Value::to_string).collect();
        lines.push(json!({ "jsonrpc": "2.0", "id": format!("c{}", self.count), member: value }).to_string());
        fs::write(self.answers.join(self.count.to_string()), lines.join("\n") + "\n").unwrap();
        self.ask(method, params)
    }

    fn called(&mut self, result: &Value) -> String {
        self.answered("tools/call", &json!({ "name": "x", "arguments": {} }), &[], "result", result)
    }

    fn doors(&mut self, case: &Case) -> Vec<Left> {
        let text = &case.text;
        let block = |text: &str| json!({ "content": [{ "type": "text", "text": text }] });
        let none = json!({});
        let value: Value = serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into());
        let info = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "instructions": text, "serverInfo": { "name": "s", "version": "1" } });
        let tool = json!({ "name": "x", "description": text, "inputSchema": { "type": "object" } });
        let notes = [
            json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": { "progressToken": 1, "progress": 1, "message": text } }),
            json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": value } }),
            json!({ "jsonrpc": "2.0", "id": "s", "method": "sampling/createMessage", "params": { "messages": [{ "role": "user", "content": { "type": "text", "text": text } }] } }),
        ];
        let mut left = vec![
            ("initialize", self.answered("initialize", &none, &[], "result", &info)),
            ("tools/list", self.answered("tools/list", &none, &[], "result", &json!({ "tools": [tool] }))),
            ("result", self.called(&block(text))),
            ("structured", self.called(&json!({ "content": [], "structuredContent": { "value": value } }))),
            ("is error", self.called(&json!({ "content": [{ "type": "text", "text": text }], "isError": true }))),
            ("_meta", self.called(&json!({ "content": [], "_meta": { "note": text } }))),
        ];
        let call = json!({ "name": "x", "arguments": {} });
        let error = json!({ "code": -1, "message": text, "data": value });
        left.push(("error", self.answered("tools/call", &call, &[], "error", &error)));
        for (door, note) in ["progress", "log", "request"].into_iter().zip(notes) {
            left.push((door, self.answered("tools/call", &call, &[note], "result", &block("ok"))));
        }
        let content = json!({ "contents": [{ "uri": "a://b", "text": text }] });
        left.push(("resource", self.answered("resources/read", &json!({ "uri": "a://b" }), &[], "result", &content)));
        let page = self.called(&block(&long(text)));
        let handle = handle(&page);
        let mut read = |arguments: Value| {
            let mut named = json!({ "handle": handle });
            named.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
            self.ask("tools/call", &json!({ "name": "read_result_s", "arguments": named }))
        };
        let secret = case.secrets.first().map_or("row", String::as_str);
        let of_read = [
            ("read", read(json!({ "pointer": "/0" }))),
            ("search", read(json!({ "search": secret }))),
            ("SQL", read(json!({ "sql": "SELECT text FROM result LIMIT 1" }))),
        ];
        left.push(("page, note", page));
        // A search names what was sought.
        left.extend(
            of_read.map(|(door, text)| (door, if door == "search" { text.replacen(secret, "", 1) } else { text })),
        );
        let stored = fs::read_dir(&self.store).unwrap();
        let stored: Vec<String> = stored.filter_map(|file| fs::read_to_string(file.ok()?.path()).ok()).collect();
        left.push(("store", shown(&stored.concat())));
        left
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Texts of JSON as they are read, so that no escape hides a secret.
fn shown(text: &str) -> String {
    text.replace("\\\"", "\"").replace("\\\\", "\\")
}

/// The first handle in a text.
fn handle(text: &str) -> String {
    let is_handle = |word: &&str| word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| *word != "toolshape").find(is_handle).unwrap_or_else(|| panic!("no handle: {text}")).to_owned()
}

/// What a command prints, as `run` shows it and `read` finds it again, and a result of a host's own tool.
fn of_commands(folder: &Path, config: &str, case: &Case) -> Vec<Left> {
    let run = |arguments: &[&str], input: &str| {
        let mut program = Command::new(PROGRAM)
            .args(arguments)
            .current_dir(folder)
            .env("XDG_CACHE_HOME", folder.join("cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        program.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let ended = program.wait_with_output().unwrap();
        String::from_utf8_lossy(&ended.stdout).into_owned()
    };
    let file = folder.join("printed");
    let printed = |text: &str| {
        fs::write(&file, text).unwrap();
        run(&["run", "--config", config, "--", "cat", file.to_str().unwrap()], "")
    };
    let short = printed(&case.text);
    let page = printed(&long(&case.text));
    let found = run(&["read", &handle(&page), "--pointer", "/0"], "");
    let event = json!({
        "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {},
        "tool_response": { "stdout": case.text, "stderr": "", "interrupted": false },
    });
    let hooked = run(&["hook", "claude-code", "--config", config], &event.to_string());
    // Without an answer the result stays as it is.
    let hooked = if hooked.is_empty() { case.text.clone() } else { hooked };
    let piped = run(&["shape", "--config", config], &case.text);
    vec![
        ("shape", shown(&piped)),
        ("run", short),
        ("run, long", page),
        ("read command", shown(&found)),
        ("hook", shown(&hooked)),
    ]
}

/// A server behind HTTP that answers with what is set.
#[derive(Clone, Default)]
struct Next(Arc<Mutex<(u16, &'static str, String)>>);

/// Reads a message of HTTP: its head and its body.
fn message(connection: &mut TcpStream) -> Option<(String, String)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        connection.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    connection.read_exact(&mut body).ok()?;
    if head.contains("transfer-encoding: chunked") {
        let mut byte = [0];
        while !body.ends_with(b"0\r\n\r\n") {
            connection.read_exact(&mut byte).ok()?;
            body.push(byte[0]);
        }
    }
    Some((head, String::from_utf8_lossy(&body).into_owned()))
}

fn upstream() -> (String, Next) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let next = Next::default();
    let answers = next.clone();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let (mut connection, answers) = (connection.unwrap(), answers.clone());
            thread::spawn(move || {
                while message(&mut connection).is_some() {
                    let (status, kind, body) = answers.0.lock().unwrap().clone();
                    let head = format!(
                        "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
                        body.len()
                    );
                    connection.write_all((head + &body).as_bytes()).unwrap();
                }
            });
        }
    });
    (address, next)
}

/// A gateway, which ends with this.
struct Gateway {
    child: Child,
    address: String,
    next: Next,
}

impl Gateway {
    fn start(options: &str, name: &str) -> Self {
        let (upstream, next) = upstream();
        let mut options: Value = serde_json::from_str(options).unwrap();
        options["listen"] = "127.0.0.1:0".into();
        options["store"] = true.into();
        options["upstreams"] = json!({ "up": { "url": format!("http://{upstream}/mcp") } });
        let file = folder(name).join("gateway.json");
        fs::write(&file, options.to_string()).unwrap();
        let mut program = Command::new(PROGRAM);
        for variable in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
            program.env_remove(variable).env_remove(variable.to_uppercase());
        }
        let mut child = program
            .args(["serve", "--config", file.to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        errors.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("toolshape: listening on http://").unwrap().to_owned();
        thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
        Self { child, address, next }
    }

    fn ask(&self, request: &Value, status: u16, kind: &'static str, body: String) -> String {
        *self.next.0.lock().unwrap() = (status, kind, body);
        let mut connection = TcpStream::connect(&self.address).unwrap();
        let body = request.to_string();
        let head = format!(
            "POST /up HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        connection.write_all((head + &body).as_bytes()).unwrap();
        shown(&message(&mut connection).unwrap().1)
    }

    fn doors(&self, case: &Case) -> Vec<Left> {
        let call =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "x", "arguments": {} } });
        let result = json!({ "content": [{ "type": "text", "text": case.text }] });
        let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string();
        let event = format!("data: {answer}\n\n");
        vec![
            ("gateway", self.ask(&call, 200, "application/json", answer)),
            ("its stream", self.ask(&call, 200, "text/event-stream", event)),
            ("HTTP error", self.ask(&call, 500, "text/plain", case.text.clone())),
            ("its JSON", self.ask(&call, 500, "application/json", json!({ "detail": case.text }).to_string())),
        ]
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn no_door_lets_a_secret_out() {
    let (mut table, mut doors) = (Vec::new(), Vec::new());
    for (number, (options, cases)) in cases().into_iter().enumerate() {
        let mut talk = Talk::start(&options, &format!("relay{number}"));
        let gateway = Gateway::start(&options, &format!("gateway{number}"));
        let folder = folder(&format!("commands{number}"));
        let config = folder.join("options.json");
        fs::write(&config, &options).unwrap();
        for case in cases {
            let mut left = talk.doors(&case);
            left.extend(of_commands(&folder, config.to_str().unwrap(), &case));
            left.extend(gateway.doors(&case));
            doors = left.iter().map(|(door, _)| *door).collect();
            let is_out = |text: &str| case.secrets.iter().any(|secret| text.contains(secret.as_str()));
            table.push((case.name.clone(), left.iter().map(|(_, text)| is_out(text)).collect::<Vec<_>>()));
        }
    }
    if let Some(folder) = std::env::var_os("TOOLSHAPE_DOORS") {
        let rows: serde_json::Map<_, _> = table.iter().map(|(name, row)| (name.clone(), json!(row))).collect();
        let table = json!({ "name": "relay, commands, gateway", "doors": doors, "rows": rows });
        fs::write(Path::new(&folder).join("programs.json"), table.to_string()).unwrap();
    }
    let out: Vec<String> = table
        .iter()
        .flat_map(|(name, row)| {
            let out = doors.iter().zip(row).filter(|(_, is_out)| **is_out);
            out.map(move |(door, _)| format!("{name}: {door}"))
        })
        .collect();
    assert!(out.is_empty(), "{} of {} cells: {out:?}", out.len(), table.len() * doors.len());
}
