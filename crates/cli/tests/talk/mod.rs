//! A client of the program: says lines, hears lines, and sees how it ends.

#![allow(dead_code, reason = "each test file uses a part")]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

pub struct Talk {
    program: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
    log: Option<ChildStderr>,
}

/// How the program ended.
pub struct Ended {
    pub code: i32,
    /// What nobody heard of its output.
    pub rest: Vec<u8>,
    /// What it wrote to standard error.
    pub errors: String,
}

impl Talk {
    pub fn new(arguments: Vec<String>) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_toolshape"))
            .args(arguments)
            .current_dir(env!("CARGO_TARGET_TMPDIR"))
            .env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (program.stdin.take(), program.stdout.take().map(BufReader::new));
        Self { input, output, log: program.stderr.take(), program }
    }

    #[cfg(unix)]
    pub fn id(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.program)
    }

    pub fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        // A program that has ended reads nothing; its output is read then.
        let _ = input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n"));
    }

    pub fn hear(&mut self) -> String {
        let mut line = String::new();
        self.output.as_mut().unwrap().read_line(&mut line).unwrap();
        line.trim_end_matches('\n').to_owned()
    }

    /// The client says nothing more.
    pub fn close(&mut self) {
        self.input = None;
    }

    pub fn stop_hearing(&mut self) {
        self.output = None;
    }

    /// Waits for the end of the program, also where something else goes on to write where it wrote.
    pub fn code(&mut self) -> i32 {
        self.program.wait().unwrap().code().unwrap()
    }

    /// Waits for the end of the program, whose input stays open unless it was closed.
    pub fn end(mut self) -> Ended {
        let (mut rest, mut errors) = (Vec::new(), String::new());
        if let Some(mut output) = self.output.take() {
            output.read_to_end(&mut rest).unwrap();
        }
        self.log.take().unwrap().read_to_string(&mut errors).unwrap();
        let code = self.program.wait().unwrap().code().unwrap();
        Ended { code, rest, errors }
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.program.kill();
    }
}

/// A call of a tool.
pub fn call(id: u64, tool: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#)
}
