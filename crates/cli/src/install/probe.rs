//! Starts a server once, as its host would, and asks for its tools.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use toolshape_hosts::Server;

/// How long a server may take, which the first start of a package does.
const LONGEST: Duration = Duration::from_secs(60);
/// How the names of readers begin.
const READER: &str = "read_result";

/// What a server answered.
pub struct Answer {
    /// The tool that reads what was kept.
    pub reader: Option<String>,
    /// Its other tools.
    pub tools: Vec<String>,
}

/// Starts a server behind these words.
///
/// # Errors
/// A server that does not start, ends, or does not answer in a minute.
pub fn start(words: &[String], server: &Server) -> Result<Answer> {
    let (command, variables) = server.behind(words);
    let (program, arguments) = command.split_first().context("it has no command")?;
    let mut child = Command::new(program)
        .args(arguments)
        .envs(server.environment.iter().cloned().chain(variables))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let answer = ask(&mut child);
    // The end of its input ends it.
    drop(child.stdin.take());
    let until = Instant::now() + Duration::from_secs(2);
    while child.try_wait()?.is_none() && Instant::now() < until {
        thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    let _ = child.wait();
    answer
}

fn ask(child: &mut Child) -> Result<Answer> {
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else { bail!("it has no pipes") };
    let (to, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if to.send(line).is_err() {
                break;
            }
        }
    });
    let about = json!({ "name": "toolshape", "version": env!("CARGO_PKG_VERSION") });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about });
    let until = Instant::now() + LONGEST;
    send(&mut input, &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }))?;
    answered(&lines, 1, until)?;
    send(&mut input, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
    send(&mut input, &json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} }))?;
    let tools = answered(&lines, 2, until)?;
    child.stdin = Some(input);
    let names = tools["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str());
    let (mut readers, tools): (Vec<_>, Vec<_>) = names.map(str::to_owned).partition(|name| name.starts_with(READER));
    Ok(Answer { reader: readers.pop(), tools })
}

fn send(to: &mut impl Write, message: &Value) -> Result<()> {
    writeln!(to, "{message}").and_then(|()| to.flush()).context("it ended")
}

/// The result of a request.
fn answered(lines: &Receiver<String>, id: u64, until: Instant) -> Result<Value> {
    loop {
        let line = match lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => line,
            Err(mpsc::RecvTimeoutError::Timeout) => bail!("it does not answer"),
            Err(mpsc::RecvTimeoutError::Disconnected) => bail!("it ended without an answer"),
        };
        let Ok(mut message) = serde_json::from_str::<Value>(&line) else { continue };
        if message["id"] == id {
            if let Some(why) = message["error"]["message"].as_str() {
                bail!("it answers: {why}");
            }
            return Ok(message["result"].take());
        }
    }
}
