//! What a server writes to standard error: whole lines as they come, without secrets.

use std::io::{self, Write};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use toolshape::host::Redaction;

use crate::lines::{self, Input};
use crate::output::say;

/// The bytes of a line that is looked through for secrets.
const LONGEST: usize = 1 << 20;
/// How long the last lines are waited for.
pub const LAST_LINES: Duration = Duration::from_millis(500);

/// Ends when all is shown; nothing if the server shows it itself.
pub struct Errors(Option<Receiver<()>>);

impl Errors {
    /// Waits a short while until all is shown: a process of the server's own that goes on is left.
    pub fn wait(self) {
        let _ = self.0.map(|end| end.recv_timeout(LAST_LINES));
    }
}

/// Starts a server.
pub fn started(mut server: Command, redaction: &Redaction) -> io::Result<(Child, Errors)> {
    if redaction.is_empty() {
        return Ok((server.spawn()?, Errors(None)));
    }
    let mut server = server.stderr(Stdio::piped()).spawn()?;
    let errors = server.stderr.take().map(|errors| without_secrets(errors, redaction.clone()));
    Ok((server, Errors(errors)))
}

/// Of a line that is too long to look through nothing is shown.
fn without_secrets(errors: ChildStderr, redaction: Redaction) -> Receiver<()> {
    let (to_end, end) = mpsc::channel();
    lines::read(errors, LONGEST, move |input| {
        let _open = &to_end;
        match input {
            Input::Lines(lines) => {
                let text = String::from_utf8_lossy(&lines.bytes);
                let _ = io::stderr().write_all(redaction.of_text(&text).as_deref().unwrap_or(&text).as_bytes());
            }
            Input::LongLine(_, true) => {
                say(&format!("toolshape: a line of over {LONGEST} bytes of the server is left out"))
            }
            Input::LongLine(_, false) | Input::End => {}
        }
        true
    });
    end
}
