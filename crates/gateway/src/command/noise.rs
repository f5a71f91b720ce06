//! What a command writes besides its messages: on standard error, or between them. A part is shown, however much it writes.

use std::process::ChildStderr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use toolshape::host::printable_within;
use toolshape_pipes::lines::{self, Input};
use toolshape_proxy::RelayOptions;

use crate::lock::locked;

/// The bytes that are shown at once, and further ones a second.
const BURST: f64 = 65_536.0;
const PER_SECOND: f64 = 2_048.0;
/// The bytes of a line that is shown.
const LINE: usize = 8_192;

/// A text without what is secret; `None` if it has nothing of it.
type Redact = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What is shown of the processes of one server.
pub struct Noise {
    without_secrets: Redact,
    allowance: Mutex<Allowance>,
}

struct Allowance {
    bytes: f64,
    at: Instant,
    left_out: usize,
}

impl Noise {
    pub fn new(options: &RelayOptions) -> Arc<Self> {
        let redaction = options.redaction.clone();
        let allowance = Allowance { bytes: BURST, at: Instant::now(), left_out: 0 };
        let without_secrets = Box::new(move |line: &str| redaction.of_text(line));
        Arc::new(Self { without_secrets, allowance: Mutex::new(allowance) })
    }

    /// Shows what comes of standard error, in a thread. All of it is read: a command does not wait.
    pub fn read(self: Arc<Self>, from: ChildStderr) {
        lines::read(from, LINE, move |input| {
            match input {
                // What is written together is read together: a secret may be named in a line before it.
                Input::Lines(lines) => {
                    let text = String::from_utf8_lossy(&lines.bytes);
                    let shown = (self.without_secrets)(&text);
                    shown.as_deref().unwrap_or(&text).lines().for_each(|line| self.say(line));
                }
                Input::LongLine(part, _) => locked(&self.allowance).left_out += part.bytes.len(),
                Input::End => {}
            }
            true
        });
    }

    /// Shows a line that has no secrets.
    pub fn say(&self, line: &str) {
        let mut allowance = locked(&self.allowance);
        let now = Instant::now();
        let more = now.duration_since(allowance.at).as_secs_f64() * PER_SECOND;
        allowance.bytes = (allowance.bytes + more).min(BURST);
        allowance.at = now;
        if allowance.bytes < line.len() as f64 {
            allowance.left_out += line.len();
            return;
        }
        allowance.bytes -= line.len() as f64;
        let left_out = std::mem::take(&mut allowance.left_out);
        drop(allowance);
        if left_out > 0 {
            eprintln!("toolshape: {left_out} bytes of a noisy server are left out");
        }
        if !line.is_empty() {
            eprintln!("{}", printable_within(line, LINE));
        }
    }
}
