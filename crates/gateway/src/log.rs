//! The lines about requests on standard output, written by a thread of their own: whoever does not read them holds up nobody.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value};

/// The most lines that wait to be written. Further ones are dropped, and the next line has their number.
const WAITING: usize = 10_000;
/// How long lines are waited for at the end.
const LAST: Duration = Duration::from_millis(500);

enum LogItem {
    Line(String),
    /// All lines before it are written.
    End(SyncSender<()>),
}

/// Where lines are written.
pub struct Log {
    to: SyncSender<LogItem>,
    dropped: AtomicU64,
}

impl Log {
    pub fn new() -> Self {
        let (to, items) = mpsc::sync_channel(WAITING);
        thread::spawn(move || {
            for item in items {
                match item {
                    LogItem::Line(line) => _ = writeln!(std::io::stdout().lock(), "{line}"),
                    LogItem::End(done) => _ = done.send(()),
                }
            }
        });
        Self { to, dropped: AtomicU64::new(0) }
    }

    pub fn write(&self, mut line: Map<String, Value>) {
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            line.insert("droppedLines".to_owned(), dropped.into());
        }
        if self.to.try_send(LogItem::Line(Value::Object(line).to_string())).is_err() {
            self.dropped.fetch_add(dropped + 1, Ordering::Relaxed);
        }
    }

    /// Waits a short while until all lines are written.
    pub fn flush(&self) {
        let (done, written) = mpsc::sync_channel(1);
        if self.to.try_send(LogItem::End(done)).is_ok() {
            let _ = written.recv_timeout(LAST);
        }
    }
}
