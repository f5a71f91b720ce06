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
use std::time::{Duration, Instant};

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

/// The hosts with a hook, and how an event of each has a text. The others are as those before them.
const HOOKS: [&str; 7] = ["claude-code", "codex", "copilot", "opencode", "kilo", "cline", "pi"];
/// How many of them are run without `TOOLSHAPE_DOORS`.
const HOOKS_IN_SHORT: usize = 4;
/// How long is waited for what a program writes beside its answer.
const LATE: Duration = Duration::from_secs(5);

/// A server of files: to each request it writes to standard error, writes what is not a message, and answers.
const SERVER: &str = r#"while read -r line; do
    id=$(printf %s "$line" | sed -nE 's/.*"id":("[^"]*"|[0-9]+).*/\1/p'); [ -n "$id" ] || continue
    cat "$0/errors" >&2; cat "$0/noise"
    case $line in
        *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}';;
        *'"tools/list"'*) result='{"tools":[{"name":"x","inputSchema":{"type":"object"}}]}';;
        *'"tools/call"'*) result=$(cat "$0/result");;
        *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id"; continue;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;
/// The files of that server.
fn serve_files(folder: &Path, text: &str, noise: &str) {
    fs::write(folder.join("errors"), format!("{text}\n")).unwrap();
    fs::write(folder.join("noise"), format!("{noise}\n")).unwrap();
    let result = json!({ "content": [{ "type": "text", "text": text }] });
    fs::write(folder.join("result"), result.to_string()).unwrap();
}

/// What a file has got behind a place, once it has this and grows no more.
fn late(file: &Path, from: usize, last: &str) -> String {
    let (until, mut before) = (Instant::now() + LATE, String::new());
    loop {
        let text = String::from_utf8_lossy(&fs::read(file).unwrap()[from..]).into_owned();
        if !text.is_empty() && text.contains(last) && text == before || Instant::now() > until {
            return text;
        }
        before = text;
        thread::sleep(Duration::from_millis(40));
    }
}

fn length(file: &Path) -> usize {
    fs::metadata(file).unwrap().len() as usize
}

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
    errors: PathBuf,
}

impl Talk {
    fn start(options: &str, name: &str) -> Self {
        let folder = folder(name);
        let (answers, store, config) = (folder.join("answers"), folder.join("store"), folder.join("options.json"));
        fs::create_dir(&answers).unwrap();
        fs::write(&config, options).unwrap();
        let serves = r#"i=0; while read -r line; do i=$((i+1)); cat "$0/errors" >&2; cat "$0/$i"; done"#;
        let errors = folder.join("errors");
        fs::write(answers.join("errors"), "").unwrap();
        let mut child = Command::new(PROGRAM)
            .args(["--config", config.to_str().unwrap(), "--store", store.to_str().unwrap(), "--", "sh", "-c", serves])
            .arg(&answers)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&errors).unwrap())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from, answers, count: 0, store, errors }
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
    fn answered(&mut self, method: &str, params: &Value, before: &str, member: &str, value: &Value) -> String {
        self.count += 1;
        let answer = json!({ "jsonrpc": "2.0", "id": format!("c{}", self.count), member: value });
        fs::write(self.answers.join(self.count.to_string()), format!("{before}{answer}\n")).unwrap();
        self.ask(method, params)
    }

    fn called(&mut self, result: &Value) -> String {
        self.answered("tools/call", &json!({ "name": "x", "arguments": {} }), "", "result", result)
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
            ("initialize", self.answered("initialize", &none, "", "result", &info)),
            ("tools/list", self.answered("tools/list", &none, "", "result", &json!({ "tools": [tool] }))),
            ("result", self.called(&block(text))),
            ("structured", self.called(&json!({ "content": [], "structuredContent": { "value": value } }))),
            ("is error", self.called(&json!({ "content": [{ "type": "text", "text": text }], "isError": true }))),
            ("_meta", self.called(&json!({ "content": [], "_meta": { "note": text } }))),
        ];
        let call = json!({ "name": "x", "arguments": {} });
        let error = json!({ "code": -1, "message": text, "data": value });
        left.push(("error", self.answered("tools/call", &call, "", "error", &error)));
        for (door, note) in ["progress", "log", "request"].into_iter().zip(notes) {
            left.push((door, self.answered("tools/call", &call, &format!("{note}\n"), "result", &block("ok"))));
        }
        let content = json!({ "contents": [{ "uri": "a://b", "text": text }] });
        left.push(("resource", self.answered("resources/read", &json!({ "uri": "a://b" }), "", "result", &content)));
        left.extend(self.beside(text, &call));
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

impl Talk {
    /// What the server writes to standard error, and what it writes that is not a message.
    fn beside(&mut self, text: &str, call: &Value) -> [Left; 2] {
        let ok = json!({ "content": [] });
        let from = length(&self.errors);
        fs::write(self.answers.join("errors"), format!("{text}\n")).unwrap();
        self.answered("tools/call", call, "", "result", &ok);
        let errors = late(&self.errors, from, "");
        fs::write(self.answers.join("errors"), "").unwrap();
        let from = length(&self.errors);
        let passed = self.answered("tools/call", call, &format!("{text}\nno JSON\n"), "result", &ok);
        [("its errors", errors), ("no message", passed + &late(&self.errors, from, ""))]
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

/// What a command prints, as `run` shows it and `read` finds it again, a call of a tool, and results of hosts' own tools.
fn of_commands(folder: &Path, config: &str, case: &Case) -> Vec<Left> {
    let both = |arguments: &[&str], input: &str| {
        let mut program = Command::new(PROGRAM)
            .args(arguments)
            .current_dir(folder)
            .env("XDG_CACHE_HOME", folder.join("cache"))
            .env("XDG_STATE_HOME", folder.join("state"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // What reads no input may have ended.
        let _ = program.stdin.take().unwrap().write_all(input.as_bytes());
        let ended = program.wait_with_output().unwrap();
        [ended.stdout, ended.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    let run = |arguments: &[&str], input: &str| {
        let [printed, _] = both(arguments, input);
        printed
    };
    let text = &case.text;
    let file = folder.join("printed");
    let printed = |text: &str, how: &str| {
        fs::write(&file, text).unwrap();
        both(&["run", "--config", config, "--", "sh", "-c", how, file.to_str().unwrap()], "").concat()
    };
    let short = printed(text, r#"cat "$0""#);
    let errors = printed(text, r#"cat "$0" >&2"#);
    let page = printed(&long(text), r#"cat "$0""#);
    let handle = handle(&page);
    let found = run(&["read", &handle, "--pointer", "/0"], "");
    let saved = folder.join("saved");
    let _ = fs::remove_file(&saved);
    run(&["save", &handle, saved.to_str().unwrap()], "");
    let saved = fs::read_to_string(&saved).unwrap();
    let piped = run(&["shape", "--config", config], text);
    serve_files(folder, text, text);
    let server = ["call", "--config", config, "x", "--", "sh", "-c", SERVER, folder.to_str().unwrap()];
    let [called, beside] = both(&server, "");
    assert!(called.len() > 1, "{beside}");
    let mut left = vec![
        ("shape", shown(&piped)),
        ("run", short),
        ("run, errors", errors),
        ("run, long", page),
        ("read command", shown(&found)),
        ("saved", shown(&saved)),
        ("call", shown(&called)),
        ("call, errors", beside),
    ];
    let event = |host: &str, tool: &str, text: &str| {
        let response = match host {
            "claude-code" => json!({ "stdout": text, "stderr": "", "interrupted": false }),
            "codex" => json!([{ "type": "text", "text": text }]),
            "copilot" => json!({ "textResultForLlm": text, "resultType": "success" }),
            _ => json!([text]),
        };
        let event = match host {
            "copilot" => json!({ "toolName": tool, "toolArgs": {}, "toolResult": response }),
            _ => {
                json!({ "hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": {}, "tool_response": response })
            }
        };
        let [answer, errors] = both(&["hook", host, "--config", config], &event.to_string());
        assert_eq!(errors, "", "{host}");
        // Without an answer the result stays as it is.
        if answer.is_empty() { text.to_owned() } else { answer }
    };
    let hooks = if std::env::var_os("TOOLSHAPE_DOORS").is_some() { HOOKS.len() } else { HOOKS_IN_SHORT };
    left.extend(HOOKS[..hooks].iter().map(|host| (*host, shown(&event(host, "Bash", text)))));
    event("claude-code", text, &long(text));
    left.push(("ledger", shown(&files(&folder.join("state")))));
    left
}

/// The texts of all files in a folder.
fn files(folder: &Path) -> String {
    let inside = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    inside.map(|path| if path.is_dir() { files(&path) } else { fs::read_to_string(path).unwrap() }).collect()
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

/// What a collector of traces gets.
fn collector() -> (String, Arc<Mutex<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let got = Arc::<Mutex<String>>::default();
    let bodies = Arc::clone(&got);
    thread::spawn(move || {
        for connection in listener.incoming() {
            let (mut connection, bodies) = (connection.unwrap(), Arc::clone(&bodies));
            thread::spawn(move || {
                while let Some((_, body)) = message(&mut connection) {
                    *bodies.lock().unwrap() += &(body + "\n");
                    connection.write_all(b"HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\n{}").unwrap();
                }
            });
        }
    });
    (address, got)
}

/// A gateway, which ends with this.
struct Gateway {
    child: Child,
    address: String,
    next: Next,
    folder: PathBuf,
    traces: Arc<Mutex<String>>,
}

impl Gateway {
    fn start(options: &str, name: &str) -> Self {
        let (upstream, next) = upstream();
        let (traced, traces) = collector();
        let folder = folder(name);
        let mut options: Value = serde_json::from_str(options).unwrap();
        options["listen"] = "127.0.0.1:0".into();
        options["store"] = true.into();
        options["traces"] = format!("http://{traced}/v1/traces").into();
        let command = json!({ "command": ["sh", "-c", SERVER, folder] });
        options["upstreams"] = json!({ "up": { "url": format!("http://{upstream}/mcp") }, "command": command });
        let file = folder.join("gateway.json");
        fs::write(&file, options.to_string()).unwrap();
        let mut program = Command::new(PROGRAM);
        for variable in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
            program.env_remove(variable).env_remove(variable.to_uppercase());
        }
        let child = program
            .args(["serve", "--config", file.to_str().unwrap()])
            .env("XDG_STATE_HOME", folder.join("state"))
            .stdout(fs::File::create(folder.join("log")).unwrap())
            .stderr(fs::File::create(folder.join("said")).unwrap())
            .spawn()
            .unwrap();
        let said = late(&folder.join("said"), 0, "\n");
        let address = said.lines().next().unwrap().strip_prefix("toolshape: listening on http://").unwrap().to_owned();
        Self { child, address, next, folder, traces }
    }

    fn send(&self, first: &str, head: &str, body: &str) -> (String, String) {
        let mut connection = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "{first} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n{head}\r\n",
            self.address,
            body.len()
        );
        connection.write_all((head + body).as_bytes()).unwrap();
        message(&mut connection).unwrap()
    }

    fn ask(&self, request: &Value, status: u16, kind: &'static str, body: String) -> String {
        *self.next.0.lock().unwrap() = (status, kind, body);
        shown(&self.send("POST /up", "", &request.to_string()).1)
    }

    /// What a command behind the gateway writes beside its answer.
    fn beside(&self, text: &str) -> String {
        let said = self.folder.join("said");
        serve_files(&self.folder, text, text);
        let from = length(&said);
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } } });
        let (head, _) = self.send("POST /command", "", &hello.to_string());
        let errors = late(&said, from, "");
        let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
        self.send("DELETE /command", &format!("Mcp-Session-Id: {session}\r\n"), "");
        errors
    }

    /// What leaves at once; spans come later, with this number.
    fn doors(&self, number: usize, case: &Case) -> Vec<Left> {
        let asked =
            |method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let call = asked("tools/call", json!({ "name": "x", "arguments": {} }));
        let answer = |result: Value| json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string();
        let info = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "instructions": case.text, "serverInfo": { "name": "s", "version": "1" } });
        let tools =
            json!({ "tools": [{ "name": "x", "description": case.text, "inputSchema": { "type": "object" } }] });
        let result = answer(json!({ "content": [{ "type": "text", "text": case.text }] }));
        let event = format!("data: {result}\n\n");
        let log = self.folder.join("log");
        let from = length(&log);
        let mut left = vec![
            ("gateway", self.ask(&call, 200, "application/json", result.clone())),
            ("its initialize", self.ask(&asked("initialize", json!({})), 200, "application/json", answer(info))),
            ("its tools/list", self.ask(&asked("tools/list", json!({})), 200, "application/json", answer(tools))),
            ("its stream", self.ask(&call, 200, "text/event-stream", event)),
            ("HTTP error", self.ask(&call, 500, "text/plain", case.text.clone())),
            ("its JSON", self.ask(&call, 500, "application/json", json!({ "detail": case.text }).to_string())),
        ];
        // A tool of a secret name, that fails with it.
        let trace = json!({ "traceparent": format!("00-{:032x}-00000000000000ff-01", number + 1) });
        let named = asked("tools/call", json!({ "name": case.text, "arguments": {}, "_meta": trace }));
        let failed = json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -1, "message": case.text } });
        self.ask(&named, 200, "application/json", failed.to_string());
        left.push(("errors of its command", self.beside(&case.text)));
        left.push(("its log", shown(&late(&log, from, r#""DELETE""#))));
        left.push(("metrics", shown(&self.send("GET /metrics", "", "").1)));
        left
    }

    /// The spans of a case.
    fn spans(&self, number: usize) -> String {
        let trace = format!("{:032x}", number + 1);
        let until = Instant::now() + LATE;
        loop {
            let got = self.traces.lock().unwrap().clone();
            let spans: String = got
                .lines()
                .filter_map(|line| serde_json::from_str::<Value>(line).ok())
                .flat_map(|body| {
                    body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().cloned().unwrap_or_default()
                })
                .filter(|span| span["traceId"] == trace.as_str())
                .map(|span| span.to_string())
                .collect();
            if !spans.is_empty() {
                return shown(&spans);
            }
            assert!(Instant::now() < until, "no span of {trace}: {got}");
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The rows of the cases with the same options: the name of each, and what leaves through each door.
fn rows(number: usize, options: &str, cases: &[Case]) -> Vec<(String, Vec<&'static str>, Vec<bool>)> {
    let mut talk = Talk::start(options, &format!("relay{number}"));
    let gateway = Gateway::start(options, &format!("gateway{number}"));
    let folder = folder(&format!("commands{number}"));
    let config = folder.join("options.json");
    fs::write(&config, options).unwrap();
    let left_of = |(number, case): (usize, &Case)| {
        let mut left = talk.doors(case);
        left.extend(of_commands(&folder, config.to_str().unwrap(), case));
        left.extend(gateway.doors(number, case));
        left
    };
    let left: Vec<Vec<Left>> = cases.iter().enumerate().map(left_of).collect();
    let with_spans = left.into_iter().enumerate().zip(cases).map(|((number, mut left), case)| {
        left.push(("traces", gateway.spans(number)));
        let is_out = |text: &str| case.secrets.iter().any(|secret| text.contains(secret.as_str()));
        let (doors, texts): (Vec<_>, Vec<_>) = left.into_iter().unzip();
        (case.name.clone(), doors, texts.iter().map(|text| is_out(text)).collect())
    });
    with_spans.collect()
}

#[test]
fn no_door_lets_a_secret_out() {
    let groups = cases();
    let table: Vec<_> = thread::scope(|scope| {
        let started: Vec<_> = groups
            .iter()
            .enumerate()
            .map(|(number, (options, cases))| scope.spawn(move || rows(number, options, cases)))
            .collect();
        started.into_iter().flat_map(|rows| rows.join().unwrap()).collect()
    });
    let doors = table[0].1.clone();
    let table: Vec<_> = table.into_iter().map(|(name, _, row)| (name, row)).collect();
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
