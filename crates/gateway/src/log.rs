//! The lines about requests on standard output, written by a thread of their own: whoever does not read them holds up nobody.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::Duration;

/// The most lines that wait to be written. Further ones are dropped, and the next line has their number.
const WAITING: usize = 10_000;
/// How long lines are waited for at the end.
const LAST: Duration = Duration::from_millis(500);
/// The bytes that are written at once, and how long lines are collected for that while more come.
const TOGETHER: usize = 1 << 16;
const COLLECTED: Duration = Duration::from_millis(5);

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
            let mut text = Vec::new();
            while let Ok(first) = items.recv() {
                let mut next = Some(first);
                while let Some(item) = next {
                    match item {
                        LogItem::Line(line) => {
                            text.extend_from_slice(line.as_bytes());
                            text.push(b'\n');
                        }
                        LogItem::End(done) => {
                            written(&mut text);
                            let _ = done.send(());
                        }
                    }
                    next = if text.len() < TOGETHER { items.try_recv().ok() } else { None };
                }
                written(&mut text);
                thread::sleep(COLLECTED);
            }
        });
        Self { to, dropped: AtomicU64::new(0) }
    }

    /// Writes a line: an object of JSON.
    pub fn write(&self, mut line: String) {
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            line.truncate(line.len() - 1);
            line.push_str(&format!(",\"droppedLines\":{dropped}}}"));
        }
        if self.to.try_send(LogItem::Line(line)).is_err() {
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

fn written(text: &mut Vec<u8>) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text).and_then(|()| out.flush());
    text.clear();
}
